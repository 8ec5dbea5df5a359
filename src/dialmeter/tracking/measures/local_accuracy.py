"""The share of turns that are right by themselves: FGA at lam = infinity."""

from ...measure import Measure, Vector
from ..tally import Alternatives, Lens, Local, Tally


class LocalAccuracy(Measure, frozen=True, kw_only=True):
    """The share of turns that are exact or locally right, the FGA paper's turn-level match."""

    title = "Turn-level matches"
    formula = "mean over turns of [G = P, or the mistake is older]"
    cite = ("dey-2022",)

    local: Local = "paper"
    """When is a wrong turn locally right, as in FGA."""
    alternatives: Alternatives = "overlap"
    """Is it a change when gold goes to a value that shares an alternative with the one before, as in FGA."""

    def lens(self) -> Lens:
        return Lens(local=self.local, alternatives=self.alternatives)

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.local, 1)
