"""Reliability of ratings: intraclass correlation of one-way designs, and leave-one-out correlations of raters.

ICC(1,1) and ICC(1,k) follow Shrout and Fleiss (1979), Intraclass Correlations: Uses in Assessing Rater Reliability, Psychological
Bulletin 86(2), 420-428. Items may have different raters. If the numbers of ratings differ, the mean number is
k0 = (N - Σ k_i² / N) / (n - 1), as in the analysis of variance of unbalanced data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from math import fsum, sqrt

from .intervals import Interval

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
    """Compute ICC(1,1) and ICC(1,k) of items that were rated by different people.

    Args:
        ratings: The ratings of each item, in any order; items without a rating are skipped.

    Returns:
        Both coefficients, or a reason if they are not defined.

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
        >>> from dialmeter.stats import pearson
        >>> left_out_raters([[1, 1], [2, 2], [3, 3]], pearson)
        1.0
    """
    rows = positions(ratings)
    return _mean([statistic(row, others_mean(ratings, position)).value for position, row in enumerate(rows)])


def pairwise_raters(ratings: Sequence[Sequence[float]], statistic: PairStatistic) -> tuple[float | None, int]:
    """Return the mean correlation between two positions, and the number of pairs of positions.

    Example:
        >>> from dialmeter.stats import pearson
        >>> pairwise_raters([[1, 1], [2, 2], [3, 3]], pearson)
        (1.0, 1)
    """
    correlations = [statistic(one, other).value for one, other in combinations(positions(ratings), 2)]
    return _mean(correlations), sum(each is not None for each in correlations)


@dataclass(frozen=True, slots=True)
class AgainstRater:
    """The comparison of a judge with left-out raters. Both are correlated with the mean of the other ratings.

    Attributes:
        judge: Mean correlation of the judge over positions.
        rater: Mean correlation of the left-out rater over positions.
        better: Number of positions at which the judge's correlation is higher.
        positions: Number of positions with enough items.
    """

    judge: float | None
    rater: float | None
    better: int
    positions: int


def against_left_out_raters(
    scores: Sequence[float | None], ratings: Sequence[Sequence[float]], statistic: PairStatistic
) -> AgainstRater:
    """Compare a judge with one rater: both are correlated with the mean of the other raters.

    Positions with fewer than thirty items are skipped.

    Args:
        scores: Scores of the judge, by item; None for an unscored item.
        ratings: The ratings of each item.
        statistic: A correlation, such as `spearman`.

    Example:
        >>> from dialmeter.stats import spearman
        >>> ratings = [[place % 7, place % 7] for place in range(40)]
        >>> against_left_out_raters([float(place) for place in range(40)], ratings, spearman).rater
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
    return AgainstRater(_mean(judges), _mean(raters), better, len(judges))


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return fsum(defined) / len(defined) if defined else None
