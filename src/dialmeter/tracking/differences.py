"""The paired differences of trackers on the same dialogues, for all measures."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from ..core.comparison import PairedDifference, PairedSample, Resampling, Test, compare_pairs
from ..model import Notice
from .resolve_measures import ResolvedMeasure
from .result import TrackerResult
from .vectors.bootstrap_matrix import columns, order_of


def differences(
    results: Mapping[str, TrackerResult], resampling: Resampling, test: Test, all_pairs: bool
) -> tuple[list[PairedDifference], list[Notice]]:
    """Return the differences of comparable systems, and warnings. The arguments are those of ``compare``."""
    samples = []
    for name, result in results.items():
        matrix, formulas = columns(result.measure_columns, result.measures)
        totals = {score.measure: score.value for score in result.scores}
        by_dialogue = {each.text: values_by_dialogue(result, each) for each in result.measures}
        samples.append(PairedSample(name, matrix, totals, by_dialogue))
    first, *others = samples
    pairs = combinations(samples, 2) if all_pairs else ((first, other) for other in others)
    return compare_pairs(list(pairs), formulas, resampling, test)


def values_by_dialogue(result: TrackerResult, measure: ResolvedMeasure) -> list[float | None]:
    """Return the value of a measure for each dialogue, sorted by dialogue id."""
    values = result.measure_columns.per_dialogue(measure.used)
    return [values[position] for position in order_of(result.measure_columns)]
