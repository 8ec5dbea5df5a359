"""Agreement and reliability of raters: Krippendorff's alpha, intraclass correlation, and correlations of left-out raters.

alpha = 1 - D_o / D_e, where D_o is the mean difference between values given to the same unit and D_e the mean
difference between any two values. A unit with m values enters with weight 1/(m - 1) per ordered pair, and units with
fewer than two values do not enter. Krippendorff (2019), Content Analysis, 4th edition, chapter 12; Hayes and
Krippendorff (2007), Answering the Call for a Standard Reliability Measure for Coding Data, Communication Methods and
Measures 1(1), 77-89.

ICC(1,1) and ICC(1,k) follow Shrout and Fleiss (1979), Intraclass Correlations: Uses in Assessing Rater Reliability, Psychological
Bulletin 86(2), 420-428. Items may have different raters. If the numbers of ratings differ, the mean number is
k0 = (N - Σ k_i² / N) / (n - 1), as in the analysis of variance of unbalanced data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from math import fsum, isnan, sqrt
from typing import Any, Literal

from ..numeric import NDArray, np
from .intervals import Interval

Level = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(ratings: Sequence[Sequence[float | None]] | NDArray[Any], level: Level = "nominal") -> Interval:
    """Compute Krippendorff's alpha for any number of raters, with missing values.

    Args:
        ratings: One row per rater, one number per unit; None and nan are missing.
        level: Scale of the numbers.

    Returns:
        Alpha without an interval, or None with a reason if no unit has two values or all values are the same; `n` counts the
        units with two values, and `unscored` the others.

    Raises:
        ValueError: If rows differ in length.

    Example:
        >>> a = [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None]
        >>> b = [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3]
        >>> round(krippendorff_alpha([a, b], "nominal").value, 3)
        0.852
        >>> krippendorff_alpha([[1, 1], [1, 1]]).reason
        'all values are the same, so agreement cannot be distinguished from chance'
    """
    every = [
        [float(each) for each in unit if each is not None and not isnan(each)] for unit in zip(*ratings, strict=True)
    ]
    units = [unit for unit in every if len(unit) > 1]
    unscored = len(every) - len(units)
    if not units:
        return Interval(None, None, None, 0, unscored, "no unit has values from two raters")
    values, counts = np.unique(np.concatenate(units), return_counts=True)
    # Ordinal differences are squared differences of mean ranks: the sum of the counts from one value to the other, with the
    # counts of these two values halved.
    points = np.cumsum(counts) - counts / 2 if level == "ordinal" else values
    weights = counts.astype(np.float64)

    def difference(one: Any, other: Any) -> Any:
        return 1.0 * (one != other) if level == "nominal" else (one - other) * (one - other)

    # One row of the table of all value pairs at a time, because continuous ratings can have many thousand values.
    rows = (weight * (weights @ difference(point, points)) for point, weight in zip(points, weights, strict=True))
    expected = fsum(rows) / (sum(map(len, units)) - 1)
    if expected == 0:
        reason = "all values are the same, so agreement cannot be distinguished from chance"
        return Interval(None, None, None, len(units), unscored, reason)
    point_of = dict(zip(values.tolist(), points.tolist(), strict=True))
    observed = fsum(
        2 / (len(unit) - 1) * difference(one, other)
        for unit in units
        for one, other in combinations(map(point_of.__getitem__, unit), 2)
    )
    return Interval(1 - observed / expected, None, None, len(units), unscored)


PairStatistic = Callable[[Sequence[float | None], Sequence[float | None]], Interval]
LEAST_ITEMS = 30
"""Minimum number of items for comparing a left-out rater with a judge."""


@dataclass(frozen=True, slots=True)
class IntraclassCorrelation:
    """ICC of a one-way design.

    Attributes:
        single: ICC(1,1), the reliability of one rating; None if undefined.
        mean: ICC(1,k), the reliability of the mean of an item's ratings; None if undefined.
        items: Items with at least one rating.
        reason: Why there is no value.
    """

    single: float | None
    mean: float | None
    items: int
    reason: str | None = None

    @property
    def ceiling(self) -> float | None:
        """The square root of ICC(1,k): the highest correlation that a judge can be expected to reach with the mean rating.

        Example:
            >>> IntraclassCorrelation(0.4, 0.64, 10).ceiling
            0.8
        """
        return sqrt(self.mean) if self.mean is not None and self.mean >= 0 else None


def intraclass_correlation(ratings: Sequence[Sequence[float]]) -> IntraclassCorrelation:
    """Compute ICC(1,1) and ICC(1,k) of items that were rated by different people, or give the reason if they are not defined.

    The ratings of an item are in any order; items without a rating are skipped.

    Example:
        >>> table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
        >>> icc = intraclass_correlation(table)
        >>> round(icc.single, 2), round(icc.mean, 2)
        (0.17, 0.44)
    """
    rated = [list(map(float, each)) for each in ratings if len(each)]
    n, total = len(rated), sum(map(len, rated))
    if n < 2 or total == n:
        return IntraclassCorrelation(None, None, n, "there are fewer than two items, or no item has two ratings")
    grand = fsum(value for each in rated for value in each) / total
    means = [fsum(each) / len(each) for each in rated]
    between = fsum(len(each) * (mean - grand) ** 2 for each, mean in zip(rated, means, strict=True)) / (n - 1)
    within = fsum((value - mean) ** 2 for each, mean in zip(rated, means, strict=True) for value in each) / (total - n)
    k0 = (total - fsum(len(each) ** 2 for each in rated) / total) / (n - 1)
    if between == 0:
        return IntraclassCorrelation(None, None, n, "all items have the same mean rating")
    single = (between - within) / (between + (k0 - 1) * within)
    return IntraclassCorrelation(single, (between - within) / between, n)


def positions(ratings: Sequence[Sequence[float]]) -> list[list[float | None]]:
    """Transpose ratings to one row per position in the items' lists, for Krippendorff's alpha; None if a list is shorter.

    Example:
        >>> positions([[1, 2], [3]])
        [[1, 3], [2, None]]
    """
    return [list(row) for row in zip_longest(*ratings)]


def others_mean(ratings: Sequence[Sequence[float]], position: int) -> list[float | None]:
    """Return, for each item, the mean of all ratings except the one at a position; None if that one or all others are missing.

    Example:
        >>> others_mean([[1, 2, 4], [3], [5]], 0)
        [3.0, None, None]
    """
    return [
        fsum([*each[:position], *each[position + 1 :]]) / (len(each) - 1) if position < len(each) > 1 else None
        for each in ratings
    ]


def left_out_raters(ratings: Sequence[Sequence[float]], statistic: PairStatistic) -> float | None:
    """Return the mean, over positions, of the correlation between the rating at a position and the mean of the others.

    Example:
        >>> from dialmeter.stats.correlation import pearson
        >>> left_out_raters([[1, 1], [2, 2], [3, 3]], pearson)
        1.0
    """
    rows = positions(ratings)
    return _mean([statistic(row, others_mean(ratings, position)).value for position, row in enumerate(rows)])


def pairwise_raters(ratings: Sequence[Sequence[float]], statistic: PairStatistic) -> tuple[float | None, int]:
    """Return the mean correlation between two positions, and the number of pairs of positions.

    Example:
        >>> from dialmeter.stats.correlation import pearson
        >>> pairwise_raters([[1, 1], [2, 2], [3, 3]], pearson)
        (1.0, 1)
    """
    correlations = [statistic(one, other).value for one, other in combinations(positions(ratings), 2)]
    return _mean(correlations), sum(each is not None for each in correlations)


def against_left_out_raters(
    scores: Sequence[float | None], ratings: Sequence[Sequence[float]], statistic: PairStatistic
) -> tuple[float | None, float | None, int, int]:
    """Compare a judge with one rater: both are correlated with the mean of the other raters.

    The judge has one score per item, or None for an unscored item. Positions with fewer than thirty items are skipped.

    Returns:
        The mean correlation of the judge over positions, that of the left-out rater, the number of positions at which the judge's
        correlation is higher, and the number of positions with enough items.

    Example:
        >>> from dialmeter.stats.correlation import spearman
        >>> ratings = [[place % 7, place % 7] for place in range(40)]
        >>> against_left_out_raters([float(place) for place in range(40)], ratings, spearman)[1]
        1.0
    """
    judges, raters = [], []
    for position, row in enumerate(positions(ratings)):
        target = others_mean(ratings, position)
        complete = [item for item, mean in enumerate(target) if mean is not None and scores[item] is not None]
        if len(complete) < LEAST_ITEMS:
            continue
        judge = statistic([scores[item] for item in complete], [target[item] for item in complete]).value
        rater = statistic([row[item] for item in complete], [target[item] for item in complete]).value
        if judge is not None and rater is not None:
            judges.append(judge)
            raters.append(rater)
    better = sum(judge > rater for judge, rater in zip(judges, raters, strict=True))
    return _mean(judges), _mean(raters), better, len(judges)


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return fsum(defined) / len(defined) if defined else None
