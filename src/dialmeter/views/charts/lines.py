"""Few-shot curves: measures against the share of training data, and how far each lies from a reference measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, log10
from typing import TYPE_CHECKING

from ..tables import Table
from .axes import curve, legend, whiskers
from .canvas import UPRIGHT, nothing_yet, sheet
from .data import Estimate, HasInterval, cell, finite, known, limits
from .palette import FAINT, PAPER, colour, marker
from .scales import scale
from .words import more, name, wrapped

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
    """Draw one line per measure with a band for its interval; the share is on a log scale beyond a decade.

    Args:
        series: Measure → share of training data (a fraction) → value with interval.
        title: Stands above.
        x_label: What the share is, in words.
        y_label: What the height means, in words.
        as_percent: Whether values are fractions to be written as percent.

    Example:
        >>> figure = draw({"JGA": {0.01: Estimate(0.1), 0.05: Estimate(0.3), 1.0: Estimate(0.5)}})
        >>> figure.axes[0].get_xscale()
        'log'
    """
    series = _finite(series)
    drawn = list(series)[:MAX_LINES]
    with sheet(title, more(len(drawn), len(series), "measures")) as (figure, axes):
        if not _prepare(axes, series, x_label, y_label, as_percent):
            return figure
        handles = [curve(axes, index, series[each]) for index, each in enumerate(drawn)]
        legend(figure, handles, [name(each) for each in drawn])
    return figure


def draw_difference(
    differences: Series,
    *,
    reference: str = "GCA",
    title: str = "How far measures lie apart with little training data",
    x_label: str = "share of the training data",
    as_percent: bool = True,
) -> Figure:
    """Draw the difference of each measure to a reference measure, with its least-squares trend.

    Args:
        differences: Measure → share → difference, as `difference` makes them or with intervals of your own.
        reference: The measure that was subtracted.
        title: Stands above.
        x_label: What the share is, in words.
        as_percent: Whether differences are fractions to be written in percentage points.

    Example:
        >>> figure = draw_difference({"JGA": {0.1: Estimate(-0.4), 0.5: Estimate(-0.3)}})
        >>> figure.axes[0].get_ylabel()
        'difference to GCA (percentage points)'
    """
    differences = _finite(differences)
    drawn = list(differences)[:MAX_LINES]
    note = "dashed: least-squares trend"
    with sheet(title, note, more(len(drawn), len(differences), "measures")) as (figure, axes):
        unit = " (percentage points)" if as_percent else ""
        if not _prepare(axes, differences, x_label, f"difference to {reference}{unit}", as_percent):
            return figure
        scale(axes.yaxis, as_percent, unit="")
        axes.axhline(0, color=FAINT, linewidth=1, zorder=1)
        handles = []
        for index, each in enumerate(drawn):
            points = sorted(known(differences[each]))
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
            whiskers(axes, sorted(limits(differences[each]))[::every], colour(index))
            ends = trend(differences[each], axes.get_xscale() != "linear")
            axes.plot([x for x, _ in ends], [y for _, y in ends], color=colour(index), linestyle="--", linewidth=1.2)
            handles.append(dots)
        legend(figure, handles, [f"{name(each)} − {name(reference)}" for each in drawn])
    return figure


def difference(series: Series, reference: str = "GCA") -> dict[str, dict[float, Estimate]]:
    """Each other measure minus the reference where both are known; intervals of a difference need the raw data.

    Example:
        >>> difference({"JGA": {0.1: Estimate(0.25)}, "GCA": {0.1: Estimate(0.75)}})
        {'JGA': {0.1: Estimate(value=-0.5, low=None, high=None)}}
    """
    base = dict(known(series.get(reference, {})))
    return {
        each: {share: Estimate(value - base[share]) for share, value in sorted(known(points)) if share in base}
        for each, points in series.items()
        if each != reference
    }


def trend(points: Mapping[float, HasInterval], log: bool = False) -> list[tuple[float, float]]:
    """Both ends of the least-squares line, in the logarithm of the share if asked for; nothing below two shares.

    Example:
        >>> trend({0.01: Estimate(0.1), 0.1: Estimate(0.2), 1.0: Estimate(0.3)}, log=True)
        [(0.01, 0.1), (1.0, 0.3)]
    """
    found = [(log10(x) if log else x, x, y) for x, y in sorted(known(points)) if x > 0 or not log]
    if len(found) < 2:
        return []
    middle = fsum(at for at, _, _ in found) / len(found)
    level = fsum(y for _, _, y in found) / len(found)
    slope = fsum((at - middle) * (y - level) for at, _, y in found) / fsum((at - middle) ** 2 for at, _, _ in found)
    return [(x, round(level + slope * (at - middle), 12)) for at, x, _ in (found[0], found[-1])]


def table(series: Series) -> Table:
    """The same data as rows; for curves and for differences.

    Example:
        >>> table({"JGA": {0.1: Estimate(0.5, 0.4, 0.6)}}).rows
        (('JGA', '0.1', '0.5', '0.4', '0.6'),)
    """
    rows = tuple(
        (each, cell(share), cell(point.value), cell(point.low), cell(point.high))
        for each, points in series.items()
        for share, point in sorted(points.items(), key=lambda item: item[0])
    )
    return Table("", ("measure", "share", "value", "low", "high"), rows, frozenset({1, 2, 3, 4}))


def _finite(series: Series) -> Series:
    return {each: {x: y for x, y in points.items() if finite(x) is not None} for each, points in series.items()}


def _prepare(axes: Axes, series: Series, x_label: str, y_label: str, as_percent: bool) -> bool:
    """Labels, scales and ticks; whether there is anything to draw."""
    axes.set_xlabel(wrapped(x_label, 80))
    axes.set_ylabel(wrapped(y_label, UPRIGHT, lines=3))
    shares = sorted({share for points in series.values() for share, _ in known(points)})
    if not shares:
        nothing_yet(axes)
        return False
    _share_axis(axes, shares)
    scale(axes.yaxis, as_percent)
    axes.grid(axis="y")
    return True


def _share_axis(axes: Axes, shares: Sequence[float]) -> None:
    positive = [share for share in shares if share > 0]
    if positive and positive[-1] / positive[0] > 10:
        if shares[0] <= 0:
            # No training data at all still has its place, left of the smallest share.
            axes.set_xscale("symlog", linthresh=positive[0], linscale=0.5)
        else:
            axes.set_xscale("log")
    if len(shares) <= 9:
        axes.set_xticks(shares, [f"{100 * share:.3g} %" for share in shares])
        axes.minorticks_off()
    else:
        scale(axes.xaxis, as_percent=True)
