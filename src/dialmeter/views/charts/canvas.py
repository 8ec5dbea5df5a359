"""Figures without pyplot, in one style that does not change global settings, and files with reproducible bytes."""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from ...core.output import write_file
from ...errors import DialmeterError
from .fit import current_fit, design_inches, font_points
from .palette import COLOURS, FAINT, GRID, INK, PAPER
from .words import escape_invisible, wrap_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..chart_files import Chart

Kind: TypeAlias = Literal["svg", "pdf", "png"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MAX_MARKS = 2000
WIDTH, HEIGHT = 7.0, 4.3

_STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # part of matplotlib: text has the same size on all machines
    "font.size": 9,
    "figure.titlesize": 10,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.facecolor": PAPER,
    "figure.facecolor": PAPER,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.prop_cycle": f"cycler(color={list(COLOURS)})",
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.6,
    "lines.markersize": 6,
    "lines.markeredgewidth": 0.8,
    "hatch.linewidth": 0.8,
    "svg.hashsalt": "dialmeter",
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and shown in the page's font
    "pdf.fonttype": 42,
}
_SIZES = ("font.size", "figure.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize")
_METADATA: dict[Kind, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": "dialmeter"},
    "pdf": {"CreationDate": None, "Creator": "dialmeter", "Producer": None},
    "png": {"Software": None},
}
# For letters that are missing in the first font, in files that embed fonts.
_OTHER_SCRIPTS = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "WenQuanYi Zen Hei",
    "PingFang SC",
    "Microsoft YaHei",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
)
_NEW_TAB = re.compile(rb"""(<a xlink:href=(?:"[^"]*"|'[^']*')) target="_blank">""")
_LOCK = RLock()  # matplotlib's settings are global to the process: only one thread may change them at a time


class Drawing(NamedTuple):
    """The marks of a chart.

    Attributes:
        paint: draws the marks; None if there are no data.
        notes: lines below the title.
        width: of the figure, in inches of the design.
        height: of the figure.
        x_label: replaces the label of the chart.
        y_label: replaces the label of the chart.
    """

    paint: Callable[[Figure, Axes], None] | None
    notes: Sequence[str] = ()
    width: float = WIDTH
    height: float = HEIGHT
    x_label: str = ""
    y_label: str = ""


class Mark(NamedTuple):
    """A kind of chart.

    Attributes:
        name: its name in saved charts.
        draw: prepares the drawing of a chart.
        columns: the titles of the columns of the data, unless the chart has its own.
        words: positions of the columns of words; all others are numbers.
        x_label: what the horizontal position means, unless the chart says it.
        y_label: what the height means, unless the chart says it.
    """

    name: str
    draw: Callable[[Chart], Drawing]
    columns: tuple[str, ...]
    words: frozenset[int]
    x_label: str = ""
    y_label: str = ""


@contextmanager
def style(**settings: object) -> Iterator[None]:
    """Use the style of these charts, independent of the user's settings, and restore the user's settings afterwards.

    Example:
        >>> import matplotlib
        >>> before = dict(matplotlib.rcParams)
        >>> with style():
        ...     matplotlib.rcParams["font.size"]
        9.0
        >>> dict(matplotlib.rcParams) == before
        True
    """
    import matplotlib

    with _LOCK, warnings.catch_warnings(), matplotlib.rc_context():
        warnings.simplefilter("ignore", matplotlib.MatplotlibDeprecationWarning)
        for message in ("Glyph .* missing from", "constrained_layout not applied"):
            warnings.filterwarnings("ignore", message=message)
        fresh: dict[Any, Any] = {key: value for key, value in matplotlib.rcParamsDefault.items() if key != "backend"}
        sizes = {name: font_points(_STYLE[name]) for name in _SIZES}
        matplotlib.rcParams.update(fresh | _STYLE | sizes | settings)
        yield


