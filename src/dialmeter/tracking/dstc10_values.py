"""DSTC10: values as sets, with part credit for a set that is met in part."""

import math
from typing import Literal

from ..measure import Measure, Vector
from ..model import State, Value


class _Values(Measure, frozen=True, kw_only=True):
    cite = ("kim-2021",)
    pooled = True
    several: Literal["any-of", "sets"] = "any-of"
    """What several gold values are: alternatives, one of which is enough, or a set, which earns credit in part."""

    def overlap(self, gold: State, pred: State) -> float:
        """The sum over shared slots of 2|A ∩ B| / (|A| + |B|)."""
        return math.fsum(self._met(gold[slot], pred[slot]) for slot in gold.keys() & pred.keys())

    def _met(self, gold: Value, pred: Value) -> float:
        if self.several == "any-of":
            return float(pred == gold or pred in gold if isinstance(gold, tuple) else pred == gold)
        wanted = {gold} if isinstance(gold, str) else set(gold)
        found = {pred} if isinstance(pred, str) else set(pred)
        return 2 * len(wanted & found) / (len(wanted) + len(found))


class ValuePrecision(_Values, frozen=True, kw_only=True):
    """Of the cells predicted with values, what share of the values is right."""

    title = "Value precision (DSTC10)"
    formula = "Σ 2|A ∩ B| / (|A| + |B|) over cells filled on both sides / cells predicted"
    why_unscored = "nothing was predicted"

    def from_states(self, previous_gold: State, gold: State, previous_pred: State, pred: State) -> Vector:
        return (self.overlap(gold, pred), len(pred))


class ValueRecall(_Values, frozen=True, kw_only=True):
    """Of the cells that gold fills, what share of the values is found."""

    title = "Value recall (DSTC10)"
    formula = "Σ 2|A ∩ B| / (|A| + |B|) over cells filled on both sides / cells in gold"
    why_unscored = "gold is empty"

    def from_states(self, previous_gold: State, gold: State, previous_pred: State, pred: State) -> Vector:
        return (self.overlap(gold, pred), len(gold))


class ValueF1(_Values, frozen=True, kw_only=True):
    """The harmonic mean of value precision and value recall."""

    title = "Value F1 (DSTC10)"
    formula = "2 · Σ / (cells predicted + cells in gold)"
    why_unscored = "gold and prediction are empty"

    def from_states(self, previous_gold: State, gold: State, previous_pred: State, pred: State) -> Vector:
        return (2 * self.overlap(gold, pred), len(pred) + len(gold))
