"""The judge that likes everything the same."""

from __future__ import annotations

from collections.abc import Sequence

from ..judge import Item


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
