"""Joint goal accuracy and its variants (the last turn, whole dialogues, F1, texts), and average goal accuracy."""

from __future__ import annotations

from typing import Literal

from ...measure import Measure, Vector
from ..tally import Tally
from . import ShareMeasure


class _Exact(Measure, frozen=True, kw_only=True):
    def from_tally(self, tally: Tally) -> Vector:
        return (tally.exact, 1)


class JGA(_Exact, frozen=True, kw_only=True):
    """The share of turns whose predicted state is exactly the gold state; empty equals empty."""

    title = "Joint Goal Accuracy"
    formula = "mean over turns of [G = P]"
    cite = ("henderson-2014",)


class FinalJGA(_Exact, frozen=True, kw_only=True):
    """The share of dialogues whose last state is exactly right."""

    title = "Joint Goal Accuracy at the last turn"
    formula = "mean over dialogues of [G = P] at the last turn"
    unit = "dialogue"
    gather = "last"


class DialogueAccuracy(_Exact, frozen=True, kw_only=True):
    """The share of dialogues in which every turn is exactly right."""

    title = "Dialogue accuracy"
    formula = "mean over dialogues of [G = P at every turn]"
    unit = "dialogue"
    gather = "every"


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
    reason_unscored = "no turn has a gold state"
    skips_empty = True

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.match / tally.gold, 1) if tally.gold else (0, 0)


class IAGA(Measure, frozen=True, kw_only=True):
    """AGA that also penalises pairs that are predicted but not in gold."""

    title = "Average Goal Accuracy over the union"
    formula = "mean over turns with G ∪ P not empty of |G ∩ P| / |G ∪ P|"
    cite = ("dey-2022",)
    reason_unscored = "no turn has a state"
    skips_empty = True

    divide: Literal["union", "aga"] = "union"
    """The divisor of the sum: turns with a non-empty union (``union``), or AGA's turns, as in the published code (``aga``)."""

    def from_tally(self, tally: Tally) -> Vector:
        union = tally.gold + tally.pred - tally.match
        counted = tally.gold if self.divide == "aga" else union
        return (tally.match / union if union else 0, bool(counted))


class SA(Measure, frozen=True, kw_only=True):
    """The share of all slots of the schema that are right at a turn; slots that are in neither state count as right."""

    title = "Slot Accuracy"
    formula = "mean over turns of (K - e) / K, e = slots missing, extra or with another value, K = slots of the schema"
    cite = ("wu-2019",)
    reason_unscored = "no slot is known"

    slots: int = 0
    """K; 0 takes it from the schema, or else from the slots that gold holds."""

    capped: bool = True
    """A turn with more wrong slots than K counts as 0. If False, it counts below 0, as in TRADE's code."""

    def __post_init__(self) -> None:
        if self.slots < 0:
            raise ValueError("slots must be at least 0")

    def from_tally(self, tally: Tally) -> Vector:
        if not self.slots:
            return (0, 0)
        errors = min(tally.errors, self.slots) if self.capped else tally.errors
        return ((self.slots - errors) / self.slots, 1)


class RSA(Measure, frozen=True, kw_only=True):
    """Slot accuracy over the slots that gold or the prediction holds at the turn."""

    title = "Relative Slot Accuracy"
    formula = "mean over turns of (T - e) / T, T = slots of G ∪ P, e = wrong slots"
    cite = ("kim-2022",)
    reason_unscored = "no turn has a state"
    skips_empty = True

    empty: Literal["zero", "skip", "one"] = "zero"
    """The value of a turn without any slot; 0 as published, even if both states are empty."""

    def from_tally(self, tally: Tally) -> Vector:
        union = tally.union
        if union:
            return ((union - tally.rsa_errors) / union, 1)
        return {"zero": (0, 1), "skip": (0, 0), "one": (1, 1)}[self.empty]


class _Pairs(ShareMeasure, frozen=True, kw_only=True):
    def from_tally(self, tally: Tally) -> Vector:
        return self.vector(tally.match, tally.gold, tally.pred)


class SlotPrecision(_Pairs, frozen=True, kw_only=True):
    """The share of predicted pairs that are right."""

    title = "Slot precision"
    formula = "Σ|G ∩ P| / Σ|P|"
    reason_unscored = "nothing was predicted"
    share = "precision"


class SlotRecall(_Pairs, frozen=True, kw_only=True):
    """The share of gold pairs that are predicted."""

    title = "Slot recall"
    formula = "Σ|G ∩ P| / Σ|G|"
    reason_unscored = "gold is empty"
    share = "recall"


class SlotF1(_Pairs, frozen=True, kw_only=True):
    """The harmonic mean of slot precision and slot recall."""

    title = "Slot F1"
    formula = "2 · Σ|G ∩ P| / (Σ|G| + Σ|P|)"
    reason_unscored = "gold and prediction are empty"
    share = "F1"
