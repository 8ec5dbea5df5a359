"""The official schema-guided scorer, per frame: goals, intents and requested slots."""

from __future__ import annotations

import math
from collections import Counter
from typing import ClassVar

from ...measure import Measure, Vector
from ..vectors.frames import Case, FramePair, SlotScores


class _OfFrames(Measure, frozen=True, kw_only=True):
    cite = ("rastogi-2020",)
    unit = "frame"
    skips_empty = True


class _Goals(_OfFrames, frozen=True, kw_only=True):
    wanted: ClassVar[bool | None] = None
    """Which slots: categorical, free, or both."""

    exact: bool = False
    """Compare free values exactly."""
    case: Case = "lower"
    """How categorical values are compared: in lower case, or exactly, as before December 2022."""

    def from_frame(self, frame: FramePair) -> Vector:
        return self.of_scores(frame.slot_scores(self.exact, self.case, self.wanted))

    def of_scores(self, scores: SlotScores) -> Vector:
        """The vector of one frame."""
        raise TypeError


class _Joint(_Goals, frozen=True, kw_only=True):
    formula = (
        "mean over frames of the product over all slots of the service; a service without such slots does not count"
    )
    why_unscored = "no service has such a slot"

    across_turn: bool = False
    """Let a turn count once, as the product over its frames."""

    def of_scores(self, scores: SlotScores) -> Vector:
        return (math.prod(scores.held), 1) if scores.exist else (0, 0)


class _Mean(_Goals, frozen=True, kw_only=True):
    formula = "mean over frames with active slots of the mean over the slots active in gold"
    why_unscored = "no frame has an active slot"

    def of_scores(self, scores: SlotScores) -> Vector:
        active = scores.active
        return (math.fsum(active) / len(active), 1) if active else (0, 0)


class JointGoalAccuracy(_Joint, frozen=True, kw_only=True):
    """The official joint goal accuracy: graded, per frame."""

    title = "Joint goal accuracy (SGD)"


class JointCatAccuracy(_Joint, frozen=True, kw_only=True):
    """Joint goal accuracy over categorical slots."""

    title = "Joint accuracy, categorical slots (SGD)"
    wanted = True


class JointNoncatAccuracy(_Joint, frozen=True, kw_only=True):
    """Joint goal accuracy over free slots."""

    title = "Joint accuracy, free slots (SGD)"
    wanted = False


class AverageGoalAccuracy(_Mean, frozen=True, kw_only=True):
    """The official average goal accuracy, over slots active in gold."""

    title = "Average goal accuracy (SGD)"


class AverageCatAccuracy(_Mean, frozen=True, kw_only=True):
    """Average goal accuracy over categorical slots."""

    title = "Average accuracy, categorical slots (SGD)"
    wanted = True


class AverageNoncatAccuracy(_Mean, frozen=True, kw_only=True):
    """Average goal accuracy over free slots."""

    title = "Average accuracy, free slots (SGD)"
    wanted = False


class IntentAccuracy(_OfFrames, frozen=True, kw_only=True):
    """The share of frames whose active intent is predicted; frames without an intent on both sides do not count."""

    title = "Active intent accuracy (SGD)"
    formula = "mean over frames of [intent = predicted intent]"
    why_unscored = "no frame has intents on both sides"

    case: Case = "lower"
    """How intents are compared: in lower case, or exactly, as before December 2022."""

    def from_frame(self, frame: FramePair) -> Vector:
        gold, pred = frame.said.gold_intent, frame.said.pred_intent
        if gold is None or pred is None:
            return (0, 0)
        return (gold == pred or (self.case == "lower" and gold.lower() == pred.lower()), 1)


class _Requested(_OfFrames, frozen=True, kw_only=True):
    why_unscored = "no frame has requested slots on both sides"

    def from_frame(self, frame: FramePair) -> Vector:
        gold, pred = frame.said.gold_requested, frame.said.pred_requested
        if gold is None or pred is None:
            return (0, 0)
        common = len(gold) if gold == pred else (Counter(gold) & Counter(pred)).total()
        return (self.of_counts(common, len(gold), len(pred)), 1)

    def of_counts(self, common: int, gold: int, pred: int) -> float:
        """The value of one frame: slots in both, in gold, in the prediction."""
        raise TypeError


class RequestedSlotPrecision(_Requested, frozen=True, kw_only=True):
    """Of the slots predicted as requested, how many are; 1 where none is predicted."""

    title = "Requested slots precision (SGD)"
    formula = "mean over frames of |A ∩ B| / |B|; slots that stand twice count twice"

    def of_counts(self, common: int, gold: int, pred: int) -> float:
        return common / pred if pred else 1


class RequestedSlotRecall(_Requested, frozen=True, kw_only=True):
    """Of the requested slots, how many are predicted; 1 where none is requested."""

    title = "Requested slots recall (SGD)"
    formula = "mean over frames of |A ∩ B| / |A|; slots that stand twice count twice"

    def of_counts(self, common: int, gold: int, pred: int) -> float:
        return common / gold if gold else 1


class RequestedSlotF1(_Requested, frozen=True, kw_only=True):
    """The mean F1 of requested slots; none against none is 1."""

    title = "Requested slots F1 (SGD)"
    formula = "mean over frames of 2|A ∩ B| / (|A| + |B|); slots that stand twice count twice"

    def of_counts(self, common: int, gold: int, pred: int) -> float:
        return 2 * common / (gold + pred) if gold or pred else 1
