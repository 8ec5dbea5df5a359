"""An agent's scores, costs, endings and tasks as tables, charts and a short Markdown report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..systems.compare import LogComparison
from ..systems.result import SystemResult
from . import compare
from .chart_files import Chart, chart
from .charts import bars
from .charts.data import Estimate
from .tables import Table, markdown_page, percent, score_cells
from .tracker import signature_of

WORST = 10


def system_score_table(result: SystemResult) -> Table:
    """Return one row per measure: value, interval, number of tasks, also without infrastructure errors; the account is below."""
    again = ", infrastructure errors left out"
    cells = [(score_cells(each), again if each.group else "") for each in result.every_score]
    rows = tuple((f"{name}{suffix}", *more) for (name, *more), suffix in cells)
    headings = (
        "measure",
        "value",
        "interval",
        "tasks",
        "not applicable" if result.settings.success else "too few trials",
    )
    return Table("", headings, rows, frozenset(range(1, 5)), foot=(result.account.line,))


def effort_table(result: SystemResult) -> Table:
    """Return the mean effort per dialogue: turns, calls, money, time."""
    rows = tuple(
        (
            each.measure,
            "–" if each.value is None else f"{each.value:.4g}",
            f"{each.ci[0]:.4g} to {each.ci[1]:.4g}" if each.ci else "",
            each.title,
        )
        for each in result.efforts
    )
    return Table("per dialogue", ("measure", "mean", "interval", "meaning"), rows, frozenset({1, 2}))


def ending_table(result: SystemResult) -> Table:
    """Return the endings of dialogues, with the number of successful dialogues of each."""
    rows = []
    for ending, counts in result.endings.items():
        scored = counts["successful"] + counts["failed"]
        share = percent(counts["successful"] / scored) if scored else "–"
        rows.append((ending, *(str(counts[name]) for name in ("successful", "failed", "unscored")), share))
    headings = ("ending", "successful", "failed", "unscored", "share")
    return Table("endings of dialogues", headings, tuple(rows), frozenset(range(1, 5)))


def task_table(result: SystemResult, *, every: bool = False) -> Table:
    """Return the tasks that fail most often, or every task."""
    tasks = result.tasks if every else result.worst(WORST)
    rows = tuple(
        (
            each.task,
            f"{each.successes}/{each.trials}",
            ", ".join(f"{count} {ending}" for ending, count in each.endings.items()),
        )
        for each in tasks
    )
    return Table("tasks" if every else "worst tasks", ("task", "successes", "endings"), rows, frozenset({1}))


def system_comparison_table(compared: LogComparison) -> Table:
    """Return the scores of the systems for each measure, with differences from the first system."""
    names = list(dict.fromkeys(each.measure for each in compared.versus))
    scores = {measure: {name: result.get(measure) for name, result in compared.results.items()} for measure in names}
    return compare.comparison_table(compared, scores)


def system_charts(results: Mapping[str, SystemResult]) -> Iterator[Chart]:
    """Yield a chart of success and pass^k of the systems, and a chart of the endings of their dialogues."""
    scores = {
        name: {score.measure: Estimate(score.value, *(score.ci or ())) for score in result.scores}
        for name, result in results.items()
    }
    yield chart(
        "success", "Success with intervals over tasks", bars.draw, bars.table, scores, y_label="percent of tasks"
    )
    shares = {
        name: {
            ending: Estimate(sum(counts.values()) / len(result.outcomes)) for ending, counts in result.endings.items()
        }
        for name, result in results.items()
    }
    endings = list(dict.fromkeys(ending for own in shares.values() for ending in own))
    filled = {name: {ending: own.get(ending, Estimate(0.0)) for ending in endings} for name, own in shares.items()}
    yield chart("endings", "Endings of dialogues", bars.draw, bars.table, filled, y_label="percent of dialogues")


def markdown_report(name: str, result: SystemResult) -> str:
    """Return the report of a run as one page of Markdown."""
    facts = f"{len(result.scored)} dialogues of {len(result.by_task)} tasks."
    details = [effort_table(result), ending_table(result), task_table(result)]
    return markdown_page(
        name,
        facts,
        [system_score_table(result)],
        result.notices,
        details,
        signature=signature_of(result.every_score),
    )
