"""The points and the trends of a few-shot curve."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from msgspec import Struct

from ...core.comparison import Resampling
from .curve_scores import Scored
from .estimates import Estimate, mean, slope

if TYPE_CHECKING:
    import numpy as np

    FloatArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

Scale: TypeAlias = Literal["log", "linear"]
SCALES: tuple[str, ...] = get_args(Scale)
Kind: TypeAlias = Literal["value", "difference", "distance"]
"""A measure itself, the measure minus the reference, or the absolute size of that difference."""
KINDS: tuple[Kind, ...] = get_args(Kind)


class Point(Struct, frozen=True):
    """One measure at one share of training data, over all seeds."""

    domain: str | None
    ratio: float | None
    measure: str
    seeds: tuple[str | None, ...]
    value: Estimate
    difference: Estimate | None = None
    distance: Estimate | None = None


class Trend(Struct, frozen=True):
    """How one measure, or its difference to the reference, moves with the share of training data."""

    domain: str | None
    measure: str
    of: Kind
    slope: Estimate

    @property
    def verdict(self) -> str:
        """In a word; ``unclear`` where an interval holds zero or there is none."""
        return {1: "grows", -1: "shrinks", 0: "unclear"}[self.slope.sign]


def ratios_of(group: Sequence[Scored]) -> list[float | None]:
    """The different shares of training data, in the order of the files."""
    return list(dict.fromkeys(each.entry.ratio for each in group))


def placed(group: Sequence[Scored], scale: Scale) -> list[Scored]:
    """The files that have a place on the scale of a trend; zero has no logarithm."""
    return [each for each in group if each.entry.ratio is not None and (scale == "linear" or each.entry.ratio > 0)]


def points_of(group: Sequence[Scored], reference: str | None, how: Resampling | None) -> Iterator[Point]:
    """Every measure at every share of training data.

    Args:
        group: files of one domain.
        reference: the measure that the others are compared with.
        how: how intervals are made; without it there are none.
    """
    for measure in group[0].values:
        for ratio in ratios_of(group):
            here = [each for each in group if each.entry.ratio == ratio]
            found: dict[str, Estimate] = {}
            for kind in _kinds(measure, reference):
                values, samples = _series(here, measure, reference, kind)
                found[kind] = mean(
                    values,
                    samples,
                    confidence=_level(how),
                    dialogues=len(here[0].keys),
                    formula=here[0].formulas[measure] if kind == "value" else None,
                    columns=here[0].columns,
                )
            yield Point(here[0].entry.domain, ratio, measure, tuple(each.entry.seed for each in here), **found)


def trends_of(group: Sequence[Scored], reference: str | None, scale: Scale, how: Resampling | None) -> Iterator[Trend]:
    """The slope of every measure, and of its difference to the reference; none below two shares of training data.

    Args:
        group: files of one domain.
        reference: the measure that the others are compared with.
        scale: the logarithm of the share to base ten, or the share itself.
        how: how intervals are made; without it there are none.
    """
    files = placed(group, scale)
    ratios = [each.entry.ratio or 0.0 for each in files]
    if len(set(ratios)) < 2:
        return
    places = [math.log10(ratio) if scale == "log" else ratio for ratio in ratios]
    for measure in files[0].values:
        for kind in _kinds(measure, reference):
            values, samples = _series(files, measure, reference, kind)
            found = slope(places, values, samples, confidence=_level(how), dialogues=len(files[0].keys))
            yield Trend(files[0].entry.domain, measure, kind, found)


def _kinds(measure: str, reference: str | None) -> tuple[Kind, ...]:
    return KINDS if reference and measure != reference else ("value",)


def _level(how: Resampling | None) -> float:
    return how.confidence if how else 0.0


def _series(
    files: Sequence[Scored], measure: str, reference: str | None, kind: Kind
) -> tuple[list[float | None], FloatArray | None]:
    """One value per file, and one row of resampled values per file."""
    import numpy as np

    values, samples = _of_measure(files, measure)
    if kind != "value" and reference:
        others, other_samples = _of_measure(files, reference)
        values = [None if a is None or b is None else a - b for a, b in zip(values, others, strict=True)]
        if samples is not None and other_samples is not None:
            samples = samples - other_samples
    if kind == "distance":
        values = [None if value is None else abs(value) for value in values]
        samples = None if samples is None else np.abs(samples)
    return values, samples


def _of_measure(files: Sequence[Scored], measure: str) -> tuple[list[float | None], FloatArray | None]:
    import numpy as np

    rows = [each.samples[measure] for each in files if each.samples is not None]
    return [each.values[measure] for each in files], np.array(rows) if rows else None
