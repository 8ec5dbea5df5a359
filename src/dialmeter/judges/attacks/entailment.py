"""The reply does not follow: it is replaced by another utterance."""

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
    """False for thanks and greetings, which fit almost anywhere."""
    words = word_list(text)
    return len(words) >= _SHORTEST and len(content_words(text)) >= 2 and not set(words[:2]) & GREETINGS


def _least_related(snippet: Snippet, candidates: Iterable[Move], kit: Kit) -> str:
    """Of some random candidates, the one that shares the fewest words with the last turns, because one that fits is no attack.

    Utterances of the other speaker are preferred: another wish of a user may well follow, an offer by a user does not.
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


def unrelated(snippet: Snippet, kit: Kit) -> str:
    """An utterance of another dialogue that does not fit.

    Raises:
        NoCase: there is none.
    """
    others = kit.random.sample(kit.pool.utterances, min(_LOOKED_AT, len(kit.pool.utterances)))
    return _least_related(snippet, (move for dialogue, move in others if dialogue != snippet.dialogue), kit)


ATTACK = Attack(
    name="entailment",
    facet="coherence",
    expected="lower",
    help="Puts an utterance that does not follow in place of the reply.",
    variants=(
        Variant("later", _later, "A later utterance of the same dialogue."),
        Variant("other-dialogue", unrelated, "An utterance of another dialogue."),
    ),
    cite=("khalid-2022",),
)
