"""The judge that likes replies which do not repeat themselves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import fsum

from ..judge import Item
from .tokens import tokens


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
        return [self._share(tokens(reply)) for _, reply in items]

    @staticmethod
    def _share(said: list[str]) -> float:
        pairs = list(pairwise(said))
        shares = [len(set(each)) / len(each) for each in (said, pairs) if each]
        return fsum(shares) / len(shares) if shares else 0.0
