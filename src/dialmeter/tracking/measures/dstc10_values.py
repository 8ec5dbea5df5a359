"""DSTC10: values as sets, with part credit for a set that is met in part."""

import math
from functools import lru_cache
from typing import Literal, NamedTuple

from ...measure import Measure, Vector
from ...model import State, Value
from ...normalise import set_score
from ..compared import ComparedDialogue


class Overlap(NamedTuple):
    """One turn: the sum over shared slots of 2|A ∩ B| / (|A| + |B|), and how many slots gold and prediction hold."""

    met: float
    gold: int
    pred: int


class ValueMeasure(Measure, frozen=True, kw_only=True):
    """A measure of the overlap of values, in the whole state of a turn."""

    cite = ("kim-2021",)
    pooled = True
    high = math.inf
    several: Literal["any-of", "sets"] = "any-of"
    """What several gold values are: alternatives, one of which is enough, or a set, which earns credit in part."""

    def from_states(self, previous_gold: State, gold: State, previous_pred: State, pred: State) -> Vector:
        met = math.fsum(_met(gold[slot], pred[slot], self.several) for slot in gold.keys() & pred.keys())
        return self.from_overlap(Overlap(met, len(gold), len(pred)))

    def from_overlap(self, overlap: Overlap) -> Vector:
        """The vector of one turn."""
        raise TypeError

    def overlaps(self, cells: ComparedDialogue) -> list[Overlap]:
        """All turns of a dialogue; the same for all measures that see several values as this one does."""
        slots, values = cells.pairs.cell_slots, cells.pairs.values
        found = []
        for gold, pred in zip(cells.gold, cells.pred, strict=True):
            wanted = {slots[cell]: values[cell] for cell in gold}
            shared = [cell for cell in pred if slots[cell] in wanted]
            met = math.fsum(_met(wanted[slots[cell]], values[cell], self.several) for cell in shared)
            found.append(Overlap(met, len(gold), len(pred)))
        return found


@lru_cache(1 << 16)
def _met(gold: Value, pred: Value, several: Literal["any-of", "sets"]) -> float:
    if several == "any-of":
        return float(pred == gold or pred in gold if isinstance(gold, tuple) else pred == gold)
    return set_score(gold, pred)


class ValuePrecision(ValueMeasure, frozen=True, kw_only=True):
    """Of the cells predicted with values, what share of the values is right."""

    title = "Value precision (DSTC10)"
    formula = "Σ F1(A, B) over cells filled on both sides / cells predicted"
    why_unscored = "nothing was predicted"

    def from_overlap(self, overlap: Overlap) -> Vector:
        return (overlap.met, overlap.pred)


class ValueRecall(ValueMeasure, frozen=True, kw_only=True):
    """Of the cells that gold fills, what share of the values is found."""

    title = "Value recall (DSTC10)"
    formula = "Σ F1(A, B) over cells filled on both sides / cells in gold"
    why_unscored = "gold is empty"

    def from_overlap(self, overlap: Overlap) -> Vector:
        return (overlap.met, overlap.gold)


class ValueF1(ValueMeasure, frozen=True, kw_only=True):
    """The harmonic mean of value precision and value recall."""

    title = "Value F1 (DSTC10)"
    formula = "2 · Σ / (cells predicted + cells in gold)"
    why_unscored = "gold and prediction are empty"

    def from_overlap(self, overlap: Overlap) -> Vector:
        return (2 * overlap.met, overlap.pred + overlap.gold)
