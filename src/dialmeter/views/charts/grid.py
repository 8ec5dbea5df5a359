"""One number for every pair of two lists, such as users and systems, as a grid of coloured cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from ..tables import Table
from .axes import link, tile
from .canvas import UPRIGHT, nothing_yet, sheet
from .data import cell
from .palette import FAINT, ramp
from .scales import ROUND, colour_bar, shade, slanted
from .words import more, name, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 20
_STEPS = 8


def draw(
    values: Mapping[tuple[str, str], float | None],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    row_label: str,
    column_label: str,
    value_label: str,
    title: str,
    as_percent: bool = True,
    links: Mapping[tuple[str, str], str] | None = None,
) -> Figure:
    """Draw the grid with the first row on top; a pair without a value stays empty.

    Args:
        values: (row, column) → number.
        rows: Names from top to bottom, at most 20.
        columns: Names from left to right, at most 20.
        row_label: What the rows are, in words.
        column_label: What the columns are, in words.
        value_label: What the numbers are, in words.
        title: Stands above.
        as_percent: Whether numbers are fractions to be written as percent.
        links: Where a click on a cell leads.

    Example:
        >>> figure = draw({("agenda", "rule"): 0.98, ("hasty", "rule"): 0.7}, rows=["agenda", "hasty"], columns=["rule"],
        ...               row_label="user", column_label="system", value_label="goals completed", title="Goals completed")
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['98.0', '70.0']
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm
    from matplotlib.ticker import MaxNLocator

    shown_rows, shown_columns = rows[:MOST], columns[:MOST]
    notes = (more(len(shown_rows), len(rows), row_label), more(len(shown_columns), len(columns), column_label))
    width, height = max(4.5, 0.9 * len(shown_columns) + 3.4), max(2.8, 0.42 * len(shown_rows) + 1.9)
    with sheet(title, *notes, width=width, height=height) as (figure, axes):
        axes.set_xlabel(wrapped(column_label, 70))
        axes.set_ylabel(wrapped(row_label, UPRIGHT, lines=3))
        found = {
            (row, column): value
            for row in shown_rows
            for column in shown_columns
            if (value := values.get((row, column))) is not None and isfinite(value)
        }
        if not found:
            nothing_yet(axes)
            return figure
        low, high = min(found.values()), max(found.values())
        edges = MaxNLocator(_STEPS, steps=ROUND).tick_values(low, high) if high > low else [low - 0.5, low + 0.5]
        scale = ScalarMappable(BoundaryNorm(edges, len(edges) - 1), ramp(len(edges) - 1))
        for (row, column), value in found.items():
            text = f"{100 * value:.1f}" if as_percent else f"{value:.1f}"
            patch = tile(axes, shown_columns.index(column), shown_rows.index(row), shade(scale, value), text)
            link(patch, (links or {}).get((row, column)))
        slanted(axes, shown_columns)
        axes.set_yticks(range(len(shown_rows)), [name(each, 24) for each in shown_rows])
        axes.set_xlim(-0.5, len(shown_columns) - 0.5)
        axes.set_ylim(len(shown_rows) - 0.5, -0.5)
        axes.tick_params(color=FAINT, length=0)
        axes.spines[:].set_visible(False)
        label = wrapped(f"{value_label}{', %' if as_percent else ''}", UPRIGHT, lines=3)
        colour_bar(figure, axes, scale, label, as_percent=as_percent, only=None if high > low else low)
    return figure


def table(
    values: Mapping[tuple[str, str], float | None], *, row_label: str, column_label: str, value_label: str
) -> Table:
    """The same data as rows, one per pair; a pair without a value has an empty cell.

    Example:
        >>> table({("agenda", "rule"): 0.98}, row_label="user", column_label="system", value_label="completed").rows
        (('agenda', 'rule', '0.98'),)
    """
    found = tuple((row, column, cell(value)) for (row, column), value in values.items())
    return Table("", (row_label, column_label, value_label), found, frozenset({2}))
