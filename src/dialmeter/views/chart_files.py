"""Charts as frames of data, and folders of chart files. The drawing of a chart, its table and its CSV file derive from its frame."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain, count
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ..core.lock import Lock
from ..core.output import write_file
from ..errors import DialmeterError, did_you_mean, one_line
from ..measure import Score
from .charts import canvas
from .charts.bars import BARS
from .charts.data import ChartOptions, number_cell, point
from .charts.fit import AS_DESIGNED, ChartFit, fitted, parse_width
from .tables import Table, render

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Chart(Struct):
    """A frame of data with a mark; it is drawn on demand.

    Attributes:
        name: the name of its file without the suffix.
        title: the text above it.
        mark: the kind of chart, such as ``bars.BARS``.
        rows: the data, one value per column.
        columns: the titles of the columns; by default those of the mark.
        x_label: what the horizontal position means, in words; by default the text of the mark.
        y_label: what the height means, in words; by default the text of the mark.
        as_percent: whether values are fractions that are shown as percent.
        options: settings of some marks.
        links: (row, column) → address of a link, and its text; a link without a text is in the table only.
        data: a table to show instead of the frame, if it says more.
        table_first: whether a page shows the table before the chart.

    Example:
        >>> scores = Chart("measures", "Scores", BARS)
        >>> scores.add("TRADE", "JGA", 0.5, None, None)
        >>> scores.table.rows, scores.draw().get_suptitle()
        ((('TRADE', 'JGA', '0.5', '', ''),), 'Scores')
    """

    name: str
    title: str
    mark: canvas.Mark
    rows: list[tuple[Any, ...]] = []
    columns: tuple[str, ...] = ()
    x_label: str = ""
    y_label: str = ""
    as_percent: bool = True
    options: ChartOptions = ChartOptions()
    links: dict[tuple[int, int], tuple[str, str]] = {}
    data: Table | None = None
    table_first: bool = False

    def __post_init__(self) -> None:
        self.columns = self.columns or self.mark.columns
        self.x_label = self.x_label or self.mark.x_label
        self.y_label = self.y_label or self.mark.y_label

    def add(self, *values: Any, address: str = "", text: str = "", column: int = 2) -> None:
        """Add a row; the address of a link of one of its columns and the text of the link are optional."""
        if address:
            self.links[len(self.rows), column] = (address, text)
        self.rows.append(values)

    def address(self, row: int, column: int) -> str:
        """Return the address of the link of a value; empty if it has none."""
        return self.links.get((row, column), ("", ""))[0]

    @property
    def table(self) -> Table:
        """The data as a table; numbers have at most ten digits."""
        if self.data is not None:
            return self.data
        rows = tuple(tuple(v if isinstance(v, str) else number_cell(v) for v in values) for values in self.rows)
        numeric = frozenset(range(len(self.columns))) - self.mark.words
        links = {place: address for place, (address, _) in self.links.items()}
        return Table("", self.columns, rows, numeric, links=links)

    def draw(self) -> Figure:
        """Draw the chart."""
        drawing = self.mark.draw(self)
        with canvas.new_figure(
            self.title,
            *drawing.notes,
            width=drawing.width,
            height=drawing.height,
            x_label=drawing.x_label or self.x_label,
            y_label=drawing.y_label or self.y_label,
        ) as (figure, axes):
            (drawing.paint or canvas.draw_no_data)(figure, axes)
        return figure


def score_chart(name: str, title: str, scores: Mapping[str, Iterable[Score]], y_label: str) -> Chart:
    """Return bars of the scores of systems with their intervals.

    Example:
        >>> score = Score(measure="JGA", value=0.5, ci=(0.4, 0.6), n=6, unscored=0, signature="JGA|v:1")
        >>> score_chart("measures", "Scores", {"TRADE": [score]}, "percent").rows
        [('TRADE', 'JGA', 0.5, 0.4, 0.6)]
    """
    rows = [(system, each.measure, *point(each.value, each.ci)) for system, own in scores.items() for each in own]
    return Chart(name, title, BARS, rows, y_label=y_label)


def write_charts(folder: str, charts: Iterable[Chart], kind: canvas.Kind, fit: ChartFit = AS_DESIGNED) -> list[str]:
    """Save charts in a folder, which is created if needed; existing charts of the same name are replaced.

    Args:
        folder: the folder.
        charts: the charts to draw.
        kind: the file format.
        fit: the page that they are drawn for.

    Returns:
        The names of the chart files.

    Raises:
        DialmeterError: the folder cannot be written to.
    """
    written: list[str] = []
    target = Path(folder)
    with Lock(target, folder=True), fitted(fit):
        for chart in charts:
            # A second chart of the same name gets a number.
            names = chain([chart.name], (f"{chart.name}-{number}" for number in count(2)))
            name = next(each for each in names if each not in written)
            canvas.save(chart.draw(), target / f"{name}.{kind}")
            write_file(target / f"{name}.csv", render(chart.table, "csv") + "\n", force=True)
            written.append(name)
    return [f"{name}.{kind}" for name in written]


def parse_chart_settings(settings: Mapping[str, str]) -> tuple[canvas.Kind, ChartFit]:
    """Return the file format and the fit of charts from the settings of ``--chart`` and ``[chart]``.

    Raises:
        DialmeterError: a key or a value is unknown.

    Example:
        >>> parse_chart_settings({"chart-format": "pdf", "no-title": ""})
        ('pdf', ChartFit(width=None, font_size=9.0, dpi=150, title=False))
    """
    for key in settings:
        if key not in CHART_KEYS:
            raise DialmeterError(f"--chart {one_line(key)}: {did_you_mean(key, CHART_KEYS)}")
    kind = settings.get("chart-format", "svg")
    if kind not in canvas.KINDS:
        raise DialmeterError(f"--chart chart-format={one_line(kind)}: write {', '.join(canvas.KINDS)}")
    return kind, ChartFit(
        parse_width(settings["width"]) if "width" in settings else None,
        _number(settings, "font-size", 4, 40, AS_DESIGNED.font_size),
        int(_number(settings, "dpi", 30, 2400, AS_DESIGNED.dpi)),
        "no-title" not in settings,
    )


CHART_KEYS = ("chart-format", "width", "dpi", "font-size", "no-title")


def _number(settings: Mapping[str, str], key: str, least: float, most: float, default: float) -> float:
    text = settings.get(key)
    try:
        value = default if text is None else float(text)
    except ValueError:
        value = inf
    if not least <= value <= most:
        raise DialmeterError(f"--chart {key}={one_line(str(text))}: write a number from {least:g} to {most:g}")
    return value


def slug(text: str) -> str:
    """Return a text that is safe as part of a file name.

    Example:
        >>> slug("FGA(lam=0.5)"), slug("../x")
        ('fga-lam-0.5', 'x')
    """
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")[:120] or "unnamed"
