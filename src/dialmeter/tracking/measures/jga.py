"""Joint Goal Accuracy."""

from ...measure import Measure, Vector
from ..tally import Tally


class JGA(Measure, frozen=True, kw_only=True):
    """The share of turns whose predicted state is exactly the gold state; empty equals empty."""

    title = "Joint Goal Accuracy"
    formula = "mean over turns of [G = P]"
    cite = ("henderson-2014",)

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.exact, 1)
