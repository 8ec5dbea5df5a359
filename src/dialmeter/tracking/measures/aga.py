"""Average Goal Accuracy, over the gold state or over the union."""

from typing import Literal

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


class IAGA(Measure, frozen=True, kw_only=True):
    """AGA that also penalises pairs that are predicted but not in gold."""

    title = "Average Goal Accuracy over the union"
    formula = "mean over turns with G ∪ P not empty of |G ∩ P| / |G ∪ P|"
    cite = ("dey-2022",)
    why_unscored = "no turn has a state"
    skips_empty = True

    divide: Literal["union", "aga"] = "union"
    """The divisor of the sum: turns with a non-empty union (``union``), or AGA's turns, as in the published code (``aga``)."""

    def from_tally(self, tally: Tally) -> Vector:
        union = tally.gold + tally.pred - tally.match
        counted = tally.gold if self.divide == "aga" else union
        return (tally.match / union if union else 0, bool(counted))
