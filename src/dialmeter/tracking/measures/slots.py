"""Slot Accuracy, Relative Slot Accuracy, and precision, recall and F1 over the slot-value pairs of all turns."""

from typing import Literal

from ...measure import Measure, Vector
from ..tally import Tally


class SA(Measure, frozen=True, kw_only=True):
    """The share of all slots of the schema that are right at a turn; slots that are in neither state count as right."""

    title = "Slot Accuracy"
    formula = "mean over turns of (K - e) / K, e = slots missing, extra or with another value, K = slots of the schema"
    cite = ("wu-2019",)
    why_unscored = "no slot is known"

    slots: int = 0
    """K; 0 takes it from the schema, or else from the slots that gold holds."""

    capped: bool = True
    """A turn with more wrong slots than K counts as 0. If False, it counts below 0, as in TRADE's code."""

    def __post_init__(self) -> None:
        if self.slots < 0:
            raise ValueError("slots must be at least 0")

    def from_tally(self, tally: Tally) -> Vector:
        if not self.slots:
            return (0, 0)
        errors = min(tally.errors, self.slots) if self.capped else tally.errors
        return ((self.slots - errors) / self.slots, 1)


class RSA(Measure, frozen=True, kw_only=True):
    """Slot accuracy over the slots that gold or the prediction holds at the turn."""

    title = "Relative Slot Accuracy"
    formula = "mean over turns of (T - e) / T, T = slots of G ∪ P, e = wrong slots"
    cite = ("kim-2022",)
    why_unscored = "no turn has a state"
    skips_empty = True

    empty: Literal["zero", "skip", "one"] = "zero"
    """The value of a turn without any slot; 0 as published, even if both states are empty."""

    def from_tally(self, tally: Tally) -> Vector:
        union = tally.union
        if union:
            return ((union - tally.rsa_errors) / union, 1)
        return {"zero": (0, 1), "skip": (0, 0), "one": (1, 1)}[self.empty]


class SlotPrecision(Measure, frozen=True, kw_only=True):
    """The share of predicted pairs that are right."""

    title = "Slot precision"
    formula = "Σ|G ∩ P| / Σ|P|"
    why_unscored = "nothing was predicted"
    pooled = True

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.match, tally.pred)


class SlotRecall(Measure, frozen=True, kw_only=True):
    """The share of gold pairs that are predicted."""

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
