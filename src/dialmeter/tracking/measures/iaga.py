"""Average Goal Accuracy in its Jaccard form."""

from typing import Literal

from ...measure import Measure, Vector
from ..tally import Tally


class IAGA(Measure, frozen=True, kw_only=True):
    """As AGA, but what is predicted too much counts against the tracker."""

    title = "Average Goal Accuracy over the union"
    formula = "mean over turns with G ∪ P not empty of |G ∩ P| / |G ∪ P|"
    cite = ("dey-2022",)
    why_unscored = "no turn has a state"
    skips_empty = True

    divide: Literal["union", "aga"] = "union"
    """What the sum is divided by: turns with a union, or, as the published code has it, AGA's turns."""

    def from_tally(self, tally: Tally) -> Vector:
        union = tally.gold + tally.pred - tally.match
        counted = tally.gold if self.divide == "aga" else union
        return (tally.match / union if union else 0, bool(counted))
