"""The goal accuracies of the official schema-guided scorer, per frame."""

from __future__ import annotations

import math
from typing import ClassVar

from ...measure import Measure, Vector
from ..vectors.frames import Case, FramePair, SlotScores


class _Goals(Measure, frozen=True, kw_only=True):
    cite = ("rastogi-2020",)
    unit = "frame"
    skips_empty = True
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
