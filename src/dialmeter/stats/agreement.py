"""Krippendorff's alpha, from its definition.

alpha = 1 - D_o / D_e, where D_o is the mean difference between values given to the same unit and D_e the mean
difference between any two values. A unit with m values enters with weight 1/(m - 1) per ordered pair, and units with
fewer than two values do not enter. Krippendorff (2019), Content Analysis, 4th edition, chapter 12; Hayes and
Krippendorff (2007), Answering the Call for a Standard Reliability Measure for Coding Data, Communication Methods and
Measures 1(1), 77-89.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, isfinite
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .formulas import Floats

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Difference = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of raters.

    Attributes:
        value: Alpha: 1 is perfect agreement, 0 is agreement by chance; None if undefined.
        units: Units with at least two values.
        values: Values in those units.
        left_out: Units with fewer than two values, which are skipped.
        reason: Why `value` is None.

    Example:
        >>> Agreement(0.8, units=10, values=20, left_out=1).reason is None
        True
    """

    value: float | None
    units: int
    values: int
    left_out: int
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
    total, left_out = sum(map(len, units)), len(all_units) - len(units)
    if not units:
        return Agreement(None, 0, 0, left_out, "no unit has values from two raters")
    counts = Counter(value for unit in units for value in unit)
    positions = _positions(counts, level)
    difference = DIFFERENCES[level]
    expected = fsum(_expected(positions, counts, difference)) / (total - 1)
    if expected == 0:
        reason = "all values are the same, so agreement cannot be distinguished from chance"
        return Agreement(None, len(units), total, left_out, reason)
    observed = fsum(_observed([[positions[value] for value in unit] for unit in units], difference))
    return Agreement(1 - observed / expected, len(units), total, left_out)


def _squared(a: Floats, b: Floats) -> Floats:
    return np.square(a - b)


def _relative(a: Floats, b: Floats) -> Floats:
    total = a + b
    return np.square((a - b) / np.where(total == 0, 1.0, total))


def _unequal(a: Floats, b: Floats) -> Floats:
    return np.not_equal(a, b).astype(np.float64)


# Ordinal differences are squared differences of mean ranks: the sum of the counts from one value to the other, with the
# counts of these two values halved.
DIFFERENCES: dict[Level, Difference] = {
    "nominal": _unequal,
    "ordinal": _squared,
    "interval": _squared,
    "ratio": _relative,
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
