"""Marks that several charts use: legend, line with band, whiskers, coloured cell, link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast
from urllib.parse import urlsplit

from .data import HasInterval, known, limits
from .palette import INK, PAPER, colour, line, marker, text_on

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import Container
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

Shade: TypeAlias = tuple[float, float, float, float]
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
    columns = max(1, min(most, len(labels), int(figure.get_figwidth() * 14) // (longest + 7)))
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
        markevery=1 if len(found) <= _MARKERS else 0.05,  # a float is a distance in the picture
        markeredgecolor=PAPER,
    )
    whole = sorted(limits(points))
    if len(whole) > _BAND:  # finer than the picture; lines are simplified by matplotlib, bands are not
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
    axes.text(column, row, text, ha="center", va="center", fontsize=7, color=text_on(fill))
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
