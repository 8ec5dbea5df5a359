"""Dialogues without any mistake."""

from ...measure import Measure, Vector
from ..tally import Tally


class DialogueAccuracy(Measure, frozen=True, kw_only=True):
    """The share of dialogues in which every turn is exactly right."""

    title = "Dialogue accuracy"
    formula = "mean over dialogues of [G = P at every turn]"
    unit = "dialogue"
    gather = "every"

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.exact, 1)
