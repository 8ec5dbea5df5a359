"""DSTC10: how well a tracker knows that a slot is empty."""

from ...measure import Measure, Vector
from ..tally import Tally


class _None(Measure, frozen=True, kw_only=True):
    cite = ("kim-2021",)
    slots: int = 0
    """How many cells a turn has; 0 takes it from the schema, or from the slots that gold holds."""

    def __post_init__(self) -> None:
        if self.slots < 0:
            raise ValueError("slots must be at least 0")

    def cells(self, tally: Tally) -> tuple[int, int, int]:
        """Cells empty on both sides, in the prediction, in gold."""
        return self.slots - tally.union, self.slots - tally.pred, self.slots - tally.gold


class NonePrecision(_None, frozen=True, kw_only=True):
    """Of the cells predicted empty, how many are."""

    title = "None precision (DSTC10)"
    formula = "cells empty on both sides / cells predicted empty"
    why_unscored = "no cell is predicted empty"
    pooled = True

    def from_tally(self, tally: Tally) -> Vector:
        both, pred, _ = self.cells(tally)
        return (both, pred)


class NoneRecall(_None, frozen=True, kw_only=True):
    """Of the cells empty in gold, how many are predicted so."""

    title = "None recall (DSTC10)"
    formula = "cells empty on both sides / cells empty in gold"
    why_unscored = "no cell is empty in gold"
    pooled = True

    def from_tally(self, tally: Tally) -> Vector:
        both, _, gold = self.cells(tally)
        return (both, gold)


class NoneF1(_None, frozen=True, kw_only=True):
    """The harmonic mean of none precision and none recall."""

    title = "None F1 (DSTC10)"
    formula = "2 · both / (predicted + gold)"
    why_unscored = "no cell is empty"
    pooled = True

    def from_tally(self, tally: Tally) -> Vector:
        both, pred, gold = self.cells(tally)
        return (2 * both, pred + gold)
