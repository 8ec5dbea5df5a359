"""The cross evaluation of users and systems as tables, JSON and charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from ..studies.cross import MEASURES, CrossMeasure, CrossScore
from ..systems.compare import LogComparison
from .chart_files import Chart, slug
from .charts import grid
from .system import system_comparison_table
from .tables import Table


def format_value(measure: CrossMeasure, value: float | None, sign: str = "") -> str:
    """Format a value for a table.

    Example:
        >>> format_value(MEASURES[0], 0.5), format_value(MEASURES[-1], 9.25), format_value(MEASURES[0], 0.01, "+"), format_value(MEASURES[0], None)
        ('50.00', '9.25', '+1.00', '–')
    """
    return "–" if value is None else f"{100 * value if measure.as_percent else value:{sign}.2f}"


def _format_interval(measure: CrossMeasure, limits: tuple[float, float] | None, reason: str) -> str:
    if limits is None:
        return f"none: {reason}" if reason else ""
    return f"{format_value(measure, limits[0])} to {format_value(measure, limits[1])}"


def matrices(scores: Sequence[CrossScore]) -> list[Table]:
    """Return a table per measure with users as rows and systems as columns; a star marks a difference from the first user."""
    users, systems = (list(dict.fromkeys(getattr(score, side) for score in scores)) for side in ("user", "system"))
    tables = []
    for measure in MEASURES:
        cells = {(score.user, score.system): score for score in scores if score.measure is measure}
        rows = tuple(
            (user, *(format_value(measure, cells[user, system].value) for system in systems)) for user in users
        )
        marks = {
            (users.index(user), 1 + systems.index(system)): "*"
            for (user, system), score in cells.items()
            if score.excludes_zero
        }
        title = measure.title + (", %" if measure.as_percent else "")
        tables.append(Table(title, ("user", *systems), rows, frozenset(range(1, len(systems) + 1)), marks))
    return tables


def long_table(scores: Sequence[CrossScore]) -> Table:
    """Return one row per measure, system and user: value, interval, and the difference with its interval."""
    systems = [score.system for score in scores]
    rows = tuple(
        (
            score.measure.name,
            score.system,
            score.user,
            format_value(score.measure, score.value),
            _format_interval(score.measure, score.ci, score.ci_reason),
            format_value(score.measure, score.difference, "+") if score.difference is not None else "",
            _format_interval(score.measure, score.difference_ci, score.difference_ci_reason),
        )
        for score in sorted(scores, key=lambda one: (MEASURES.index(one.measure), systems.index(one.system)))
    )
    headings = ("measure", "system", "user", "value", "interval", "difference", "its interval")
    return Table("", headings, rows, frozenset(range(3, 7)))


def system_tables(compared: Mapping[str, LogComparison]) -> Iterator[Table]:
    """Yield two tables per user: differences from the first system within goals, and completed goals by ending."""
    for user, each in compared.items():
        yield replace(system_comparison_table(each), title=f"systems with {user}, within goals")
        endings = list(dict.fromkeys(ending for result in each.results.values() for ending in result.endings))
        rows = tuple(
            (
                system,
                *(
                    f"{counts['successful']}/{counts['successful'] + counts['failed']}" if counts else ""
                    for counts in (result.endings.get(ending) for ending in endings)
                ),
            )
            for system, result in each.results.items()
        )
        right = frozenset(range(1, len(endings) + 1))
        yield Table(f"goals completed with {user}, by ending", ("system", *endings), rows, right)


def charts(scores: Sequence[CrossScore]) -> Iterator[Chart]:
    """Yield a heat map per measure."""
    users, systems = (list(dict.fromkeys(getattr(score, side) for score in scores)) for side in ("user", "system"))
    for measure in MEASURES:
        values = {(score.user, score.system): score.value for score in scores if score.measure is measure}
        title = measure.title[0].upper() + measure.title[1:]
        labels = {"row_label": "user", "column_label": "system", "value_label": measure.title}
        sides: dict[str, Any] = {**labels, "rows": users, "columns": systems}
        draw = partial(grid.draw, values, title=title, as_percent=measure.as_percent, **sides)
        yield Chart(f"cross-{slug(measure.name)}", title, draw, grid.table(values, **labels))
