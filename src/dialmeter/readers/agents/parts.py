"""Parts of readers of logs: ids of tasks, rewards, numbers that may be absent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from ...errors import InputError, one_line
from ...model import Notice
from ..parts import as_mapping
from ..strict_json import kind_of

CLOSE = 1e-6
"""A reward this close to 1 is a success."""


def task_id(thing: Any, key: str = "task_id") -> str:
    """The id of a task, a number or a text.

    Raises:
        InputError: neither.

    Example:
        >>> task_id(3), task_id("task_019")
        ('3', 'task_019')
    """
    if isinstance(thing, bool) or not isinstance(thing, str | int) or thing == "":
        raise InputError(f"{key} must be a number or a string, found {kind_of(thing)}")
    return str(thing)


def trial_number(thing: Any, key: str = "trial") -> int:
    """The number of a trial; the first where there is none.

    Raises:
        InputError: no whole number.
    """
    if thing is None:
        return 0
    if isinstance(thing, bool) or not isinstance(thing, int) or not 0 <= thing < 10**9:
        raise InputError(f"{key} must be a whole number, found {one_line(str(thing), 40)}")
    return thing


def dialogue_name(task: str, trial: int) -> str:
    """The id of a dialogue: the task and the trial.

    Example:
        >>> dialogue_name("3", 1)
        '3:1'
    """
    return f"{task}:{trial}"


def reward_of(thing: Any) -> dict[str, float]:
    """A reward between 0 and 1 under the name that logs give it; nothing where there is none.

    Raises:
        InputError: something else.

    Example:
        >>> reward_of(1), reward_of(None)
        ({'reward': 1.0}, {})
    """
    if thing is None:
        return {}
    if isinstance(thing, bool) or not isinstance(thing, int | float):
        raise InputError(f"reward must be a number, found {kind_of(thing)}")
    if not -CLOSE <= thing <= 1 + CLOSE:
        raise InputError(f"reward must lie between 0 and 1, found {one_line(str(thing), 40)}")
    return {"reward": float(thing)}


def amounts(**given: Any) -> dict[str, float]:
    """The numbers among some fields that may be absent.

    Example:
        >>> amounts(agent=0.5, user=None)
        {'agent': 0.5}
    """
    return {name: float(value) for name, value in given.items() if amount(value) is not None}


def amount(value: Any) -> float | None:
    """A number of money, seconds or the like; None where there is none.

    Example:
        >>> amount(2), amount(None), amount("2")
        (2.0, None, None)
    """
    known = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return float(value) if known else None


def goal_key(instruction: str) -> str:
    """Ten digits that stand for an instruction; nothing where there is none.

    Example:
        >>> len(goal_key("Book a room.")), goal_key("")
        (10, '')
    """
    return hashlib.sha256(instruction.encode("utf-8", "surrogatepass")).hexdigest()[:10] if instruction else ""


def other_goals(logs: Iterable[Mapping[str, str]]) -> list[Notice]:
    """A notice on tasks that have the same id in several logs, and another goal.

    Args:
        logs: task → key of its goal, for each log; tasks without a goal do not count.

    Example:
        >>> [notice.count for notice in other_goals([{"1": "a", "2": "b"}, {"1": "a", "2": "c"}])]
        [1]
    """
    keys: dict[str, set[str]] = {}
    for log in logs:
        for task, key in log.items():
            keys.setdefault(task, set()).update([key] if key else [])
    apart = sorted(task for task, found in keys.items() if len(found) > 1)
    message = f"{len(apart)} tasks have the same id in several logs, but other goals: are these logs of the same tasks?"
    return [Notice("other-goals", len(apart), message, tuple(apart[:5]))] if apart else []


def optional_mapping(thing: Any, what: str) -> Mapping[str, Any]:
    """An object; an empty one where it is absent.

    Raises:
        InputError: something else.

    Example:
        >>> optional_mapping({"a": 1}, "info"), optional_mapping(None, "info")
        ({'a': 1}, {})
    """
    return {} if thing is None else as_mapping(thing, what)


def mapping_or_empty(thing: Any) -> Mapping[str, Any]:
    """An object; an empty one for anything else, where an absent part is no error.

    Example:
        >>> mapping_or_empty({"a": 1}), mapping_or_empty(None)
        ({'a': 1}, {})
    """
    return thing if isinstance(thing, dict) else {}
