"""Items of goals in a table that people edit: one row per item, with its condition and other ways to say it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias, cast

from ...errors import InputError, one_line
from ...model import TaskGoal, Trajectory
from ...readers.csv_files import csv_text, read_csv
from ...readers.source import Source
from .conditions import CONDITIONS, Condition
from .goal_items import KINDS, GoalItem, ItemKind, items_of, places_in

COLUMNS = ("task", "kind", "value", "condition", "forms", "keys", "instruction")
_BETWEEN = "|"


ItemSource: TypeAlias = Callable[[str, TaskGoal, Mapping[str, str]], Sequence[GoalItem]]
"""Gives the items of a goal, from its task, the goal, and the codes of airports with their cities."""


def goal_rows(found: Sequence[Trajectory], source: ItemSource | None = None) -> list[tuple[str, ...]]:
    """Return the items of all tasks; a task without items has a row that gives its instruction only.

    Args:
        found: the dialogues of a log.
        source: where items come from; the rule without it.

    Example:
        >>> from dialmeter.model import ExpectedAction, TaskGoal
        >>> goal = TaskGoal("Book economy.", (ExpectedAction("book", {"cabin": "economy"}),))
        >>> goal_rows([Trajectory(id="1:0", task="1", goal=goal)])
        [('1', 'text', 'economy', '', '', 'book.cabin', 'Book economy.')]
    """
    places = places_in(found)
    goals = {each.task: each.goal for each in found if each.goal is not None and each.goal.instruction}
    rows: list[tuple[str, ...]] = []
    for task, goal in sorted(goals.items()):
        known = items_of(goal, places) if source is None else source(task, goal, places)
        items = [(item.kind, item.value, item.condition, "", _BETWEEN.join(item.keys)) for item in known]
        for place, item in enumerate(items or [("", "", "", "", "")]):
            rows.append((task, *item, "" if place else goal.instruction))
    return rows


def goal_sheet(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows as CSV. No cell is a formula."""
    return csv_text(COLUMNS, rows)


def read_goal_sheet(path: str | Path) -> dict[str, list[GoalItem]]:
    """Return the items of a sheet by task. Rows without a value only name a task.

    Raises:
        InputError: a column is missing, or a cell has a word that is not known; with the line.
    """
    found: dict[str, list[GoalItem]] = {}
    for line, row in read_csv(Source(path), COLUMNS[:3], "task, kind and value are needed").rows:
        cells = {name: row.get(name, "").strip() for name in COLUMNS}
        if not cells["task"]:
            raise InputError("a row without a task", file=str(path), line=line)
        items = found.setdefault(cells["task"], [])
        if cells["value"]:
            item = _item(cells, str(path), line)
            if any((each.kind, each.value) == (item.kind, item.value) for each in items):
                message = f"duplicate item {one_line(cells['value'])!r} of task {one_line(cells['task'])}"
                raise InputError(message, file=str(path), line=line)
            items.append(item)
    if not any(found.values()):
        raise InputError("no item; a row has a task, a kind and a value", file=str(path))
    return found


def _item(cells: Mapping[str, str], path: str, line: int) -> GoalItem:
    for name, known in (("kind", KINDS), ("condition", CONDITIONS)):
        if cells[name] not in known:
            words = ", ".join(each or "nothing" for each in known)
            raise InputError(f"{name} is {words}, not {one_line(cells[name])!r}", file=path, line=line)
    forms, keys = (
        tuple(part.strip() for part in cells[name].split(_BETWEEN) if part.strip()) for name in ("forms", "keys")
    )
    kind, condition = cast(ItemKind, cells["kind"]), cast(Condition, cells["condition"])
    return GoalItem(kind, cells["value"], keys, condition, forms)


def sheet_digest(items: Mapping[str, Sequence[GoalItem]]) -> str:
    """Ten digits over the items of a sheet, for signatures.

    Example:
        >>> sheet_digest({"1": [GoalItem("text", "economy", ())]}) == sheet_digest({"1": []})
        False
    """
    lines = [
        f"{task}\t{item.kind}\t{item.value}\t{item.condition}\t{item.forms}\t{item.keys}"
        for task, each in sorted(items.items())
        for item in each
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:10]
