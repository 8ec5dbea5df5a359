"""A scale of colours for counts, which differ by orders of magnitude."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from .palette import ramp

if TYPE_CHECKING:
    from matplotlib.colors import BoundaryNorm, ListedColormap

_MOST = 9


def boundaries(largest: int) -> list[int]:
    """Where a new colour begins: 1, 2, 5, 10 … until one is above the largest count; wider steps if there are many.

    Example:
        >>> boundaries(25), boundaries(0)
        ([1, 2, 5, 10, 20, 50], [1, 2])
        >>> boundaries(9_999)
        [1, 3, 10, 30, 100, 300, 1000, 3000, 10000]
    """
    found: list[int] = []
    for pattern in ((1, 2, 5), (1, 3), (1,)):
        steps = (first * 10**power for power in count() for first in pattern)
        found = [next(steps), next(steps)]
        while found[-1] <= largest:
            found.append(next(steps))
        if len(found) <= _MOST:
            break
    return found


def count_scale(largest: int) -> tuple[ListedColormap, BoundaryNorm]:
    """Colours for counts from 1 to the largest.

    Example:
        >>> colours, norm = count_scale(25)
        >>> colours.N, int(norm(25))
        (5, 4)
    """
    from matplotlib.colors import BoundaryNorm

    edges = boundaries(largest)
    return ramp(len(edges) - 1), BoundaryNorm(edges, len(edges) - 1)
