"""Measures of DSTC10: values as sets, with partial credit for a partly correct set; and empty slots."""

import math
from functools import lru_cache
from typing import Literal

from ...measure import Vector
from ...model import State, Value
from ..compared import ComparedDialogue
from ..pairs import alternatives, set_score
from ..tally import Tally
from . import ShareMeasure


class ValueMeasure(ShareMeasure, frozen=True, kw_only=True):
    """A measure of the overlap of values in the whole state of a turn."""

    cite = ("kim-2021",)
    high = math.inf
    several: Literal["any-of", "sets"] = "any-of"
    """The meaning of several gold values: alternatives, of which one is enough, or a set, which can get partial credit."""

    def from_states(self, previous_gold: State, gold: State, previous_pred: State, pred: State) -> Vector:
        met = math.fsum(_met(gold[slot], pred[slot], self.several) for slot in gold.keys() & pred.keys())
        return self.vector(met, len(gold), len(pred))

    def overlaps(self, cells: ComparedDialogue) -> list[tuple[float, int, int]]:
        """Return for each turn the arguments of ``vector``; they are the same for all measures with this value of ``several``.

        The first is the sum over shared slots of 2|A ∩ B| / (|A| + |B|).
        """
        slots, values = cells.pairs.cell_slots, cells.pairs.values
        overlaps = []
        for gold, pred in zip(cells.gold, cells.pred, strict=True):
            gold_values = {slots[cell]: values[cell] for cell in gold}
            shared = [(gold_values[slots[cell]], values[cell]) for cell in pred if slots[cell] in gold_values]
            met = math.fsum([_met(*each, self.several) for each in shared])
            overlaps.append((met, len(gold), len(pred)))
        return overlaps


@lru_cache(1 << 16)
def _met(gold: Value, pred: Value, several: Literal["any-of", "sets"]) -> float:
    if several == "any-of":
        return float(not alternatives(gold).isdisjoint(alternatives(pred)))
    return set_score(gold, pred)


class ValuePrecision(ValueMeasure, frozen=True, kw_only=True):
    """The share of right values in the cells that are predicted with values."""

    title = "Value precision (DSTC10)"
    formula = "Σ F1(A, B) over cells filled on both sides / cells predicted"
    reason_unscored = "nothing was predicted"
    share = "precision"


class ValueRecall(ValueMeasure, frozen=True, kw_only=True):
    """The share of gold values that are predicted, in the cells that gold fills."""

    title = "Value recall (DSTC10)"
    formula = "Σ F1(A, B) over cells filled on both sides / cells in gold"
    reason_unscored = "gold is empty"
    share = "recall"


class ValueF1(ValueMeasure, frozen=True, kw_only=True):
    """The harmonic mean of value precision and value recall."""

    title = "Value F1 (DSTC10)"
    formula = "2 · Σ / (cells predicted + cells in gold)"
    reason_unscored = "gold and prediction are empty"
    share = "F1"


class _None(ShareMeasure, frozen=True, kw_only=True):
    cite = ("kim-2021",)
    slots: int = 0
    """Number of cells of a turn; 0 takes it from the schema, or else from the slots that gold holds."""

    def __post_init__(self) -> None:
        if self.slots < 0:
            raise ValueError("slots must be at least 0")

    def from_tally(self, tally: Tally) -> Vector:
        return self.vector(self.slots - tally.union, self.slots - tally.gold, self.slots - tally.pred)


class NonePrecision(_None, frozen=True, kw_only=True):
    """The share of the cells predicted empty that are empty in gold."""

    title = "None precision (DSTC10)"
    formula = "cells empty on both sides / cells predicted empty"
    reason_unscored = "no cell is predicted empty"
    share = "precision"


class NoneRecall(_None, frozen=True, kw_only=True):
    """The share of the cells empty in gold that are predicted empty."""

    title = "None recall (DSTC10)"
    formula = "cells empty on both sides / cells empty in gold"
    reason_unscored = "no cell is empty in gold"
    share = "recall"


class NoneF1(_None, frozen=True, kw_only=True):
    """The harmonic mean of none precision and none recall."""

    title = "None F1 (DSTC10)"
    formula = "2 · both / (predicted + gold)"
    reason_unscored = "no cell is empty"
    share = "F1"
