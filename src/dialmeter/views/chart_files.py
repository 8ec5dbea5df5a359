"""Charts, and folders of chart files. Each chart file has a CSV file with its data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.lock import Lock
from ..core.output import write_file
from .charts import canvas
from .charts.fit import AS_DESIGNED, ChartFit, fitted
from .tables import Table, render

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Chart(NamedTuple):
    """A chart that is drawn on demand, and its data.

    ``name`` is the name of its file without the suffix. ``links`` maps the address of each link in the chart to its text.
    If ``table_first`` is set, a page shows the data before the chart.
    """

    name: str
    title: str
    draw: Callable[[], Figure]
    table: Table
    links: Mapping[str, str] = {}
    table_first: bool = False


def chart(
    name: str,
    title: str,
    draw: Callable[..., Figure],
    table: Callable[..., Table],
    *data: Any,
    texts: Mapping[str, str] | None = None,
    **options: Any,
) -> Chart:
    """Build a chart from a function that draws the data and a function that tabulates the same data.

    Args:
        name: the name of its file.
        title: the text above it.
        draw: the function that draws it, such as ``bars.draw``.
        table: the function that returns its data as a table, such as ``bars.table``.
        data: positional arguments of both functions.
        texts: the text of each link, by address.
        options: keyword arguments of ``draw``.

    Example:
        >>> from dialmeter.views.charts import bars, data
        >>> scores = chart("measures", "Scores", bars.draw, bars.table, {"TRADE": {"JGA": data.Estimate(0.5)}})
        >>> scores.table.rows, scores.draw().get_suptitle()
        ((('TRADE', 'JGA', '0.5', '', ''),), 'Scores')
    """
    return Chart(name, title, partial(draw, *data, title=title, **options), table(*data), texts or {})


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


def slug(text: str) -> str:
    """Return a text that is safe as part of a file name.

    Example:
        >>> slug("FGA(lam=0.5)"), slug("../x")
        ('fga-lam-0.5', 'x')
    """
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")[:120] or "unnamed"
