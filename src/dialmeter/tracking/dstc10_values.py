"""DSTC10: values as sets, with part credit for a set that is met in part."""

import math

from ..measure import Measure, Vector
from ..model import State, Value


def overlap(gold: State, pred: State) -> float:
    """The sum over shared slots of 2|A ∩ B| / (|A| + |B|).

    Example:
        >>> overlap({"hotel-name": ("a", "b"), "hotel-area": "c"}, {"hotel-name": "a", "hotel-area": "c"})
        1.6666666666666665
    """
    return math.fsum(_dice(gold[slot], pred[slot]) for slot in gold.keys() & pred.keys())


def _dice(one: Value, other: Value) -> float:
    ones = {one} if isinstance(one, str) else set(one)
    others = {other} if isinstance(other, str) else set(other)
    return 2 * len(ones & others) / (len(ones) + len(others))


class ValuePrecision(Measure, frozen=True, kw_only=True):
    """Of the cells predicted with values, what share of the values is right."""

    title = "Value precision (DSTC10)"
    formula = "Σ 2|A ∩ B| / (|A| + |B|) over cells filled on both sides / cells predicted"
    cite = ("kim-2021",)
    why_unscored = "nothing was predicted"
    pooled = True

    def from_states(self, previous_gold: State, gold: State, previous_pred: State, pred: State) -> Vector:
        return (overlap(gold, pred), len(pred))


class ValueRecall(Measure, frozen=True, kw_only=True):
    """Of the cells that gold fills, what share of the values is found."""

    title = "Value recall (DSTC10)"
    formula = "Σ 2|A ∩ B| / (|A| + |B|) over cells filled on both sides / cells in gold"
    cite = ("kim-2021",)
    why_unscored = "gold is empty"
    pooled = True

    def from_states(self, previous_gold: State, gold: State, previous_pred: State, pred: State) -> Vector:
        return (overlap(gold, pred), len(gold))


class ValueF1(Measure, frozen=True, kw_only=True):
    """The harmonic mean of value precision and value recall."""

    title = "Value F1 (DSTC10)"
    formula = "2 · Σ / (cells predicted + cells in gold)"
    cite = ("kim-2021",)
    why_unscored = "gold and prediction are empty"
    pooled = True

    def from_states(self, previous_gold: State, gold: State, previous_pred: State, pred: State) -> Vector:
        return (2 * overlap(gold, pred), len(pred) + len(gold))
