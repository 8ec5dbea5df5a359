"""Data of charts: numbers with intervals. A missing number is None, nan or infinite, and is never drawn as zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from ...numeric import NDArray, np

if TYPE_CHECKING:
    from ..chart_files import Chart

    Numbers: TypeAlias = Sequence[float | None] | NDArray[np.float64]

Key = TypeVar("Key")
Item = TypeVar("Item")
_DOMINANT = 20
"""A bar that is more than so many times as large as the median makes the others too small to see."""


class Estimate(NamedTuple):
    """A value and, if known, the interval around it."""

    value: float | None
    low: float | None = None
    high: float | None = None


class ChartOptions(Struct, frozen=True, omit_defaults=True):
    """Settings of some marks.

    Attributes:
        correlation: of the points of a scatter chart; computed from them by default.
        no_correlation: why there is none.
        reference: the measure that values are differences to.
        edges: the limits of the columns and of the rows of a grid of traits.
        hollow: assumptions of a forest plot whose markers are not filled.
        note: a sentence below the title of a forest plot.
    """

    correlation: Estimate | None = None
    no_correlation: str = ""
    reference: str = ""
    edges: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
    hollow: tuple[str, ...] = ()
    note: str = ""


def point(value: float | None, ci: Sequence[float] | None) -> tuple[float | None, ...]:
    """Return a value and the limits of its interval, for three columns of a chart.

    Example:
        >>> point(0.5, (0.4, 0.6)), point(0.5, None)
        ((0.5, 0.4, 0.6), (0.5, None, None))
    """
    return value, *(ci or (None, None))


def series(chart: Chart) -> dict[Any, dict[Any, Estimate]]:
    """Return the value and interval of each row (name, key, value, low, high), by name and key.

    Example:
        >>> from types import SimpleNamespace
        >>> series(SimpleNamespace(rows=[("SOM-DST", "JGA", 0.5, 0.4, 0.6)]))
        {'SOM-DST': {'JGA': Estimate(value=0.5, low=0.4, high=0.6)}}
    """
    result: dict[Any, dict[Any, Estimate]] = {}
    for name, key, *values in chart.rows:
        result.setdefault(name, {})[key] = Estimate(*values[:3])
    return result


def grouped(items: Iterable[Item], key: Callable[[Item], object]) -> list[Item]:
    """Return the items with those of the same key together, in the order of their first occurrence.

    Example:
        >>> grouped(["ax", "b", "ay"], lambda item: item[0])
        ['ax', 'ay', 'b']
    """
    groups: dict[object, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return [item for group in groups.values() for item in group]


def finite(number: float | None) -> float | None:
    """Return the number, or None if it is missing.

    Example:
        >>> finite(0.5), finite(None), finite(float("nan"))
        (0.5, None, None)
    """
    return float(number) if number is not None and isfinite(number) else None


def points_with_value(points: Mapping[Key, Estimate]) -> list[tuple[Key, float]]:
    """Return the points that have a value.

    Example:
        >>> points_with_value({"JGA": Estimate(0.5), "SA": Estimate(None)})
        [('JGA', 0.5)]
    """
    return [(key, value) for key, point in points.items() if (value := finite(point.value)) is not None]


def points_with_interval(points: Mapping[Key, Estimate]) -> list[tuple[Key, float, float]]:
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


def complete_rows(rows: Iterable[tuple[float | None, ...]], width: int) -> list[NDArray[np.float64]]:
    """Return the columns of the rows that have no missing number.

    Example:
        >>> [column.tolist() for column in complete_rows([(1, 4), (None, 5), (3, 6)], 2)]
        [[1.0, 3.0], [4.0, 6.0]]
    """
    numbers = np.array([*rows], dtype=np.float64).reshape(-1, width)
    return [*numbers[np.isfinite(numbers).all(axis=1)].T]


def count_per_bin(values: Numbers, bins: int = 20) -> list[tuple[float, float, int]]:
    """Return the limits of bins and the number of values in each; the last bin includes its upper limit.

    The bins are between 0 and 1 for shares, else between the lowest and the highest value.

    Example:
        >>> count_per_bin([0.0, 0.5, 1.0, None], 2), count_per_bin([1.0, 3.0], 2)
        ([(0.0, 0.5, 1), (0.5, 1.0, 2)], [(1.0, 2.0, 1), (2.0, 3.0, 1)])
    """
    numbers = [value for each in values if (value := finite(each)) is not None]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    if low == high:
        high = low + 1
    limits = [low + (high - low) * at / bins for at in range(bins + 1)]
    # Scores such as 0.15 are inexact in binary, and must not be counted in the bin below.
    places = np.searchsorted(np.array(limits[1:-1]) - 1e-9, numbers, side="right")
    sizes = np.bincount(places, minlength=bins).tolist()
    return list(zip(limits, limits[1:], sizes, strict=False))


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
