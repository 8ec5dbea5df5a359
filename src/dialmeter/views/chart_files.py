"""Charts into a folder, each with its data as CSV beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..core.lock import Lock
from ..core.output import write_file
from .charts import canvas
from .tables import Table, render

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Chart(NamedTuple):
    """A picture, the name of its file without an ending, and its data."""

    name: str
    figure: Figure
    table: Table


def write_charts(folder: str, charts: Iterable[Chart], kind: canvas.Kind) -> list[str]:
    """Saves charts into a folder, which is made if it is not there; charts of the same name are replaced.

    Returns:
        The names of the files with pictures.

    Raises:
        DialmeterError: the folder cannot be written to.
    """
    written: list[str] = []
    place = Path(folder)
    with Lock(place, folder=True):
        for chart in charts:
            # With a number where two charts are called alike.
            names = chain([chart.name], (f"{chart.name}-{number}" for number in count(2)))
            name = next(each for each in names if each not in written)
            canvas.save(chart.figure, place / f"{name}.{kind}")
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
