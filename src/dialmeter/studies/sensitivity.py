"""Schema sensitivity: how much a tracker's frames change when only the wording of the schema does (SGD-X)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mean, stdev

from ..errors import DialmeterError
from ..tracking.result import TrackerResult
from ..tracking.vectors.measure_columns import Valued


def schema_sensitivity(variants: Sequence[TrackerResult], measure: str = "JointGoalAccuracy") -> Valued:
    """The mean over frames of (sample standard deviation over variants / mean over variants).

    Args:
        variants: the same tracker on the same dialogues under variants of the schema, scored with the measure.
        measure: a measure of frames.

    Returns:
        The sensitivity, 0 for a tracker that does not depend on the wording; frames whose mean is 0 are unscored.

    Raises:
        DialmeterError: fewer than two variants, or variants with other dialogues or frames.
    """
    if len(variants) < 2:
        raise DialmeterError("schema sensitivity needs two variants or more")
    units = [_frames(variant, measure) for variant in variants]
    if any(each.keys() != units[0].keys() for each in units):
        raise DialmeterError("the variants are not of the same dialogues")
    ratios: list[float] = []
    skipped = 0
    for dialogue, first in units[0].items():
        scores = [each[dialogue] for each in units]
        if any(len(each) != len(first) for each in scores):
            raise DialmeterError(f"dialogue {dialogue} has other frames in another variant")
        for frame in zip(*scores, strict=True):
            middle = mean(frame)
            if middle:
                ratios.append(stdev(frame) / middle)
            else:
                skipped += 1
    return Valued(math.fsum(ratios) / len(ratios) if ratios else None, len(ratios), skipped)


def _frames(result: TrackerResult, measure: str) -> dict[str, list[float]]:
    for each in result.asked:
        if each.text == measure and each.used.reads() == "frames":
            return {name: [vector[0] for vector in units] for name, units in result.ledger.units(each.used).items()}
    raise DialmeterError(f"{measure} is not a measure of frames that was asked for")
