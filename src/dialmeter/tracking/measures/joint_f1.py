"""F1 of each turn's state, averaged."""

from ...measure import Measure, Vector
from ..tally import Tally


class JointF1(Measure, frozen=True, kw_only=True):
    """The mean over turns of the F1 between predicted and gold pairs; empty against empty is 1."""

    title = "Joint F1"
    formula = "mean over turns of 2|G ∩ P| / (|G| + |P|)"
    cite = ("wu-2019",)

    def from_tally(self, tally: Tally) -> Vector:
        pairs = tally.gold + tally.pred
        return (2 * tally.match / pairs if pairs else 1, 1)
