"""The pictures of judges under attack: error rates side by side."""

from __future__ import annotations

from collections.abc import Iterator

from ..judges.result import JudgeResult
from .chart_files import Chart, slug
from .charts import bars
from .charts.data import Estimate


def error_charts(result: JudgeResult) -> Iterator[Chart]:
    """Error rates by attack, a bar per judge, one picture per corpus."""
    for corpus in dict.fromkeys(cell.corpus for cell in result.cells):
        scores: dict[str, dict[str, Estimate]] = {}
        for cell in result.cells:
            if cell.corpus == corpus and cell.value is not None:
                scores.setdefault(cell.judge, {})[cell.attack] = Estimate(cell.value, *(cell.ci or (None, None)))
        title = f"Judges under attack, corpus {corpus or '(unnamed)'}"
        name = f"errors-{slug(corpus)}" if corpus else "errors"
        yield Chart(name, bars.draw(scores, title=title, y_label="error rate in percent"), bars.table(scores))
