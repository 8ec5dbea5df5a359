"""Relative Slot Accuracy."""

from typing import Literal

from ...measure import Measure, Vector
from ..tally import Tally


class RSA(Measure, frozen=True, kw_only=True):
    """Slot accuracy over the slots that gold or prediction hold at the turn."""

    title = "Relative Slot Accuracy"
    formula = "mean over turns of (T - e) / T, T = slots of G ∪ P, e = slots handled wrongly"
    cite = ("kim-2022",)
    why_unscored = "no turn has a state"
    skips_empty = True

    empty: Literal["zero", "skip", "one"] = "zero"
    """What a turn without any slot counts; the published measure says 0, even where both states are empty."""

    def from_tally(self, tally: Tally) -> Vector:
        union = tally.union
        if union:
            return ((union - tally.rsa_errors) / union, 1)
        return {"zero": (0, 1), "skip": (0, 0), "one": (1, 1)}[self.empty]
