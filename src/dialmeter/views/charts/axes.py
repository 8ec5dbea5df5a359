"""What the charts draw on their axes: ticks, legend, whiskers, coloured cells, links, the scale of colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast
from urllib.parse import urlsplit

from .data import HasInterval, flattens, known, limits
from .fit import design_inches, font_points
from .palette import GRID, INK, PAPER, colour, line, marker, text_on
from .words import name

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.cm import ScalarMappable
    from matplotlib.container import Container
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

Shade: TypeAlias = tuple[float, float, float, float]
ROUND = (1, 2, 5, 10)
_BAND = 400
_MARKERS = 50


def legend(figure: Figure, handles: Sequence[Artist | Container], labels: Sequence[str], most: int = 4) -> None:
    """A legend below the axes. Labels are texts from files: even one that begins with an underscore is shown.

    Example:
        >>> from dialmeter.views.charts.canvas import sheet
        >>> with sheet("a") as (figure, axes):
        ...     legend(figure, axes.plot([1, 2]), ["_hidden"])
        >>> figure.legends[0].get_texts()[0].get_text()
        '_hidden'
    """
    if not handles:
        return
    longest = max(map(len, labels))
    columns = max(1, min(most, len(labels), int(design_inches(figure.get_figwidth()) * 14) // (longest + 7)))
    artists = cast("list[Artist]", list(handles))
    box = figure.legend(artists, ["x"] * len(labels), loc="outside lower center", ncols=columns)
    for text, label in zip(box.get_texts(), labels, strict=True):
        text.set_text(label)


def curve(axes: Axes, index: int, points: Mapping[float, HasInterval]) -> Artist:
    """A line with markers through the points that have a value, and a band where they have an interval.

    Example:
        >>> from dialmeter.views.charts.canvas import sheet
        >>> from dialmeter.views.charts.data import Estimate
        >>> with sheet("a") as (figure, axes):
        ...     drawn = curve(axes, 0, {1: Estimate(0.5), 2: Estimate(None), 3: Estimate(0.7)})
        >>> [float(y) for y in drawn.get_ydata()]
        [0.5, 0.7]
    """
    found = sorted(known(points))
    (drawn,) = axes.plot(
        [x for x, _ in found],
        [y for _, y in found],
        color=colour(index),
        marker=marker(index),
        linestyle=line(index),
        markevery=1 if len(found) <= _MARKERS else 0.05,  # a float is a distance in the chart
        markeredgecolor=PAPER,
    )
    whole = sorted(limits(points))
    if len(whole) > _BAND:  # finer than the chart; lines are simplified by matplotlib, bands are not
        whole = [whole[at * (len(whole) - 1) // (_BAND - 1)] for at in range(_BAND)]
    if len(whole) > 1:
        axes.fill_between(
            [x for x, _, _ in whole],
            [low for _, low, _ in whole],
            [high for _, _, high in whole],
            color=colour(index),
            alpha=0.15,
            linewidth=0,
        )
    else:
        whiskers(axes, whole, colour(index))
    return drawn


def whiskers(axes: Axes, intervals: Sequence[tuple[float, float, float]], shade: str = INK) -> None:
    """Upright lines (place, low, high), drawn from their middle, because a value may lie outside its interval.

    Example:
        >>> from dialmeter.views.charts.canvas import sheet
        >>> with sheet("a") as (figure, axes):
        ...     whiskers(axes, [(1, 0.4, 0.6)])
        >>> len(axes.containers)
        1
    """
    if intervals:
        axes.errorbar(
            [x for x, _, _ in intervals],
            [(low + high) / 2 for _, low, high in intervals],
            yerr=[abs(high - low) / 2 for _, low, high in intervals],
            fmt="none",
            ecolor=shade,
            elinewidth=1,
            capsize=2.5,
        )


def tile(axes: Axes, column: float, row: float, fill: Shade, text: str) -> Rectangle:
    """A coloured cell with a text that can be read on it.

    Example:
        >>> from dialmeter.views.charts.canvas import sheet
        >>> with sheet("a") as (figure, axes):
        ...     limits = axes.set(xlim=(0, 5), ylim=(0, 5))
        ...     cell = tile(axes, 2, 3, (1.0, 0.9, 0.2, 1.0), "17")
        >>> float(cell.get_x()), axes.texts[0].get_text()
        (1.5, '17')
    """
    from matplotlib.patches import Rectangle

    patch = Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=fill, edgecolor=PAPER, linewidth=1)
    axes.add_patch(patch)
    axes.text(column, row, text, ha="center", va="center", fontsize=font_points(7), color=text_on(fill))
    return patch


def link(artist: Artist, url: str | None) -> None:
    """Make a mark a link in SVG and PDF. Only places and web pages are linked, never a script.

    Example:
        >>> from matplotlib.patches import Rectangle
        >>> bar = Rectangle((0, 0), 1, 1)
        >>> link(bar, "javascript:alert(1)")
        >>> bar.get_url()
        >>> link(bar, "run.html?slot=hotel-area")
        >>> bar.get_url()
        'run.html?slot=hotel-area'
    """
    if url and url.isprintable() and urlsplit(url.strip()).scheme in {"", "http", "https"}:
        artist.set_url(url)


def number(value: float, as_percent: bool = False, unit: str = " %") -> str:
    """A number at a tick.

    Example:
        >>> number(0.125, as_percent=True), number(-20000), number(0.1)
        ('12.5 %', '−20,000', '0.1')
    """
    shown = 100 * value if as_percent else value
    digits = ",.0f" if abs(shown - round(shown)) < 1e-9 else ",.6g"
    return f"{shown:{digits}}{unit if as_percent else ''}".replace("-", "−")


def number_ticks(axis: Axis, as_percent: bool, unit: str = " %") -> None:
    """Write fractions as percent, or numbers as they are.

    Example:
        >>> from dialmeter.views.charts.canvas import sheet
        >>> with sheet("a") as (figure, axes):
        ...     number_ticks(axes.yaxis, as_percent=True)
        >>> axes.yaxis.get_major_formatter()(0.5, None)
        '50 %'
    """
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: number(value, as_percent, unit)))


def whole_ticks(axis: Axis, most: int = 10) -> None:
    """Ticks only where counts can be.

    Example:
        >>> from dialmeter.views.charts.canvas import sheet
        >>> with sheet("a") as (figure, axes):
        ...     bars = axes.bar([1], [2])
        ...     whole_ticks(axes.yaxis)
        >>> [text.get_text() for text in axes.get_yticklabels()][:3]
        ['0', '1', '2']
    """
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(most, steps=ROUND, integer=True, min_n_ticks=1))
    number_ticks(axis, as_percent=False)


def count_scale(axes: Axes, sizes: Sequence[float]) -> None:
    """A logarithmic scale for counts where one bar would flatten the others.

    Example:
        >>> from dialmeter.views.charts.canvas import sheet
        >>> with sheet("a", y_label="turns") as (figure, axes):
        ...     bars = axes.bar([1, 2, 3], [2, 3, 900])
        ...     count_scale(axes, [2, 3, 900])
        >>> axes.get_yscale(), axes.get_ylabel()
        ('log', 'turns, logarithmic scale')
    """
    from matplotlib.ticker import LogLocator, NullLocator

    if min(sizes, default=0) < 0 or not flattens(sizes):
        return
    axes.set_yscale("log")
    # A count of one still has a bar.
    axes.set_ylim(bottom=0.5)
    axes.yaxis.set_major_locator(LogLocator(10))
    axes.yaxis.set_minor_locator(NullLocator())
    number_ticks(axes.yaxis, as_percent=False)
    axes.set_ylabel(f"{axes.get_ylabel()}, logarithmic scale")


def name_ticks(axes: Axes, labels: Sequence[str]) -> None:
    """Names along the x axis at 0, 1, 2 …, slanted if they would run into each other.

    Example:
        >>> from dialmeter.views.charts.canvas import sheet
        >>> with sheet("a") as (figure, axes):
        ...     name_ticks(axes, ["a long name of a measure"] * 9)
        >>> axes.get_xticklabels()[0].get_rotation()
        40.0
    """
    names = [name(label, 20) for label in labels]
    inches = design_inches(axes.get_window_extent().width / axes.figure.dpi)
    crowded = any(len(each) > inches * 14 / len(names) for each in names)
    axes.set_xticks(range(len(names)), names, rotation=40 if crowded else 0, ha="right" if crowded else "center")
    if crowded:
        for text in axes.get_xticklabels():
            text.set_rotation_mode("anchor")


def shade(mappable: ScalarMappable, value: float) -> Shade:
    """The colour of one value.

    Example:
        >>> from dialmeter.views.charts.grid import count_colours
        >>> scale = count_colours(25)
        >>> shade(scale, 25) == scale.cmap(4)
        True
    """
    import numpy as np

    red, green, blue, alpha = map(float, mappable.to_rgba(np.array([value]))[0])
    return red, green, blue, alpha


def colour_bar(
    figure: Figure,
    axes: Axes,
    mappable: ScalarMappable,
    label: str,
    *,
    as_percent: bool = False,
    only: float | None = None,
) -> None:
    """The scale of colours next to the axes, with its meaning in words, and with one tick if all values are the same.

    Example:
        >>> from dialmeter.views.charts.canvas import sheet
        >>> from dialmeter.views.charts.grid import count_colours
        >>> with sheet("a") as (figure, axes):
        ...     colour_bar(figure, axes, count_colours(25), "number of turns")
        >>> figure.axes[1].get_ylabel()
        'number of turns'
    """
    bar = figure.colorbar(mappable, ax=axes, shrink=0.8, pad=0.02, spacing="uniform")
    bar.set_label(label)
    bar.outline.set_edgecolor(GRID)
    bar.minorticks_off()
    if only is not None:
        bar.set_ticks([only])
    number_ticks(bar.ax.yaxis, as_percent)
