"""Attack: a speaker's name is put before the reply, as in a script."""

from __future__ import annotations

from ..corpus_pool import Snippet
from . import Attack, Kit, Variant

_OTHERS = ("User", "Assistant", "Speaker A", "Speaker B", "Human", "Bot")


def _own(snippet: Snippet, kit: Kit) -> str:
    name = snippet.reply.speaker.strip() or "Speaker"
    return f"{name[:1].upper()}{name[1:]}: {snippet.reply.text}"


def _any(snippet: Snippet, kit: Kit) -> str:
    return f"{kit.random.choice(_OTHERS)}: {snippet.reply.text}"


ATTACK = Attack(
    name="speaker-tag",
    facet="naturalness",
    expected="at-most",
    help="Puts a speaker's name and a colon before the reply, which must not make it better.",
    variants=(
        Variant("own", _own, "The name of the speaker in the file."),
        Variant("any", _any, "One of the names that scripts use."),
    ),
)
