"""Sheets of goal items that people edit: one row per item, with its condition and other forms."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias, cast

from ...errors import InputError, one_line
from ...model import TaskGoal, Trajectory
from ...readers.csv_files import csv_text, read_csv
from ...readers.source import Source
from .goal_items import CONDITIONS, KINDS, Condition, GoalItem, ItemKind, items_of, places_in

COLUMNS = ("task", "kind", "value", "condition", "forms", "keys", "instruction")
_SEPARATOR = "|"


ItemSource: TypeAlias = Callable[[str, TaskGoal, Mapping[str, str]], Sequence[GoalItem]]
"""Takes a task, its goal and the places (airport code → city). Returns the items of the goal."""


def goal_rows(trajectories: Sequence[Trajectory], source: ItemSource | None = None) -> list[tuple[str, ...]]:
    """Return one row for each item of all tasks. A task without items has one row with only its instruction.

    Args:
        trajectories: the dialogues of a log.
        source: returns the items of a goal; default: the rule.

    Example:
        >>> from dialmeter.model import ExpectedAction, TaskGoal
        >>> goal = TaskGoal("Book economy.", (ExpectedAction("book", {"cabin": "economy"}),))
        >>> goal_rows([Trajectory(id="1:0", task="1", goal=goal)])
        [('1', 'text', 'economy', '', '', 'book.cabin', 'Book economy.')]
    """
    places = places_in(trajectories)
    goals = {each.task: each.goal for each in trajectories if each.goal is not None and each.goal.instruction}
    rows: list[tuple[str, ...]] = []
    for task, goal in sorted(goals.items()):
        goal_items = items_of(goal, places) if source is None else source(task, goal, places)
        items = [(item.kind, item.value, item.condition, "", _SEPARATOR.join(item.keys)) for item in goal_items]
        for number, item in enumerate(items or [("", "", "", "", "")]):
            rows.append((task, *item, "" if number else goal.instruction))
    return rows


def goal_sheet(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows as CSV. No cell is a formula."""
    return csv_text(COLUMNS, rows)


def read_goal_sheet(path: str | Path) -> dict[str, list[GoalItem]]:
    """Read the items of a sheet, by task. A row without a value only names a task.

    Raises:
        InputError: a column is missing, or a cell is invalid. The error has the line.
    """
    sheet: dict[str, list[GoalItem]] = {}
    for line, row in read_csv(Source(path), COLUMNS[:3], "task, kind and value are needed").rows:
        cells = {name: row.get(name, "").strip() for name in COLUMNS}
        if not cells["task"]:
            raise InputError("the row has no task", file=str(path), line=line)
        items = sheet.setdefault(cells["task"], [])
        if cells["value"]:
            item = _item(cells, str(path), line)
            if any((each.kind, each.value) == (item.kind, item.value) for each in items):
                message = f"duplicate item {one_line(cells['value'])!r} of task {one_line(cells['task'])}"
                raise InputError(message, file=str(path), line=line)
            items.append(item)
    if not any(sheet.values()):
        raise InputError("the sheet has no items; a row needs a task, a kind and a value", file=str(path))
    return sheet


def _item(cells: Mapping[str, str], path: str, line: int) -> GoalItem:
    for name, allowed in (("kind", KINDS), ("condition", CONDITIONS)):
        if cells[name] not in allowed:
            choices = ", ".join(each or "empty" for each in allowed)
            raise InputError(f"{name} must be one of {choices}, not {one_line(cells[name])!r}", file=path, line=line)
    forms, keys = (
        tuple(part.strip() for part in cells[name].split(_SEPARATOR) if part.strip()) for name in ("forms", "keys")
    )
    kind, condition = cast(ItemKind, cells["kind"]), cast(Condition, cells["condition"])
    return GoalItem(kind, cells["value"], keys, condition, forms)


def sheet_digest(items: Mapping[str, Sequence[GoalItem]]) -> str:
    """Return the first ten hex digits of a digest of the items of a sheet, for signatures.

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
