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

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from math import fsum, isfinite, sqrt
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .formulas import Floats
from .intervals import Interval

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Difference = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of raters.

    Attributes:
        value: Alpha: 1 is perfect agreement, 0 is agreement by chance; None if undefined.
        units: Units with at least two values.
        values: Values in those units.
        unscored: Units with fewer than two values, which are skipped.
        reason: Why `value` is None.

    Example:
        >>> Agreement(0.8, units=10, values=20, unscored=1).reason is None
        True
    """

    value: float | None
    units: int
    values: int
    unscored: int
    reason: str | None = None


def krippendorff_alpha(ratings: Sequence[Sequence[Hashable]] | NDArray[Any], level: Level = "nominal") -> Agreement:
    """Compute Krippendorff's alpha for any number of raters, with missing values.

    Args:
        ratings: One row per rater, one entry per unit; None and nan are missing.
        level: Scale of the values. Nominal values may be anything; ordinal, interval and ratio values are numbers.

    Returns:
        Alpha, or None with a reason if no unit has two values or all values are the same.

    Raises:
        ValueError: If rows differ in length, the level is unknown, or a value is not valid for the level.

    Example:
        >>> a = [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None]
        >>> b = [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3]
        >>> round(krippendorff_alpha([a, b], "nominal").value, 3)
        0.852
        >>> krippendorff_alpha([[1, 1], [1, 1]]).reason
        'all values are the same, so agreement cannot be distinguished from chance'
    """
    if level not in ("nominal", "ordinal", "interval", "ratio"):
        raise ValueError(f"level must be nominal, ordinal, interval or ratio, not {level!r}")
    if len(ratings) < 2:
        raise ValueError("agreement needs at least two raters")
    if len({len(row) for row in ratings}) > 1:
        raise ValueError("all raters need one entry per unit (None for a missing value), but the lengths differ")
    all_units = [[value for value in unit if not _is_missing(value)] for unit in zip(*ratings, strict=True)]
    units = [unit for unit in all_units if len(unit) > 1]
    total, unscored = sum(map(len, units)), len(all_units) - len(units)
    if not units:
        return Agreement(None, 0, 0, unscored, "no unit has values from two raters")
    counts = Counter(value for unit in units for value in unit)
    positions = _positions(counts, level)
    difference = DIFFERENCES[level]
    expected = fsum(_expected(positions, counts, difference)) / (total - 1)
    if expected == 0:
        reason = "all values are the same, so agreement cannot be distinguished from chance"
        return Agreement(None, len(units), total, unscored, reason)
    observed = fsum(_observed([[positions[value] for value in unit] for unit in units], difference))
    return Agreement(1 - observed / expected, len(units), total, unscored)


# Ordinal differences are squared differences of mean ranks: the sum of the counts from one value to the other, with the
# counts of these two values halved.
DIFFERENCES: dict[Level, Difference] = {
    "nominal": lambda a, b: np.not_equal(a, b).astype(np.float64),
    "ordinal": lambda a, b: np.square(a - b),
    "interval": lambda a, b: np.square(a - b),
    "ratio": lambda a, b: np.square((a - b) / np.where(a + b == 0, 1.0, a + b)),
}


def _positions(counts: Mapping[Hashable, int], level: Level) -> dict[Hashable, float]:
    """Return the position of each value on the scale of the level."""
    if level == "nominal":
        return {value: float(index) for index, value in enumerate(counts)}
    numbers: dict[Hashable, float] = {}
    for value in counts:
        if not isinstance(value, Real) or not isfinite(value):
            raise ValueError(f"{level} values must be finite numbers, not {value!r}")
        if level == "ratio" and value < 0:
            raise ValueError(f"ratio values cannot be negative, as {value!r} is")
        numbers[value] = float(value)
    ascending = sorted(numbers, key=numbers.__getitem__)
    if level != "ordinal":
        return {value: numbers[value] for value in ascending}
    ranks: dict[Hashable, float] = {}
    below = 0
    for value in ascending:
        ranks[value] = below + counts[value] / 2
        below += counts[value]
    return ranks


def _expected(
    positions: Mapping[Hashable, float], counts: Mapping[Hashable, int], difference: Difference
) -> Iterator[float]:
    points = np.array(list(positions.values()))
    weights = np.array([counts[value] for value in positions], dtype=np.float64)
    # One row of the table of all value pairs at a time, because continuous ratings can have many thousand values.
    for point, weight in zip(points, weights, strict=True):
        yield float(weight * (weights @ difference(point, points)))


def _observed(units: list[list[float]], difference: Difference) -> Iterator[float]:
    by_size: dict[int, list[list[float]]] = {}
    for unit in units:
        by_size.setdefault(len(unit), []).append(unit)
    for size, group in by_size.items():
        table = np.array(group)
        for i, j in combinations(range(size), 2):
            yield from (2 / (size - 1) * difference(table[:, i], table[:, j])).tolist()


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float | np.floating) and bool(np.isnan(value)))


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

    The judge has one score per item, or None for an unscored item. Positions with fewer than thirty items are skipped.

    Example:
        >>> from dialmeter.stats.correlation import spearman
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
