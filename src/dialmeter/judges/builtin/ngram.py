"""Judges that learn from a corpus by counting: is the reply fluent, and does it go with the turn before?"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from math import fsum, log

import msgspec

from ...errors import DialmeterError
from ..judge import Item, called
from .kneser_ney import KneserNey
from .tokens import tokens, words

_EDGE = "\n"
"""Stands before and behind each utterance; no token is a line break."""


class NgramFluency:
    """The mean log-probability of the reply's tokens under an n-gram model of a corpus, the end included.

    Args:
        talk: the dialogues to learn from, each as its utterances.
        order: the length of n-grams.

    Example:
        >>> judge = NgramFluency([["i need a hotel", "which area do you need?"]])
        >>> good, bad = judge.score([((), "i need a hotel"), ((), "hotel a need i")])
        >>> good > bad
        True
    """

    higher_is_better = True
    scale: tuple[float, float] | None = None
    facets: frozenset[str] | None = frozenset({"naturalness"})

    def __init__(self, talk: Sequence[Sequence[str]], order: int = 3) -> None:
        if order < 2:
            raise DialmeterError("ngram-fluency: order is at least 2")
        self.name = called("ngram-fluency", order=(order, 3))
        self.identity = f"{self.name}@{_digest(talk)}"
        self._talk, self._order = talk, order
        self._before = [_EDGE] * (order - 1)

    @cached_property
    def _model(self) -> KneserNey:
        utterances = {text for dialogue in self._talk for text in dialogue}
        return KneserNey.of_sequences(([_EDGE, *tokens(text), _EDGE] for text in sorted(utterances)), self._order)

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [self._mean([*tokens(reply), _EDGE]) for _, reply in items]

    def _mean(self, said: list[str]) -> float:
        return self._model.log_probability(said, self._before) / len(said)


class NgramCoherence:
    """How much likelier the reply's words are after the words of the turn before than anywhere, per word.

    A pair of a word in one turn and a word in the next is a bigram across the turn; p(w | turn) is the mean of the
    smoothed p(w | u) over the turn's words u, and the score is the mean over the reply's words of
    log p(w | turn) − log p(w). A reply without words, or after none, gets 0.

    Args:
        talk: the dialogues to learn from, each as its utterances.

    Example:
        >>> from dialmeter.model import Move
        >>> judge = NgramCoherence([["a hotel", "which area"], ["a train", "which day"], ["a hotel", "which area"]])
        >>> good, bad = judge.score([((Move("user", "a hotel"),), reply) for reply in ("which area", "which day")])
        >>> good > bad
        True
    """

    name = "ngram-coherence"
    higher_is_better = True
    scale: tuple[float, float] | None = None
    facets: frozenset[str] | None = frozenset({"coherence"})

    def __init__(self, talk: Sequence[Sequence[str]]) -> None:
        self.identity = f"{self.name}@{_digest(talk)}"
        self._talk = talk
        self._known: dict[tuple[str, str], float] = {}

    @cached_property
    def _model(self) -> KneserNey:
        grams: Counter[tuple[str, ...]] = Counter()
        for dialogue in self._talk:
            said = [sorted(set(words(text))) for text in dialogue]
            for before, after in pairwise(said):
                grams.update((one, other) for one in before for other in after)
        return KneserNey(grams)

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [
            self._mean(sorted(set(words(context[-1].text))) if context else [], words(reply))
            for context, reply in items
        ]

    def _mean(self, before: list[str], said: list[str]) -> float:
        if not before or not said:
            return 0.0
        return fsum(map(log, (self._lift(before, word) for word in said))) / len(said)

    def _lift(self, before: list[str], word: str) -> float:
        after = fsum(self._after(one, word) for one in before) / len(before)
        return after / self._model.probability(word)

    def _after(self, one: str, word: str) -> float:
        """The probability of a word after another; the same pairs come up again and again."""
        found = self._known.get((one, word))
        if found is None:
            found = self._known[one, word] = self._model.probability(word, (one,))
        return found


def _digest(talk: Sequence[Sequence[str]]) -> str:
    return hashlib.sha256(msgspec.json.encode([list(each) for each in talk])).hexdigest()[:10]
