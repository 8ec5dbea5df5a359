"""Attack: the reply is replaced by another utterance, which does not follow from the context."""

from __future__ import annotations

from collections.abc import Iterable

from ...model import Move
from ..corpus_pool import Snippet
from ..language.words import GREETINGS, content_words, same_but_for_case, word_list
from . import Attack, Kit, NoCase, Variant

_DRAWN = 12
_SAMPLE_SIZE = 100
_SHORTEST = 5


def _has_content(text: str) -> bool:
    """False for short texts, thanks and greetings, which fit almost anywhere."""
    words = word_list(text)
    return len(words) >= _SHORTEST and len(content_words(text)) >= 2 and not set(words[:2]) & GREETINGS


def _least_related(snippet: Snippet, candidates: Iterable[Move], kit: Kit) -> str:
    """Of some random candidates, the one with the smallest share of words from the last turns: an utterance that fits is no attack.

    Utterances of the other speaker are preferred: a second request of a user may follow, but an offer by a user does not.
    """
    usable = [
        move
        for move in dict.fromkeys(candidates)
        if _has_content(move.text) and not same_but_for_case(move.text, snippet.reply.text)
    ]
    if not usable:
        raise NoCase("no other utterance with content")
    others = [move.text for move in usable if move.speaker != snippet.reply.speaker]
    texts = list(dict.fromkeys(others or [move.text for move in usable]))
    sample = kit.random.sample(texts, min(_DRAWN, len(texts)))
    last_words = {word for move in (*snippet.context[-2:], snippet.reply) for word in content_words(move.text)}

    def shared(text: str) -> float:
        words = content_words(text)
        return sum(word in last_words for word in words) / len(words)

    return min(sample, key=shared)


def _later(snippet: Snippet, kit: Kit) -> str:
    if not snippet.later:
        raise NoCase("no later utterance")
    return _least_related(snippet, snippet.later, kit)


def unrelated(snippet: Snippet, kit: Kit) -> str:
    """An utterance of another dialogue that does not fit the context.

    Raises:
        NoCase: there is no such utterance.
    """
    others = kit.random.sample(kit.pool.utterances, min(_SAMPLE_SIZE, len(kit.pool.utterances)))
    return _least_related(snippet, (move for dialogue, move in others if dialogue != snippet.dialogue), kit)


ATTACK = Attack(
    name="entailment",
    facet="coherence",
    expected="lower",
    help="Replaces the reply by an utterance that does not follow from the context.",
    variants=(
        Variant("later", _later, "A later utterance of the same dialogue."),
        Variant("other-dialogue", unrelated, "An utterance of another dialogue."),
    ),
    cite=("khalid-2022",),
)
