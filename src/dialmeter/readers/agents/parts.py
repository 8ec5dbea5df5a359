"""Shared parts of log readers: task ids, rewards, and optional numbers."""

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
"""Tolerance for rewards: a reward within this distance of 1 is a success."""


def task_id(thing: Any, key: str = "task_id") -> str:
    """Return the id of a task as a string. It may be written as a number.

    Raises:
        InputError: the id is empty or of another type.

    Example:
        >>> task_id(3), task_id("task_019")
        ('3', 'task_019')
    """
    if isinstance(thing, bool) or not isinstance(thing, str | int) or thing == "":
        raise InputError(f"{key} must be a number or a string, found {kind_of(thing)}")
    return str(thing)


def trial_number(thing: Any, key: str = "trial") -> int:
    """Return the number of a trial; 0 if it is absent.

    Raises:
        InputError: not a whole number.
    """
    if thing is None:
        return 0
    if isinstance(thing, bool) or not isinstance(thing, int) or not 0 <= thing < 10**9:
        raise InputError(f"{key} must be a whole number, found {one_line(str(thing), 40)}")
    return thing


def dialogue_name(task: str, trial: int) -> str:
    """Return the id of a dialogue, made of task and trial.

    Example:
        >>> dialogue_name("3", 1)
        '3:1'
    """
    return f"{task}:{trial}"


def reward_of(thing: Any) -> dict[str, float]:
    """Return a reward between 0 and 1 under the name ``reward``; an empty dict if it is absent.

    Raises:
        InputError: not a number between 0 and 1.

    Example:
        >>> reward_of(1), reward_of(None)
        ({'reward': 1.0}, {})
    """
    if thing is None:
        return {}
    if isinstance(thing, bool) or not isinstance(thing, int | float):
        raise InputError(f"reward must be a number, found {kind_of(thing)}")
    if not -CLOSE <= thing <= 1 + CLOSE:
        raise InputError(f"reward must be between 0 and 1, found {one_line(str(thing), 40)}")
    return {"reward": float(thing)}


def amounts(**given: Any) -> dict[str, float]:
    """Return the fields that are finite numbers.

    Example:
        >>> amounts(agent=0.5, user=None)
        {'agent': 0.5}
    """
    return {name: float(value) for name, value in given.items() if amount(value) is not None}


def amount(value: Any) -> float | None:
    """Return a finite number, such as a cost or a duration; None for anything else.

    Example:
        >>> amount(2), amount(None), amount("2")
        (2.0, None, None)
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return float(value) if is_number else None


def goal_key(instruction: str) -> str:
    """Return ten hexadecimal digits that identify an instruction; an empty string for an empty instruction.

    Example:
        >>> len(goal_key("Book a room.")), goal_key("")
        (10, '')
    """
    return hashlib.sha256(instruction.encode("utf-8", "surrogatepass")).hexdigest()[:10] if instruction else ""


def other_goals(logs: Iterable[Mapping[str, str]]) -> list[Notice]:
    """Return a notice about tasks that have the same id in several logs but different goals.

    Args:
        logs: for each log, task → goal key. Tasks with an empty key are ignored.

    Example:
        >>> [notice.count for notice in other_goals([{"1": "a", "2": "b"}, {"1": "a", "2": "c"}])]
        [1]
    """
    keys: dict[str, set[str]] = {}
    for log in logs:
        for task, key in log.items():
            keys.setdefault(task, set()).update([key] if key else [])
    differing = sorted(task for task, goal_keys in keys.items() if len(goal_keys) > 1)
    message = f"{len(differing)} tasks have different goals in several logs; check that the logs are of the same tasks"
    return [Notice("other-goals", len(differing), message, tuple(differing[:5]))] if differing else []


def optional_mapping(thing: Any, what: str) -> Mapping[str, Any]:
    """Return an object; an empty mapping if it is absent.

    Raises:
        InputError: not an object.

    Example:
        >>> optional_mapping({"a": 1}, "info"), optional_mapping(None, "info")
        ({'a': 1}, {})
    """
    return {} if thing is None else as_mapping(thing, what)


def mapping_or_empty(thing: Any) -> Mapping[str, Any]:
    """Return an object; an empty mapping for anything else.

    Example:
        >>> mapping_or_empty({"a": 1}), mapping_or_empty(None)
        ({'a': 1}, {})
    """
    return thing if isinstance(thing, dict) else {}
