"""The reply does not follow: another utterance stands in its place."""

from __future__ import annotations

from collections.abc import Iterable

from ...model import Move
from ..corpus_pool import Snippet
from ..language.words import GREETINGS, content_words, same_but_for_case, word_list
from . import Attack, Kit, NoCase, Variant

_DRAWN = 12
_LOOKED_AT = 100
_SHORTEST = 5


def _says_something(text: str) -> bool:
    """Thanks and greetings may stand nearly anywhere, and would not be wrong."""
    words = word_list(text)
    return len(words) >= _SHORTEST and len(content_words(text)) >= 2 and not set(words[:2]) & GREETINGS


def _least_related(snippet: Snippet, candidates: Iterable[Move], kit: Kit) -> str:
    """Of some that are drawn, the one that shares the fewest words with the last turns: one that fits by chance is no attack.

    What the other speaker says is preferred, where dialogues have the same two roles: another wish of a user may well
    follow, an offer from the mouth of a user does not.
    """
    wanted = [
        move
        for move in dict.fromkeys(candidates)
        if _says_something(move.text) and not same_but_for_case(move.text, snippet.reply.text)
    ]
    if not wanted:
        raise NoCase("no other utterance that says something")
    others = [move.text for move in wanted if move.speaker != snippet.reply.speaker]
    fit = list(dict.fromkeys(others or [move.text for move in wanted]))
    drawn = kit.random.sample(fit, min(_DRAWN, len(fit)))
    here = {word for move in (*snippet.context[-2:], snippet.reply) for word in content_words(move.text)}

    def shared(text: str) -> float:
        words = content_words(text)
        return sum(word in here for word in words) / len(words)

    return min(drawn, key=shared)


def _later(snippet: Snippet, kit: Kit) -> str:
    if not snippet.later:
        raise NoCase("nothing is said later")
    return _least_related(snippet, snippet.later, kit)


def _other(snippet: Snippet, kit: Kit) -> str:
    others = kit.random.sample(kit.pool.utterances, min(_LOOKED_AT, len(kit.pool.utterances)))
    return _least_related(snippet, (move for dialogue, move in others if dialogue != snippet.dialogue), kit)


ATTACK = Attack(
    name="entailment",
    facet="coherence",
    expected="lower",
    help="Puts an utterance that does not follow in place of the reply.",
    variants=(
        Variant("later", _later, "A later utterance of the same dialogue."),
        Variant("other-dialogue", _other, "An utterance of another dialogue."),
    ),
    cite=("khalid-2022",),
)
