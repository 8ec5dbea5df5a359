"""Interval for the difference of two correlations that share a variable.

Zou (2007), Toward Using Confidence Intervals to Compare Correlations, Psychological Methods 12(4), 399-413.
"""

from math import sqrt

import numpy as np

from dialmeter.stats.correlation import Scores, coefficient, fisher_limits
from dialmeter.stats.results import Interval

# Figures rounded to two decimals can miss a possible set of correlations by this much, never by more.
ROUNDING = 0.03


def zou_interval(r1: float, r2: float, r12: float, n: int, *, confidence: float = 0.95) -> Interval:
    """Interval of r1 - r2, where both correlate with the same third variable.

    With Fisher limits (l1, u1) and (l2, u2), and c the correlation between the two coefficients,
    c = [(r12 - r1·r2/2)(1 - r1² - r2² - r12²) + r12³] / [(1 - r1²)(1 - r2²)]:

    L = r1 - r2 - √((r1 - l1)² + (u2 - r2)² - 2c(r1 - l1)(u2 - r2)),
    U = r1 - r2 + √((u1 - r1)² + (r2 - l2)² - 2c(u1 - r1)(r2 - l2)).

    Args:
        r1: Correlation of the shared variable with the first.
        r2: Correlation of the shared variable with the second.
        r12: Correlation of the first with the second.
        n: Number of units.
        confidence: Coverage of the interval.

    Returns:
        The difference with its interval; no interval, with the reason, below four units or if r1 or r2 is 1 or -1.

    Raises:
        ValueError: If a correlation is out of range or no three variables can have these correlations.

    Example:
        >>> result = zou_interval(0.396, 0.179, 0.088, 66)
        >>> round(result.low, 4), round(result.high, 4)
        (-0.0929, 0.5168)
    """
    for r in (r1, r2, r12):
        if not -1 <= r <= 1:
            raise ValueError(f"a correlation lies between -1 and 1, not at {r:g}")
    if 1 + 2 * r1 * r2 * r12 - r1 * r1 - r2 * r2 - r12 * r12 < -ROUNDING:
        raise ValueError(f"no three variables can have the correlations {r1:g}, {r2:g} and {r12:g} with each other")
    if n < 4:
        return Interval(r1 - r2, None, None, n, 0, "an interval for a difference of correlations needs four units")
    if max(abs(r1), abs(r2)) == 1:
        return Interval(r1 - r2, None, None, n, 0, "a correlation of 1 or -1 has no interval to combine")
    l1, u1 = fisher_limits(r1, 1 / sqrt(n - 3), confidence)
    l2, u2 = fisher_limits(r2, 1 / sqrt(n - 3), confidence)
    rest = 1 - r1 * r1 - r2 * r2 - r12 * r12
    c = ((r12 - r1 * r2 / 2) * rest + r12**3) / ((1 - r1 * r1) * (1 - r2 * r2))
    c = max(-1.0, min(1.0, c))  # rounded input may lead a little outside
    down, up = _distance(r1 - l1, u2 - r2, c), _distance(u1 - r1, r2 - l2, c)
    return Interval(r1 - r2, r1 - r2 - down, r1 - r2 + up, n)


def compare_correlations(shared: Scores, first: Scores, second: Scores, *, confidence: float = 0.95) -> Interval:
    """Does `shared` correlate more strongly with `first` than with `second`? Pearson and Zou's interval.

    Args:
        shared: One number per unit (a trait of each dialogue, say); None and nan are missing.
        first: The same units in the same order.
        second: The same units in the same order.
        confidence: Coverage of the interval.

    Returns:
        r(shared, first) - r(shared, second) over the units where all three are there; None with a reason if one of
        them is constant.

    Raises:
        ValueError: If the lengths differ.

    Example:
        >>> trait, a, b = [1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5], [2, 1, 5, 3, 6, 4]
        >>> result = compare_correlations(trait, a, b)
        >>> round(result.value, 3), round(result.low, 3), round(result.high, 3)
        (0.229, -0.389, 1.196)
    """
    rows = [np.array(values, dtype=np.float64) for values in (shared, first, second)]
    if len({row.shape for row in rows}) > 1 or rows[0].ndim != 1:
        raise ValueError("all three variables need one number per unit, and their lengths differ")
    complete = np.logical_and.reduce([np.isfinite(row) for row in rows])
    n, left_out = int(complete.sum()), int(len(complete) - complete.sum())
    if n < 3:
        return Interval(None, None, None, n, left_out, "a correlation needs at least three complete units")
    t, a, b = (row[complete] for row in rows)
    for name, values in (("shared", t), ("first", a), ("second", b)):
        if values.min() == values.max():
            return Interval(None, None, None, n, left_out, f"the {name} variable is constant")
    found = zou_interval(coefficient(t, a), coefficient(t, b), coefficient(a, b), n, confidence=confidence)
    return Interval(found.value, found.low, found.high, n, left_out, found.reason)


def _distance(x: float, y: float, c: float) -> float:
    return sqrt(max(0.0, x * x + y * y - 2 * c * x * y))
