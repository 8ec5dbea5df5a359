"""Pearson, Spearman and Kendall correlation, each with an interval.

Intervals are tanh(atanh r ± z · e), with the standard error e of the transformed coefficient:

- Pearson: 1/√(n-3). Fisher (1921), On the "Probable Error" of a Coefficient of Correlation, Metron 1, 3-32.
- Spearman: √((1 + r²/2)/(n-3)). Bonett and Wright (2000), Sample Size Requirements for Estimating Pearson, Kendall and
  Spearman Correlations, Psychometrika 65(1), 23-28.
- Kendall's tau-b: √(0.437/(n-4)). Fieller, Hartley and Pearson (1957), Tests for Rank Correlation Coefficients I,
  Biometrika 44, 470-481; recommended by Bonett and Wright for |tau| < 0.8.

A coefficient of exactly 1 or -1 gives an interval of width zero. The difference of two correlations that share a variable
has the interval of Zou (2007), Toward Using Confidence Intervals to Compare Correlations, Psychological Methods 12(4), 399-413.

Items that belong together, such as replies to one context, are resampled together. A resample draws as many clusters as there are,
with replacement; the weight of an item is the number of times that its cluster was drawn. All coefficients are computed from these
weights, without building the resamples: Pearson's r from weighted sums, Spearman's from weighted mean ranks, Kendall's tau-b from
the weighted table of pairs. Field and Welsh (2007), Bootstrapping Clustered Data, Journal of the Royal Statistical Society B 69(3),
369-390.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from math import atanh, comb, erfc, factorial, perm, prod, sqrt, tanh
from typing import TypeAlias

from msgspec.structs import replace

from ..numeric import NDArray, np
from .draws import product
from .formulas import Floats
from .intervals import Interval, normal_quantile, student_p

Scores: TypeAlias = "Sequence[float | None] | NDArray[np.float64]"


def pearson(x: Scores, y: Scores, *, confidence: float = 0.95) -> Interval:
    """Compute Pearson's correlation with Fisher's interval and the t test of no correlation.

    Args:
        x: One number per unit; None and nan are missing.
        y: The same units in the same order; a pair with a missing side is skipped.
        confidence: Coverage of the interval.

    Returns:
        The correlation; None with a reason if a side is constant or there are fewer than three pairs, no interval
        below four pairs.

    Example:
        >>> result = pearson([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
        >>> round(result.value, 2), round(result.low, 3), round(result.high, 3)
        (0.8, -0.28, 0.986)
        >>> pearson([1, 1, 1], [1, 2, 3]).reason
        'the first variable is constant, so nothing correlates with it'
    """
    return _correlate(x, y, confidence, _product_moment, lambda r: 1.0)


def spearman(x: Scores, y: Scores, *, confidence: float = 0.95) -> Interval:
    """Compute Spearman's rank correlation (ties get their mean rank) with the interval of Bonett and Wright.

    Arguments and result are those of `pearson`; p is that of the t approximation.

    Example:
        >>> result = spearman([1, 2, 3, 4, 50], [2, 1, 4, 3, 5])
        >>> round(result.value, 2), round(result.low, 3), round(result.high, 3)
        (0.8, -0.457, 0.991)
    """

    def of_ranks(a: Floats, b: Floats) -> tuple[float, float]:
        return _product_moment(mean_ranks(a), mean_ranks(b))

    return _correlate(x, y, confidence, of_ranks, lambda r: 1 + r * r / 2)


def kendall(x: Scores, y: Scores, *, confidence: float = 0.95) -> Interval:
    """Compute Kendall's tau-b with the interval of Fieller, Hartley and Pearson.

    Arguments and result are those of `pearson`, but there is no interval below five pairs. p is exact for up to 33 pairs without
    ties, and otherwise from the normal distribution: Kendall (1970), Rank Correlation Methods, chapters 4 and 5.

    Example:
        >>> result = kendall([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
        >>> round(result.value, 2), round(result.low, 3), round(result.high, 3)
        (0.6, -0.539, 0.963)
    """

    def tau_and_p(a: Floats, b: Floats) -> tuple[float, float]:
        found = tau_b(a.tolist(), b.tolist())
        assert found is not None  # neither is constant
        return found

    return _correlate(x, y, confidence, tau_and_p, lambda tau: 0.437, least=5)


def tau_b(x: Sequence[float], y: Sequence[float]) -> tuple[float, float] | None:
    """Return Kendall's tau-b of two complete variables and its p value; None if one of them is constant.

    Example:
        >>> tau_b([1, 2, 3, 4, 5], [1, 2, 3, 5, 4]), tau_b([1, 1], [1, 2])
        ((0.7999999999999999, 0.08333333333333333), None)
    """
    seen: list[float] = []
    discordant, pairs = 0, comb(len(x), 2)
    for _, value in sorted(zip(x, y, strict=True)):
        place = bisect_right(seen, value)
        discordant += len(seen) - place
        seen.insert(place, value)
    groups = [[*Counter(each).values()] for each in (x, y, zip(x, y, strict=True))]
    tied_x, tied_y, tied = (sum(comb(size, 2) for size in each) for each in groups)
    if pairs in (tied_x, tied_y):
        return None
    score = pairs - tied_x - tied_y + tied - 2 * discordant
    tau = score / sqrt(pairs - tied_x) / sqrt(pairs - tied_y)
    fewer = min(discordant, pairs - discordant)
    is_exact = not tied_x and not tied_y and (len(x) <= _MOST_EXACT or fewer <= 1)
    p = _exact_tau_p(len(x), fewer) if is_exact else _normal_tau_p(len(x), score, groups[:2])
    return max(-1.0, min(1.0, tau)), p


def least_tau(n: int, level: float = 0.05) -> float | None:
    """Return the lowest tau of n items without ties whose p value is below a level; None if even the same order is not.

    Example:
        >>> least_tau(4), least_tau(5), round(least_tau(8), 3), round(least_tau(100), 3)
        (None, 1.0, 0.643, 0.133)
    """
    pairs, least = comb(n, 2), None
    for fewer in range(pairs // 2 + 1):
        is_exact = n <= _MOST_EXACT
        p = _exact_tau_p(n, fewer) if is_exact else _normal_tau_p(n, pairs - 2 * fewer, [(), ()])
        if p >= level:
            break
        least = 1 - 2 * fewer / pairs
    return least


def _exact_tau_p(n: int, fewer: int) -> float:
    """Return the p value from the share of all orders of n items that have at most so many discordant pairs."""
    orders = [1] + [0] * fewer
    for size in range(2, n + 1):
        upto = [*accumulate(orders)]
        orders = [one - other for one, other in zip(upto, [0] * size + upto, strict=False)]
    return min(1.0, 2 * sum(orders) / factorial(n))


def _normal_tau_p(n: int, score: int, groups: Sequence[Sequence[int]]) -> float:
    """Return the p value from the normal distribution. ``groups`` has the sizes of the groups of equal values of both variables."""
    pairs, triples = (prod(sum(perm(size, k) for size in each) for each in groups) for k in (2, 3))
    weighted = sum(perm(size, 2) * (2 * size + 5) for each in groups for size in each)
    whole = perm(n, 2)
    variance = (whole * (2 * n + 5) - weighted) / 18 + pairs / (2 * whole) + triples / (9 * perm(n, 3))
    return erfc(abs(score) / sqrt(2 * variance))


def mean_ranks(values: Floats) -> Floats:
    """Return the ranks of values from 1; equal values share the mean of their ranks.

    Example:
        >>> mean_ranks(np.array([5.0, 7.0, 7.0])).tolist()
        [1.0, 2.5, 2.5]
    """
    ranks: Floats = ResampledVariable(np.ones((1, len(values))), values).ranks[0]
    return ranks


def fisher_limits(r: float, error: float, confidence: float) -> tuple[float, float]:
    """Return the limits of a correlation from the standard error of its inverse hyperbolic tangent.

    Example:
        >>> low, high = fisher_limits(0.396, 1 / sqrt(66 - 3), 0.95)
        >>> round(low, 4), round(high, 4)
        (0.1703, 0.5822)
    """
    half = normal_quantile(confidence) * error
    if abs(r) >= 1:
        return r, r
    return tanh(atanh(r) - half), tanh(atanh(r) + half)


def complete(*variables: Scores) -> tuple[list[Floats], int]:
    """Return the units for which all variables have a number, and the number of other units.

    Example:
        >>> complete([1, None, 3], [4, 5, 6])
        ([array([1., 3.]), array([4., 6.])], 1)
    """
    rows = [np.array(values, dtype=np.float64) for values in variables]
    whole = np.logical_and.reduce([np.isfinite(row) for row in rows])
    return [row[whole] for row in rows], int(len(whole) - whole.sum())


def coefficient(a: Floats, b: Floats) -> float:
    """Return Pearson's r of two complete variables that are not constant.

    Example:
        >>> round(coefficient(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])), 4)
        0.982
    """
    # Scaled to at most one before squaring, so that no square leaves the range of float64.
    da, db = ((v - v.mean()) / np.abs(v - v.mean()).max() for v in (a, b))
    r = float(da @ db) / sqrt(float(da @ da) * float(db @ db))
    return max(-1.0, min(1.0, r))


def _product_moment(a: Floats, b: Floats) -> tuple[float, float]:
    """Return Pearson's r and the p value of its t test."""
    n, r = len(a), coefficient(a, b)
    return r, 0.0 if abs(r) == 1 else student_p(r * sqrt((n - 2) / ((1 - r) * (1 + r))), n - 2)


def _correlate(
    x: Scores,
    y: Scores,
    confidence: float,
    statistic: Callable[[Floats, Floats], tuple[float, float]],
    variance: Callable[[float], float],
    *,
    least: int = 4,
) -> Interval:
    """Return a coefficient with its p value and, from the least number of pairs on, its interval."""
    (a, b), unscored = complete(x, y)
    n, reason = len(a), None
    if n < 3:
        reason = "a correlation needs at least three complete pairs"
    for name, values in (("first", a), ("second", b)):
        if not reason and values.min() == values.max():
            reason = f"the {name} variable is constant, so nothing correlates with it"
    if reason:
        return Interval(None, None, None, n, unscored, reason)
    r, p = statistic(a, b)
    if n < least:
        reason = (
            f"an interval for {'a correlation needs at least four' if least == 4 else 'tau needs at least five'} pairs"
        )
        return Interval(r, None, None, n, unscored, reason, p)
    low, high = fisher_limits(r, sqrt(variance(r) / (n - least + 1)), confidence)
    return Interval(r, low, high, n, unscored, None, p)


def zou_interval(r1: float, r2: float, r12: float, n: int, *, confidence: float = 0.95) -> Interval:
    """Return the interval of r1 - r2, where both are correlations with the same third variable.

    With Fisher limits (l1, u1) and (l2, u2), and c the correlation between the two coefficients,
    c = [(r12 - r1·r2/2)(1 - r1² - r2² - r12²) + r12³] / [(1 - r1²)(1 - r2²)]:

    L = r1 - r2 - √((r1 - l1)² + (u2 - r2)² - 2c(r1 - l1)(u2 - r2)),
    U = r1 - r2 + √((u1 - r1)² + (r2 - l2)² - 2c(u1 - r1)(r2 - l2)).

    r12 is the correlation of the first variable with the second, over n units. There is no interval, but the reason, below four
    units or if r1 or r2 is 1 or -1.

    Example:
        >>> result = zou_interval(0.396, 0.179, 0.088, 66)
        >>> round(result.low, 4), round(result.high, 4)
        (-0.0929, 0.5168)
    """
    if n < 4:
        return Interval(r1 - r2, None, None, n, 0, "an interval for a difference of correlations needs four units")
    if max(abs(r1), abs(r2)) == 1:
        return Interval(r1 - r2, None, None, n, 0, "a correlation of 1 or -1 has no interval to combine")
    l1, u1 = fisher_limits(r1, 1 / sqrt(n - 3), confidence)
    l2, u2 = fisher_limits(r2, 1 / sqrt(n - 3), confidence)
    rest = 1 - r1 * r1 - r2 * r2 - r12 * r12
    c = ((r12 - r1 * r2 / 2) * rest + r12**3) / ((1 - r1 * r1) * (1 - r2 * r2))
    c = max(-1.0, min(1.0, c))  # rounded input may lead slightly outside
    down, up = (sqrt(max(0.0, x * x + y * y - 2 * c * x * y)) for x, y in ((r1 - l1, u2 - r2), (u1 - r1, r2 - l2)))
    return Interval(r1 - r2, r1 - r2 - down, r1 - r2 + up, n)


def compare_correlations(shared: Scores, first: Scores, second: Scores, *, confidence: float = 0.95) -> Interval:
    """Compare Pearson's correlations of `shared` with `first` and with `second`, with Zou's interval of their difference.

    Only units count that have all three values. If one of the variables is constant, there is a reason instead of a value.

    Args:
        shared: One number per unit (for example, a trait of each dialogue); None and nan are missing.
        first: The same units in the same order.
        second: The same units in the same order.
        confidence: Coverage of the interval.

    Example:
        >>> trait, a, b = [1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5], [2, 1, 5, 3, 6, 4]
        >>> result = compare_correlations(trait, a, b)
        >>> round(result.value, 3), round(result.low, 3), round(result.high, 3)
        (0.229, -0.389, 1.196)
    """
    (t, a, b), unscored = complete(shared, first, second)
    if len(t) < 3:
        return Interval(None, None, None, len(t), unscored, "a correlation needs at least three complete units")
    for name, values in (("shared", t), ("first", a), ("second", b)):
        if values.min() == values.max():
            return Interval(None, None, None, len(t), unscored, f"the {name} variable is constant")
    interval = zou_interval(coefficient(t, a), coefficient(t, b), coefficient(a, b), len(t), confidence=confidence)
    return replace(interval, unscored=unscored)


_MOST_EXACT = 33
"""Maximum number of pairs of values without ties for which Kendall's p value is always exact."""
MOST_PAIRED = 20_000
"""Kendall's tau gets no interval if there are more items, because the table of pairs takes too long."""
_ROWS = 2**21
_FLAT = 1e-12


def cluster_numbers(clusters: Sequence[str]) -> NDArray[np.int64]:
    """Number the clusters in the order of their names, so that the order of items does not change a resample.

    Example:
        >>> cluster_numbers(["b", "a", "b"]).tolist()
        [1, 0, 1]
    """
    numbers = {name: number for number, name in enumerate(sorted(set(clusters)))}
    return np.array([numbers[each] for each in clusters], dtype=np.int64)


def cluster_weights(clusters: NDArray[np.int64], resamples: int, seed: int) -> Floats:
    """Return how often each item is drawn in each resample.

    The clusters of the items are numbered from 0. There is one row per resample, and one column per item.

    Example:
        >>> cluster_weights(np.array([0, 0, 1]), 3, seed=1).tolist()
        [[1.0, 1.0, 1.0], [0.0, 0.0, 2.0], [2.0, 2.0, 0.0]]
    """
    count = int(clusters.max()) + 1
    # PCG64 is explicit, because numpy may change the generator of default_rng().
    generator = np.random.Generator(np.random.PCG64(seed))
    drawn = generator.integers(0, count, size=(resamples, count))
    drawn += np.arange(0, resamples * count, count)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=resamples * count).reshape(resamples, count)
    return counts[:, clusters].astype(np.float64)


class ResampledVariable:
    """One variable in all resamples: how often each item is drawn in each of them, and the number of each item.

    Intermediate results that several correlations need are cached.

    Example:
        >>> weights = np.array([[1.0, 1, 1], [2.0, 1, 1]])
        >>> x, y = (ResampledVariable(weights, np.array(each)) for each in ([1.0, 2, 3], [1.0, 3, 2]))
        >>> for measure in ("Pearson", "Spearman", "Kendall"):
        ...     print(measure, x.correlation(measure, y).round(4))
        Pearson [0.5    0.6364]
        Spearman [0.5    0.7778]
        Kendall [0.3333 0.6   ]
    """

    def __init__(self, weights: Floats, values: Floats) -> None:
        self.weights = weights
        self.values = values

    def correlation(self, measure: str, other: ResampledVariable) -> Floats:
        """Return Pearson, Spearman or Kendall with another variable, in every resample; nan if one of the two is constant."""
        if measure == "Kendall":
            both = _signed_pairs(self.weights, self.values, other.values)
            return _ratio(both, self.untied_pairs, other.untied_pairs)
        if measure == "Pearson":
            cross = np.einsum("bi,i->b", self.weights, self.centred * other.centred)
            mine, theirs = self.moments, other.moments
            return _ratio(cross - mine[0] * theirs[0] / mine[2], mine[1], theirs[1])
        (mine_deviations, mine_sum), (theirs_deviations, theirs_sum) = self.rank_deviations, other.rank_deviations
        cross = np.einsum("bi,bi,bi->b", self.weights, mine_deviations, theirs_deviations)
        return _ratio(cross, mine_sum, theirs_sum)

    @cached_property
    def centred(self) -> Floats:
        """The values minus their mean, scaled to a maximum absolute value of one."""
        deviations: Floats = self.values - self.values.mean()
        return deviations / max(float(np.abs(deviations).max(initial=0.0)), 1e-300)

    @cached_property
    def moments(self) -> tuple[Floats, Floats, Floats]:
        """For every resample, the sum of the values, the sum of their squared deviations, and the number of drawn items."""
        sums = product(self.weights, np.stack([self.centred, self.centred**2, np.ones(len(self.values))], axis=1))
        first, second, total = sums.T
        return first, second - first**2 / total, total

    @cached_property
    def rank_deviations(self) -> tuple[Floats, Floats]:
        """The deviations of ranks from their mean, and the sums of their squares."""
        total = self.weights.sum(axis=1)
        deviations = (self.ranks - (total[:, None] + 1) / 2) / len(self.values)
        return deviations, np.einsum("bi,bi,bi->b", self.weights, deviations, deviations)

    @cached_property
    def ranks(self) -> Floats:
        """Mean ranks of the items in every resample. An item that was drawn twice counts twice.

        Example:
            >>> ResampledVariable(np.array([[1.0, 1, 1], [2.0, 1, 0]]), np.array([5.0, 7, 7])).ranks.tolist()
            [[1.0, 2.5, 2.5], [1.5, 3.0, 3.0]]
        """
        order = np.argsort(self.values, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(self.values[order]) > 0])
        sizes = np.add.reduceat(self.weights[:, order], starts, axis=1)
        middle = np.cumsum(sizes, axis=1) - sizes / 2 + 0.5
        group = np.empty(len(order), dtype=np.int64)
        group[order] = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(order)]))
        return middle[:, group]

    @cached_property
    def untied_pairs(self) -> Floats:
        """Number of ordered pairs of drawn items that have different values."""
        return _signed_pairs(self.weights, self.values, self.values)


