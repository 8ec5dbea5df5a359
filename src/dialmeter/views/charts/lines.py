"""Line charts: measures by the share of training data and their differences, a score by turn, systems by measure."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, log10
from typing import TYPE_CHECKING

from .axes import ROUND, draw_legend, draw_whiskers, format_ticks, integer_ticks, set_link
from .canvas import Drawing, Mark
from .data import Estimate, finite, points_with_interval, points_with_value, series
from .palette import FAINT, PALE, PAPER, colour, line, marker
from .words import display_name, truncation_note

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..chart_files import Chart

MAX_LINES = 24
_BAND = 400
"""Largest number of points of a band."""
_MARKERS = 50
"""Largest number of points that all have a marker."""
_SHARE = "share of the training data"


def _draw_shares(chart: Chart) -> Drawing:
    """Draw one line per measure with a band for its interval, by share of the training data.

    Shares that span more than a decade have a log scale. With the option ``reference``, values are differences to that measure:
    points with their least-squares trend.
    """
    measures = {
        each: {x: y for x, y in points.items() if finite(x) is not None} for each, points in series(chart).items()
    }
    shares = sorted({share for points in measures.values() for share, _ in points_with_value(points)})
    shown = list(measures)[:MAX_LINES]
    reference = chart.options.reference

    def paint(figure: Figure, axes: Axes) -> None:
        _set_share_axes(axes, shares, chart.as_percent)
        names = [display_name(each) for each in shown]
        if not reference:
            handles = [_draw_curve(axes, index, measures[each]) for index, each in enumerate(shown)]
            draw_legend(figure, handles, names)
            return
        format_ticks(axes.yaxis, chart.as_percent, unit="")
        axes.axhline(0, color=FAINT, linewidth=1, zorder=1)
        dots = [_draw_trend(axes, index, measures[each]) for index, each in enumerate(shown)]
        draw_legend(figure, dots, [f"{name} − {display_name(reference)}" for name in names])

    notes = ["dashed: least-squares trend"] if reference else []
    label = f"difference to {reference}" + (" (percentage points)" if chart.as_percent else "") if reference else ""
    notes.append(truncation_note(len(shown), len(measures), "measures"))
    return Drawing(paint if shares else None, notes, y_label=label)


SHARES = Mark("shares", _draw_shares, ("measure", "share", "value", "low", "high"), frozenset({0}), _SHARE, "score")


def _draw_curve(axes: Axes, index: int, points: Mapping[float, Estimate]) -> Artist:
    """Draw a line with markers through the points with a value, and a band for their intervals."""
    values = sorted(points_with_value(points))
    (drawn,) = axes.plot(
        [x for x, _ in values],
        [y for _, y in values],
        color=colour(index),
        marker=marker(index),
        linestyle=line(index),
        markevery=1 if len(values) <= _MARKERS else 0.05,  # a float is a distance in the chart
        markeredgecolor=PAPER,
    )
    intervals = sorted(points_with_interval(points))
    if len(intervals) > _BAND:  # finer than the chart; matplotlib simplifies lines, but not bands
        intervals = [intervals[at * (len(intervals) - 1) // (_BAND - 1)] for at in range(_BAND)]
    if len(intervals) > 1:
        places, lows, highs = zip(*intervals, strict=True)
        axes.fill_between(places, lows, highs, color=colour(index), alpha=0.15, linewidth=0)
    else:
        draw_whiskers(axes, intervals, colour(index))
    return drawn


def _draw_trend(axes: Axes, index: int, values: Mapping[float, Estimate]) -> Artist:
    """Draw points with whiskers and their trend."""
    points = sorted(points_with_value(values))
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
    draw_whiskers(axes, sorted(points_with_interval(values))[::every], colour(index))
    ends = trend(values, axes.get_xscale() != "linear")
    axes.plot([x for x, _ in ends], [y for _, y in ends], color=colour(index), linestyle="--", linewidth=1.2)
    return dots


def trend(points: Mapping[float, Estimate], log: bool = False) -> list[tuple[float, float]]:
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


def _set_share_axes(axes: Axes, shares: list[float], as_percent: bool) -> None:
    """Set scales and ticks for shares of training data."""
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


MAX_TURNS = 60


def _draw_turns(chart: Chart) -> Drawing:
    """Draw one line per system with a band for its interval, and faint background bars for the dialogues with the turn.

    Above 60 turns, neighbouring turns are combined, with their mean over dialogues and no interval.
    """
    systems = series(chart)
    shown = list(systems)[:MAX_LINES]
    dialogues = {row[1]: row[5] for row in chart.rows if row[5] is not None}
    turns = sorted({turn for points in systems.values() for turn, _ in points_with_value(points)})
    step = -(-(turns[-1] - turns[0] + 1) // MAX_TURNS) if turns else 1

    def paint(figure: Figure, axes: Axes) -> None:
        _draw_background(axes, dialogues, turns, step, chart)
        grouped = [_group_turns(systems[system], dialogues, turns[0], step) for system in shown]
        handles = [_draw_curve(axes, index, points) for index, points in enumerate(grouped)]
        integer_ticks(axes.xaxis, 16)
        if turns[-1] - turns[0] < 16:
            axes.set_xticks(range(turns[0], turns[-1] + 1))
        axes.set_xlim(turns[0] - 0.6 * step, turns[-1] + 0.6 * step)
        axes.grid(axis="y")
        format_ticks(axes.yaxis, chart.as_percent)
        draw_legend(figure, handles, [display_name(system) for system in shown])

    label = "turn" if step == 1 else f"turn, {step} at a time"
    return Drawing(paint if turns else None, [truncation_note(len(shown), len(systems), "systems")], x_label=label)


TURNS = Mark("turns", _draw_turns, ("system", "turn", "value", "low", "high", "dialogues"), frozenset({0}))


def _group_turns(
    points: Mapping[int, Estimate], dialogues: Mapping[int, int], first: int, step: int
) -> dict[float, Estimate]:
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


def _draw_background(axes: Axes, dialogues: Mapping[int, int], turns: list[int], step: int, chart: Chart) -> None:
    """Draw bars on a second axis behind the lines: the largest number of dialogues among combined turns."""
    from matplotlib.ticker import MaxNLocator

    links = {row[1]: chart.address(at, 5) for at, row in enumerate(chart.rows)}
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


def _draw_square(chart: Chart) -> Drawing:
    """Draw one line per judge in a square from 0 to 1, with the diagonal: a ROC curve, or a reliability diagram."""
    judges = series(chart)
    shown = list(judges)[:MAX_LINES]

    def paint(figure: Figure, axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=FAINT, linewidth=1, linestyle="--", zorder=1)
        handles = [_draw_curve(axes, index, judges[judge]) for index, judge in enumerate(shown)]
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        axes.grid()
        format_ticks(axes.xaxis, chart.as_percent)
        format_ticks(axes.yaxis, chart.as_percent)
        draw_legend(figure, handles, [display_name(judge) for judge in shown])

    return Drawing(paint if judges else None, [truncation_note(len(shown), len(judges), "judges")])


SQUARE = Mark("square", _draw_square, ("judge", "x", "value", "low", "high"), frozenset({0}))
