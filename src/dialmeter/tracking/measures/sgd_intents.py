"""What the schema-guided scorer says of intents and requested slots."""

from __future__ import annotations

from collections import Counter

from ...measure import Measure, Vector
from ..vectors.frames import Case, FramePair


class IntentAccuracy(Measure, frozen=True, kw_only=True):
    """The share of frames whose active intent is predicted; frames without an intent on both sides do not count."""

    title = "Active intent accuracy (SGD)"
    formula = "mean over frames of [intent = predicted intent]"
    cite = ("rastogi-2020",)
    unit = "frame"
    skips_empty = True
    why_unscored = "no frame has intents on both sides"

    case: Case = "lower"
    """How intents are compared: in lower case, or exactly, as before December 2022."""

    def from_frame(self, frame: FramePair) -> Vector:
        gold, pred = frame.said.gold_intent, frame.said.pred_intent
        if gold is None or pred is None:
            return (0, 0)
        return (gold == pred or (self.case == "lower" and gold.lower() == pred.lower()), 1)


class _Requested(Measure, frozen=True, kw_only=True):
    cite = ("rastogi-2020",)
    unit = "frame"
    skips_empty = True
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
