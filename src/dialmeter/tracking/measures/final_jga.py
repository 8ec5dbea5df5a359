"""Joint Goal Accuracy of the last turn."""

from ...measure import Measure, Vector
from ..tally import Tally


class FinalJGA(Measure, frozen=True, kw_only=True):
    """The share of dialogues whose last state is exactly right."""

    title = "Joint Goal Accuracy at the last turn"
    formula = "mean over dialogues of [G = P] at the last turn"
    unit = "dialogue"
    gather = "last"

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.exact, 1)
