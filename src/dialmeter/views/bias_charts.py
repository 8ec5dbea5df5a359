"""The pictures of the bias study: every measure against TO and against NU, and the grid of both; each also as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..stats import Interval
from ..studies.bias.correlations import BiasStudy
from ..studies.bias.error_position import TRAITS
from .chart_files import Chart, slug
from .charts import points as scatter
from .charts import trait_grid

DRAWN = ("TO", "NU")


def bias_charts(studies: Sequence[BiasStudy]) -> Iterator[Chart]:
    """For every study and measure: a scatter over each trait, and the grid of both."""
    for study in studies:
        for measure in study.measures:
            yield from _charts(study, measure)


def _charts(study: BiasStudy, measure: str) -> Iterator[Chart]:
    called = slug(f"{study.system}-{measure}")
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
        data = scatter.table(column, values, x_label=words[trait], y_label=measure, dialogues=names)
        yield Chart(f"{called}-{trait.lower()}", figure, data)
    (first, across), (second, upward) = columns.items()
    title = f"{study.system}: {measure} by {first} and {second}"
    labels = {"x_label": words[first], "y_label": words[second], "score_label": measure}
    figure = trait_grid.draw(across, upward, values, title=title, **labels)  # type: ignore[arg-type]
    yield Chart(f"{called}-grid", figure, trait_grid.table(across, upward, values, **labels))  # type: ignore[arg-type]


def _correlation(study: BiasStudy, trait: str, measure: str) -> Interval:
    [each] = [
        each for each in study.correlations if (each.trait, each.measure, each.filter) == (trait, measure, "none")
    ]
    low, high = each.ci or (None, None)
    return Interval(each.r, low, high, each.n, each.left_out, each.reason)
