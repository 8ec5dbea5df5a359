"""Values of goals that a language model at an endpoint proposes. Only values that occur in the instruction are accepted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ...errors import UnreadableAnswer, one_line
from ...model import Notice, TaskGoal
from ..text.model_maker import JsonModel
from .goal_items import CONDITIONS, KINDS, MIN_LENGTH, GoalItem, form_of, leaves

_SHOWN = 10
_TASK = (
    "You read the instruction of a person who will talk to an agent. List every value that the person has to tell the agent. "
    'Answer with JSON: {"items": [{"kind": .., "value": .., "condition": ..}]}. A value is written as in the instruction, a '
    f"date as YYYY-MM-DD. kind is one of {', '.join(KINDS)}; count is a number of bags. condition is asked if the person may "
    "say it only when the agent asks, fallback if only when the first choice fails, secret if it must not be said, else empty. "
    "The list may be empty."
)


class _Proposed(Struct):
    kind: str
    value: str | int | float
    condition: str = ""


class _Answer(Struct):
    items: list[_Proposed]


class ModelItems:
    """Uses a language model to find the values of goals, and records the goal values that it rejects; see :class:`JsonModel`."""

    def __init__(self, place: Mapping[str, Any]) -> None:
        self.requests = JsonModel(_TASK, _Answer, place)
        self._rejected: list[str] = []
        self._unreadable: list[str] = []

    def items(self, task: str, goal: TaskGoal, places: Mapping[str, str]) -> list[GoalItem]:
        """Return the values of a goal. The list is empty if the answer cannot be read.

        Args:
            task: the id of the task.
            goal: a goal with an instruction. The model does not get the expected calls. A goal value gets the keys of the equal values in them.
            places: airport code → city.

        Raises:
            DialmeterError: there is no answer, or the server refuses the request.
        """
        try:
            answer = self.requests.answer(goal.instruction)
        except UnreadableAnswer as error:
            self._unreadable.append(f"task {one_line(task, 80)}: {one_line(str(error), 200)}")
            return []
        items: dict[tuple[str, str], GoalItem] = {}
        for each in answer.items if answer is not None else ():
            value = str(each.value).strip()
            kind = next((known for known in KINDS if known == each.kind), None)
            condition = next((known for known in CONDITIONS if known == each.condition), None)
            if kind is None:
                reason = f"no kind {one_line(each.kind, 40)!r}"
            elif condition is None:
                reason = f"no condition {one_line(each.condition, 40)!r}"
            elif len(value) < MIN_LENGTH and kind != "count":
                reason = "too short"
            elif not value or not form_of(kind, value, places).search(goal.instruction.lower()):
                reason = "not in the instruction"
            else:
                items.setdefault((kind, value), GoalItem(kind, value, _keys(goal, value), condition))
                continue
            self._rejected.append(f"task {one_line(task, 80)}: {one_line(value, 80)!r} ({reason})")
        return list(items.values())

    @property
    def notices(self) -> list[Notice]:
        """Warnings about rejected goal values, and about answers that could not be read."""
        problems = (
            ("not-taken", self._rejected, "goal values of the model were rejected, for example"),
            ("unreadable-answer", self._unreadable, "tasks have no goal values, because an answer cannot be read:"),
        )
        return [
            Notice(code, len(where), f"{len(where)} {text} {where[0]}", tuple(where[:_SHOWN]))
            for code, where, text in problems
            if where
        ]


def _keys(goal: TaskGoal, value: str) -> tuple[str, ...]:
    """Return the arguments of expected calls with this value."""
    return tuple(
        dict.fromkeys(
            path
            for action in goal.actions
            for path, each in leaves(action.name, action.arguments)
            if not isinstance(each, bool) and str(each).lower() == value.lower()
        )
    )
