"""Data of charts: numbers with intervals. A missing number is None, nan or infinite, and is never drawn as zero."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = Sequence[float | None] | NDArray[np.float64]

Key = TypeVar("Key")
_DOMINANT = 20
"""A bar that is more than so many times as large as the median makes the others too small to see."""


class HasInterval(Protocol):
    """An object with a value and its limits, such as `dialmeter.stats.Interval`."""

    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


class Estimate(Struct, frozen=True):
    """A value and, if known, the interval around it.

    Example:
        >>> Estimate(0.5, 0.4, 0.6).high
        0.6
    """

    value: float | None
    low: float | None = None
    high: float | None = None


def finite(number: float | None) -> float | None:
    """Return the number, or None if it is missing.

    Example:
        >>> finite(0.5), finite(None), finite(float("nan"))
        (0.5, None, None)
    """
    return float(number) if number is not None and isfinite(number) else None


def points_with_value(points: Mapping[Key, HasInterval]) -> list[tuple[Key, float]]:
    """Return the points that have a value.

    Example:
        >>> points_with_value({"JGA": Estimate(0.5), "SA": Estimate(None)})
        [('JGA', 0.5)]
    """
    return [(key, value) for key, point in points.items() if (value := finite(point.value)) is not None]


def points_with_interval(points: Mapping[Key, HasInterval]) -> list[tuple[Key, float, float]]:
    """Return the points that have an interval.

    Example:
        >>> points_with_interval({"JGA": Estimate(0.5, 0.4, 0.6), "SA": Estimate(0.9)})
        [('JGA', 0.4, 0.6)]
    """
    return [
        (key, low, high)
        for key, point in points.items()
        if finite(point.value) is not None
        and (low := finite(point.low)) is not None
        and (high := finite(point.high)) is not None
    ]


def complete_rows(*columns: Numbers) -> list[NDArray[np.float64]]:
    """Return columns of the same length without the rows that have a missing number.

    Example:
        >>> [column.tolist() for column in complete_rows([1, None, 3], [4, 5, 6])]
        [[1.0, 3.0], [4.0, 6.0]]
    """
    import numpy as np

    if len({len(column) for column in columns}) > 1:
        raise ValueError(f"columns have different lengths: {', '.join(str(len(column)) for column in columns)}")
    arrays = [np.array([np.nan if each is None else each for each in column], dtype=np.float64) for column in columns]
    is_complete = np.isfinite(np.array(arrays)).all(axis=0)
    return [array[is_complete] for array in arrays]


def bin_edges(values: Numbers, bins: int = 20) -> list[float]:
    """Return the edges of bins: between 0 and 1 for shares, else between the lowest and the highest value.

    Example:
        >>> bin_edges([0.2, 0.9], 4), bin_edges([1.0, 3.0], 2)
        ([0.0, 0.25, 0.5, 0.75, 1.0], [1.0, 2.0, 3.0])
    """
    numbers = [value for each in values if (value := finite(each)) is not None]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    if low == high:
        high = low + 1
    return [low + (high - low) * at / bins for at in range(bins + 1)]


def count_per_bin(values: Numbers, limits: Sequence[float]) -> list[int]:
    """Count the values in each bin; the last bin includes its upper edge.

    Example:
        >>> count_per_bin([0.0, 0.25, 1.0, None], [0.0, 0.25, 1.0])
        [1, 2]
    """
    import numpy as np

    numbers = [value for each in values if (value := finite(each)) is not None]
    # Scores such as 0.15 are inexact in binary, and must not be counted in the bin below.
    places = np.searchsorted(np.array(limits[1:-1]) - 1e-9, numbers, side="right")
    return [int(size) for size in np.bincount(places, minlength=len(limits) - 1)]


def has_dominant_size(sizes: Iterable[float]) -> bool:
    """Return whether one size is so large that the others would be too small to see.

    Example:
        >>> has_dominant_size([3, 4, 900]), has_dominant_size([3, 4, 20]), has_dominant_size([900])
        (True, False, False)
    """
    positive = sorted(size for size in sizes if size > 0)
    return len(positive) > 1 and positive[-1] > _DOMINANT * positive[len(positive) // 2 - (len(positive) % 2 == 0)]


def unique_keys(keys: Iterable[Iterable[Key]]) -> list[Key]:
    """Return all keys once, in the order of their first occurrence.

    Example:
        >>> unique_keys([["JGA", "SA"], ["SA", "GCA"]])
        ['JGA', 'SA', 'GCA']
    """
    return list(dict.fromkeys(key for group in keys for key in group))


def number_cell(number: float | None) -> str:
    """Format a number for a table: with at most ten digits; empty if it is missing.

    Example:
        >>> number_cell(1 / 3), number_cell(2), number_cell(None)
        ('0.3333333333', '2', '')
    """
    value = finite(number)
    return "" if value is None else f"{value:.10g}"
