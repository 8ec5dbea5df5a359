"""Bias scatter: a trait of each dialogue against its score, with binned means and the correlation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..tables import Table
from .axes import colour_bar, legend, number_ticks, whiskers
from .canvas import MAX_MARKS, nothing_yet, sheet
from .data import Estimate, HasInterval, cell, finite, paired
from .grid import count_colours
from .palette import BLUE, PAPER, VERMILION

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from .data import Numbers

MAX_POINTS = MAX_MARKS - 100  # the rest is for axes, means and whiskers
BINS = 10


def draw(
    trait: Numbers,
    score: Numbers,
    *,
    x_label: str,
    y_label: str,
    title: str = "Does the measure depend on where mistakes fall?",
    correlation: HasInterval | None = None,
    as_percent: bool = True,
    unit: str = "dialogue",
) -> Figure:
    """Draw one point per dialogue, or shaded hexagons above 1,900 points, and the mean in ten bins of equal width.

    Args:
        trait: One number per dialogue, such as its tail-orientedness.
        score: The measure of the same dialogues; pairs with a missing side are skipped.
        x_label: What the trait is, in words.
        y_label: What the score is, in words.
        title: The text above the chart; the correlation is below it.
        correlation: To be written; Pearson's with Fisher's 95 % interval unless given.
        as_percent: Whether scores are fractions to be written as percent.
        unit: What a point is, such as dialogue or reply.

    Example:
        >>> figure = draw([0.1, 0.2, 0.3], [0.9, 0.5, 0.1], x_label="tail-orientedness", y_label="GCA")
        >>> figure.get_suptitle().splitlines()[1]
        'correlation −1.00 [no interval], 3 dialogues'
    """
    x, y = paired(trait, score)
    with sheet(title, _correlation(x, y, correlation, unit), x_label=x_label, y_label=y_label) as (figure, axes):
        if not len(x):
            nothing_yet(axes)
            return figure
        handles: list[Artist] = []
        if len(x) > MAX_POINTS:
            _hexagons(figure, axes, x, y, unit)
        else:
            handles.append(axes.scatter(x, y, s=14, color=BLUE, alpha=0.35, linewidths=0))
        handles.append(_means(axes, x, y))
        axes.grid(axis="y")
        number_ticks(axes.yaxis, as_percent)
        if as_percent:
            # Student's interval may end below 0 or above 100 %; for a bin of two dialogues it would stretch the axis.
            axes.set_ylim(-0.05, 1.05)
        legend(figure, handles, [f"one {unit}", "mean in a bin, with 95 % interval"][-len(handles) :])
    return figure


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64], given: HasInterval | None, unit: str) -> str:
    from ...stats import pearson

    if not len(x):
        return ""
    found = given or pearson(x, y)
    value, low, high = finite(found.value), finite(found.low), finite(found.high)
    if value is None:
        return f"{_counted(len(x), unit)}; no correlation: {getattr(found, 'reason', None) or 'not defined'}"
    interval = "no interval" if low is None or high is None else f"{low:.2f}, {high:.2f}"
    return f"correlation {value:.2f} [{interval}], {_counted(len(x), unit)}".replace("-", "−")


def _counted(n: int, unit: str) -> str:
    many = f"{unit[:-1]}ies" if unit.endswith("y") else f"{unit}s"
    return f"{n:,} {unit if n == 1 else many}"


def _hexagons(figure: Figure, axes: Axes, x: NDArray[np.float64], y: NDArray[np.float64], unit: str) -> None:
    drawn = axes.hexbin(x, y, gridsize=(34, 20), mincnt=1, linewidths=0.2)
    counts = drawn.get_array()
    scale = count_colours(int(counts.max()) if counts is not None else 1)
    drawn.set(cmap=scale.cmap, norm=scale.norm)
    colour_bar(figure, axes, drawn, f"{_counted(2, unit)[2:]} per hexagon")


def means(trait: Numbers, score: Numbers, bins: int = BINS) -> list[tuple[float, Estimate, int]]:
    """The mean score in bins of equal width, with Student's 95 % interval: middle of the bin, mean, dialogues.

    Example:
        >>> [(round(middle, 2), mean.value, n) for middle, mean, n in means([0, 0, 1], [0.2, 0.4, 1.0], bins=2)]
        [(0.25, 0.30000000000000004, 2), (0.75, 1.0, 1)]
    """
    import numpy as np

    from ...stats import student_interval

    x, y = paired(trait, score)
    if not len(x):
        return []
    edges = np.linspace(x.min(), x.max(), bins + 1)
    places = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, bins - 1)
    found = []
    for bin_ in np.unique(places):
        inside = y[places == bin_]
        mean = student_interval(inside)
        middle = float(edges[bin_] + edges[bin_ + 1]) / 2
        found.append((middle, Estimate(mean.value, mean.low, mean.high), len(inside)))
    return found


def _means(axes: Axes, x: NDArray[np.float64], y: NDArray[np.float64]) -> Artist:
    found = means(x, y)
    xs = [middle for middle, _, _ in found]
    ys = [mean.value for _, mean, _ in found if mean.value is not None]
    axes.plot(xs, ys, color=PAPER, linewidth=3.2)  # sets the line apart from dark hexagons
    (drawn,) = axes.plot(xs, ys, color=VERMILION, marker="s", markeredgecolor=PAPER)
    intervals = [(at, mean.low, mean.high) for at, mean, _ in found if mean.low is not None and mean.high is not None]
    whiskers(axes, intervals, VERMILION)
    return drawn


def table(
    trait: Numbers,
    score: Numbers,
    *,
    x_label: str,
    y_label: str,
    dialogues: Sequence[str] | None = None,
    unit: str = "dialogue",
) -> Table:
    """The same data as rows, one per dialogue, missing numbers included.

    Example:
        >>> table([0.1], [None], x_label="TO", y_label="GCA", dialogues=["MUL1"]).rows
        (('MUL1', '0.1', ''),)
    """
    ids = dialogues if dialogues is not None else [str(number) for number in range(1, len(trait) + 1)]
    rows = tuple((each, cell(a), cell(b)) for each, a, b in zip(ids, trait, score, strict=True))
    return Table("", (unit, x_label, y_label), rows, frozenset({1, 2}))
