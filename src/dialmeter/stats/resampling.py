"""Percentile bootstrap over dialogues, corrected for few dialogues and for skewness, with many measures from one draw.

Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 13 and 14.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from .draws import BLOCK_BYTES, Seed, resampled_sums
from .formulas import Floats, Formula, as_columns, evaluate, exact, point, taken
from .intervals import NORMAL, Interval, check_confidence, expanded_tail

NO_VALUE = "the measure has no value on these dialogues (its denominator is zero)"
NO_RESAMPLE = "the measure has a value in fewer than two resamples"
SAME = "all resamples have the same value"
# Mathematically equal values may differ in the last bits because of rounding. They must count as equal.
TIE = 1e-12


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
    """Compute bootstrap intervals of many measures from one draw of dialogues.

    Args:
        columns: One row per dialogue (sorted by id), with the columns of all measures side by side.
        formulas: Measures by name; each reads its own columns.
        confidence: Coverage of each interval.
        resamples: Number of resamples.
        seed: Seed of the draw.
        expand: Correct the percentiles for a small sample and for skewness (see `expanded_tail` and `shifted_tails`);
            False for the plain percentiles.
        block_bytes: Memory for weights; does not change any number.

    Returns:
        An interval by name; its `left_out` counts resamples in which the measure had no value.

    Raises:
        ValueError: If there are fewer than two dialogues.

    Example:
        >>> from dialmeter.stats import ratio
        >>> rows = [[3, 4, 9], [5, 5, 9], [1, 6, 9], [4, 5, 9]]
        >>> intervals = bootstrap(rows, {"JGA": ratio(0, 1), "SA": ratio(1, 2)})
        >>> intervals["JGA"].value, round(intervals["SA"].value, 4)
        (0.65, 0.5556)
    """
    check_confidence(confidence)
    matrix = as_columns(columns)
    sums = resampled_sums(exact(matrix), resamples, seed, block_bytes)
    n = len(matrix)
    results = {}
    for name, formula in formulas.items():
        value = point(formula, matrix)
        interval = percentile_interval(evaluate(formula, sums), confidence, n, formula, matrix, expand=expand)
        if value is None:
            results[name] = Interval(None, None, None, n, interval.left_out, NO_VALUE)
        else:
            results[name] = replace(interval, value=value)
    return results


def percentile_interval(
    values: Floats,
    confidence: float,
    n: int,
    formula: Formula | None = None,
    columns: Floats | None = None,
    *,
    expand: bool = True,
) -> Interval:
    """Return the percentile interval of resampled values.

    If all values are equal, there is an interval only at an end of the measure's range (see `end_limits`).

    Args:
        values: One value per resample; nan if there is no value.
        confidence: Coverage of the interval.
        n: Number of dialogues.
        formula: The measure, for its range; None for a number without a range, such as a difference.
        columns: The resampled columns, for the skewness of the measure. At an end of the range, a dialogue in which all
            columns of the measure are zero does not count.
        expand: As for `bootstrap`.

    Returns:
        The interval without a point value; its `left_out` counts resamples without a value.

    Example:
        >>> interval = percentile_interval(np.ones(1000), 0.95, 20, Formula(lambda sums: sums[..., 0]))
        >>> round(interval.low, 4), interval.high
        (0.8316, 1.0)
        >>> percentile_interval(np.full(1000, 0.5), 0.95, 20, Formula(lambda sums: sums[..., 0]))
        Interval(value=None, low=None, high=None, n=20, left_out=0, reason='all resamples have the same value', p=None)
    """
    scored = values[~np.isnan(values)]
    left_out = len(values) - len(scored)
    if len(scored) < 2:
        return Interval(None, None, None, n, left_out, NO_RESAMPLE)
    least, most = float(scored.min()), float(scored.max())
    if most - least > TIE * max(1.0, abs(least), abs(most)):
        tail = expanded_tail(confidence, n) if expand else (1 - confidence) / 2
        skewed = 0.0 if not expand or formula is None or columns is None else acceleration(formula, columns)
        low, high = np.quantile(scored, shifted_tails(tail, skewed))
        return Interval(None, float(low), float(high), n, left_out)
    ends = None
    if formula is not None:
        informative = n if columns is None else int(np.count_nonzero(taken(formula, columns).any(axis=1)))
        ends = end_limits(least, informative, confidence, formula.low, formula.high)
    return Interval(None, None, None, n, left_out, SAME) if ends is None else Interval(None, *ends, n, left_out)


def acceleration(formula: Formula, columns: Floats) -> float:
    """Return the acceleration of a measure: a sixth of the skewness of its linearised values, divided by the root of n.

    Efron (1987), Better Bootstrap Confidence Intervals, JASA 82. It is rounded, so that the order of additions does not matter.

    Example:
        >>> acceleration(Formula(lambda sums: sums[..., 0] / 4), np.array([[1.0], [1.0], [1.0], [0.0]]))
        -0.096225045
    """
    rows = taken(formula, columns)
    totals, steps = rows.sum(axis=0), 1e-4 * np.maximum(np.abs(rows).max(axis=0), 1e-9)
    values = evaluate(Formula(formula.value), np.vstack([totals, totals + np.diag(steps)]))
    apart = (rows - totals / len(rows)) @ np.nan_to_num((values[1:] - values[0]) / steps)
    square = float((apart**2).sum())
    return round(float((apart**3).sum()) / (6 * square**1.5), 9) if square > 0 else 0.0


def shifted_tails(tail: float, acceleration: float) -> tuple[float, float]:
    """Return the probabilities of both limits, moved to the side on which a skewed measure has its long tail.

    These are the limits of the BCa interval of Efron (1987), with the acceleration in place of the bias, because both are
    equal for a mean. The share of resamples below the value, which usually gives the bias, is too coarse for counts.

    Example:
        >>> [round(each, 4) for each in shifted_tails(0.025, -0.05)], shifted_tails(0.025, 0.0)
        ([0.0112, 0.9548], (0.025, 0.975))
    """
    if not acceleration or tail < TIE:
        return tail, 1 - tail
    ends = (acceleration + sign * NORMAL.inv_cdf(tail) for sign in (1, -1))
    low, high = (NORMAL.cdf(acceleration + end / max(1 - acceleration * end, TIE)) for end in ends)
    return low, high


def end_limits(
    value: float, n: int, confidence: float, low: float = 0.0, high: float = 1.0
) -> tuple[float, float] | None:
    """Return the interval of a mean at an end of its range, where all n dialogues have that value.

    Resampling shows no variation then. If a share q of all dialogues has the value, n of n have it with probability q^n. So
    the smallest q that is not rejected at the level a = (1 - confidence) / 2 is a^(1/n); all other dialogues may be at the
    other end. This is the interval of Clopper and Pearson (1934), The Use of Confidence or Fiducial Limits, Biometrika 26,
    for n of n.

    Args:
        value: The value.
        n: Number of dialogues.
        confidence: Coverage of the interval.
        low: The lowest possible value.
        high: The highest possible value.

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
