"""Tables, charts and a short Markdown report of dialogue systems, and of users crossed with systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from ..errors import one_line
from ..model import Trajectory
from ..studies.cross import MEASURES, CrossMeasure, CrossScore
from ..systems.compare import LogComparison
from ..systems.measures import SystemOutcome
from ..systems.result import SystemResult
from . import compare
from .chart_files import Chart, score_chart, slug
from .charts.bars import BARS
from .charts.grid import HEAT_MAP
from .pages.messages import arguments
from .tables import Table, grid_of, percent, score_cells, table_of

WORST = 10
OUTCOMES = {True: "right", False: "failed", None: "unscored"}


def system_score_table(result: SystemResult) -> Table:
    """Return one row per measure: value, interval, number of tasks, also without infrastructure errors; the account is below."""
    again = ", infrastructure errors unscored"
    cells = [(score_cells(each), again if each.group else "") for each in result.every_score]
    rows = tuple((f"{name}{suffix}", *more) for (name, *more), suffix in cells)
    unscored = "not applicable" if result.settings.success else "too few trials"
    headings = ("measure", "value", "interval", "tasks", unscored)
    return Table("", headings, rows, frozenset(range(1, 5)), foot=(result.account.line,))


def system_comparison_table(compared: LogComparison) -> Table:
    """Return the scores of the systems for each measure, with differences from the first system."""
    names = list(dict.fromkeys(each.measure for each in compared.versus))
    scores = {measure: {name: result.get(measure) for name, result in compared.results.items()} for measure in names}
    return compare.comparison_table(compared, scores)


def system_charts(results: Mapping[str, SystemResult]) -> Iterator[Chart]:
    """Yield a chart of success and pass^k of the systems, and a chart of the endings of their dialogues."""
    scores = {name: result.scores for name, result in results.items()}
    yield score_chart("success", "Success with intervals over tasks", scores, "percent of tasks")
    endings = list(dict.fromkeys(ending for result in results.values() for ending in result.endings))
    rows = [
        (name, ending, sum(result.endings.get(ending, {}).values()) / len(result.outcomes), None, None)
        for name, result in results.items()
        for ending in endings
    ]
    yield Chart("endings", "Endings of dialogues", BARS, rows, y_label="percent of dialogues")


def detail_tables(result: SystemResult, limit: int | None = WORST) -> list[Table]:
    """Return the mean effort per dialogue, the endings with their successes, and the worst tasks; None for every task."""
    endings = {name: dict(counts) for name, counts in result.endings.items()}
    outcomes = ("successful", "failed", "unscored")
    return [
        table_of(
            "per dialogue", result.efforts, "<measure", "mean=value:number", "interval=ci:numbers", "<meaning=title"
        ),
        table_of(
            "endings of dialogues",
            endings,
            ("<ending", str),
            *((name, lambda each, name=name: endings[each][name]) for name in outcomes),
            ("share", lambda each: percent(_share(endings[each]["successful"], endings[each]["failed"]))),
        ),
        table_of(
            "tasks" if limit is None else "worst tasks",
            result.tasks if limit is None else result.worst(limit),
            "<task",
            ("successes", lambda each: f"{each.successes}/{each.trials}"),
            "<endings:pairs",
        ),
    ]


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None


def dialogue_lines(trajectory: Trajectory, outcome: SystemOutcome) -> Iterator[str]:
    """Yield a dialogue turn by turn: texts, tool calls with their results, and the outcome."""
    yield f"{trajectory.id}  {OUTCOMES[outcome.success]}, {trajectory.ending}" + (
        f": {trajectory.error}" if trajectory.error else ""
    )
    if trajectory.goal is not None and trajectory.goal.instruction:
        yield f"goal  {one_line(trajectory.goal.instruction, 2000)}"
    for step in trajectory.steps:
        if step.text or not step.calls:
            yield f"{step.at:>3} {step.speaker:<6}  {one_line(step.text, 2000)}"
        for call in step.calls:
            yield f"{step.at:>3} {'call':<6}  {call.name}({', '.join(f'{name}={value}' for name, value in arguments(call))})"
            yield f"    {'error' if call.failed else 'answer':<6}  {one_line(call.result or '', 500)}"


def format_cross_value(measure: CrossMeasure, value: float | None, sign: str = "") -> str:
    """Format a value for a table.

    Example:
        >>> format_cross_value(MEASURES[0], 0.5), format_cross_value(MEASURES[-1], 9.25), format_cross_value(MEASURES[0], 0.01, "+"), format_cross_value(MEASURES[0], None)
        ('50.00', '9.25', '+1.00', '–')
    """
    return "–" if value is None else f"{100 * value if measure.as_percent else value:{sign}.2f}"


def format_cross_interval(measure: CrossMeasure, limits: tuple[float, float] | None, reason: str = "") -> str:
    """Format an interval for a table, or say why there is none."""
    if limits is None:
        return f"none: {reason}" if reason else ""
    return f"{format_cross_value(measure, limits[0])} to {format_cross_value(measure, limits[1])}"


def cross_matrices(scores: Sequence[CrossScore]) -> list[Table]:
    """Return a table per measure with users as rows and systems as columns; a star marks a difference from the first user."""
    users, systems = (list(dict.fromkeys(getattr(score, side) for score in scores)) for side in ("user", "system"))
    tables = []
    for measure in MEASURES:
        cells = {(score.user, score.system): score for score in scores if score.measure is measure}
        rows = {
            user: {system: format_cross_value(measure, cells[user, system].value) for system in systems}
            for user in users
        }
        marks = {
            (users.index(user), 1 + systems.index(system)): "*"
            for (user, system), score in cells.items()
            if score.excludes_zero
        }
        title = measure.title + (", %" if measure.as_percent else "")
        tables.append(grid_of(title, rows, "user", systems, marks=marks))
    return tables


def cross_table(scores: Sequence[CrossScore]) -> Table:
    """Return one row per measure, system and user: value, interval, and the difference with its interval."""
    systems = [score.system for score in scores]
    return table_of(
        "",
        sorted(scores, key=lambda one: (MEASURES.index(one.measure), systems.index(one.system))),
        "<measure=measure.name | <system | <user",
        ("value", lambda each: format_cross_value(each.measure, each.value)),
        ("interval", lambda each: format_cross_interval(each.measure, each.ci, each.ci_reason)),
        (
            "difference",
            lambda each: "" if each.difference is None else format_cross_value(each.measure, each.difference, "+"),
        ),
        (
            "its interval",
            lambda each: format_cross_interval(each.measure, each.difference_ci, each.difference_ci_reason),
        ),
    )


def system_tables(compared: Mapping[str, LogComparison]) -> Iterator[Table]:
    """Yield two tables per user: differences from the first system within goals, and completed goals by ending."""
    for user, each in compared.items():
        yield replace(system_comparison_table(each), title=f"systems with {user}, within goals")
        reached = {
            system: {
                ending: f"{counts['successful']}/{counts['successful'] + counts['failed']}"
                for ending, counts in result.endings.items()
            }
            for system, result in each.results.items()
        }
        endings = dict.fromkeys(ending for row in reached.values() for ending in row)
        yield grid_of(f"goals completed with {user}, by ending", reached, "system", endings)


def cross_charts(scores: Sequence[CrossScore]) -> Iterator[Chart]:
    """Yield a heat map per measure."""
    for measure in MEASURES:
        rows = [(score.user, score.system, score.value) for score in scores if score.measure is measure]
        yield Chart(
            f"cross-{slug(measure.name)}",
            measure.title[0].upper() + measure.title[1:],
            HEAT_MAP,
            rows,
            ("user", "system", measure.title),
            as_percent=measure.as_percent,
        )
