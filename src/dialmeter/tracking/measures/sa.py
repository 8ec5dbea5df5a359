"""Slot Accuracy."""

from ...measure import Measure, Vector
from ..tally import Tally


class SA(Measure, frozen=True, kw_only=True):
    """The share of all slots of the schema that a turn handles right; slots that nobody speaks of count as right."""

    title = "Slot Accuracy"
    formula = "mean over turns of (K - e) / K, e = slots missing, extra or with another value, K = slots of the schema"
    cite = ("wu-2019",)
    why_unscored = "no slot is known"

    slots: int = 0
    """K; 0 takes it from the schema, or from the slots that gold holds."""

    capped: bool = True
    """Does a turn with more wrong slots than K count as 0? Without, it counts below 0, as in TRADE's code."""

    def __post_init__(self) -> None:
        if self.slots < 0:
            raise ValueError("slots must be at least 0")

    def from_tally(self, tally: Tally) -> Vector:
        if not self.slots:
            return (0, 0)
        errors = min(tally.errors, self.slots) if self.capped else tally.errors
        return ((self.slots - errors) / self.slots, 1)
