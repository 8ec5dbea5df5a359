"""Average Goal Accuracy."""

from ...measure import Measure, Vector
from ..tally import Tally


class AGA(Measure, frozen=True, kw_only=True):
    """The mean share of gold pairs that are predicted, over turns with a gold state that is not empty."""

    title = "Average Goal Accuracy"
    formula = "mean over turns with G not empty of |G ∩ P| / |G|"
    cite = ("rastogi-2020",)
    why_unscored = "no turn has a gold state"
    skips_empty = True

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.match / tally.gold, 1) if tally.gold else (0, 0)
