"""The cross evaluation of users and systems as tables, JSON and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..studies.cross import MEASURES, CrossMeasure, CrossScore
from .chart_files import Chart, slug
from .charts import grid as heat_map
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
            if each.stands_out
        }
        title = measure.title + (", %" if measure.as_percent else "")
        tables.append(Table(title, ("user", *systems), rows, frozenset(range(1, len(systems) + 1)), marks))
    return tables


def long_table(found: Sequence[CrossScore]) -> Table:
    """One row per measure, system and user: value, interval, and the difference with its interval."""
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
        for each in sorted(found, key=lambda one: (MEASURES.index(one.measure), _place(found, one.system)))
    )
    headings = ("measure", "system", "user", "value", "interval", "difference", "its interval")
    return Table("", headings, rows, frozenset(range(3, 7)))


def _place(found: Sequence[CrossScore], system: str) -> int:
    return [each.system for each in found].index(system)


def as_dicts(found: Sequence[CrossScore]) -> list[dict[str, Any]]:
    """The scores as in JSON."""
    return [
        {
            "measure": each.measure.name,
            "value": each.value,
            "ci": list(each.ci) if each.ci else None,
            "n": each.n,
            "unscored": each.unscored,
            "user": each.user,
            "system": each.system,
            "difference": each.difference,
            "difference_ci": list(each.difference_ci) if each.difference_ci else None,
            "signature": each.signature,
            **{name: text for name in ("ci_reason", "difference_ci_reason") if (text := getattr(each, name))},
        }
        for each in found
    ]


def charts(found: Sequence[CrossScore]) -> Iterator[Chart]:
    """A heat map per measure."""
    users, systems = (list(dict.fromkeys(getattr(each, side) for each in found)) for side in ("user", "system"))
    for measure in MEASURES:
        values = {(each.user, each.system): each.value for each in found if each.measure is measure}
        title = measure.title[0].upper() + measure.title[1:]
        figure = heat_map.draw(
            values,
            rows=users,
            columns=systems,
            row_label="user",
            column_label="system",
            value_label=measure.title,
            title=title,
            as_percent=measure.as_percent,
        )
        table = heat_map.table(values, row_label="user", column_label="system", value_label=measure.title)
        yield Chart(f"cross-{slug(measure.name)}", figure, table)
