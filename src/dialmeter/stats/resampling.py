"""Percentile bootstrap over dialogues, many measures from one draw.

Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from dialmeter.stats.draws import BLOCK_BYTES, Seed, resampled_sums
from dialmeter.stats.exact import as_columns, exact
from dialmeter.stats.formulas import Floats, Formula, evaluate, point
from dialmeter.stats.results import Interval
from dialmeter.stats.tails import check_confidence, expanded_tail

NO_VALUE = "the measure has no value on these dialogues (its denominator is zero)"
NO_RESAMPLE = "the measure has no value in all but one of the resamples"


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
        low, high, left_out = percentiles(evaluate(formula, sums), confidence, n if expand else None)
        reason = NO_VALUE if value is None else NO_RESAMPLE if low is None else None
        if value is None:
            low = high = None
        results[name] = Interval(value, low, high, n, left_out, reason)
    return results


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
