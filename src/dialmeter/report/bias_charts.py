"""The pictures of the bias study: every measure against TO and against NU, and the grid of both; each also as CSV."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DialmeterError
from ..stats import Interval
from ..tracking.bias_findings import Study
from ..tracking.traits import TRAITS
from .charts import canvas, scatter, trait_grid
from .tables import Table, render

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWN = ("TO", "NU")


def write_charts(folder: str, studies: Sequence[Study], kind: canvas.Kind = "svg") -> list[str]:
    """Draws all charts into a folder, which is made if it is not there; charts of the same name are replaced.

    Returns:
        The names of the charts; the data of each lies beside it as CSV.

    Raises:
        DialmeterError: the folder cannot be written to.
    """
    drawn: dict[str, tuple[Figure, Table]] = {}
    for study in studies:
        for measure in study.measures:
            for what, figure, data in _charts(study, measure):
                drawn[_unused(slug(f"{study.system}-{measure}-{what}"), drawn)] = (figure, data)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, (figure, data) in drawn.items():
            canvas.save(figure, Path(folder, f"{name}.{kind}"))
            Path(folder, f"{name}.csv").write_text(render(data, "csv") + "\n", "utf-8")
    except OSError as error:
        raise DialmeterError(f"{folder}: charts cannot be written: {error.strerror}") from None
    return [f"{name}.{kind}" for name in drawn]


def slug(text: str) -> str:
    """A name that is safe as a file name on every system.

    Example:
        >>> slug("T5 zero-shot/FGA(lam=0.5)-TO")
        't5-zero-shot-fga-lam-0.5-to'
    """
    return re.sub(r"[^\w.]+", "-", text.lower()).strip("-.")[:120] or "chart"


def _unused(name: str, taken: Container[str]) -> str:
    candidates = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(each for each in candidates if each not in taken)


def _charts(study: Study, measure: str) -> Iterator[tuple[str, Figure, Table]]:
    values = [row.values[measure] for row in study.rows]
    columns = {trait: [row.traits[trait] for row in study.rows] for trait in DRAWN}
    names = [row.dialogue if study.system == row.system else f"{row.system}: {row.dialogue}" for row in study.rows]
    words = {trait: f"{TRAITS[trait].title} ({trait})" for trait in DRAWN}
    for trait, column in columns.items():
        figure = scatter.draw(
            column,
            values,
            x_label=words[trait],
            y_label=measure,
            title=f"{study.system}: does {measure} depend on {trait}?",
            correlation=_correlation(study, trait, measure),
        )
        yield trait, figure, scatter.table(column, values, x_label=words[trait], y_label=measure, dialogues=names)
    (first, across), (second, upward) = columns.items()
    title = f"{study.system}: {measure} by {first} and {second}"
    labels = {"x_label": words[first], "y_label": words[second], "score_label": measure}
    figure = trait_grid.draw(across, upward, values, title=title, **labels)  # type: ignore[arg-type]
    yield "grid", figure, trait_grid.table(across, upward, values, **labels)  # type: ignore[arg-type]


def _correlation(study: Study, trait: str, measure: str) -> Interval:
    [each] = [
        each for each in study.correlations if (each.trait, each.measure, each.filter) == (trait, measure, "none")
    ]
    low, high = each.ci or (None, None)
    return Interval(each.r, low, high, each.n, each.left_out, each.reason)
