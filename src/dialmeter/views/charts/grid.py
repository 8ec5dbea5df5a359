"""Grids of coloured cells: a value for every pair of names, two traits of dialogues, gold and predicted values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from itertools import count
from math import fsum, isfinite
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from ..tables import Table
from .axes import ROUND, draw_colour_bar, draw_tile, label_ticks, set_link, value_colour
from .canvas import draw_no_data, new_figure, style
from .data import complete_rows, number_cell
from .palette import FAINT, INK, PALE, ramp
from .words import display_name, truncation_note, wrap_label, wrap_y_label

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axis import Axis
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from .data import Numbers

MAX_NAMES = 20


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
    """Draw a value for every row and column with the first row on top; a pair without a value stays empty.

    Args:
        values: (row, column) → number.
        rows: Names from top to bottom, at most 20.
        columns: Names from left to right, at most 20.
        row_label: What the rows are, in words.
        column_label: What the columns are, in words.
        value_label: What the numbers are, in words.
        title: The text above the chart.
        as_percent: Whether numbers are fractions that are shown as percent.
        links: The link of a cell (row, column).

    Example:
        >>> figure = draw({("agenda", "rule"): 0.98, ("hasty", "rule"): 0.7}, rows=["agenda", "hasty"], columns=["rule"],
        ...               row_label="user", column_label="system", value_label="goals completed", title="Goals completed")
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['98.0', '70.0']
    """
    shown_rows, shown_columns = rows[:MAX_NAMES], columns[:MAX_NAMES]
    notes = (
        truncation_note(len(shown_rows), len(rows), row_label),
        truncation_note(len(shown_columns), len(columns), column_label),
    )
    width, height = max(4.5, 0.9 * len(shown_columns) + 3.4), max(2.8, 0.42 * len(shown_rows) + 1.9)
    cells = {
        (row, column): value
        for row in shown_rows
        for column in shown_columns
        if (value := values.get((row, column))) is not None and isfinite(value)
    }
    with new_figure(title, *notes, width=width, height=height, x_label=column_label, y_label=row_label) as (
        figure,
        axes,
    ):
        if not cells:
            draw_no_data(axes)
            return figure
        scale, only = _value_scale(cells.values())
        for (row, column), value in cells.items():
            text = f"{100 * value:.1f}" if as_percent else f"{value:.1f}"
            patch = draw_tile(
                axes, shown_columns.index(column), shown_rows.index(row), value_colour(scale, value), text
            )
            set_link(patch, (links or {}).get((row, column)))
        label_ticks(axes, shown_columns)
        axes.set_yticks(range(len(shown_rows)), [display_name(each, 24) for each in shown_rows])
        axes.set_xlim(-0.5, len(shown_columns) - 0.5)
        axes.set_ylim(len(shown_rows) - 0.5, -0.5)
        axes.tick_params(color=FAINT, length=0)
        axes.spines[:].set_visible(False)
        label = wrap_y_label(f"{value_label}{', %' if as_percent else ''}")
        draw_colour_bar(figure, axes, scale, label, as_percent=as_percent, only=only)
    return figure


def _value_scale(values: Iterable[float]) -> tuple[ScalarMappable, float | None]:
    """Return a scale of at most eight colours between the lowest and the highest value; and the value, if there is only one."""
    from matplotlib.ticker import MaxNLocator

    numbers = list(values)
    low, high = min(numbers), max(numbers)
    edges = MaxNLocator(8, steps=ROUND).tick_values(low, high) if high > low else [low - 0.5, low + 0.5]
    return _stepped_colours(edges), None if high > low else low


def table(
    values: Mapping[tuple[str, str], float | None], *, row_label: str, column_label: str, value_label: str
) -> Table:
    """Return the same data as a table, one row per pair; a pair without a value has an empty cell.

    Example:
        >>> table({("agenda", "rule"): 0.98}, row_label="user", column_label="system", value_label="completed").rows
        (('agenda', 'rule', '0.98'),)
    """
    rows = tuple((row, column, number_cell(value)) for (row, column), value in values.items())
    return Table("", (row_label, column_label, value_label), rows, frozenset({2}))


# Two traits of dialogues, coloured by the mean of a measure.

MAX_BINS = 12


class TraitGrid(Struct, frozen=True):
    """Cells (column, row), counted from 0 → (mean score, number of dialogues), and the edges of the bins on both axes."""

    x_edges: tuple[float, ...]
    y_edges: tuple[float, ...]
    cells: dict[tuple[int, int], tuple[float, int]]


def trait_grid(first: Numbers, second: Numbers, score: Numbers, *, bins: int = 6) -> TraitGrid:
    """Put dialogues into bins of equal width with round edges, as `draw_traits` does.

    Example:
        >>> trait_grid([0, 0, 1], [0, 0, 1], [0.5, 0.7, 0.1], bins=2).cells
        {(0, 0): (0.6, 2), (1, 1): (0.1, 1)}
    """
    x, y, z = complete_rows(first, second, score)
    if not len(x):
        return TraitGrid((), (), {})
    (columns, x_edges), (rows, y_edges) = (_bin_values(values, max(1, min(bins, MAX_BINS))) for values in (x, y))
    scores_by_cell: dict[tuple[int, int], list[float]] = {}
    for column, row, value in zip(columns, rows, z.tolist(), strict=True):
        scores_by_cell.setdefault((column, row), []).append(value)
    cells = {at: (fsum(values) / len(values), len(values)) for at, values in sorted(scores_by_cell.items())}
    return TraitGrid(x_edges, y_edges, cells)


def _bin_values(values: NDArray[np.float64], bins: int) -> tuple[list[int], tuple[float, ...]]:
    """Return the bin of each value, and the edges of the bins; a constant trait gets one bin."""
    import numpy as np
    from matplotlib.ticker import MaxNLocator

    low, high = float(values.min()), float(values.max())
    with style():
        edges = MaxNLocator(bins).tick_values(low, high) if high > low else [low - 0.5, low + 0.5]
    places = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    return places.tolist(), tuple(map(float, edges))


def draw_traits(
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
    """Draw two traits as a grid with the number of dialogues in each cell; a cell without dialogues stays empty.

    Args:
        first: A trait per dialogue, from left to right, such as tail-orientedness.
        second: Another one, from bottom to top, such as non-uniformity.
        score: The measure of the same dialogues; dialogues without one of the three numbers are skipped.
        x_label: What the first trait is, in words.
        y_label: What the second trait is, in words.
        score_label: What the colour means, in words.
        title: The text above the chart.
        bins: Largest number of bins of equal width along each trait, at most 12.
        as_percent: Whether scores are fractions that are shown as percent.
        links: The link of the cell (column, row), counted from 0.

    Example:
        >>> labels = {"x_label": "TO", "y_label": "NU", "score_label": "GCA"}
        >>> figure = draw_traits([0, 0, 1], [0, 0, 1], [0.5, 0.7, 0.1], bins=2, **labels)
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['2', '1']
    """
    binned = trait_grid(first, second, score, bins=bins)
    total = sum(n for _, n in binned.cells.values())
    note = f"numbers: dialogues in each cell, {total:,} in all"
    with new_figure(title, note, height=4.8, x_label=x_label, y_label=y_label) as (figure, axes):
        if not binned.cells:
            draw_no_data(axes)
            return figure
        scale, only = _value_scale(mean for mean, _ in binned.cells.values())
        for (column, row), (mean, n) in binned.cells.items():
            patch = draw_tile(axes, column, row, value_colour(scale, mean), f"{n:,}")
            set_link(patch, (links or {}).get((column, row)))
        axes.set_xlim(-0.5, len(binned.x_edges) - 1.5)
        axes.set_ylim(-0.5, len(binned.y_edges) - 1.5)
        _edge_ticks(axes.xaxis, binned.x_edges)
        _edge_ticks(axes.yaxis, binned.y_edges)
        axes.tick_params(color=FAINT)
        draw_colour_bar(figure, axes, scale, wrap_y_label(f"{score_label}, mean"), as_percent=as_percent, only=only)
    return figure


def _edge_ticks(axis: Axis, edges: tuple[float, ...]) -> None:
    axis.set_ticks([at - 0.5 for at in range(len(edges))], [f"{edge:.3g}".replace("-", "−") for edge in edges])


def traits_table(
    first: Numbers, second: Numbers, score: Numbers, *, x_label: str, y_label: str, score_label: str, bins: int = 6
) -> Table:
    """Return the same data as a table: one row per cell that has dialogues.

    Example:
        >>> labels = {"x_label": "TO", "y_label": "NU", "score_label": "GCA"}
        >>> traits_table([0, 0, 1], [0, 0, 1], [0.5, 0.5, 0.1], bins=2, **labels).rows
        (('0', '0.5', '0', '0.5', '0.5', '2'), ('0.5', '1', '0.5', '1', '0.1', '1'))
    """
    binned = trait_grid(first, second, score, bins=bins)
    rows = tuple(
        (*map(number_cell, (*binned.x_edges[x : x + 2], *binned.y_edges[y : y + 2], mean)), str(n))
        for (x, y), (mean, n) in binned.cells.items()
    )
    headings = (f"{x_label} from", "to", f"{y_label} from", "to", f"{score_label}, mean", "dialogues")
    return Table("", headings, rows, frozenset(range(6)))


# Gold and predicted values of one slot.

Pairs: TypeAlias = Mapping[tuple[str | None, str | None], int]
MAX_VALUES = 15


class _Rest(Enum):
    """All rarer values. It is not a string, so it differs from every value of a file."""

    OTHER = "(other)"


_Key: TypeAlias = str | _Rest | None


def draw_confusion(
    pairs: Pairs,
    *,
    slot: str,
    title: str = "Gold and predicted values",
    count_label: str = "number of turns",
    links: Mapping[tuple[str | None, str | None], str] | None = None,
) -> Figure:
    """Draw the 15 most frequent values of both sides, and the rest as "(other)"; framed cells are correct.

    Args:
        pairs: (gold, predicted) → count. None means absent: predicted None is missed, gold None is over.
        slot: The name of the slot.
        title: The text above the chart, before the name of the slot.
        count_label: What is counted, in words.
        links: The link of the cell of (gold, predicted).

    Example:
        >>> figure = draw_confusion({("east", "east"): 8, ("east", "west"): 2, ("east", None): 1}, slot="hotel-area")
        >>> [text.get_text() for text in figure.axes[0].get_xticklabels()]
        ['east', 'west', '(absent)']
    """
    counts, keys = _confusion_matrix(pairs)
    side = 0.42 * len(keys)
    size = {"width": max(5.0, side + 3.2), "height": max(3.2, side + 2.0)}
    with new_figure(f"{title}: {slot}", **size, x_label="predicted value", y_label="gold value") as (figure, axes):
        if not counts:
            draw_no_data(axes)
            return figure
        scale = count_colours(max(counts.values()))
        for row, gold in enumerate(keys):
            for column, predicted in enumerate(keys):
                number = counts[gold, predicted]
                if not number:
                    continue
                patch = draw_tile(axes, column, row, value_colour(scale, number), _short_count(number))
                if row == column and gold is not _Rest.OTHER:
                    patch.set(edgecolor=INK, linewidth=1.8, zorder=2)
                if not isinstance(gold, _Rest) and not isinstance(predicted, _Rest):
                    set_link(patch, (links or {}).get((gold, predicted)))
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
        draw_colour_bar(figure, axes, scale, wrap_label(count_label, 24))
    return figure


def _confusion_matrix(pairs: Pairs) -> tuple[Counter[tuple[_Key, _Key]], list[_Key]]:
    """Return counts with rare values combined, and the keys of rows and columns: most frequent first, then other, then absent."""
    totals: Counter[str] = Counter()
    for (gold, predicted), number in pairs.items():
        for value in {gold, predicted} - {None}:
            totals[str(value)] += number
    top = sorted((value for value, total in totals.items() if total > 0), key=lambda each: (-totals[each], each))
    frequent = {*top[:MAX_VALUES], None}
    counts: Counter[tuple[_Key, _Key]] = Counter()
    for pair, number in pairs.items():
        if number > 0:
            row, column = (value if value in frequent else _Rest.OTHER for value in pair)
            counts[row, column] += number
    seen = {key for pair in counts for key in pair}
    rest: list[_Key] = [key for key in (_Rest.OTHER, None) if key in seen]
    return counts, [*top[:MAX_VALUES], *rest]


def _short_count(number: int) -> str:
    """Format a count so that it fits in a cell."""
    return str(number) if number < 10_000 else f"{number / 1000:.3g}k" if number < 999_500 else f"{number / 1e6:.3g}M"


def confusion_table(pairs: Pairs) -> Table:
    """Return the same data as a table of all values, most frequent first; an absent value is an empty cell.

    Example:
        >>> confusion_table({("east", "east"): 8, ("east", None): 1}).rows
        (('east', 'east', '8'), ('east', '', '1'))
    """
    ranked = sorted(pairs.items(), key=lambda item: (-item[1], item[0][0] or "", item[0][1] or ""))
    rows = tuple((gold or "", predicted or "", str(number)) for (gold, predicted), number in ranked)
    return Table("", ("gold", "predicted", "count"), rows, frozenset({2}))


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
