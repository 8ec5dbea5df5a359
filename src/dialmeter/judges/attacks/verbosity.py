"""Attack: the reply becomes longer without more content."""

from __future__ import annotations

from ..corpus_pool import Snippet
from . import Attack, Kit, Variant

_BEFORE = (
    "Thank you for bringing this up; it is a point that deserves a careful and thorough response, which I shall now try to give.",
    "Before anything else, let me say that I have considered what you said from a number of angles and at some length.",
    "There are, as is so often the case, many things that one could say here, and it is worth taking a moment to say them well.",
)
_AFTER = (
    "I trust that the above is clear, complete and to the point; as said before, it is what I wanted to convey.",
    "In short, and to sum up what has been said, that is what I have to say on this matter at this point in time.",
    "All things considered, and taking everything into account, the foregoing covers what there is to cover here.",
)


def _before(snippet: Snippet, kit: Kit) -> str:
    return f"{kit.random.choice(_BEFORE)} {snippet.reply.text}"


def _after(snippet: Snippet, kit: Kit) -> str:
    return f"{snippet.reply.text.rstrip()} {kit.random.choice(_AFTER)}"


def _both(snippet: Snippet, kit: Kit) -> str:
    return f"{kit.random.choice(_BEFORE)} {snippet.reply.text.rstrip()} {kit.random.choice(_AFTER)}"


ATTACK = Attack(
    name="verbosity",
    facet="interest",
    expected="at-most",
    help="Adds sentences that say nothing; a longer reply is not a better one.",
    variants=(
        Variant("before", _before, "An empty sentence before the reply."),
        Variant("after", _after, "An empty sentence after the reply."),
        Variant("both", _both, "One before and one after."),
    ),
)
