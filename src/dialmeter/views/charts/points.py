"""Charts of points: a trait of each dialogue and its score with their correlation, and one difference under several assumptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...numeric import NDArray, np
from ...stats.correlation import pearson
from ...stats.intervals import student_interval
from .axes import draw_colour_bar, draw_legend, draw_whiskers, format_ticks
from .canvas import MAX_MARKS, Drawing, Mark
from .data import ChartOptions, Estimate, complete_rows, finite
from .fit import font_points
from .grid import count_colours
from .palette import BLUE, FAINT, INK, PAPER, VERMILION
from .words import wrap_label

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..chart_files import Chart

MAX_POINTS = MAX_MARKS - 100  # the rest is for axes, means and whiskers
BINS = 10


def _draw_points(chart: Chart) -> Drawing:
    """Draw one point per dialogue, or shaded hexagons above 1,900 points, and the mean in ten bins of equal width.

    The titles of the columns are the unit of a point and the labels of the axes. The option ``correlation`` is shown below the
    title; by default it is Pearson's with Fisher's 95 % interval.
    """
    x, y = complete_rows((row[1:] for row in chart.rows), 2)
    unit, x_label, y_label = chart.columns

    def paint(figure: Figure, axes: Axes) -> None:
        handles: list[Artist] = []
        if len(x) > MAX_POINTS:
            _draw_hexagons(figure, axes, x, y, unit)
        else:
            handles.append(axes.scatter(x, y, s=14, color=BLUE, alpha=0.35, linewidths=0))
        handles.append(_draw_means(axes, x, y))
        axes.grid(axis="y")
        format_ticks(axes.yaxis, chart.as_percent)
        if chart.as_percent:
            # Student's interval may exceed 0 or 100 %; in a bin of two dialogues it would stretch the axis.
            axes.set_ylim(-0.05, 1.05)
        draw_legend(figure, handles, [f"one {unit}", "mean in a bin, with 95 % interval"][-len(handles) :])

    notes = [_correlation_note(x, y, chart.options, unit)] if len(x) else []
    return Drawing(paint if len(x) else None, notes, x_label=x_label, y_label=y_label)


SCATTER = Mark("scatter", _draw_points, ("dialogue", "x", "y"), frozenset({0}))


def _correlation_note(x: NDArray[np.float64], y: NDArray[np.float64], options: ChartOptions, unit: str) -> str:
    computed = pearson(x, y) if options.correlation is None else None
    correlation = computed or options.correlation or Estimate(None)
    value, low, high = finite(correlation.value), finite(correlation.low), finite(correlation.high)
    if value is None:
        return f"{_count_text(len(x), unit)}; no correlation: {(computed.reason if computed else options.no_correlation) or 'not defined'}"
    interval = "no interval" if low is None or high is None else f"{low:.2f}, {high:.2f}"
    return f"correlation {value:.2f} [{interval}], {_count_text(len(x), unit)}".replace("-", "−")


def _count_text(n: int, unit: str) -> str:
    many = f"{unit[:-1]}ies" if unit.endswith("y") else f"{unit}s"
    return f"{n:,} {unit if n == 1 else many}"


def _draw_hexagons(figure: Figure, axes: Axes, x: NDArray[np.float64], y: NDArray[np.float64], unit: str) -> None:
    drawn = axes.hexbin(x, y, gridsize=(34, 20), mincnt=1, linewidths=0.2)
    counts = drawn.get_array()
    scale = count_colours(int(counts.max()) if counts is not None else 1)
    drawn.set(cmap=scale.cmap, norm=scale.norm)
    draw_colour_bar(figure, axes, drawn, f"{_count_text(2, unit)[2:]} per hexagon")


def binned_means(x: NDArray[np.float64], y: NDArray[np.float64], bins: int = BINS) -> list[tuple[float, Estimate, int]]:
    """Return for bins of equal width: middle of the bin, mean score with Student's 95 % interval, number of dialogues.

    Example:
        >>> import numpy as np
        >>> bins = binned_means(np.array([0, 0, 1]), np.array([0.2, 0.4, 1.0]), bins=2)
        >>> [(round(middle, 2), mean.value, n) for middle, mean, n in bins]
        [(0.25, 0.30000000000000004, 2), (0.75, 1.0, 1)]
    """
    edges = np.linspace(x.min(), x.max(), bins + 1)
    places = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, bins - 1)
    means = []
    for bin_ in np.unique(places):
        scores = y[places == bin_]
        mean = student_interval(scores)
        middle = float(edges[bin_] + edges[bin_ + 1]) / 2
        means.append((middle, Estimate(mean.value, mean.low, mean.high), len(scores)))
    return means


def _draw_means(axes: Axes, x: NDArray[np.float64], y: NDArray[np.float64]) -> Artist:
    bins = binned_means(x, y)
    xs = [middle for middle, _, _ in bins]
    ys = [mean.value for _, mean, _ in bins if mean.value is not None]
    axes.plot(xs, ys, color=PAPER, linewidth=3.2)  # separates the line from dark hexagons
    (drawn,) = axes.plot(xs, ys, color=VERMILION, marker="s", markeredgecolor=PAPER)
    intervals = [(at, mean.low, mean.high) for at, mean, _ in bins if mean.low is not None and mean.high is not None]
    draw_whiskers(axes, intervals, VERMILION)
    return drawn


# Forest plots: one difference under several assumptions, each with its interval and its verdict.

_COLOURS = {"better": BLUE, "worse": VERMILION}
_MARKERS = {"better": "^", "worse": "v"}


def _draw_forest(chart: Chart) -> Drawing:
    """Draw the differences below each other, with a line at zero. Colour and marker show the verdict, and it is written, too.

    The marker of an assumption in the option ``hollow`` is not filled. The option ``note`` is a sentence below the title.
    """
    drawn = [(at, *row[1:]) for at, row in enumerate(chart.rows) if finite(row[1]) is not None]

    def paint(figure: Figure, axes: Axes) -> None:
        axes.axvline(0, color=FAINT, linewidth=1)
        for at, value, low, high, verdict in drawn:
            shade = _COLOURS.get(verdict, INK)
            if finite(low) is not None and finite(high) is not None:
                axes.plot([low, high], [at, at], color=shade, linewidth=1.6, solid_capstyle="butt")
            fill = PAPER if chart.rows[at][0] in chart.options.hollow else shade
            axes.plot([value], [at], color=shade, marker=_MARKERS.get(verdict, "o"), markerfacecolor=fill)
            axes.annotate(
                f"{100 * value:+.2f}  {verdict}".replace("-", "−"),
                (1, at),
                xycoords=("axes fraction", "data"),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                fontsize=font_points(8),
                color=INK,
            )
        axes.set_yticks(range(len(chart.rows)), [wrap_label(row[0], 30, 2) for row in chart.rows])
        axes.set_ylim(len(chart.rows) - 0.5, -0.5)
        axes.margins(x=0.08)
        axes.grid(axis="x")
        format_ticks(axes.xaxis, as_percent=True, unit="")

    return Drawing(paint if drawn else None, [chart.options.note], height=1.5 + 0.36 * len(chart.rows))


FOREST = Mark("forest", _draw_forest, ("assumption", "difference", "low", "high", "verdict"), frozenset({0, 4}))
