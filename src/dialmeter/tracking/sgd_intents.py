"""What the schema-guided scorer says of intents and requested slots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..measure import Measure, Vector
from .frames import FramePair


class IntentAccuracy(Measure, frozen=True, kw_only=True):
    """The share of frames whose active intent is predicted; frames without an intent on both sides do not count."""

    title = "Active intent accuracy (SGD)"
    formula = "mean over frames of [intent = predicted intent]"
    cite = ("rastogi-2020",)
    unit = "frame"
    skips_empty = True
    why_unscored = "no frame has intents on both sides"

    def from_frames(self, frames: Sequence[FramePair]) -> Iterable[Vector]:
        said = [frame.said for frame in frames]
        return [
            (each.gold_intent == each.pred_intent, 1)
            if each.gold_intent is not None and each.pred_intent is not None
            else (0, 0)
            for each in said
        ]


class RequestedSlotF1(Measure, frozen=True, kw_only=True):
    """The mean F1 of requested slots; none against none is 1."""

    title = "Requested slots F1 (SGD)"
    formula = "mean over frames of 2|A ∩ B| / (|A| + |B|)"
    cite = ("rastogi-2020",)
    unit = "frame"
    skips_empty = True
    why_unscored = "no frame has requested slots on both sides"

    def from_frames(self, frames: Sequence[FramePair]) -> Iterable[Vector]:
        vectors: list[Vector] = []
        for each in (frame.said for frame in frames):
            if each.gold_requested is None or each.pred_requested is None:
                vectors.append((0, 0))
                continue
            gold, pred = set(each.gold_requested), set(each.pred_requested)
            total = len(gold) + len(pred)
            vectors.append((2 * len(gold & pred) / total if total else 1, 1))
        return vectors
