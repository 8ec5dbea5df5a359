"""Charts, and folders of chart files, each with its data as CSV."""

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
    """A chart that is drawn when it is needed, and its data.

    ``name`` is the name of its file without an ending. ``links`` has the text of each link in it, by address. On a page, the data
    come before the chart where ``table_first`` is set.
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
    """A chart from the two functions of a mark, which take the same data.

    Args:
        name: the name of its file.
        title: the text above it.
        draw: how it is drawn, such as ``bars.draw``.
        table: its data as rows, such as ``bars.table``.
        data: what both take.
        texts: the text of each link, by address.
        options: of ``draw``.

    Example:
        >>> from dialmeter.views.charts import bars, data
        >>> made = chart("measures", "Scores", bars.draw, bars.table, {"TRADE": {"JGA": data.Estimate(0.5)}})
        >>> made.table.rows, made.draw().get_suptitle()
        ((('TRADE', 'JGA', '0.5', '', ''),), 'Scores')
    """
    return Chart(name, title, partial(draw, *data, title=title, **options), table(*data), texts or {})


def write_charts(folder: str, charts: Iterable[Chart], kind: canvas.Kind, fit: ChartFit = AS_DESIGNED) -> list[str]:
    """Saves charts into a folder, which is made if it is not there; charts of the same name are replaced.

    Args:
        folder: where they go.
        charts: what is drawn.
        kind: of the files.
        fit: the page that they are for.

    Returns:
        The names of the chart files.

    Raises:
        DialmeterError: the folder cannot be written to.
    """
    written: list[str] = []
    place = Path(folder)
    with Lock(place, folder=True), fitted(fit):
        for chart in charts:
            # With a number where two charts have the same name.
            names = chain([chart.name], (f"{chart.name}-{number}" for number in count(2)))
            name = next(each for each in names if each not in written)
            canvas.save(chart.draw(), place / f"{name}.{kind}")
            write_file(place / f"{name}.csv", render(chart.table, "csv") + "\n", force=True)
            written.append(name)
    return [f"{name}.{kind}" for name in written]


def slug(text: str) -> str:
    """A name that is safe as part of a file's name.

    Example:
        >>> slug("FGA(lam=0.5)"), slug("../x")
        ('fga-lam-0.5', 'x')
    """
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")[:120] or "unnamed"
