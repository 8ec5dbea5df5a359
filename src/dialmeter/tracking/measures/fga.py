"""Flexible Goal Accuracy, and its limit: the share of turns that are right by themselves (lam = infinity)."""

import math

from ...measure import Measure, Vector
from ..tally import NEVER, Alternatives, Lens, Local, Tally


class FGA(Measure, frozen=True, kw_only=True):
    """JGA that forgives a turn for an older mistake, the more the longer ago the mistake was made.

    Gold that goes from ``x|y`` to ``x`` has not changed (``alternatives=overlap``): a prediction that stays at ``y`` is wrong
    for JGA, but with ``local=paper`` the turn has no mistake of its own, so that FGA is 1 there if no mistake came before.
    With ``alternatives=strict`` gold has changed, and FGA is 0 at that turn.
    """

    title = "Flexible Goal Accuracy"
    formula = (
        "mean over turns of 1 if G = P, 0 if the mistake is the turn's own, else 1 - exp(-lam · turns since the last)"
    )
    cite = ("dey-2022",)

    lam: float
    """How fast a mistake is forgotten: 0 is JGA, inf the share of local matches."""
    local: Local = "paper"
    """When is a wrong turn locally right? ``paper`` by Algorithm 1; ``code``: never right after an exact turn; ``vector``:
    when the same slots are wrong as at the turn before."""
    alternatives: Alternatives = "overlap"
    """Gold goes to another value that shares an alternative with the one before: no change (``overlap``), or a change
    (``strict``)."""

    def __post_init__(self) -> None:
        if not self.lam >= 0:
            raise ValueError("lam must be at least 0")

    def lens(self) -> Lens:
        return Lens(local=self.local, alternatives=self.alternatives)

    def from_tally(self, tally: Tally) -> Vector:
        if tally.since == NEVER:
            # At lam = 0 the measure is JGA by definition, also where a turn is wrong without an error of its own before.
            return (tally.exact if self.lam == 0 else 1, 1)
        # 0 · inf is not a number, so that a turn's own error is told apart first.
        return (-math.expm1(-self.lam * tally.since) if tally.since else 0, 1)


def lam_for(forgotten: float, turns: float) -> float:
    """The lambda that forgets a given share of a mistake in a given number of turns.

    Example:
        >>> round(lam_for(0.95, 6), 3)
        0.499
    """
    if not 0 < forgotten < 1 or turns <= 0:
        raise ValueError("the share forgotten lies between 0 and 1, the turns above 0")
    return -math.log1p(-forgotten) / turns


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
