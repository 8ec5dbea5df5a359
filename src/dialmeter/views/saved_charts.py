"""The charts of a run as data: ``charts.json`` in its folder. Pages and ``report --charts`` draw them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, count
from typing import Any

import msgspec
from msgspec import Struct, field

from ..core.open_runs import Run
from ..errors import InputError
from ..readers.source import Source
from .chart_files import Chart
from .charts import bars, canvas, grid, lines, points
from .charts.data import ChartOptions, finite
from .tables import Table

FILE = "charts.json"
_ALL_MARKS = (
    *(bars.BARS, bars.MISTAKES, bars.SPREAD, bars.WORDS, grid.HEAT_MAP, grid.TRAIT_GRID, grid.VALUES),
    *(lines.SHARES, lines.TURNS, lines.SQUARE, points.SCATTER, points.FOREST),
)
MARKS: dict[str, canvas.Mark] = {mark.name: mark for mark in _ALL_MARKS}
"""The kinds of charts by name."""


class SavedTable(Struct, omit_defaults=True):
    """The table of a chart, if it is not the frame."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...] = ()


class SavedChart(Struct, omit_defaults=True):
    """A chart without the links that a page adds; see :class:`Chart`."""

    name: str
    title: str
    mark: str
    columns: tuple[str, ...]
    rows: list[tuple[str | int | float | None, ...]]
    x_label: str = ""
    y_label: str = ""
    as_percent: bool = True
    options: ChartOptions = field(default_factory=ChartOptions)
    table: SavedTable | None = None
    table_first: bool = False

    def __post_init__(self) -> None:
        mark = MARKS.get(self.mark)
        if mark is None:
            raise ValueError(f"no kind of chart is called {self.mark!r}")
        width = max(len(self.columns), len(mark.columns))
        for row in self.rows:
            words = [at in mark.words for at in range(len(row))]
            if len(row) != width or any(
                value is not None and isinstance(value, str) != is_word
                for value, is_word in zip(row, words, strict=True)
            ):
                raise ValueError(f"a row of the chart {self.name!r} does not have its columns")

    def chart(self) -> Chart:
        """Return the chart, to be drawn."""
        kept = self.table
        table = None if kept is None else Table("", kept.headings, kept.rows, frozenset(kept.numeric))
        return Chart(
            self.name,
            self.title,
            MARKS[self.mark],
            [*self.rows],
            self.columns,
            self.x_label,
            self.y_label,
            self.as_percent,
            self.options,
            data=table,
            table_first=self.table_first,
        )


def charts_to_json(charts: Iterable[Chart]) -> str:
    """Return charts as the content of ``charts.json``; a second chart of the same name gets a number.

    Example:
        >>> from .charts.bars import BARS
        >>> text = charts_to_json([Chart("measures", "Scores", BARS, [("TRADE", "JGA", 0.5, None, None)])])
        >>> msgspec.json.decode(text)[0]["mark"]
        'bars'
    """
    names: set[str] = set()
    saved = []
    for each in charts:
        data = each.data
        table = None if data is None else SavedTable(data.headings, data.rows, tuple(sorted(data.numeric)))
        numbered = chain([each.name], (f"{each.name}-{number}" for number in count(2)))
        name = next(name for name in numbered if name not in names)
        names.add(name)
        saved.append(
            SavedChart(
                name,
                each.title,
                each.mark.name,
                each.columns,
                [tuple(map(_plain, row)) for row in each.rows],
                each.x_label,
                each.y_label,
                each.as_percent,
                each.options,
                table,
                each.table_first,
            )
        )
    return "[\n" + ",\n".join(msgspec.json.encode(each).decode() for each in saved) + "\n]\n"


def _plain(value: Any) -> str | int | float | None:
    return value if value is None or isinstance(value, str | int) else finite(value)


def read_charts(run: Run) -> list[Chart]:
    """Read the charts of a run.

    Raises:
        InputError: the file is damaged.
    """
    path = run.path(FILE)
    if not path.exists():
        return []
    try:
        return [each.chart() for each in msgspec.json.decode(Source(path).read_all(), type=list[SavedChart])]
    except msgspec.DecodeError as error:
        raise InputError(f"damaged: {str(error).replace('`', '')}", file=str(path)) from None
