"""Two traits of dialogues as a grid, coloured by the mean of a measure, with the number of dialogues in each cell."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import TYPE_CHECKING

from msgspec import Struct

from ..tables import Table
from .axes import link, tile
from .canvas import UPRIGHT, nothing_yet, sheet, style
from .data import cell, paired
from .palette import FAINT, ramp
from .scales import ROUND, colour_bar, shade
from .words import wrapped

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from .data import Numbers

MAX_BINS = 12
_STEPS = 8


class Grid(Struct, frozen=True):
    """Cells (column, row) → (mean score, dialogues), counted from 0, and the edges of the bins on both axes."""

    x_edges: tuple[float, ...]
    y_edges: tuple[float, ...]
    cells: dict[tuple[int, int], tuple[float, int]]


def grid(first: Numbers, second: Numbers, score: Numbers, *, bins: int = 6) -> Grid:
    """Put dialogues into bins of equal width with round edges, as `draw` does.

    Example:
        >>> grid([0, 0, 1], [0, 0, 1], [0.5, 0.7, 0.1], bins=2)
        Grid(x_edges=(0.0, 0.5, 1.0), y_edges=(0.0, 0.5, 1.0), cells={(0, 0): (0.6, 2), (1, 1): (0.1, 1)})
    """
    x, y, z = paired(first, second, score)
    if not len(x):
        return Grid((), (), {})
    (columns, x_edges), (rows, y_edges) = (_places(values, max(1, min(bins, MAX_BINS))) for values in (x, y))
    inside: dict[tuple[int, int], list[float]] = {}
    for column, row, value in zip(columns, rows, z.tolist(), strict=True):
        inside.setdefault((column, row), []).append(value)
    cells = {place: (fsum(values) / len(values), len(values)) for place, values in sorted(inside.items())}
    return Grid(x_edges, y_edges, cells)


def _places(values: NDArray[np.float64], bins: int) -> tuple[list[int], tuple[float, ...]]:
    """The bin of each value, and the edges of the bins; a trait that is constant gets one bin around it."""
    import numpy as np
    from matplotlib.ticker import MaxNLocator

    low, high = float(values.min()), float(values.max())
    with style():
        edges = MaxNLocator(bins).tick_values(low, high) if high > low else [low - 0.5, low + 0.5]
    return np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2).tolist(), tuple(
        map(float, edges)
    )


def draw(
    first: Numbers,
    second: Numbers,
    score: Numbers,
    *,
    x_label: str,
    y_label: str,
    score_label: str,
    title: str = "Mean score by two traits of the dialogues",
    bins: int = 6,
    as_percent: bool = True,
    links: Mapping[tuple[int, int], str] | None = None,
) -> Figure:
    """Draw the grid; a cell without dialogues stays empty.

    Args:
        first: A trait per dialogue, from left to right, such as tail-orientedness.
        second: Another one, from bottom to top, such as non-uniformity.
        score: The measure of the same dialogues; dialogues that lack one of the three are left out.
        x_label: What the first trait is, in words.
        y_label: What the second trait is, in words.
        score_label: What the colour means, in words.
        title: Stands above.
        bins: At most so many bins of equal width along each trait, and at most 12.
        as_percent: Whether scores are fractions to be written as percent.
        links: Where a click on the cell (column, row), counted from 0, leads.

    Example:
        >>> figure = draw([0, 0, 1], [0, 0, 1], [0.5, 0.7, 0.1], x_label="TO", y_label="NU", score_label="GCA", bins=2)
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['2', '1']
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm
    from matplotlib.ticker import MaxNLocator

    found = grid(first, second, score, bins=bins)
    total = sum(n for _, n in found.cells.values())
    with sheet(title, f"numbers: dialogues in each cell, {total:,} in all", height=4.8) as (figure, axes):
        axes.set_xlabel(wrapped(x_label, 70))
        axes.set_ylabel(wrapped(y_label, UPRIGHT, lines=3))
        if not found.cells:
            nothing_yet(axes)
            return figure
        means = [mean for mean, _ in found.cells.values()]
        low, high = min(means), max(means)
        edges = MaxNLocator(_STEPS, steps=ROUND).tick_values(low, high) if high > low else [low - 0.5, low + 0.5]
        scale = ScalarMappable(BoundaryNorm(edges, len(edges) - 1), ramp(len(edges) - 1))
        for (column, row), (mean, n) in found.cells.items():
            patch = tile(axes, column, row, shade(scale, mean), f"{n:,}")
            link(patch, (links or {}).get((column, row)))
        axes.set_xlim(-0.5, len(found.x_edges) - 1.5)
        axes.set_ylim(-0.5, len(found.y_edges) - 1.5)
        _edges(axes.xaxis, found.x_edges)
        _edges(axes.yaxis, found.y_edges)
        axes.tick_params(color=FAINT)
        colour_bar(
            figure,
            axes,
            scale,
            wrapped(f"{score_label}, mean", UPRIGHT, lines=3),
            as_percent=as_percent,
            only=None if high > low else low,
        )
    return figure


def _edges(axis: Axis, edges: tuple[float, ...]) -> None:
    axis.set_ticks([at - 0.5 for at in range(len(edges))], [f"{edge:.3g}".replace("-", "−") for edge in edges])


def table(
    first: Numbers, second: Numbers, score: Numbers, *, x_label: str, y_label: str, score_label: str, bins: int = 6
) -> Table:
    """The same data as rows: one per cell that has dialogues.

    Example:
        >>> table([0, 0, 1], [0, 0, 1], [0.5, 0.5, 0.1], x_label="TO", y_label="NU", score_label="GCA", bins=2).rows
        (('0', '0.5', '0', '0.5', '0.5', '2'), ('0.5', '1', '0.5', '1', '0.1', '1'))
    """
    found = grid(first, second, score, bins=bins)
    rows = tuple(
        (*map(cell, (*found.x_edges[x : x + 2], *found.y_edges[y : y + 2], mean)), str(n))
        for (x, y), (mean, n) in found.cells.items()
    )
    headings = (f"{x_label} from", "to", f"{y_label} from", "to", f"{score_label}, mean", "dialogues")
    return Table("", headings, rows, frozenset(range(6)))
