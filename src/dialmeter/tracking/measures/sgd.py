"""The measures of the official schema-guided scorer, per frame: goals, intents and requested slots."""

from __future__ import annotations

import math
from collections import Counter
from typing import ClassVar

from ...measure import Measure, Vector
from ..vectors.frames import Case, FramePair
from . import ShareMeasure


class _OfFrames(Measure, frozen=True, kw_only=True):
    cite = ("rastogi-2020",)
    unit = "frame"
    skips_empty = True


class _Goals(_OfFrames, frozen=True, kw_only=True):
    is_categorical: ClassVar[bool | None] = None
    """The slots that count: categorical (True), free (False), or both (None)."""

    exact: bool = False
    """Compare free values exactly."""
    case: Case = "lower"
    """The comparison of categorical values: in lower case, or exactly, as before December 2022."""


class _Joint(_Goals, frozen=True, kw_only=True):
    formula = (
        "mean over frames of the product over all slots of the service; a service without such slots does not count"
    )
    reason_unscored = "no service has such a slot"

    across_turn: bool = False
    """Count a turn once, as the product over its frames."""

    def from_frame(self, frame: FramePair) -> Vector:
        held, _ = frame.slot_scores(self.exact, self.case, self.is_categorical)
        exist = frame.kinds if self.is_categorical is None else self.is_categorical in frame.kinds.values()
        return (math.prod(held), 1) if exist else (0, 0)


class _Mean(_Goals, frozen=True, kw_only=True):
    formula = "mean over frames with active slots of the mean over the slots active in gold"
    reason_unscored = "no frame has an active slot"

    def from_frame(self, frame: FramePair) -> Vector:
        _, active = frame.slot_scores(self.exact, self.case, self.is_categorical)
        return (math.fsum(active) / len(active), 1) if active else (0, 0)


class JointGoalAccuracy(_Joint, frozen=True, kw_only=True):
    """The official joint goal accuracy, with partial credit, per frame."""

    title = "Joint goal accuracy (SGD)"


class JointCatAccuracy(_Joint, frozen=True, kw_only=True):
    """Joint goal accuracy over categorical slots."""

    title = "Joint accuracy, categorical slots (SGD)"
    is_categorical = True


class JointNoncatAccuracy(_Joint, frozen=True, kw_only=True):
    """Joint goal accuracy over free slots."""

    title = "Joint accuracy, free slots (SGD)"
    is_categorical = False


class AverageGoalAccuracy(_Mean, frozen=True, kw_only=True):
    """The official average goal accuracy, over slots active in gold."""

    title = "Average goal accuracy (SGD)"


class AverageCatAccuracy(_Mean, frozen=True, kw_only=True):
    """Average goal accuracy over categorical slots."""

    title = "Average accuracy, categorical slots (SGD)"
    is_categorical = True


class AverageNoncatAccuracy(_Mean, frozen=True, kw_only=True):
    """Average goal accuracy over free slots."""

    title = "Average accuracy, free slots (SGD)"
    is_categorical = False


class IntentAccuracy(_OfFrames, frozen=True, kw_only=True):
    """The share of frames whose active intent is predicted; a frame counts only if both sides have an intent."""

    title = "Active intent accuracy (SGD)"
    formula = "mean over frames of [intent = predicted intent]"
    reason_unscored = "no frame has intents on both sides"

    case: Case = "lower"
    """The comparison of intents: in lower case, or exactly, as before December 2022."""

    def from_frame(self, frame: FramePair) -> Vector:
        gold, pred = frame.frame.gold_intent, frame.frame.pred_intent
        if gold is None or pred is None:
            return (0, 0)
        return (gold == pred or (self.case == "lower" and gold.lower() == pred.lower()), 1)


class _Requested(ShareMeasure, frozen=True, kw_only=True):
    cite = ("rastogi-2020",)
    unit = "frame"
    skips_empty = True
    pooled = False
    reason_unscored = "no frame has requested slots on both sides"

    def from_frame(self, frame: FramePair) -> Vector:
        gold, pred = frame.frame.gold_requested, frame.frame.pred_requested
        if gold is None or pred is None:
            return (0, 0)
        common = len(gold) if gold == pred else (Counter(gold) & Counter(pred)).total()
        above, below = self.vector(common, len(gold), len(pred))
        return (above / below if below else 1, 1)


class RequestedSlotPrecision(_Requested, frozen=True, kw_only=True):
    """The share of the slots predicted as requested that are requested; 1 if none is predicted."""

    title = "Requested slots precision (SGD)"
    formula = "mean over frames of |A ∩ B| / |B|; duplicate slots count twice"
    share = "precision"


class RequestedSlotRecall(_Requested, frozen=True, kw_only=True):
    """The share of requested slots that are predicted; 1 if none is requested."""

    title = "Requested slots recall (SGD)"
    formula = "mean over frames of |A ∩ B| / |A|; duplicate slots count twice"
    share = "recall"


class RequestedSlotF1(_Requested, frozen=True, kw_only=True):
    """The mean F1 of requested slots; 1 if neither side has any."""

    title = "Requested slots F1 (SGD)"
    formula = "mean over frames of 2|A ∩ B| / (|A| + |B|); duplicate slots count twice"
    share = "F1"
