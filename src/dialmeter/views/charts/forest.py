"""Forest plots: one difference under several assumptions, each with its interval and its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from ..tables import Table
from .axes import format_ticks
from .canvas import draw_no_data, new_figure
from .data import Estimate, finite, number_cell
from .fit import font_points
from .palette import BLUE, FAINT, INK, PAPER, VERMILION
from .words import wrap_label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = {"better": BLUE, "worse": VERMILION}
_MARKERS = {"better": "^", "worse": "v"}


class ForestLine(Struct, frozen=True):
    """A line of a forest plot.

    Attributes:
        name: the assumption.
        difference: the difference with its interval.
        verdict: the verdict in a word.
        hollow: the line answers another question than the first; its marker is not filled.
    """

    name: str
    difference: Estimate
    verdict: str
    hollow: bool = False


def draw(lines: Sequence[ForestLine], *, title: str, x_label: str, note: str = "") -> Figure:
    """Draw the differences below each other, with a line at zero. Colour and marker show the verdict, and it is written, too.

    Args:
        lines: the lines, the first at the top.
        title: the text above the plot.
        x_label: what the difference is, in words.
        note: a sentence below the title.

    Example:
        >>> figure = draw([ForestLine("as written", Estimate(-0.05, -0.08, -0.02), "worse")], title="a", x_label="JGA")
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['−5.00  worse']
    """
    with new_figure(title, note, height=1.5 + 0.36 * len(lines), x_label=x_label) as (figure, axes):
        drawn = [
            (row, each, value) for row, each in enumerate(lines) if (value := finite(each.difference.value)) is not None
        ]
        if not drawn:
            draw_no_data(axes)
            return figure
        axes.axvline(0, color=FAINT, linewidth=1)
        for row, each, value in drawn:
            shade = _COLOURS.get(each.verdict, INK)
            low, high = finite(each.difference.low), finite(each.difference.high)
            if low is not None and high is not None:
                axes.plot([low, high], [row, row], color=shade, linewidth=1.6, solid_capstyle="butt")
            fill = PAPER if each.hollow else shade
            axes.plot([value], [row], color=shade, marker=_MARKERS.get(each.verdict, "o"), markerfacecolor=fill)
            axes.annotate(
                f"{100 * value:+.2f}  {each.verdict}".replace("-", "−"),
                (1, row),
                xycoords=("axes fraction", "data"),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                fontsize=font_points(8),
                color=INK,
            )
        axes.set_yticks(range(len(lines)), [wrap_label(each.name, 30, 2) for each in lines])
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.margins(x=0.08)
        axes.grid(axis="x")
        format_ticks(axes.xaxis, as_percent=True, unit="")
    return figure


def table(lines: Sequence[ForestLine]) -> Table:
    """Return the same data as a table.

    Example:
        >>> table([ForestLine("as written", Estimate(-0.05, -0.08, -0.02), "worse")]).rows
        (('as written', '-0.05', '-0.08', '-0.02', 'worse'),)
    """
    rows = tuple(
        (each.name, *map(number_cell, (each.difference.value, each.difference.low, each.difference.high)), each.verdict)
        for each in lines
    )
    return Table("", ("assumption", "difference", "low", "high", "verdict"), rows, frozenset({1, 2, 3}))
