"""Axes and scales of colours that several charts use, with numbers as readers expect them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .axes import Shade
from .palette import GRID
from .words import name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

ROUND = (1, 2, 5, 10)


def number(value: float, as_percent: bool = False, unit: str = " %") -> str:
    """A number at a tick.

    Example:
        >>> number(0.125, as_percent=True), number(-20000), number(0.1)
        ('12.5 %', '−20,000', '0.1')
    """
    shown = 100 * value if as_percent else value
    digits = ",.0f" if abs(shown - round(shown)) < 1e-9 else ",.6g"
    return f"{shown:{digits}}{unit if as_percent else ''}".replace("-", "−")


def scale(axis: Axis, as_percent: bool, unit: str = " %") -> None:
    """Write fractions as percent, or numbers as they are.

    Example:
        >>> from dialmeter.views.charts.canvas import sheet
        >>> with sheet("a") as (figure, axes):
        ...     scale(axes.yaxis, as_percent=True)
        >>> axes.yaxis.get_major_formatter()(0.5, None)
        '50 %'
    """
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: number(value, as_percent, unit)))


def whole_numbers(axis: Axis, most: int = 10) -> None:
    """Ticks only where counts can be.

    Example:
        >>> from dialmeter.views.charts.canvas import sheet
        >>> with sheet("a") as (figure, axes):
        ...     bars = axes.bar([1], [2])
        ...     whole_numbers(axes.yaxis)
        >>> [text.get_text() for text in axes.get_yticklabels()][:3]
        ['0', '1', '2']
    """
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(most, steps=ROUND, integer=True, min_n_ticks=1))
    scale(axis, as_percent=False)


def slanted(axes: Axes, labels: Sequence[str]) -> None:
    """Names along the x axis at 0, 1, 2 …, slanted if they would run into each other.

    Example:
        >>> from dialmeter.views.charts.canvas import sheet
        >>> with sheet("a") as (figure, axes):
        ...     slanted(axes, ["a long name of a measure"] * 9)
        >>> axes.get_xticklabels()[0].get_rotation()
        40.0
    """
    names = [name(label, 20) for label in labels]
    inches = axes.get_window_extent().width / axes.figure.dpi
    crowded = any(len(each) > inches * 14 / len(names) for each in names)
    axes.set_xticks(range(len(names)), names, rotation=40 if crowded else 0, ha="right" if crowded else "center")
    if crowded:
        for text in axes.get_xticklabels():
            text.set_rotation_mode("anchor")


def shade(mappable: ScalarMappable, value: float) -> Shade:
    """The colour of one value.

    Example:
        >>> from matplotlib.cm import ScalarMappable
        >>> from dialmeter.views.charts.counts import count_scale
        >>> colours, norm = count_scale(25)
        >>> shade(ScalarMappable(norm, colours), 25) == colours(4)
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
    """The scale of colours beside the axes, with its meaning in words, and with one tick if all values are the same.

    Example:
        >>> from matplotlib.cm import ScalarMappable
        >>> from dialmeter.views.charts.canvas import sheet
        >>> from dialmeter.views.charts.counts import count_scale
        >>> with sheet("a") as (figure, axes):
        ...     colours, norm = count_scale(25)
        ...     colour_bar(figure, axes, ScalarMappable(norm, colours), "number of turns")
        >>> figure.axes[1].get_ylabel()
        'number of turns'
    """
    bar = figure.colorbar(mappable, ax=axes, shrink=0.8, pad=0.02, spacing="uniform")
    bar.set_label(label)
    bar.outline.set_edgecolor(GRID)
    bar.minorticks_off()
    if only is not None:
        bar.set_ticks([only])
    scale(bar.ax.yaxis, as_percent)
