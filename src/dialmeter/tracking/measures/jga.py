"""Joint goal accuracy, and its variants for the last turn, for whole dialogues, as F1 and for texts."""

from ...measure import Measure, Vector
from ..tally import Tally


class JGA(Measure, frozen=True, kw_only=True):
    """The share of turns whose predicted state is exactly the gold state; empty equals empty."""

    title = "Joint Goal Accuracy"
    formula = "mean over turns of [G = P]"
    cite = ("henderson-2014",)

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.exact, 1)


class FinalJGA(Measure, frozen=True, kw_only=True):
    """The share of dialogues whose last state is exactly right."""

    title = "Joint Goal Accuracy at the last turn"
    formula = "mean over dialogues of [G = P] at the last turn"
    unit = "dialogue"
    gather = "last"

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.exact, 1)


class DialogueAccuracy(Measure, frozen=True, kw_only=True):
    """The share of dialogues in which every turn is exactly right."""

    title = "Dialogue accuracy"
    formula = "mean over dialogues of [G = P at every turn]"
    unit = "dialogue"
    gather = "every"

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.exact, 1)


class JointF1(Measure, frozen=True, kw_only=True):
    """The mean over turns of the F1 between predicted and gold pairs; empty against empty is 1."""

    title = "Joint F1"
    formula = "mean over turns of 2|G ∩ P| / (|G| + |P|)"
    cite = ("wu-2019",)

    def from_tally(self, tally: Tally) -> Vector:
        pairs = tally.gold + tally.pred
        return (2 * tally.match / pairs if pairs else 1, 1)


class SequenceMatch(Measure, frozen=True, kw_only=True):
    """The share of turns whose predicted text equals the gold text, without blanks at both ends; the order of slots counts."""

    title = "Sequence match (ConvLab-3)"
    formula = "mean over turns of [text of G = text of P]"
    cite = ("zhu-2022",)

    def from_texts(self, gold: str, pred: str) -> Vector:
        return (gold.strip() == pred.strip(), 1)
