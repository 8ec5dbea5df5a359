"""The judge that likes long replies."""

from __future__ import annotations

from collections.abc import Sequence

from ..judge import Item
from .tokens import words


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
