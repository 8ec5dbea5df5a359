"""Data of charts: numbers with intervals. Missing is None, nan or infinite, and is never drawn as zero."""

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
_FLAT = 20
"""A bar that is so many times as large as the median flattens the others."""


class HasInterval(Protocol):
    """Anything with a value and its limits, such as `dialmeter.stats.Interval`."""

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
    """The number, or None if there is none.

    Example:
        >>> finite(0.5), finite(None), finite(float("nan"))
        (0.5, None, None)
    """
    return float(number) if number is not None and isfinite(number) else None


def known(points: Mapping[Key, HasInterval]) -> list[tuple[Key, float]]:
    """The points that have a value.

    Example:
        >>> known({"JGA": Estimate(0.5), "SA": Estimate(None)})
        [('JGA', 0.5)]
    """
    return [(key, value) for key, point in points.items() if (value := finite(point.value)) is not None]


def limits(points: Mapping[Key, HasInterval]) -> list[tuple[Key, float, float]]:
    """The points that have an interval.

    Example:
        >>> limits({"JGA": Estimate(0.5, 0.4, 0.6), "SA": Estimate(0.9)})
        [('JGA', 0.4, 0.6)]
    """
    return [
        (key, low, high)
        for key, point in points.items()
        if finite(point.value) is not None
        and (low := finite(point.low)) is not None
        and (high := finite(point.high)) is not None
    ]


def paired(*columns: Numbers) -> list[NDArray[np.float64]]:
    """Columns of the same length without the rows that lack a number.

    Example:
        >>> [column.tolist() for column in paired([1, None, 3], [4, 5, 6])]
        [[1.0, 3.0], [4.0, 6.0]]
    """
    import numpy as np

    if len({len(column) for column in columns}) > 1:
        raise ValueError(f"columns of one length expected, not {', '.join(str(len(column)) for column in columns)}")
    arrays = [np.array([np.nan if each is None else each for each in column], dtype=np.float64) for column in columns]
    whole = np.isfinite(np.array(arrays)).all(axis=0)
    return [array[whole] for array in arrays]


def edges(values: Numbers, bins: int = 20) -> list[float]:
    """Where ranges begin and end: between 0 and 1 for shares, else between the lowest and the highest value.

    Example:
        >>> edges([0.2, 0.9], 4), edges([1.0, 3.0], 2)
        ([0.0, 0.25, 0.5, 0.75, 1.0], [1.0, 2.0, 3.0])
    """
    found = [value for each in values if (value := finite(each)) is not None]
    low, high = min(found, default=0.0), max(found, default=1.0)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    if low == high:
        high = low + 1
    return [low + (high - low) * at / bins for at in range(bins + 1)]


def counted(values: Numbers, limits: Sequence[float]) -> list[int]:
    """How many values lie in each range; the highest value belongs to the last.

    Example:
        >>> counted([0.0, 0.25, 1.0, None], [0.0, 0.25, 1.0])
        [1, 2]
    """
    import numpy as np

    found = [value for each in values if (value := finite(each)) is not None]
    # Scores such as 0.15 are inexact in binary, and must not fall into the range below.
    places = np.searchsorted(np.array(limits[1:-1]) - 1e-9, found, side="right")
    return [int(size) for size in np.bincount(places, minlength=len(limits) - 1)]


def flattens(sizes: Iterable[float]) -> bool:
    """Is one size so large that others would hardly be seen beside it?

    Example:
        >>> flattens([3, 4, 900]), flattens([3, 4, 20]), flattens([900])
        (True, False, False)
    """
    found = sorted(size for size in sizes if size > 0)
    return len(found) > 1 and found[-1] > _FLAT * found[len(found) // 2 - (len(found) % 2 == 0)]


def in_order(keys: Iterable[Iterable[Key]]) -> list[Key]:
    """All keys once, in the order in which they first appear.

    Example:
        >>> in_order([["JGA", "SA"], ["SA", "GCA"]])
        ['JGA', 'SA', 'GCA']
    """
    return list(dict.fromkeys(key for some in keys for key in some))


def cell(number: float | None) -> str:
    """A number of a table: a fraction with ten digits, or nothing.

    Example:
        >>> cell(1 / 3), cell(2), cell(None)
        ('0.3333333333', '2', '')
    """
    value = finite(number)
    return "" if value is None else f"{value:.10g}"
