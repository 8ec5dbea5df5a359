"""Parallel coordinates: one axis per measure, one line per system; lines that cross are rankings that disagree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..tables import Table
from .axes import legend
from .canvas import HEIGHT, WIDTH, nothing_yet, sheet
from .data import cell, finite, in_order
from .palette import FAINT, GRID, PAPER, colour, line, marker
from .scales import ROUND, slanted
from .words import more, name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_SYSTEMS, MAX_MEASURES = 24, 20


def draw(
    scores: Mapping[str, Mapping[str, float | None]],
    *,
    title: str = "Systems across measures",
    as_percent: bool = True,
) -> Figure:
    """Draw one line per system over one upright axis per measure, each with its own range.

    Args:
        scores: System → measure → value. A value that is missing breaks the line.
        title: Stands above.
        as_percent: Whether values are fractions to be written as percent.

    Example:
        >>> figure = draw({"SOM-DST": {"JGA": 0.52, "GCA": 0.8}, "empty": {"JGA": 0.01, "GCA": 0.0}})
        >>> [text.get_text() for text in figure.axes[0].get_xticklabels()]
        ['JGA', 'GCA']
    """
    measures = in_order(scores.values())[:MAX_MEASURES]
    systems = list(scores)[:MAX_SYSTEMS]
    columns = [[finite(scores[system].get(measure)) for system in systems] for measure in measures]
    rows = -(-len(systems) // 4)
    width = max(WIDTH, 0.8 * len(measures))
    note = "every axis has its own range" + (", in percent" if as_percent else "")
    left_out = more(len(systems), len(scores), "systems")
    with sheet(title, note, left_out, width=width, height=HEIGHT + 0.16 * rows) as (figure, axes):
        if not any(value is not None for column in columns for value in column):
            nothing_yet(axes)
            return figure
        heights = [_axis(axes, at, column, as_percent) for at, column in enumerate(columns)]
        handles = [
            axes.plot(
                range(len(measures)),
                [heights[at][index] for at in range(len(measures))],
                color=colour(index),
                marker=marker(index),
                linestyle=line(index),
                markeredgecolor=PAPER,
                zorder=3,
            )[0]
            for index in range(len(systems))
        ]
        axes.set_xlim(-0.5, len(measures) - 0.8 if len(measures) > 1 else 0.5)
        axes.set_ylim(-0.06, 1.06)
        axes.set_yticks([])
        axes.tick_params(axis="x", length=0)
        axes.spines[:].set_visible(False)
        slanted(axes, measures)
        legend(figure, handles, [name(system) for system in systems])
    return figure


def _axis(axes: Axes, at: int, column: list[float | None], as_percent: bool) -> list[float]:
    """An axis with its ticks; returns how high on it each value stands, from 0 to 1."""
    from matplotlib.ticker import MaxNLocator

    values = [value for value in column if value is not None]
    axes.axvline(at, color=GRID, linewidth=1.2, zorder=1)
    if not values:
        axes.text(at, 0.5, "no data", ha="center", color=FAINT, fontsize=8, backgroundcolor=PAPER)
        return [float("nan")] * len(column)
    spread = max(values) - min(values)
    margin = 0.08 * spread or max(0.05 * abs(values[0]), 1e-3)
    low, high = min(values) - margin, max(values) + margin
    for tick in MaxNLocator(5, steps=ROUND).tick_values(low, high):
        if low <= tick <= high:
            text = f"{100 * tick:.6g}" if as_percent else f"{tick:.6g}"
            place = (float(tick) - low) / (high - low)
            axes.plot([at - 0.02, at], [place, place], color=FAINT, linewidth=0.8, zorder=1)
            axes.annotate(
                text.replace("-", "−"),
                (at, place),
                (-6, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=7,
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.6, "alpha": 0.8},
                zorder=4,
            )
    return [float("nan") if value is None else (value - low) / (high - low) for value in column]


def table(scores: Mapping[str, Mapping[str, float | None]]) -> Table:
    """The same data as rows: one per system, one column per measure.

    Example:
        >>> table({"SOM-DST": {"JGA": 0.52, "GCA": None}}).rows
        (('SOM-DST', '0.52', ''),)
    """
    measures = in_order(scores.values())
    rows = tuple((system, *(cell(values.get(each)) for each in measures)) for system, values in scores.items())
    return Table("", ("system", *measures), rows, frozenset(range(1, len(measures) + 1)))
