"""Grouped bars with intervals: measures side by side, one bar per system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..tables import Table
from .axes import legend, link, whiskers
from .canvas import UPRIGHT, WIDTH, nothing_yet, sheet
from .data import HasInterval, cell, finite, in_order, known, limits
from .palette import PAPER, colour, hatch
from .scales import scale, slanted
from .words import more, name, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_SYSTEMS, MAX_MEASURES = 12, 20
_GAP = 0.25


def draw(
    scores: Mapping[str, Mapping[str, HasInterval]],
    *,
    title: str = "Systems under each measure",
    y_label: str = "score",
    as_percent: bool = True,
    links: Mapping[tuple[str, str], str] | None = None,
) -> Figure:
    """Draw one group of bars per measure, one bar per system, with whiskers for intervals.

    Args:
        scores: System → measure → value with interval.
        title: Stands above.
        y_label: What the height means, in words.
        as_percent: Whether values are fractions to be written as percent.
        links: Where a click on the bar of (system, measure) leads.

    Example:
        >>> from dialmeter.views.charts.data import Estimate
        >>> figure = draw({"SOM-DST": {"JGA": Estimate(0.52, 0.50, 0.54)}}, y_label="share of turns")
        >>> figure.axes[0].get_ylabel()
        'share of turns'
    """
    from matplotlib.patches import Patch

    measures = in_order(scores.values())[:MAX_MEASURES]
    systems = list(scores)[:MAX_SYSTEMS]
    drawn = len(systems) * len(measures)
    width = min(14.0, max(WIDTH, 0.22 * drawn + 0.4 * len(measures)))
    with sheet(title, more(len(systems), len(scores), "systems"), width=width) as (figure, axes):
        axes.set_ylabel(wrapped(y_label, UPRIGHT, lines=3))
        if not any(known(points) for points in scores.values()):
            nothing_yet(axes)
            return figure
        step = min(0.3, (1 - _GAP) / len(systems))
        room = step * (width - 1) / len(measures) * 72
        handles = []
        for index, system in enumerate(systems):
            values = {at: scores[system][each] for at, each in enumerate(measures) if each in scores[system]}
            places = {at: at + (index + 0.5 - len(systems) / 2) * step for at in values}
            heights = known(values)
            boxes = axes.bar(
                [places[at] for at, _ in heights],
                [height for _, height in heights],
                step * 0.92,
                color=colour(index),
                hatch=hatch(index),
                edgecolor=PAPER,
                linewidth=0.5,
            )
            for box, (at, _) in zip(boxes, heights, strict=True):
                link(box, (links or {}).get((system, measures[at])))
            whiskers(axes, [(places[at], low, high) for at, low, high in limits(values)])
            for at, point in values.items():
                _label(axes, places[at], point, room=room, as_percent=as_percent)
            handles.append(Patch(facecolor=colour(index), hatch=hatch(index), edgecolor=PAPER, linewidth=0.5))
        axes.margins(y=0.12)
        axes.set_xlim(-0.5, len(measures) - 0.5)
        axes.grid(axis="y")
        scale(axes.yaxis, as_percent)
        slanted(axes, measures)
        legend(figure, handles, [name(system) for system in systems])
    return figure


def _label(axes: Axes, place: float, point: HasInterval, *, room: float, as_percent: bool) -> None:
    """The value above its whisker where there is room: level, else upright, else not at all."""
    height = finite(point.value)
    if height is None:
        return
    text = f"{100 * height:.1f}" if as_percent else f"{height:.0f}" if height.is_integer() else f"{height:.3g}"
    wide = len(text) * 4.6 <= room
    if not wide and room < 8:
        return
    above = height >= 0
    ends = [end for end in (height, finite(point.low), finite(point.high)) if end is not None]
    axes.annotate(
        text,
        (place, max(ends) if above else min(ends)),
        xytext=(0, 3 if above else -3),
        textcoords="offset points",
        ha="center",
        va="bottom" if above else "top",
        fontsize=7,
        rotation=0 if wide else 90,
    )


def table(scores: Mapping[str, Mapping[str, HasInterval]]) -> Table:
    """The same data as rows.

    Example:
        >>> from dialmeter.views.charts.data import Estimate
        >>> table({"SOM-DST": {"JGA": Estimate(0.52, 0.50, 0.54)}}).rows
        (('SOM-DST', 'JGA', '0.52', '0.5', '0.54'),)
    """
    rows = tuple(
        (system, measure, cell(point.value), cell(point.low), cell(point.high))
        for system, points in scores.items()
        for measure, point in points.items()
    )
    return Table("", ("system", "measure", "value", "low", "high"), rows, frozenset({2, 3, 4}))
