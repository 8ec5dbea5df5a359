"""How far raters agree about items: intraclass correlation of one-way designs, and left-out raters.

ICC(1,1) and ICC(1,k) after Shrout and Fleiss (1979), Intraclass Correlations: Uses in Assessing Rater Reliability, Psychological
Bulletin 86(2), 420-428. Raters need not be the same for every item. With unequal numbers of ratings the mean number is
k0 = (N - Σ k_i² / N) / (n - 1), as in the analysis of variance of unbalanced data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, sqrt

from .intervals import Interval

PairStatistic = Callable[[Sequence[float | None], Sequence[float | None]], Interval]
LEAST_ITEMS = 30
"""A left-out rater with fewer items is not compared with a judge."""


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
    """ICC(1,1) and ICC(1,k) of items that were rated by different people.

    Args:
        ratings: By item, its ratings in any order; items without a rating are skipped.

    Returns:
        Both coefficients, or a reason where they are not defined.

    Example:
        >>> table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
        >>> found = intraclass_correlation(table)
        >>> round(found.single, 2), round(found.mean, 2)
        (0.17, 0.44)
    """
    rated = [list(map(float, each)) for each in ratings if len(each)]
    n, total = len(rated), sum(map(len, rated))
    if n < 2 or total == n:
        return IntraclassCorrelation(None, None, n, "no two items, or no item with two ratings")
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
    """Ratings as one row per position in the items' lists, as Krippendorff's alpha takes them; None where a list is shorter.

    Example:
        >>> positions([[1, 2], [3]])
        [[1, 3], [2, None]]
    """
    longest = max(map(len, ratings), default=0)
    return [[each[place] if place < len(each) else None for each in ratings] for place in range(longest)]


def others_mean(ratings: Sequence[Sequence[float]], place: int) -> list[float | None]:
    """By item, the mean of all ratings but the one at a position; None where that one or all others are missing.

    Example:
        >>> others_mean([[1, 2, 4], [3], [5]], 0)
        [3.0, None, None]
    """
    return [
        fsum([*each[:place], *each[place + 1 :]]) / (len(each) - 1) if place < len(each) > 1 else None
        for each in ratings
    ]


def left_out_raters(ratings: Sequence[Sequence[float]], statistic: PairStatistic) -> float | None:
    """The mean correlation of the rating at each position with the mean of the others.

    Example:
        >>> from dialmeter.stats import pearson
        >>> left_out_raters([[1, 1], [2, 2], [3, 3]], pearson)
        1.0
    """
    rows = positions(ratings)
    found = [statistic(row, others_mean(ratings, place)).value for place, row in enumerate(rows)]
    return _mean(found)


def pairwise_raters(ratings: Sequence[Sequence[float]], statistic: PairStatistic) -> tuple[float | None, int]:
    """The mean correlation between two positions, and over how many pairs of positions.

    Example:
        >>> from dialmeter.stats import pearson
        >>> pairwise_raters([[1, 1], [2, 2], [3, 3]], pearson)
        (1.0, 1)
    """
    found = [statistic(one, other).value for one, other in combinations(positions(ratings), 2)]
    return _mean(found), sum(each is not None for each in found)


@dataclass(frozen=True, slots=True)
class AgainstRater:
    """A judge and left-out raters against the same target, the mean of the other ratings.

    Attributes:
        judge: The mean correlation of the judge over positions.
        rater: The mean correlation of the left-out rater.
        better: At how many positions the judge is higher.
        positions: How many positions have enough items.
    """

    judge: float | None
    rater: float | None
    better: int
    positions: int


def against_left_out_raters(
    scores: Sequence[float | None], ratings: Sequence[Sequence[float]], statistic: PairStatistic
) -> AgainstRater:
    """The fair comparison of a judge with one rater: both are correlated with the mean of the other raters.

    Args:
        scores: Of the judge, by item; None where it has none.
        ratings: By item, its ratings.
        statistic: Such as `spearman`. Positions with fewer than thirty items are skipped.

    Example:
        >>> from dialmeter.stats import spearman
        >>> ratings = [[place % 7, place % 7] for place in range(40)]
        >>> against_left_out_raters([float(place) for place in range(40)], ratings, spearman).rater
        1.0
    """
    judges, raters = [], []
    for place, row in enumerate(positions(ratings)):
        target = others_mean(ratings, place)
        whole = [at for at, each in enumerate(target) if each is not None and scores[at] is not None]
        if len(whole) < LEAST_ITEMS:
            continue
        mine = statistic([scores[at] for at in whole], [target[at] for at in whole]).value
        theirs = statistic([row[at] for at in whole], [target[at] for at in whole]).value
        if mine is not None and theirs is not None:
            judges.append(mine)
            raters.append(theirs)
    better = sum(mine > theirs for mine, theirs in zip(judges, raters, strict=True))
    return AgainstRater(_mean(judges), _mean(raters), better, len(judges))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None
