"""Items of a goal that a language model behind an endpoint proposes. Only values that occur in the instruction are taken."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ...core.endpoint import DryRun
from ...errors import UnreadableAnswer, one_line
from ...model import Notice, TaskGoal
from ..text.json_model import JsonModel
from .conditions import CONDITIONS
from .goal_items import KINDS, SHORTEST, GoalItem, form_of, leaves

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
    """Asks a language model for the items of goals, and notes what it does not take.

    Args:
        url: of the endpoint.
        model: its name.
        key: the environment variable that holds the key.
        cache: a folder in which answers are kept.
    """

    def __init__(self, url: str, model: str, key: str = "OPENAI_API_KEY", cache: str = "") -> None:
        self._model = JsonModel(_TASK, _Answer, url=url, model=model, key=key, cache=cache)
        self._refused: list[str] = []
        self._unreadable: list[str] = []

    def items(self, task: str, goal: TaskGoal, places: Mapping[str, str]) -> list[GoalItem]:
        """Return the items of a goal; none where the answer cannot be read.

        Args:
            task: its id.
            goal: with its instruction. Expected calls are not shown to the model; an item has the keys of their equal values.
            places: codes of airports with their cities.

        Raises:
            DialmeterError: no answer, or the server refuses.
        """
        try:
            answer = self._model.answer(goal.instruction)
        except UnreadableAnswer as error:
            self._unreadable.append(f"task {one_line(task, 80)}: {one_line(str(error), 200)}")
            return []
        found: dict[tuple[str, str], GoalItem] = {}
        for each in answer.items if answer is not None else ():
            value = str(each.value).strip()
            kind = next((known for known in KINDS if known == each.kind), None)
            condition = next((known for known in CONDITIONS if known == each.condition), None)
            if kind is None:
                reason = f"no kind {one_line(each.kind, 40)!r}"
            elif condition is None:
                reason = f"no condition {one_line(each.condition, 40)!r}"
            elif len(value) < SHORTEST and kind != "count":
                reason = "too short"
            elif not value or not form_of(kind, value, places).search(goal.instruction.lower()):
                reason = "not in the instruction"
            else:
                found.setdefault((kind, value), GoalItem(kind, value, _keys(goal, value), condition))
                continue
            self._refused.append(f"task {one_line(task, 80)}: {one_line(value, 80)!r} ({reason})")
        return list(found.values())

    def count_requests(self) -> DryRun:
        """From now on, requests are counted and not sent; a goal whose answer is not known has no items."""
        return self._model.count_requests()

    @property
    def notices(self) -> list[Notice]:
        """What was proposed and not taken, and answers that could not be read."""
        found = []
        if self._refused:
            message = f"{len(self._refused)} items that the model proposes are not taken, such as {self._refused[0]}"
            found.append(Notice("not-taken", len(self._refused), message, tuple(self._refused[:_SHOWN])))
        if self._unreadable:
            message = (
                f"{len(self._unreadable)} tasks have no items, because an answer cannot be read: {self._unreadable[0]}"
            )
            found.append(Notice("unreadable-answer", len(self._unreadable), message, tuple(self._unreadable[:_SHOWN])))
        return found


def _keys(goal: TaskGoal, value: str) -> tuple[str, ...]:
    """Return the arguments of expected calls that have this value."""
    return tuple(
        dict.fromkeys(
            f"{action.name}.{key}"
            for action in goal.actions
            for key, each in leaves("", action.arguments)
            if not isinstance(each, bool) and str(each).lower() == value.lower()
        )
    )
