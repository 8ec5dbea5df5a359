"""The goal accuracies of the official schema-guided scorer, per frame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import ClassVar

from ..measure import Measure, Vector
from ..model import Value
from .frames import FramePair


def value_score(gold: Value | None, pred: Value | None, categorical: bool, exact: bool) -> float:
    """How well one slot's value is met, from 0 to 1.

    Free values are compared by ``token_sort_ratio``, rounded to whole percent as the official scorer's library does.

    Example:
        >>> value_score(("Bird Dog",), "Bird", False, False), value_score(("6 pm", "18:00"), "18:00", False, False)
        (0.67, 1.0)
    """
    if gold is None or pred is None:
        return float(gold is None and pred is None)
    wanted = (gold,) if isinstance(gold, str) else gold
    found = pred if isinstance(pred, str) else pred[0]
    if categorical:
        return float(wanted[0] == found)
    if exact:
        return float(found in wanted)
    from rapidfuzz import fuzz, utils

    return max(round(fuzz.token_sort_ratio(each, found, processor=utils.default_process)) / 100 for each in wanted)


class _Goals(Measure, frozen=True, kw_only=True):
    cite = ("rastogi-2020",)
    unit = "frame"
    skips_empty = True
    wanted: ClassVar[bool | None] = None
    """Which slots: categorical, free, or both."""

    exact: bool = False
    """Compare free values exactly."""
    across_turn: bool = False
    """Let a turn count once, over all its frames."""

    def from_frames(self, frames: Sequence[FramePair]) -> Iterable[Vector]:
        groups = [frames] if self.across_turn and frames else [[frame] for frame in frames]
        return [self.of_scores(self._scores(group)) for group in groups]

    def of_scores(self, scores: list[tuple[float, bool]]) -> Vector:
        """The vector of one unit from its slots' scores, each with: is it active in gold?"""
        raise TypeError

    def _scores(self, frames: Sequence[FramePair]) -> list[tuple[float, bool]]:
        scores = []
        for frame in frames:
            for slot in dict.fromkeys((*frame.categorical, *frame.gold, *frame.pred)):
                categorical = frame.categorical.get(slot, False)
                if self.wanted is None or categorical == self.wanted:
                    gold = frame.gold.get(slot)
                    scores.append((value_score(gold, frame.pred.get(slot), categorical, self.exact), gold is not None))
        return scores


class _Joint(_Goals, frozen=True, kw_only=True):
    formula = "mean over frames of the product over all slots of the service"

    def of_scores(self, scores: list[tuple[float, bool]]) -> Vector:
        return (math.prod(score for score, _ in scores), 1)


class _Mean(_Goals, frozen=True, kw_only=True):
    formula = "mean over frames with active slots of the mean over the slots active in gold"
    why_unscored = "no frame has an active slot"

    def of_scores(self, scores: list[tuple[float, bool]]) -> Vector:
        active = [score for score, is_active in scores if is_active]
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
