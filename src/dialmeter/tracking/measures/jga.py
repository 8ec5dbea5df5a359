"""Joint goal accuracy and its variants (the last turn, whole dialogues, F1, texts), and average goal accuracy."""

from __future__ import annotations

from typing import Literal

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