@contextmanager
def new_figure(
    title: str, *notes: str, width: float = WIDTH, height: float = HEIGHT, x_label: str = "", y_label: str = ""
) -> Iterator[tuple[Figure, Axes]]:
    """Create a figure with one pair of axes, to be drawn on inside the `with`; notes are below the title.

    ``width`` and ``height`` are the design size. If the page has a fixed width, a figure with the default height keeps its
    proportions; the height of other figures grows with the font size.

    Example:
        >>> with new_figure("JGA by turn", "1,000 dialogues", "") as (figure, axes):
        ...     lines = axes.plot([1, 2], [0.9, 0.8])
        >>> figure.get_suptitle()
        'JGA by turn\\n1,000 dialogues'
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    fit = current_fit()
    if fit.width:
        height = height * max(fit.width / width, 0.6) if height == HEIGHT else font_points(height)
        width = fit.width
    with style():
        layout = ConstrainedLayoutEngine()
        figure = Figure(figsize=(width, height), layout=layout)
        figure.set_label(escape_invisible(title))
        # Above the whole figure: above the axes, a title would be cut if names on the left are long.
        room = design_inches(width)
        lines = [wrap_label(text, int(room * 11)) for text in (title if fit.title else "", *notes) if text]
        if lines:
            figure.suptitle("\n".join(lines), x=0.05 / width, ha="left")
        axes = figure.add_subplot()
        axes.set_xlabel(wrap_label(x_label, int(room * 12) if fit.width else 80))
        axes.set_ylabel(wrap_label(y_label, min(40, int(design_inches(height) * 10)), 3))
        yield figure, axes
        # A second layout would move elements by fractions of a point, so it is done once and not for every file.
        layout.execute(figure)
        figure.set_layout_engine(None)


def render(figure: Figure, kind: Kind) -> bytes:
    """Return a figure as the bytes of a file, without date, version or random ids.

    Example:
        >>> with new_figure("empty") as (figure, axes):
        ...     draw_no_data(figure, axes)
        >>> render(figure, "svg") == render(figure, "svg")
        True
    """
    from matplotlib.font_manager import fontManager

    installed = set() if kind == "svg" else set(fontManager.get_font_names())
    label = str(figure.get_label())
    metadata = {**_METADATA[kind], **({"Title": label} if label else {})}
    file = io.BytesIO()
    with style(
        **{"font.sans-serif": [*_STYLE["font.sans-serif"], *(each for each in _OTHER_SCRIPTS if each in installed)]}
    ):
        figure.savefig(file, format=kind, dpi=current_fit().dpi, metadata=metadata)
    # Links open in the same tab, so that the back button works.
    return _NEW_TAB.sub(rb"\1>", file.getvalue()) if kind == "svg" else file.getvalue()


def save(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure to a file in the format of its suffix: .svg, .pdf or .png.

    Args:
        figure: The figure of a chart.
        path: The file; an existing file is replaced.

    Returns:
        The path.

    Raises:
        DialmeterError: If the suffix is another one, or the file cannot be written.

    Example:
        >>> save(figure=None, path="chart.gif")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: chart.gif: unknown chart format; use .svg, .pdf or .png
    """
    target = Path(path)
    kind = next((each for each in KINDS if target.suffix.lower() == f".{each}"), None)
    if kind is None:
        raise DialmeterError(f"{target.name}: unknown chart format; use .svg, .pdf or .png")
    write_file(target, render(figure, kind), force=True)
    return target


def draw_no_data(figure: Figure, axes: Axes) -> None:
    """Write "no data" on the axes.

    Example:
        >>> with new_figure("empty") as (figure, axes):
        ...     draw_no_data(figure, axes)
        >>> axes.texts[0].get_text()
        'no data'
    """
    axes.text(
        0.5, 0.5, "no data", transform=axes.transAxes, ha="center", va="center", color=FAINT, fontsize=font_points(12)
    )
    axes.set_xticks([])
    axes.set_yticks([])
