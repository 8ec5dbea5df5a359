"""Grids of coloured cells: a value for every pair of names, two traits of dialogues, gold and predicted values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from itertools import count
from math import fsum, isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from ...numeric import NDArray, np
from .axes import ROUND, draw_colour_bar, label_ticks, set_link
from .canvas import Drawing, Mark, style
from .data import ChartOptions, complete_rows
from .fit import font_points
from .palette import FAINT, INK, PALE, PAPER, ramp, text_on
from .words import display_name, truncation_note, wrap_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    from ..chart_files import Chart

MAX_NAMES = 20


def _draw_grid(chart: Chart) -> Drawing:
    """Draw a value for every row and column with the first row on top; a pair without a value stays empty."""
    row_label, column_label, value_label = chart.columns
    rows, columns = (list(dict.fromkeys(row[side] for row in chart.rows)) for side in (0, 1))
    shown_rows, shown_columns = rows[:MAX_NAMES], columns[:MAX_NAMES]
    values = {(row, column): value for row, column, value in chart.rows if value is not None and isfinite(value)}
    cells = {
        (column, row): values[at]
        for row, name in enumerate(shown_rows)
        for column, other in enumerate(shown_columns)
        if (at := (name, other)) in values
    }

    def paint(figure: Figure, axes: Axes) -> None:
        scale, only = _value_scale(cells.values())
        for at, value in cells.items():
            _draw_tile(axes, at, scale, value, f"{100 * value if chart.as_percent else value:.1f}")
        label_ticks(axes, shown_columns)
        axes.set_yticks(range(len(shown_rows)), [display_name(each, 24) for each in shown_rows])
        axes.set_xlim(-0.5, len(shown_columns) - 0.5)
        axes.set_ylim(len(shown_rows) - 0.5, -0.5)
        axes.tick_params(color=FAINT, length=0)
        axes.spines[:].set_visible(False)
        label = wrap_label(f"{value_label}{', %' if chart.as_percent else ''}", 40, 3)
        draw_colour_bar(figure, axes, scale, label, as_percent=chart.as_percent, only=only)

    return Drawing(
        paint if cells else None,
        [
            truncation_note(len(shown_rows), len(rows), f"{row_label}s"),
            truncation_note(len(shown_columns), len(columns), f"{column_label}s"),
        ],
        width=max(4.5, 0.9 * len(shown_columns) + 3.4),
        height=max(2.8, 0.42 * len(shown_rows) + 1.9),
        x_label=column_label,
        y_label=row_label,
    )


HEAT_MAP = Mark("heat-map", _draw_grid, ("row", "column", "value"), frozenset({0, 1}))


def _draw_tile(axes: Axes, place: tuple[int, int], scale: ScalarMappable, value: float, text: str) -> Rectangle:
    """Draw a cell in the colour of a value, with readable text."""
    from matplotlib.patches import Rectangle

    column, row = place
    red, green, blue, alpha = map(float, scale.to_rgba(np.array([value]))[0])
    fill = red, green, blue, alpha
    patch = Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=fill, edgecolor=PAPER, linewidth=1)
    axes.add_patch(patch)
    axes.text(column, row, text, ha="center", va="center", fontsize=font_points(7), color=text_on(fill))
    return patch


def _value_scale(values: Iterable[float]) -> tuple[ScalarMappable, float | None]:
    """Return a scale of at most eight colours between the lowest and the highest value; and the value, if there is only one."""
    from matplotlib.ticker import MaxNLocator

    numbers = list(values)
    low, high = min(numbers), max(numbers)
    edges = MaxNLocator(8, steps=ROUND).tick_values(low, high) if high > low else [low - 0.5, low + 0.5]
    return _stepped_colours(edges), None if high > low else low


# Two traits of dialogues, coloured by the mean of a measure.

MAX_BINS = 12


def trait_frame(
    dialogues: Iterable[tuple[float | None, ...]], x_label: str, y_label: str, score_label: str, bins: int = 6
) -> dict[str, Any]:
    """Put dialogues into cells of equal size with round edges; return the frame of a chart of cells that have dialogues.

    Args:
        dialogues: two traits and a score of each dialogue; dialogues without one of the three numbers are skipped.
        x_label: what the first trait is, in words.
        y_label: what the second trait is, in words.
        score_label: what the score is, in words.
        bins: largest number of bins along each trait, at most 12.

    Example:
        >>> trait_frame([(0, 0, 0.5), (0, 0, 0.7), (1, 1, 0.1)], "TO", "NU", "GCA", bins=2)["rows"]
        [(0.0, 0.5, 0.0, 0.5, 0.6, 2), (0.5, 1.0, 0.5, 1.0, 0.1, 1)]
    """
    x, y, z = complete_rows(dialogues, 3)
    places, edges = zip(*(_bin_values(values, max(1, min(bins, MAX_BINS))) for values in (x, y)), strict=True)
    scores_by_cell: dict[tuple[int, int], list[float]] = {}
    for column, row, value in zip(*places, z.tolist(), strict=True):
        scores_by_cell.setdefault((column, row), []).append(value)
    rows = [
        (*edges[0][column : column + 2], *edges[1][row : row + 2], fsum(values) / len(values), len(values))
        for (column, row), values in sorted(scores_by_cell.items())
    ]
    columns = (f"{x_label} from", "to", f"{y_label} from", "to", f"{score_label}, mean", "dialogues")
    return {
        "rows": rows,
        "columns": columns,
        "x_label": x_label,
        "y_label": y_label,
        "options": ChartOptions(edges=edges),
    }


def _bin_values(values: NDArray[np.float64], bins: int) -> tuple[list[int], tuple[float, ...]]:
    """Return the bin of each value, and the edges of the bins; a constant trait gets one bin."""
    from matplotlib.ticker import MaxNLocator

    if not len(values):
        return [], ()
    low, high = float(values.min()), float(values.max())
    with style():
        edges = MaxNLocator(bins).tick_values(low, high) if high > low else [low - 0.5, low + 0.5]
    places = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    return places.tolist(), tuple(map(float, edges))


def _draw_traits(chart: Chart) -> Drawing:
    """Draw two traits as a grid with the number of dialogues in each cell; a cell without dialogues stays empty."""

    def paint(figure: Figure, axes: Axes) -> None:
        x_edges, y_edges = chart.options.edges
        scale, only = _value_scale(row[4] for row in chart.rows)
        for x, _, y, _, mean, n in chart.rows:
            _draw_tile(axes, (x_edges.index(x), y_edges.index(y)), scale, mean, f"{n:,}")
        axes.set_xlim(-0.5, len(x_edges) - 1.5)
        axes.set_ylim(-0.5, len(y_edges) - 1.5)
        _edge_ticks(axes.xaxis, x_edges)
        _edge_ticks(axes.yaxis, y_edges)
        axes.tick_params(color=FAINT)
        draw_colour_bar(
            figure, axes, scale, wrap_label(chart.columns[4], 40, 3), as_percent=chart.as_percent, only=only
        )

    note = f"numbers: dialogues in each cell, {sum(row[5] for row in chart.rows):,} in all"
    return Drawing(paint if chart.rows else None, [note], height=4.8)


TRAIT_GRID = Mark("trait-grid", _draw_traits, (), frozenset())


def _edge_ticks(axis: Axis, edges: tuple[float, ...]) -> None:
    axis.set_ticks([at - 0.5 for at in range(len(edges))], [f"{edge:.3g}".replace("-", "−") for edge in edges])


# Gold and predicted values of one slot.

MAX_VALUES = 15


class _Rest(Enum):
    """All rarer values. It is not a string, so it differs from every value of a file."""

    OTHER = "(other)"


_Key: TypeAlias = str | _Rest | None


def value_rows(pairs: Mapping[tuple[str | None, str | None], int]) -> list[tuple[str | None, str | None, int]]:
    """Return the rows of a chart of gold and predicted values, most frequent first.

    Args:
        pairs: (gold, predicted) → count. None means absent: predicted None is missed, gold None is extra.

    Example:
        >>> value_rows({("east", None): 1, ("east", "east"): 8})
        [('east', 'east', 8), ('east', None, 1)]
    """
    ranked = sorted(pairs.items(), key=lambda item: (-item[1], item[0][0] or "", item[0][1] or ""))
    return [(*pair, number) for pair, number in ranked]


def _draw_values(chart: Chart) -> Drawing:
    """Draw the 15 most frequent values of both sides, and the rest as "(other)"; highlighted cells are correct."""
    counts, keys = _count_values(chart.rows)
    links = {(gold, predicted): chart.address(at, 2) for at, (gold, predicted, _) in enumerate(chart.rows)}
    side = 0.42 * len(keys)

    def paint(figure: Figure, axes: Axes) -> None:
        scale = count_colours(max(counts.values()))
        for row, gold in enumerate(keys):
            for column, predicted in enumerate(keys):
                number = counts[gold, predicted]
                if not number:
                    continue
                patch = _draw_tile(axes, (column, row), scale, number, _short_count(number))
                if row == column and gold is not _Rest.OTHER:
                    patch.set(edgecolor=INK, linewidth=1.8, zorder=2)
                if not isinstance(gold, _Rest) and not isinstance(predicted, _Rest):
                    set_link(patch, links[gold, predicted])
        labels = [
            "(absent)" if key is None else key.value if isinstance(key, _Rest) else display_name(key, 20) or "(empty)"
            for key in keys
        ]
        places = range(len(keys))
        between = [at - 0.5 for at in (*places, len(keys))]
        axes.set_xticks(places, labels, rotation=45, ha="right", rotation_mode="anchor")
        axes.set_yticks(places, labels)
        axes.set_xticks(between, minor=True)
        axes.set_yticks(between, minor=True)
        axes.grid(which="minor", color=PALE)
        axes.tick_params(which="both", length=0)
        axes.set_xlim(-0.5, len(keys) - 0.5)
        axes.set_ylim(len(keys) - 0.5, -0.5)
        axes.set_aspect("equal")
        axes.spines[:].set_visible(False)
        draw_colour_bar(figure, axes, scale, wrap_label("number of turns", 24))

    return Drawing(paint if counts else None, width=max(5.0, side + 3.2), height=max(3.2, side + 2.0))


VALUES = Mark(
    "values", _draw_values, ("gold", "predicted", "count"), frozenset({0, 1}), "predicted value", "gold value"
)


def _count_values(rows: Sequence[tuple[Any, ...]]) -> tuple[Counter[tuple[_Key, _Key]], list[_Key]]:
    """Return counts with rare values combined, and the keys of rows and columns: most frequent first, then other, then absent."""
    totals: Counter[str] = Counter()
    for gold, predicted, number in rows:
        for value in {gold, predicted} - {None}:
            totals[value] += number
    top = sorted((value for value, total in totals.items() if total > 0), key=lambda each: (-totals[each], each))
    frequent = {*top[:MAX_VALUES], None}
    counts: Counter[tuple[_Key, _Key]] = Counter()
    for *pair, number in rows:
        if number > 0:
            row, column = (value if value in frequent else _Rest.OTHER for value in pair)
            counts[row, column] += number
    seen = {key for pair in counts for key in pair}
    rest: list[_Key] = [key for key in (_Rest.OTHER, None) if key in seen]
    return counts, [*top[:MAX_VALUES], *rest]


def _short_count(number: int) -> str:
    """Format a count so that it fits in a cell."""
    return str(number) if number < 10_000 else f"{number / 1000:.3g}k" if number < 999_500 else f"{number / 1e6:.3g}M"


# A colour scale for counts, which differ by orders of magnitude.


def colour_boundaries(largest: int) -> list[int]:
    """Return where each colour begins: 1, 2, 5, 10 … until above the largest count; with wider steps if there are more than nine.

    Example:
        >>> colour_boundaries(25), colour_boundaries(0)
        ([1, 2, 5, 10, 20, 50], [1, 2])
        >>> colour_boundaries(9_999)
        [1, 3, 10, 30, 100, 300, 1000, 3000, 10000]
    """
    edges: list[int] = []
    for pattern in ((1, 2, 5), (1, 3), (1,)):
        steps = (first * 10**power for power in count() for first in pattern)
        edges = [next(steps), next(steps)]
        while edges[-1] <= largest:
            edges.append(next(steps))
        if len(edges) <= 9:
            break
    return edges


def count_colours(largest: int) -> ScalarMappable:
    """Return the colour scale for counts from 1 to the largest.

    Example:
        >>> scale = count_colours(25)
        >>> scale.cmap.N, int(scale.norm(25))
        (5, 4)
    """
    return _stepped_colours(colour_boundaries(largest))


def _stepped_colours(edges: Sequence[float]) -> ScalarMappable:
    """Return a scale with one colour for each range between two edges."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm

    return ScalarMappable(BoundaryNorm(edges, len(edges) - 1), ramp(len(edges) - 1))
