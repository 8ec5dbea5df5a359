"""Line charts: measures by the share of training data and their differences, a score by turn, systems by measure."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, log10
from typing import TYPE_CHECKING

from ..tables import Table
from .axes import ROUND, draw_curve, draw_legend, draw_whiskers, format_ticks, integer_ticks, label_ticks, set_link
from .canvas import HEIGHT, WIDTH, draw_no_data, new_figure
from .data import Estimate, HasInterval, finite, number_cell, points_with_interval, points_with_value, unique_keys
from .fit import font_points
from .palette import FAINT, GRID, PALE, PAPER, colour, line, marker
from .words import display_name, truncation_note

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Series = Mapping[str, Mapping[float, HasInterval]]
MAX_LINES = 24


def draw(
    series: Series,
    *,
    title: str = "Measures with little training data",
    x_label: str = "share of the training data",
    y_label: str = "score",
    as_percent: bool = True,
) -> Figure:
    """Draw one line per measure with a band for its interval; shares that span more than a decade have a log scale.

    Args:
        series: Measure → share of training data (a fraction) → value with interval.
        title: The text above the chart.
        x_label: What the share is, in words.
        y_label: What the height means, in words.
        as_percent: Whether values are fractions that are shown as percent.

    Example:
        >>> figure = draw({"JGA": {0.01: Estimate(0.1), 0.05: Estimate(0.3), 1.0: Estimate(0.5)}})
        >>> figure.axes[0].get_xscale()
        'log'
    """
    series = _drop_missing_shares(series)
    measures = list(series)[:MAX_LINES]
    note = truncation_note(len(measures), len(series), "measures")
    with new_figure(title, note, x_label=x_label, y_label=y_label) as (figure, axes):
        if not _set_share_axes(axes, series, as_percent):
            return figure
        handles = [draw_curve(axes, index, series[each]) for index, each in enumerate(measures)]
        draw_legend(figure, handles, [display_name(each) for each in measures])
    return figure


def draw_difference(
    differences: Series,
    *,
    reference: str = "GCA",
    title: str = "Differences between measures with little training data",
    x_label: str = "share of the training data",
    as_percent: bool = True,
) -> Figure:
    """Draw the difference of each measure to a reference measure, with its least-squares trend.

    Args:
        differences: Measure → share → difference, from the function `difference` or with your own intervals.
        reference: The measure that was subtracted.
        title: The text above the chart.
        x_label: What the share is, in words.
        as_percent: Whether differences are fractions that are shown in percentage points.

    Example:
        >>> figure = draw_difference({"JGA": {0.1: Estimate(-0.4), 0.5: Estimate(-0.3)}})
        >>> figure.axes[0].get_ylabel()
        'difference to GCA (percentage points)'
    """
    differences = _drop_missing_shares(differences)
    measures = list(differences)[:MAX_LINES]
    notes = ("dashed: least-squares trend", truncation_note(len(measures), len(differences), "measures"))
    y_label = f"difference to {reference}" + (" (percentage points)" if as_percent else "")
    with new_figure(title, *notes, x_label=x_label, y_label=y_label) as (figure, axes):
        if not _set_share_axes(axes, differences, as_percent):
            return figure
        format_ticks(axes.yaxis, as_percent, unit="")
        axes.axhline(0, color=FAINT, linewidth=1, zorder=1)
        handles = []
        for index, each in enumerate(measures):
            points = sorted(points_with_value(differences[each]))
            every = max(1, -(-len(points) // 50))
            (dots,) = axes.plot(
                [x for x, _ in points],
                [y for _, y in points],
                color=colour(index),
                marker=marker(index),
                markeredgecolor=PAPER,
                linestyle="none",
                markevery=every,
            )
            draw_whiskers(axes, sorted(points_with_interval(differences[each]))[::every], colour(index))
            ends = trend(differences[each], axes.get_xscale() != "linear")
            axes.plot([x for x, _ in ends], [y for _, y in ends], color=colour(index), linestyle="--", linewidth=1.2)
            handles.append(dots)
        draw_legend(figure, handles, [f"{display_name(each)} − {display_name(reference)}" for each in measures])
    return figure


def trend(points: Mapping[float, HasInterval], log: bool = False) -> list[tuple[float, float]]:
    """Return both ends of the least-squares line, over the logarithm of the share if ``log``; empty for fewer than two shares.

    Example:
        >>> trend({0.01: Estimate(0.1), 0.1: Estimate(0.2), 1.0: Estimate(0.3)}, log=True)
        [(0.01, 0.1), (1.0, 0.3)]
    """
    values = [(log10(x) if log else x, x, y) for x, y in sorted(points_with_value(points)) if x > 0 or not log]
    if len(values) < 2:
        return []
    middle = fsum(at for at, _, _ in values) / len(values)
    level = fsum(y for _, _, y in values) / len(values)
    slope = fsum((at - middle) * (y - level) for at, _, y in values) / fsum((at - middle) ** 2 for at, _, _ in values)
    return [(x, round(level + slope * (at - middle), 12)) for at, x, _ in (values[0], values[-1])]


def table(series: Series) -> Table:
    """Return the same data as a table; for curves and for differences.

    Example:
        >>> table({"JGA": {0.1: Estimate(0.5, 0.4, 0.6)}}).rows
        (('JGA', '0.1', '0.5', '0.4', '0.6'),)
    """
    rows = tuple(
        (each, *map(number_cell, (share, point.value, point.low, point.high)))
        for each, points in series.items()
        for share, point in sorted(points.items(), key=lambda item: item[0])
    )
    return Table("", ("measure", "share", "value", "low", "high"), rows, frozenset({1, 2, 3, 4}))


def _drop_missing_shares(series: Series) -> Series:
    return {each: {x: y for x, y in points.items() if finite(x) is not None} for each, points in series.items()}


def _set_share_axes(axes: Axes, series: Series, as_percent: bool) -> bool:
    """Set scales and ticks for shares of training data; return whether there is anything to draw."""
    shares = sorted({share for points in series.values() for share, _ in points_with_value(points)})
    if not shares:
        draw_no_data(axes)
        return False
    positive = [share for share in shares if share > 0]
    if positive and positive[-1] / positive[0] > 10:
        if shares[0] <= 0:
            # A share of zero is drawn left of the smallest positive share.
            axes.set_xscale("symlog", linthresh=positive[0], linscale=0.5)
        else:
            axes.set_xscale("log")
    if len(shares) <= 9:
        axes.set_xticks(shares, [f"{100 * share:.3g} %" for share in shares])
        axes.minorticks_off()
    else:
        format_ticks(axes.xaxis, as_percent=True)
    format_ticks(axes.yaxis, as_percent)
    axes.grid(axis="y")
    return True


# A score by the number of the turn.

MAX_TURNS = 60


def draw_turns(
    series: Mapping[str, Mapping[int, HasInterval]],
    dialogues: Mapping[int, int],
    *,
    y_label: str,
    title: str = "Score by turn",
    as_percent: bool = True,
    links: Mapping[int, str] | None = None,
) -> Figure:
    """Draw one line per system with a band for its interval, and faint background bars for the dialogues with the turn.

    Above 60 turns, neighbouring turns are combined, with their mean over dialogues and no interval.

    Args:
        series: System → turn → value with interval.
        dialogues: Turn → number of dialogues.
        y_label: What the height means, in words.
        title: The text above the chart.
        as_percent: Whether values are fractions that are shown as percent.
        links: The link of the background bar of a turn.

    Example:
        >>> figure = draw_turns({"SOM-DST": {1: Estimate(0.9), 2: Estimate(0.7)}}, {1: 10, 2: 8}, y_label="JGA")
        >>> figure.axes[0].get_xlabel(), figure.axes[1].get_ylabel()
        ('turn', 'number of dialogues')
    """
    systems = list(series)[:MAX_LINES]
    turns = sorted({turn for points in series.values() for turn, _ in points_with_value(points)})
    step = -(-(turns[-1] - turns[0] + 1) // MAX_TURNS) if turns else 1
    note, x_label = (
        truncation_note(len(systems), len(series), "systems"),
        "turn" if step == 1 else f"turn, {step} at a time",
    )
    with new_figure(title, note, x_label=x_label, y_label=y_label) as (figure, axes):
        if not turns:
            draw_no_data(axes)
            return figure
        _draw_background(axes, dialogues, turns, step, links or {})
        grouped = [_group_turns(series[system], dialogues, turns[0], step) for system in systems]
        handles = [draw_curve(axes, index, points) for index, points in enumerate(grouped)]
        integer_ticks(axes.xaxis, 16)
        if turns[-1] - turns[0] < 16:
            axes.set_xticks(range(turns[0], turns[-1] + 1))
        axes.set_xlim(turns[0] - 0.6 * step, turns[-1] + 0.6 * step)
        axes.grid(axis="y")
        format_ticks(axes.yaxis, as_percent)
        draw_legend(figure, handles, [display_name(system) for system in systems])
    return figure


def _group_turns(
    points: Mapping[int, HasInterval], dialogues: Mapping[int, int], first: int, step: int
) -> Mapping[float, HasInterval]:
    if step == 1:
        return {float(turn): point for turn, point in points.items()}
    sums: dict[int, tuple[float, float]] = {}
    for turn, value in points_with_value(points):
        weight = max(dialogues.get(turn, 1), 1)
        total, weights = sums.get((turn - first) // step, (0.0, 0.0))
        sums[(turn - first) // step] = (total + weight * value, weights + weight)
    return {_middle(at, first, step): Estimate(total / weights) for at, (total, weights) in sums.items()}


def _middle(at: int, first: int, step: int) -> float:
    return first + at * step + (step - 1) / 2


def _draw_background(
    axes: Axes, dialogues: Mapping[int, int], turns: list[int], step: int, links: Mapping[int, str]
) -> None:
    """Draw bars on a second axis behind the lines: the largest number of dialogues among combined turns."""
    from matplotlib.ticker import MaxNLocator

    most: dict[int, int] = {}
    for turn, n in dialogues.items():
        if turns[0] <= turn <= turns[-1] and finite(n):
            at = (turn - turns[0]) // step
            most[at] = max(n, most.get(at, 0))
    background = axes.twinx()
    axes.set_zorder(background.get_zorder() + 1)
    axes.patch.set_visible(False)
    places = {at: _middle(at, turns[0], step) for at in sorted(most)}
    bars = background.bar(list(places.values()), [most[at] for at in places], 0.8 * step, color=PALE)
    for bar, at in zip(bars, places, strict=True):
        set_link(bar, links.get(turns[0] + at * step) if step == 1 else None)
    top = max(most.values(), default=1)
    background.set_ylim(0, 2.5 * top)
    background.set_ylabel("number of dialogues", color=FAINT, loc="bottom")
    background.tick_params(colors=FAINT)
    integer_ticks(background.yaxis)
    background.set_yticks(
        [tick for tick in MaxNLocator(5, steps=ROUND, integer=True).tick_values(0, top) if tick <= top]
    )
    background.spines[:].set_visible(False)


def turns_table(series: Mapping[str, Mapping[int, HasInterval]], dialogues: Mapping[int, int]) -> Table:
    """Return the same data as a table.

    Example:
        >>> turns_table({"SOM-DST": {1: Estimate(0.9, 0.8, 1.0)}}, {1: 10}).rows
        (('SOM-DST', '1', '0.9', '0.8', '1', '10'),)
    """
    rows = tuple(
        (system, str(turn), *map(number_cell, (point.value, point.low, point.high, dialogues.get(turn))))
        for system, points in series.items()
        for turn, point in sorted(points.items(), key=lambda item: item[0])
    )
    return Table("", ("system", "turn", "value", "low", "high", "dialogues"), rows, frozenset({1, 2, 3, 4, 5}))


# Parallel coordinates: one vertical axis per measure.

MAX_MEASURES = 20


def draw_parallel(
    scores: Mapping[str, Mapping[str, float | None]],
    *,
    title: str = "Systems across measures",
    as_percent: bool = True,
) -> Figure:
    """Draw one line per system over one vertical axis per measure, each with its own range; rankings differ where lines cross.

    Args:
        scores: System → measure → value. A missing value interrupts the line.
        title: The text above the chart.
        as_percent: Whether values are fractions that are shown as percent.

    Example:
        >>> figure = draw_parallel({"SOM-DST": {"JGA": 0.52, "GCA": 0.8}, "empty": {"JGA": 0.01, "GCA": 0.0}})
        >>> [text.get_text() for text in figure.axes[0].get_xticklabels()]
        ['JGA', 'GCA']
    """
    measures = unique_keys(scores.values())[:MAX_MEASURES]
    systems = list(scores)[:MAX_LINES]
    columns = [[finite(scores[system].get(measure)) for system in systems] for measure in measures]
    rows = -(-len(systems) // 4)
    width = max(WIDTH, 0.8 * len(measures))
    note = "every axis has its own range" + (", in percent" if as_percent else "")
    skipped = truncation_note(len(systems), len(scores), "systems")
    with new_figure(title, note, skipped, width=width, height=HEIGHT + 0.16 * rows) as (figure, axes):
        if not any(value is not None for column in columns for value in column):
            draw_no_data(axes)
            return figure
        heights = [_draw_axis(axes, at, column, as_percent) for at, column in enumerate(columns)]
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
        label_ticks(axes, measures)
        draw_legend(figure, handles, [display_name(system) for system in systems])
    return figure


def _draw_axis(axes: Axes, at: int, column: list[float | None], as_percent: bool) -> list[float]:
    """Draw an axis with its ticks; return the height of each value on it, from 0 to 1."""
    from matplotlib.ticker import MaxNLocator

    values = [value for value in column if value is not None]
    axes.axvline(at, color=GRID, linewidth=1.2, zorder=1)
    if not values:
        axes.text(at, 0.5, "no data", ha="center", color=FAINT, fontsize=font_points(8), backgroundcolor=PAPER)
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
                fontsize=font_points(7),
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.6, "alpha": 0.8},
                zorder=4,
            )
    return [float("nan") if value is None else (value - low) / (high - low) for value in column]


def parallel_table(scores: Mapping[str, Mapping[str, float | None]]) -> Table:
    """Return the same data as a table: one row per system, one column per measure.

    Example:
        >>> parallel_table({"SOM-DST": {"JGA": 0.52, "GCA": None}}).rows
        (('SOM-DST', '0.52', ''),)
    """
    measures = unique_keys(scores.values())
    rows = tuple((system, *(number_cell(values.get(each)) for each in measures)) for system, values in scores.items())
    return Table("", ("system", *measures), rows, frozenset(range(1, len(measures) + 1)))
