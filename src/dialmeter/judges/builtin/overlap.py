"""The judge that likes replies which repeat their context."""

from __future__ import annotations

from collections.abc import Sequence

from ..judge import Item
from .tokens import words


class Overlap:
    """The share of the reply's distinct words that stand in the context as well; 0 for a reply without words.

    Example:
        >>> from dialmeter.model import Move
        >>> Overlap().score([((Move("user", "a cheap hotel"),), "which hotel?")])
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
