"""How the scores of single dialogues are spread: a bar for every range of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..tables import Table
from .axes import link
from .canvas import nothing_yet, sheet
from .data import cell, finite
from .palette import BLUE, PAPER
from .scales import scale, whole_numbers
from .words import wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .data import Numbers

BINS = 20


def edges(values: Numbers, bins: int = BINS) -> list[float]:
    """Where ranges begin and end: between 0 and 1 for shares, else between the lowest and the highest value.

    Example:
        >>> edges([0.2, 0.9], 4), edges([1.0, 3.0], 2)
        ([0.0, 0.25, 0.5, 0.75, 1.0], [1.0, 2.0, 3.0])
    """
    known = [value for each in values if (value := finite(each)) is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
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

    known = [value for each in values if (value := finite(each)) is not None]
    # Scores such as 0.15 are a little off in binary, and must not slip into the range below.
    places = np.searchsorted(np.array(limits[1:-1]) - 1e-9, known, side="right")
    return [int(size) for size in np.bincount(places, minlength=len(limits) - 1)]


def draw(
    values: Numbers,
    *,
    title: str,
    x_label: str,
    y_label: str = "number of dialogues",
    as_percent: bool = True,
    links: Mapping[int, str] | None = None,
) -> Figure:
    """Draw how many dialogues lie in each of twenty ranges.

    Args:
        values: A score for each dialogue.
        title: Stands above.
        x_label: What the score is, in words.
        y_label: What is counted, in words.
        as_percent: Whether values are fractions to be written as percent.
        links: Where a click on the bar of a range, by its number, leads.

    Example:
        >>> figure = draw([0.2, 0.9, 1.0], title="JGA", x_label="JGA of a dialogue")
        >>> len(figure.axes[0].patches)
        3
    """
    limits = edges(values)
    sizes = counted(values, limits)
    with sheet(title, height=3.2) as (figure, axes):
        axes.set_xlabel(wrapped(x_label, 80))
        axes.set_ylabel(wrapped(y_label, 40))
        if not sum(sizes):
            nothing_yet(axes)
            return figure
        filled = [at for at, size in enumerate(sizes) if size]
        width = limits[1] - limits[0]
        bars = axes.bar(
            [limits[at] for at in filled],
            [sizes[at] for at in filled],
            width,
            align="edge",
            color=BLUE,
            edgecolor=PAPER,
            linewidth=0.8,
        )
        for bar, at in zip(bars, filled, strict=True):
            link(bar, (links or {}).get(at))
        axes.set_xlim(limits[0], limits[-1])
        axes.grid(axis="y")
        scale(axes.xaxis, as_percent)
        whole_numbers(axes.yaxis)
    return figure


def table(values: Numbers) -> Table:
    """The same data as rows.

    Example:
        >>> table([0.99, 1.0]).rows[-1]
        ('0.95', '1', '2')
    """
    limits = edges(values)
    rows = tuple((cell(limits[at]), cell(limits[at + 1]), str(size)) for at, size in enumerate(counted(values, limits)))
    return Table("", ("from", "to", "dialogues"), rows, frozenset({0, 1, 2}))
