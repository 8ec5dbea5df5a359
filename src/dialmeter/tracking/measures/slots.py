"""Precision, recall and F1 over slot-value pairs of all turns."""

from ...measure import Measure, Vector
from ..tally import Tally


class SlotPrecision(Measure, frozen=True, kw_only=True):
    """Of all predicted pairs, how many are right."""

    title = "Slot precision"
    formula = "Σ|G ∩ P| / Σ|P|"
    why_unscored = "nothing was predicted"
    pooled = True

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.match, tally.pred)


class SlotRecall(Measure, frozen=True, kw_only=True):
    """Of all gold pairs, how many are predicted."""

    title = "Slot recall"
    formula = "Σ|G ∩ P| / Σ|G|"
    why_unscored = "gold is empty"
    pooled = True

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.match, tally.gold)


class SlotF1(Measure, frozen=True, kw_only=True):
    """The harmonic mean of slot precision and slot recall."""

    title = "Slot F1"
    formula = "2 · Σ|G ∩ P| / (Σ|G| + Σ|P|)"
    why_unscored = "gold and prediction are empty"
    pooled = True

    def from_tally(self, tally: Tally) -> Vector:
        return (2 * tally.match, tally.gold + tally.pred)
