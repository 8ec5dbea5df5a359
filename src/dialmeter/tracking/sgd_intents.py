"""What the schema-guided scorer says of intents and requested slots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

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
    across_turn: ClassVar[bool] = False

    def from_frames(self, frames: Sequence[FramePair]) -> Iterable[Vector]:
        return list(map(self.from_frame, frames))

    def from_frame(self, frame: FramePair) -> Vector:
        """The vector of one frame."""
        gold, pred = frame.said.gold_intent, frame.said.pred_intent
        return (0, 0) if gold is None or pred is None else (gold == pred, 1)


class RequestedSlotF1(Measure, frozen=True, kw_only=True):
    """The mean F1 of requested slots; none against none is 1."""

    title = "Requested slots F1 (SGD)"
    formula = "mean over frames of 2|A ∩ B| / (|A| + |B|)"
    cite = ("rastogi-2020",)
    unit = "frame"
    skips_empty = True
    why_unscored = "no frame has requested slots on both sides"
    across_turn: ClassVar[bool] = False

    def from_frames(self, frames: Sequence[FramePair]) -> Iterable[Vector]:
        return list(map(self.from_frame, frames))

    def from_frame(self, frame: FramePair) -> Vector:
        """The vector of one frame."""
        if frame.said.gold_requested is None or frame.said.pred_requested is None:
            return (0, 0)
        gold, pred = set(frame.said.gold_requested), set(frame.said.pred_requested)
        total = len(gold) + len(pred)
        return (2 * len(gold & pred) / total if total else 1, 1)
