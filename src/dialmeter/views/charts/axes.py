"""Parts of charts: ticks, legend, whiskers, links, the colour scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from .data import has_dominant_size
from .fit import design_inches
from .palette import GRID, INK
from .words import display_name

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.cm import ScalarMappable
    from matplotlib.container import Container
    from matplotlib.figure import Figure

ROUND = (1, 2, 5, 10)


def draw_legend(figure: Figure, handles: Sequence[Artist | Container], labels: Sequence[str], most: int = 4) -> None:
    """Draw a legend below the axes. Labels are texts from files: a label that begins with an underscore is shown, too.

    Example:
        >>> from dialmeter.views.charts.canvas import new_figure
        >>> with new_figure("a") as (figure, axes):
        ...     draw_legend(figure, axes.plot([1, 2]), ["_hidden"])
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


def draw_whiskers(axes: Axes, intervals: Sequence[tuple[float, float, float]], shade: str = INK) -> None:
    """Draw vertical lines (x, low, high). They are centred on the interval, because a value may lie outside its interval.

    Example:
        >>> from dialmeter.views.charts.canvas import new_figure
        >>> with new_figure("a") as (figure, axes):
        ...     draw_whiskers(axes, [(1, 0.4, 0.6)])
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


def set_link(artist: Artist, url: str | None) -> None:
    """Make a mark a link in SVG and PDF. Only relative and http(s) addresses are linked, never a script.

    Example:
        >>> from matplotlib.patches import Rectangle
        >>> bar = Rectangle((0, 0), 1, 1)
        >>> set_link(bar, "javascript:alert(1)")
        >>> bar.get_url()
        >>> set_link(bar, "run.html?slot=hotel-area")
        >>> bar.get_url()
        'run.html?slot=hotel-area'
    """
    if url and url.isprintable() and urlsplit(url.strip()).scheme in {"", "http", "https"}:
        artist.set_url(url)


def format_number(value: float, as_percent: bool = False, unit: str = " %") -> str:
    """Format a number at a tick.

    Example:
        >>> format_number(0.125, as_percent=True), format_number(-20000), format_number(0.1)
        ('12.5 %', '−20,000', '0.1')
    """
    shown = 100 * value if as_percent else value
    digits = ",.0f" if abs(shown - round(shown)) < 1e-9 else ",.6g"
    return f"{shown:{digits}}{unit if as_percent else ''}".replace("-", "−")


def format_ticks(axis: Axis, as_percent: bool, unit: str = " %") -> None:
    """Format ticks as percent, or as plain numbers.

    Example:
        >>> from dialmeter.views.charts.canvas import new_figure
        >>> with new_figure("a") as (figure, axes):
        ...     format_ticks(axes.yaxis, as_percent=True)
        >>> axes.yaxis.get_major_formatter()(0.5, None)
        '50 %'
    """
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: format_number(value, as_percent, unit)))


def integer_ticks(axis: Axis, most: int = 10) -> None:
    """Set ticks at integers only.

    Example:
        >>> from dialmeter.views.charts.canvas import new_figure
        >>> with new_figure("a") as (figure, axes):
        ...     bars = axes.bar([1], [2])
        ...     integer_ticks(axes.yaxis)
        >>> [text.get_text() for text in axes.get_yticklabels()][:3]
        ['0', '1', '2']
    """
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(most, steps=ROUND, integer=True, min_n_ticks=1))
    format_ticks(axis, as_percent=False)


def scale_counts(axes: Axes, sizes: Sequence[float]) -> None:
    """Use a logarithmic scale for counts if one bar would make the others too small to see.

    Example:
        >>> from dialmeter.views.charts.canvas import new_figure
        >>> with new_figure("a", y_label="turns") as (figure, axes):
        ...     bars = axes.bar([1, 2, 3], [2, 3, 900])
        ...     scale_counts(axes, [2, 3, 900])
        >>> axes.get_yscale(), axes.get_ylabel()
        ('log', 'turns, logarithmic scale')
    """
    from matplotlib.ticker import LogLocator, NullLocator

    if min(sizes, default=0) < 0 or not has_dominant_size(sizes):
        return
    axes.set_yscale("log")
    # Below 1, so that a count of one has a visible bar.
    axes.set_ylim(bottom=0.5)
    axes.yaxis.set_major_locator(LogLocator(10))
    axes.yaxis.set_minor_locator(NullLocator())
    format_ticks(axes.yaxis, as_percent=False)
    axes.set_ylabel(f"{axes.get_ylabel()}, logarithmic scale")


def label_ticks(axes: Axes, labels: Sequence[str]) -> None:
    """Set names along the x axis at 0, 1, 2 …, rotated if they would overlap.

    Example:
        >>> from dialmeter.views.charts.canvas import new_figure
        >>> with new_figure("a") as (figure, axes):
        ...     label_ticks(axes, ["a long name of a measure"] * 9)
        >>> axes.get_xticklabels()[0].get_rotation()
        40.0
    """
    names = [display_name(label, 20) for label in labels]
    inches = design_inches(axes.get_window_extent().width / axes.figure.dpi)
    is_crowded = any(len(each) > inches * 14 / len(names) for each in names)
    axes.set_xticks(range(len(names)), names, rotation=40 if is_crowded else 0, ha="right" if is_crowded else "center")
    if is_crowded:
        for text in axes.get_xticklabels():
            text.set_rotation_mode("anchor")


def draw_colour_bar(
    figure: Figure,
    axes: Axes,
    mappable: ScalarMappable,
    label: str,
    *,
    as_percent: bool = False,
    only: float | None = None,
) -> None:
    """Draw the colour scale next to the axes, with its meaning in words; with one tick if all values are the same.

    Example:
        >>> from dialmeter.views.charts.canvas import new_figure
        >>> from dialmeter.views.charts.grid import count_colours
        >>> with new_figure("a") as (figure, axes):
        ...     draw_colour_bar(figure, axes, count_colours(25), "number of turns")
        >>> figure.axes[1].get_ylabel()
        'number of turns'
    """
    bar = figure.colorbar(mappable, ax=axes, shrink=0.8, pad=0.02, spacing="uniform")
    bar.set_label(label)
    bar.outline.set_edgecolor(GRID)
    bar.minorticks_off()
    if only is not None:
        bar.set_ticks([only])
    format_ticks(bar.ax.yaxis, as_percent)
