"""Judges that look at the surface of a reply: constant, random, length, overlap with the context, distinct words."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import fsum

from ..cases import item_hash
from ..judge import Item, called

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


def tokens(text: str) -> list[str]:
    """Words and signs in lower case.

    Example:
        >>> tokens("Don't go, Ann!")
        ["don't", 'go', ',', 'ann', '!']
    """
    return _TOKEN.findall(text.lower())


def words(text: str) -> list[str]:
    """Words alone.

    Example:
        >>> words("Go, Ann!")
        ['go', 'ann']
    """
    return [token for token in tokens(text) if token[0].isalnum() or token[0] == "_"]


class Constant:
    """Gives every reply the same score: the floor and the ceiling of error rates.

    Example:
        >>> Constant().score([((), "yes"), ((), "no")])
        [0.0, 0.0]
    """

    name = "constant"
    higher_is_better = True
    scale: tuple[float, float] | None = (0.0, 0.0)
    facets: frozenset[str] | None = None

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [0.0] * len(items)


class Length:
    """Counts the words of the reply. What it gets right, a judge gets right by length alone.

    Example:
        >>> Length().score([((), "yes, of course")])
        [3.0]
    """

    name = "length"
    higher_is_better = True
    scale: tuple[float, float] | None = None
    facets: frozenset[str] | None = None

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [float(len(words(reply))) for _, reply in items]


class Chance:
    """Gives each reply a number between 0 and 1 that nothing can be read from.

    The number comes from a digest of seed and item, so that order and batches do not matter; an item that is asked for
    again gets another number, as a judge that is noise would give.

    Example:
        >>> judge = Chance(seed=3)
        >>> first, second = judge.score([((), "yes"), ((), "yes")])
        >>> first != second, Chance(seed=3).score([((), "yes")]) == [first]
        (True, True)
    """

    higher_is_better = True
    stays = True
    scale: tuple[float, float] | None = (0.0, 1.0)
    facets: frozenset[str] | None = None

    def __init__(self, seed: int = 0) -> None:
        self.name = called("random", seed=(seed, 0))
        self._seed = seed
        self._asked: Counter[str] = Counter()

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [self._number(item_hash(context, reply)) for context, reply in items]

    def _number(self, key: str) -> float:
        digest = hashlib.sha256(f"{self._seed}/{key}/{self._asked[key]}".encode()).digest()
        self._asked[key] += 1
        return int.from_bytes(digest[:7], "big") / 2**56


class ContextOverlap:
    """The share of the reply's distinct words that stand in the context as well; 0 for a reply without words.

    Example:
        >>> from dialmeter.model import Move
        >>> ContextOverlap().score([((Move("user", "a cheap hotel"),), "which hotel?")])
        [0.5]
    """

    name = "overlap"
    higher_is_better = True
    scale: tuple[float, float] | None = (0.0, 1.0)
    facets: frozenset[str] | None = None

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [self._share({word for move in context for word in words(move.text)}, reply) for context, reply in items]

    @staticmethod
    def _share(known: set[str], reply: str) -> float:
        said = set(words(reply))
        return len(said & known) / len(said) if said else 0.0


class Distinct:
    """Distinct tokens and pairs of tokens in the reply, as a share of all: the mean of distinct-1 and distinct-2.

    Example:
        >>> Distinct().score([((), "very very good")])
        [0.8333333333333333]
    """

    name = "distinct"
    higher_is_better = True
    scale: tuple[float, float] | None = (0.0, 1.0)
    facets: frozenset[str] | None = frozenset({"naturalness", "interest"})

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [distinct_share(tokens(reply)) for _, reply in items]


def distinct_share(said: Sequence[str]) -> float:
    """The mean of distinct-1 and distinct-2; 0 for nothing.

    Example:
        >>> distinct_share(["a", "a"])
        0.75
    """
    pairs = list(pairwise(said))
    shares = [len(set(each)) / len(each) for each in (said, pairs) if each]
    return fsum(shares) / len(shares) if shares else 0.0
