"""A measure by the number of the turn, for one system or several, over the number of dialogues that are so long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..tables import Table
from .axes import curve, legend, link
from .canvas import UPRIGHT, nothing_yet, sheet
from .data import Estimate, HasInterval, cell, finite, known
from .palette import FAINT, PALE
from .scales import ROUND, scale, whole_numbers
from .words import more, name, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_SYSTEMS, MAX_TURNS = 24, 60


def draw(
    series: Mapping[str, Mapping[int, HasInterval]],
    dialogues: Mapping[int, int],
    *,
    y_label: str,
    title: str = "Score by turn",
    as_percent: bool = True,
    links: Mapping[int, str] | None = None,
) -> Figure:
    """Draw one line per system with a band for its interval, before faint bars for the dialogues that have the turn.

    Above 60 turns, neighbouring turns are drawn as one, with their mean over dialogues and no interval.

    Args:
        series: System → turn → value with interval.
        dialogues: Turn → number of dialogues.
        y_label: What the height means, in words.
        title: Stands above.
        as_percent: Whether values are fractions to be written as percent.
        links: Where a click on the faint bar of a turn leads.

    Example:
        >>> figure = draw({"SOM-DST": {1: Estimate(0.9), 2: Estimate(0.7)}}, {1: 10, 2: 8}, y_label="JGA")
        >>> figure.axes[0].get_xlabel(), figure.axes[1].get_ylabel()
        ('turn', 'number of dialogues')
    """
    systems = list(series)[:MAX_SYSTEMS]
    turns = sorted({turn for points in series.values() for turn, _ in known(points)})
    step = -(-(turns[-1] - turns[0] + 1) // MAX_TURNS) if turns else 1
    with sheet(title, more(len(systems), len(series), "systems")) as (figure, axes):
        axes.set_xlabel("turn" if step == 1 else f"turn, {step} at a time")
        axes.set_ylabel(wrapped(y_label, UPRIGHT, lines=3))
        if not turns:
            nothing_yet(axes)
            return figure
        _background(axes, dialogues, turns, step, links or {})
        grouped = [_grouped(series[system], dialogues, turns[0], step) for system in systems]
        handles = [curve(axes, index, points) for index, points in enumerate(grouped)]
        whole_numbers(axes.xaxis, 16)
        if turns[-1] - turns[0] < 16:
            axes.set_xticks(range(turns[0], turns[-1] + 1))
        axes.set_xlim(turns[0] - 0.6 * step, turns[-1] + 0.6 * step)
        axes.grid(axis="y")
        scale(axes.yaxis, as_percent)
        legend(figure, handles, [name(system) for system in systems])
    return figure


def _grouped(
    points: Mapping[int, HasInterval], dialogues: Mapping[int, int], first: int, step: int
) -> Mapping[float, HasInterval]:
    if step == 1:
        return {float(turn): point for turn, point in points.items()}
    sums: dict[int, tuple[float, float]] = {}
    for turn, value in known(points):
        weight = max(dialogues.get(turn, 1), 1)
        total, weights = sums.get((turn - first) // step, (0.0, 0.0))
        sums[(turn - first) // step] = (total + weight * value, weights + weight)
    return {_middle(at, first, step): Estimate(total / weights) for at, (total, weights) in sums.items()}


def _middle(at: int, first: int, step: int) -> float:
    return first + at * step + (step - 1) / 2


def _background(
    axes: Axes, dialogues: Mapping[int, int], turns: list[int], step: int, links: Mapping[int, str]
) -> None:
    """Bars on a second axis that lies behind the lines: the most dialogues among the turns drawn as one."""
    from matplotlib.ticker import MaxNLocator

    most: dict[int, int] = {}
    for turn, n in dialogues.items():
        if turns[0] <= turn <= turns[-1] and finite(n):
            at = (turn - turns[0]) // step
            most[at] = max(n, most.get(at, 0))
    behind = axes.twinx()
    axes.set_zorder(behind.get_zorder() + 1)
    axes.patch.set_visible(False)
    places = {at: _middle(at, turns[0], step) for at in sorted(most)}
    bars = behind.bar(list(places.values()), [most[at] for at in places], 0.8 * step, color=PALE)
    for bar, at in zip(bars, places, strict=True):
        link(bar, links.get(turns[0] + at * step) if step == 1 else None)
    top = max(most.values(), default=1)
    behind.set_ylim(0, 2.5 * top)
    behind.set_ylabel("number of dialogues", color=FAINT, loc="bottom")
    behind.tick_params(colors=FAINT)
    whole_numbers(behind.yaxis)
    behind.set_yticks([tick for tick in MaxNLocator(5, steps=ROUND, integer=True).tick_values(0, top) if tick <= top])
    behind.spines[:].set_visible(False)


def table(series: Mapping[str, Mapping[int, HasInterval]], dialogues: Mapping[int, int]) -> Table:
    """The same data as rows.

    Example:
        >>> table({"SOM-DST": {1: Estimate(0.9, 0.8, 1.0)}}, {1: 10}).rows
        (('SOM-DST', '1', '0.9', '0.8', '1', '10'),)
    """
    rows = tuple(
        (system, str(turn), cell(point.value), cell(point.low), cell(point.high), cell(dialogues.get(turn)))
        for system, points in series.items()
        for turn, point in sorted(points.items(), key=lambda item: item[0])
    )
    return Table("", ("system", "turn", "value", "low", "high", "dialogues"), rows, frozenset({1, 2, 3, 4, 5}))
