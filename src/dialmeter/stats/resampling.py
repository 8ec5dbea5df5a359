"""Percentile bootstrap over dialogues, many measures from one draw.

Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
"""

from collections.abc import Mapping
from math import isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .draws import BLOCK_BYTES, Seed, resampled_sums
from .formulas import Floats, Formula, as_columns, evaluate, exact, point, taken
from .intervals import Interval, check_confidence, expanded_tail

NO_VALUE = "the measure has no value on these dialogues (its denominator is zero)"
NO_RESAMPLE = "the measure has no value in all but one of the resamples"
SAME = "all resamples have the same value"
# Values that are equal on paper may differ in the last bits; they must count as equal.
TIE = 1e-12


class Limits(NamedTuple):
    """An interval, how many resamples had no value, and why there is no interval."""

    low: float | None
    high: float | None
    left_out: int
    reason: str | None

    @property
    def ci(self) -> tuple[float, float] | None:
        """Both limits, or None if there is no interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def bootstrap(
    columns: ArrayLike,
    formulas: Mapping[str, Formula],
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: Seed = 0,
    expand: bool = True,
    block_bytes: int = BLOCK_BYTES,
) -> dict[str, Interval]:
    """Intervals of many measures from one draw of dialogues.

    Args:
        columns: One row per dialogue (sorted by id), with the columns of all measures side by side.
        formulas: Measures by name; each takes its own columns.
        confidence: Coverage of each interval.
        resamples: Number of resamples.
        seed: Seed of the draw.
        expand: Widen the percentiles to suit a small sample (see `expanded_tail`); False for the plain percentiles.
        block_bytes: Memory for weights; changes no number.

    Returns:
        An interval by name; its `left_out` counts resamples in which the measure had no value.

    Raises:
        ValueError: If there are fewer than two dialogues.

    Example:
        >>> from dialmeter.stats import ratio
        >>> rows = [[3, 4, 9], [5, 5, 9], [1, 6, 9], [4, 5, 9]]
        >>> found = bootstrap(rows, {"JGA": ratio(0, 1), "SA": ratio(1, 2)})
        >>> found["JGA"].value, round(found["SA"].value, 4)
        (0.65, 0.5556)
    """
    check_confidence(confidence)
    matrix = as_columns(columns)
    sums = resampled_sums(exact(matrix), resamples, seed, block_bytes)
    n = len(matrix)
    results = {}
    for name, formula in formulas.items():
        value = point(formula, matrix)
        found = limits(evaluate(formula, sums), confidence, n, formula, matrix, expand=expand)
        low, high = (None, None) if value is None else (found.low, found.high)
        results[name] = Interval(value, low, high, n, found.left_out, NO_VALUE if value is None else found.reason)
    return results


def limits(
    values: Floats,
    confidence: float,
    n: int,
    formula: Formula | None = None,
    columns: Floats | None = None,
    *,
    expand: bool = True,
) -> Limits:
    """The interval of resampled values. Where all of them are equal, the one at the end of a range, or none.

    Args:
        values: One value per resample; nan has no value.
        confidence: Coverage of the interval.
        n: Number of dialogues.
        formula: The measure, for its range; None for what has no range, such as a difference.
        columns: The columns that were resampled: a dialogue in which all of the measure's are zero says nothing at an end.
        expand: As for `bootstrap`.

    Example:
        >>> found = limits(np.ones(1000), 0.95, 20, Formula(lambda sums: sums[..., 0]))
        >>> round(found.low, 4), found.high
        (0.8316, 1.0)
        >>> limits(np.full(1000, 0.5), 0.95, 20, Formula(lambda sums: sums[..., 0]))
        Limits(low=None, high=None, left_out=0, reason='all resamples have the same value')
    """
    low, high, left_out = percentiles(values, confidence, n if expand else None)
    if low is None or high is None:
        return Limits(None, None, left_out, NO_RESAMPLE)
    scored = values[~np.isnan(values)]
    least, most = float(scored.min()), float(scored.max())
    if most - least > TIE * max(1.0, abs(least), abs(most)):
        return Limits(low, high, left_out, None)
    ends = None
    if formula is not None:
        telling = n if columns is None else int(np.count_nonzero(taken(formula, columns).any(axis=1)))
        ends = end_limits(least, telling, confidence, formula.low, formula.high)
    return Limits(None, None, left_out, SAME) if ends is None else Limits(*ends, left_out, None)


def end_limits(
    value: float, n: int, confidence: float, low: float = 0.0, high: float = 1.0
) -> tuple[float, float] | None:
    """The interval of a mean at an end of its range, where all n dialogues have that value and resampling sees no other.

    If a share q of all dialogues has the value, n of n have it with probability q^n. So the smallest q that is not
    refuted at (1 - confidence) / 2 is that to the power of 1/n; the other dialogues may be at the other end. This is the
    interval of Clopper and Pearson (1934), The Use of Confidence or Fiducial Limits, Biometrika 26, for n of n.

    Args:
        value: The value.
        n: Number of dialogues.
        confidence: Coverage of the interval.
        low: The lowest value that there can be.
        high: The highest value that there can be.

    Returns:
        The limits; None for a value inside the range, or if the other end is infinite.

    Example:
        >>> [round(limit, 4) for limit in end_limits(1.0, 20, 0.95)], [round(limit, 4) for limit in end_limits(0.0, 20, 0.95)]
        ([0.8316, 1.0], [0.0, 0.1684])
        >>> end_limits(0.5, 20, 0.95)
    """
    if not isfinite(high - low):
        return None
    near = 1e-9 * (high - low)
    reach = (high - low) * (1 - ((1 - check_confidence(confidence)) / 2) ** (1 / n))
    if abs(value - high) <= near:
        return high - reach, high
    return (low, low + reach) if abs(value - low) <= near else None


def percentiles(values: Floats, confidence: float, n: int | None) -> tuple[float | None, float | None, int]:
    """Central percentiles of resampled values.

    Args:
        values: One value per resample; nan has no value.
        confidence: Share of resamples between the limits.
        n: Number of dialogues, to expand the interval for; None for plain percentiles.

    Returns:
        Lower limit, upper limit, number of values left out; no limits if fewer than two values remain.

    Example:
        >>> percentiles(np.array([1.0, 2.0, 3.0, float("nan")]), 0.5, None)
        (1.5, 2.5, 1)
    """
    scored = values[~np.isnan(values)]
    left_out = len(values) - len(scored)
    if len(scored) < 2:
        return None, None, left_out
    tail = (1 - confidence) / 2 if n is None else expanded_tail(confidence, n)
    low, high = np.quantile(scored, [tail, 1 - tail])
    return float(low), float(high), left_out