def _signed_pairs(weights: Floats, x: Floats, y: Floats) -> Floats:
    """Return the number of concordant minus discordant ordered pairs in every resample."""
    totals = np.zeros(len(weights))
    step = max(1, _ROWS // len(x))
    for first in range(0, len(x), step):
        rows = slice(first, first + step)
        signs = np.sign(x[rows, None] - x[None, :]) * np.sign(y[rows, None] - y[None, :])
        totals += np.einsum("bi,bi->b", weights[:, rows], product(weights, signs.T))
    return totals


def rowwise(measure: str, x: Floats, y: Floats) -> Floats:
    """Return Pearson, Spearman or Kendall for every row of two tables, such as the means of systems in every resample.

    It is nan if one of the two rows is constant.

    Example:
        >>> rowwise("Spearman", np.array([[1.0, 2, 3], [1.0, 1, 1]]), np.array([[1.0, 3, 2], [1.0, 2, 3]]))
        array([0.5, nan])
    """
    if measure == "Pearson":
        sides = [side - side.mean(axis=1, keepdims=True) for side in (x, y)]
        # Scaled to at most one, so that rounding errors of a constant row can be distinguished from values.
        sides = [side / np.abs(whole).max(initial=1e-300) for side, whole in zip(sides, (x, y), strict=True)]
    else:
        signs = [np.sign(side[:, :, None] - side[:, None, :]) for side in (x, y)]
        # For Spearman, twice the centred rank; for Kendall, all pairs.
        pairs_of_columns = (len(x), x.shape[1] ** 2)
        sides = [each.sum(axis=2) if measure == "Spearman" else each.reshape(pairs_of_columns) for each in signs]
    first, second = sides
    pairs = ((first, second), (first, first), (second, second))
    return _ratio(*(np.einsum("bi,bi->b", one, other) for one, other in pairs))


def _ratio(cross: Floats, of_x: Floats, of_y: Floats) -> Floats:
    """Return a correlation from sums of products; nan if one side is constant up to rounding."""
    varies = (of_x > _FLAT) & (of_y > _FLAT)
    denominator = np.sqrt(np.where(varies, of_x * of_y, 1.0))
    return np.where(varies, np.clip(cross / denominator, -1.0, 1.0), np.nan)
