"""Confidence intervals: Student's for a mean, Wilson's for a proportion, also over clusters; normal and Student quantiles.

The formulas are a few lines each and do not use scipy, because importing it takes longer than scoring a thousand dialogues.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import exp, fsum, gamma, isnan, lgamma, log, log1p, pi, sqrt
from typing import TYPE_CHECKING

from msgspec import Struct

from ..numeric import NDArray, np

if TYPE_CHECKING:
    from statistics import NormalDist

_FEW_DEGREES = 300
"""For more degrees of freedom, a ratio of gamma functions comes from its series."""


class Interval(Struct, frozen=True):
    """A number with its confidence interval.

    Attributes:
        value: The point value, or None if it is not defined.
        low: Lower limit, or None if there is no interval.
        high: Upper limit, or None if there is no interval.
        n: Units that took part (dialogues, scores, pairs).
        unscored: Number without a value: resamples for a bootstrap, otherwise units.
        reason: Why `value`, `low` or `high` is None; None if all three are known.
        p: Two-sided p value of "the value is zero", if the statistic has one.

    Example:
        >>> Interval(0.5, 0.4, 0.6, n=100)
        Interval(value=0.5, low=0.4, high=0.6, n=100, unscored=0, reason=None, p=None)
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int = 0
    reason: str | None = None
    p: float | None = None

    @property
    def ci(self) -> tuple[float, float] | None:
        """Both limits, or None if there is no interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@cache
def normal() -> NormalDist:
    """Return the normal distribution. The module of Python is imported when it is used, because that takes long."""
    from statistics import NormalDist

    return NormalDist()


def check_confidence(confidence: float) -> float:
    """Return a confidence level, or raise ValueError if it is not strictly between 0 and 1, such as 95 instead of 0.95.

    Example:
        >>> check_confidence(0.95)
        0.95
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1 (0.95 for 95 %), not {confidence:g}")
    return confidence


def normal_quantile(confidence: float) -> float:
    """Return the half width of the central part of the normal distribution.

    Example:
        >>> round(normal_quantile(0.95), 4)
        1.96
    """
    return normal().inv_cdf((1 + check_confidence(confidence)) / 2)


def student_quantile(confidence: float, degrees: int) -> float:
    """Return the half width of the central part of Student's distribution, by Newton's method.

    The tails are convex and wider than those of the normal distribution, so that every step from its quantile goes outwards.

    Example:
        >>> round(student_quantile(0.95, 19), 4), round(student_quantile(0.95, 100_000), 6)
        (2.093, 1.959988)
    """
    t, tails = normal_quantile(confidence), 1 - confidence
    while True:
        step = (student_p(t, degrees) - tails) / (2 * _student_density(t, degrees))
        t += step
        if step <= 1e-9 * t:
            return t


def student_p(t: float, degrees: int) -> float:
    """Return the two-sided p value of a t statistic: the regularised incomplete beta function of degrees / 2 and 1 / 2.

    Example:
        >>> round(student_p(2.093, 19), 3)
        0.05
    """
    scale, square, half = abs(t) * _student_density(t, degrees), t * t, degrees / 2
    x, y = degrees / (degrees + square), square / (degrees + square)
    if square > 3 * degrees / (degrees + 2):
        return scale / _beta_fraction(half, 0.5, x, y)
    return 1 - scale / _beta_fraction(0.5, half, y, x)


def _student_density(t: float, degrees: int) -> float:
    if degrees > _FEW_DEGREES:
        # Abramowitz and Stegun (1964), Handbook of Mathematical Functions, 6.1.49.
        series = (1, -1 / 4, 1 / 32, 5 / 128, -21 / 2048, -399 / 8192)
        ratio = fsum(each / float(degrees) ** power for power, each in enumerate(series)) / sqrt(2)
    else:
        ratio = gamma((degrees + 1) / 2) / gamma(degrees / 2) / sqrt(degrees)
    return ratio / sqrt(pi) * exp(-(degrees + 1) / 2 * log1p(t * t / degrees))


def _beta_fraction(a: float, b: float, x: float, y: float) -> float:
    """Return the continued fraction by which x^a y^b / B(a, b) is divided to get the incomplete beta function; x + y is 1.

    Didonato and Morris (1992), Algorithm 708, ACM Transactions on Mathematical Software 18(3), 360-373.
    """
    beyond, n, d, change = a * y - b * x + 1, 0, 0.0, 0.0
    result = c = a / (a + 1) * beyond
    while abs(change - 1) > 2e-16:
        n += 1
        above = (a + n - 1) * (a + b + n - 1) * n * (b - n) * (x / (a + 2 * n - 1)) ** 2
        below = n + n * (b - n) * x / (a + 2 * n - 1) + (a + n) / (a + 2 * n + 1) * (beyond + n * (1 + y))
        c, d = below + above / c, 1 / (below + above * d)
        change = c * d
        result *= change
    return result


def fisher_quantile(share: float, above: int, below: int) -> float:
    """Return the value that an F statistic exceeds with probability 1 - share, by halving.

    Args:
        above: the degrees of freedom of the numerator.
        below: those of the denominator.

    Example:
        >>> round(fisher_quantile(0.975, 49, 150), 4), round(fisher_quantile(0.025, 3, 7), 4)
        (1.5422, 0.0684)
    """
    low, high = 0.0, 1.0
    while high - low > 4e-16 * high:
        x = (low + high) / 2
        if x in (low, high):
            break
        low, high = (x, high) if _beta_share(above / 2, below / 2, x) < share else (low, x)
    return below * high / (above * (1 - high))


