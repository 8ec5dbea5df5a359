"""The judge that throws dice."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from ..hashing import item_hash
from ..judge import Item, called


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
