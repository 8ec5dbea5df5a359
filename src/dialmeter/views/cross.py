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


def shown(measure: CrossMeasure, value: float | None, sign: str = "") -> str:
    """A value as tables have it.

    Example:
        >>> shown(MEASURES[0], 0.5), shown(MEASURES[-1], 9.25), shown(MEASURES[0], 0.01, "+"), shown(MEASURES[0], None)
        ('50.00', '9.25', '+1.00', '–')
    """
    return "–" if value is None else f"{100 * value if measure.as_percent else value:{sign}.2f}"


def _span(measure: CrossMeasure, limits: tuple[float, float] | None, reason: str) -> str:
    if limits is None:
        return f"none: {reason}" if reason else ""
    return f"{shown(measure, limits[0])} to {shown(measure, limits[1])}"


def matrices(found: Sequence[CrossScore]) -> list[Table]:
    """A table per measure, users down and systems across; a star marks what differs from the first user."""
    users, systems = (list(dict.fromkeys(getattr(each, side) for each in found)) for side in ("user", "system"))
    tables = []
    for measure in MEASURES:
        cells = {(each.user, each.system): each for each in found if each.measure is measure}
        rows = tuple((user, *(shown(measure, cells[user, system].value) for system in systems)) for user in users)
        marks = {
            (users.index(user), 1 + systems.index(system)): "*"
            for (user, system), each in cells.items()
            if each.excludes_zero
        }
        title = measure.title + (", %" if measure.as_percent else "")
        tables.append(Table(title, ("user", *systems), rows, frozenset(range(1, len(systems) + 1)), marks))
    return tables


def long_table(found: Sequence[CrossScore]) -> Table:
    """One row per measure, system and user: value, interval, and the difference with its interval."""
    systems = [each.system for each in found]
    rows = tuple(
        (
            each.measure.name,
            each.system,
            each.user,
            shown(each.measure, each.value),
            _span(each.measure, each.ci, each.ci_reason),
            shown(each.measure, each.difference, "+") if each.difference is not None else "",
            _span(each.measure, each.difference_ci, each.difference_ci_reason),
        )
        for each in sorted(found, key=lambda one: (MEASURES.index(one.measure), systems.index(one.system)))
    )
    headings = ("measure", "system", "user", "value", "interval", "difference", "its interval")
    return Table("", headings, rows, frozenset(range(3, 7)))


def system_tables(compared: Mapping[str, LogComparison]) -> Iterator[Table]:
    """The systems with each user: differences to the first system within the goals, and how dialogues ended."""
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


def charts(found: Sequence[CrossScore]) -> Iterator[Chart]:
    """A heat map per measure."""
    users, systems = (list(dict.fromkeys(getattr(each, side) for each in found)) for side in ("user", "system"))
    for measure in MEASURES:
        values = {(each.user, each.system): each.value for each in found if each.measure is measure}
        title = measure.title[0].upper() + measure.title[1:]
        labels = {"row_label": "user", "column_label": "system", "value_label": measure.title}
        sides: dict[str, Any] = {**labels, "rows": users, "columns": systems}
        draw = partial(grid.draw, values, title=title, as_percent=measure.as_percent, **sides)
        yield Chart(f"cross-{slug(measure.name)}", title, draw, grid.table(values, **labels))