def _beta_share(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function."""
    y = 1 - x
    if x > a / (a + b):
        return 1 - _beta_share(b, a, y)
    return exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)) / _beta_fraction(a, b, x, y)


def expanded_tail(confidence: float, n: int) -> float:
    """Return the tail probability at which a percentile interval over n units has the width of a Student interval.

    A bootstrap interval over n units is too narrow by the factor sqrt((n - 1) / n), and its tails are normal instead of
    Student's. Percentiles a little further out correct both to first order: the "expanded percentile" interval of Hesterberg (2015), What Teachers Should Know About the Bootstrap, The American Statistician 69(4), 371-386.

    Example:
        >>> round(expanded_tail(0.95, 20), 4), round(expanded_tail(0.95, 1000), 4)
        (0.0159, 0.0248)
    """
    return normal().cdf(-student_quantile(confidence, n - 1) * sqrt(n / (n - 1)))


def expanded_p(p: float, n: int) -> float:
    """Apply the same correction to a two-sided p value: use the normal quantile of p as a Student quantile.

    Example:
        >>> round(expanded_p(0.05, 20), 4), round(expanded_p(0.05, 1000), 4)
        (0.0713, 0.0504)
    """
    z = -normal().inv_cdf(p / 2)
    return student_p(z * sqrt((n - 1) / n), n - 1)


SAME_SCORES = "all scores are equal"


def student_interval(scores: Sequence[float | None] | NDArray[np.float64], *, confidence: float = 0.95) -> Interval:
    """Return the interval of a mean: mean ± t · s / √n with n - 1 degrees of freedom.

    Use it for measures that are a mean of one score per dialogue (`average=dialogue`). A mean over turns is a ratio of two
    sums over dialogues; use `bootstrap` for it.

    Args:
        scores: One score per dialogue; None and nan are unscored and skipped, not zero.
        confidence: Coverage of the interval.

    Returns:
        The interval, with the number of unscored units and the p value of "the mean is zero". If all scores are equal,
        there is no interval and no p value, because they do not show how much other scores vary.

    Example:
        >>> result = student_interval([0.5, 0.7, 0.6, 0.8, None])
        >>> round(result.low, 4), round(result.high, 4), result.n, result.unscored
        (0.4446, 0.8554, 4, 1)
        >>> student_interval([0.5]).reason
        'an interval of a mean needs at least two scores'
    """
    check_confidence(confidence)
    values = [float("nan") if score is None else float(score) for score in scores]
    scored = [score for score in values if not isnan(score)]
    n, unscored = len(scored), len(values) - len(scored)
    if not n:
        return Interval(None, None, None, n, unscored, "there are no scores")
    mean = fsum(scored) / n
    if n < 2:
        return Interval(mean, None, None, n, unscored, "an interval of a mean needs at least two scores")
    error = sqrt(fsum((score - mean) ** 2 for score in scored) / (n - 1) / n)
    if error == 0 or min(scored) == max(scored):
        return Interval(mean, None, None, n, unscored, SAME_SCORES)
    half = student_quantile(confidence, n - 1) * error
    return Interval(mean, mean - half, mean + half, n, unscored, None, student_p(mean / error, n - 1))


def wilson_interval(count: float, n: float, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of a proportion. It stays within 0 and 1, and its width is not zero at these ends.

    Wilson (1927), Probable Inference, the Law of Succession, and Statistical Inference, Journal of the American
    Statistical Association 22(158), 209-212. The count and the number of units may be fractions, for an effective number of units.

    Example:
        >>> [round(limit, 4) for limit in wilson_interval(84, 100)]
        [0.7558, 0.899]
    """
    z = normal_quantile(confidence)
    share = count / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At the ends the limit is exactly 0 or 1, and rounding must not change it.
    return 0.0 if count == 0 else centre - half, 1.0 if count == n else centre + half


SAME_SHARES = "the share is the same in every dialogue"
ONE_DIALOGUE = "all cases are of one dialogue"


def clustered_proportion(clusters: Iterable[tuple[int, int]], *, confidence: float = 0.95) -> Interval:
    """Return a proportion over units that come in clusters, such as cases from one dialogue.

    The interval is Wilson's for an effective number of units: as many independent units as give the variance between clusters. A
    share of 0 or 1 does not show that variance, so each cluster then counts as one unit.

    A cluster is the number of its units with the property, and the number of its units. A confidence of 0 gives no interval.

    Example:
        >>> result = clustered_proportion([(3, 3), (0, 3), (3, 3), (1, 3)])
        >>> round(result.value, 4), round(result.low, 4), round(result.high, 4), result.n
        (0.5833, 0.1919, 0.8919, 12)
        >>> clustered_proportion([(1, 3)]).reason
        'all cases are of one dialogue'
    """
    counts = [each for each in clusters if each[1]]
    count, n, g = sum(each for each, _ in counts), sum(size for _, size in counts), len(counts)
    share = count / n if n else None
    if share is None or not confidence:
        return Interval(share, None, None, n)
    effective: float = g
    if 0 < count < n and n > g:
        # In integers, because rounding must not hide that all clusters have the same share.
        squares = sum((own * n - count * size) ** 2 for own, size in counts)
        if not squares:
            return Interval(share, None, None, n, reason=ONE_DIALOGUE if g == 1 else SAME_SHARES)
        effective = min(n, share * (1 - share) * n**4 * (g - 1) / (g * squares))
    return Interval(share, *wilson_interval(share * effective, effective, confidence=confidence), n)
