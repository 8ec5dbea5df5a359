"""Forest plots: one difference under several assumptions, each with its interval and its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .axes import format_ticks
from .canvas import Drawing, Mark
from .data import finite
from .fit import font_points
from .palette import BLUE, FAINT, INK, PAPER, VERMILION
from .words import wrap_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..chart_files import Chart

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
            fill = PAPER if chart.rows[at][0] in chart.options["hollow"] else shade
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

    return Drawing(paint if drawn else None, [chart.options["note"]], height=1.5 + 0.36 * len(chart.rows))


FOREST = Mark(_draw_forest, ("assumption", "difference", "low", "high", "verdict"), frozenset({0, 4}))
