"""Judges that use only the surface of a reply: constant, random, length, overlap with the context, distinct words."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import fsum

from ...english import UNSPACED_LETTER
from ...errors import NotApplicable
from ..cases import item_hash
from ..judge import Item, name_with_parameters

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


def tokens(text: str) -> list[str]:
    """Split a text into words and punctuation marks in lower case.

    Example:
        >>> tokens("Don't go, Ann!")
        ["don't", 'go', ',', 'ann', '!']
    """
    return _TOKEN.findall(text.lower())


def words(text: str) -> list[str]:
    """Split a text into words, without punctuation marks.

    Example:
        >>> words("Go, Ann!")
        ['go', 'ann']
    """
    return [token for token in tokens(text) if token[0].isalnum() or token[0] == "_"]


def spaced(text: str) -> str:
    """Return a text with blanks between words unchanged.

    Raises:
        NotApplicable: most letters are of a script without blanks, such as Chinese; a sentence would count as one word.

    Example:
        >>> spaced("which area?")
        'which area?'
    """
    if not text.isascii() and 2 * len(UNSPACED_LETTER.findall(text)) > sum(map(str.isalpha, text)):
        raise NotApplicable(
            "this judge needs blanks between words; use a judge such as llm for Chinese, Japanese or Thai"
        )
    return text


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
    """Counts the words of the reply. A case that it gets right can be solved by length alone.

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
    """Gives each reply a random number between 0 and 1.

    The number is a digest of the seed and the item, so it does not depend on order and batches. If an item is scored
    again, it gets another number, as from a judge that is only noise.

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
        self.name = name_with_parameters("random", seed=(seed, 0))
        self._seed = seed
        self._times_scored: Counter[str] = Counter()

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [self._draw(item_hash(context, reply)) for context, reply in items]

    def _draw(self, key: str) -> float:
        digest = hashlib.sha256(f"{self._seed}/{key}/{self._times_scored[key]}".encode()).digest()
        self._times_scored[key] += 1
        return int.from_bytes(digest[:7], "big") / 2**56


class ContextOverlap:
    """The share of the reply's distinct words that also occur in the context; 0 for a reply without words.

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
        return [
            self._share({word for move in context for word in words(spaced(move.text))}, reply)
            for context, reply in items
        ]

    @staticmethod
    def _share(context_words: set[str], reply: str) -> float:
        reply_words = set(words(spaced(reply)))
        return len(reply_words & context_words) / len(reply_words) if reply_words else 0.0


class Distinct:
    """The share of distinct tokens and token pairs in the reply: the mean of distinct-1 and distinct-2.

    Example:
        >>> Distinct().score([((), "very very good")])
        [0.8333333333333333]
    """

    name = "distinct"
    higher_is_better = True
    scale: tuple[float, float] | None = (0.0, 1.0)
    facets: frozenset[str] | None = frozenset({"naturalness", "interest"})

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [distinct_share(tokens(spaced(reply))) for _, reply in items]


def distinct_share(tokens: Sequence[str]) -> float:
    """The mean of distinct-1 and distinct-2; 0 if there are no tokens.

    Example:
        >>> distinct_share(["a", "a"])
        0.75
    """
    pairs = list(pairwise(tokens))
    shares = [len(set(each)) / len(each) for each in (tokens, pairs) if each]
    return fsum(shares) / len(shares) if shares else 0.0
