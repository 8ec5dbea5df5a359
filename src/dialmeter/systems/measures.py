"""Measures of systems: a value per task, and the mean over tasks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import comb

from msgspec import Struct

from ..errors import DialmeterError, did_you_mean
from .outcome import SystemOutcome


class SystemMeasure(Struct, frozen=True):
    """A measure of systems.

    Attributes:
        name: as it is printed and written on the command line.
        title: a few words.
        formula: how it is computed.
        value: of one task, from its scored dialogues; None where the task has no value.
        higher_is_better: is more of it better?
    """

    name: str
    title: str
    formula: str
    value: Callable[[Sequence[SystemOutcome]], float | None]
    higher_is_better: bool = True


def pass_value(outcomes: Sequence[SystemOutcome], k: int) -> float | None:
    """The chance that k trials of a task, drawn without replacement, all succeed; None with fewer than k trials.

    Example:
        >>> tries = [SystemOutcome(id="", task="", trial=0, success=each, ending="unknown") for each in (True, True, False)]
        >>> round(pass_value(tries, 2), 4), pass_value(tries, 4)
        (0.3333, None)
    """
    n, c = len(outcomes), sum(bool(each.success) for each in outcomes)
    return comb(c, k) / comb(n, k) if n >= k else None


SUCCESS = SystemMeasure(
    "Success",
    "Share of successful dialogues",
    "mean over tasks of c / n, with c of the n dialogues of a task successful; equals Pass(k=1)",
    lambda outcomes: pass_value(outcomes, 1),
)


def pass_measure(k: int) -> SystemMeasure:
    """pass^k: k trials of the same task all succeed.

    Example:
        >>> pass_measure(2).name
        'Pass(k=2)'
    """
    return SystemMeasure(
        f"Pass(k={k})",
        f"All of {k} trials of a task succeed (pass^{k})",
        "mean over tasks of C(c, k) / C(n, k), with c of the n dialogues of a task successful; tasks with n < k are unscored",
        lambda outcomes: pass_value(outcomes, k),
    )


def _mean(name: str) -> Callable[[Sequence[SystemOutcome]], float | None]:
    def value(outcomes: Sequence[SystemOutcome]) -> float | None:
        known = [float(number) for each in outcomes if (number := getattr(each, name)) is not None]
        return sum(known) / len(known) if known else None

    return value


EFFORTS = tuple(
    SystemMeasure(
        name, title, "mean over the dialogues of a task, then over tasks", _mean(column), higher_is_better=False
    )
    for name, title, column in (
        ("Turns", "Messages of the user per dialogue", "turns"),
        ("ToolCalls", "Calls of tools per dialogue", "tool_calls"),
        ("ToolErrors", "Calls of tools that report an error, per dialogue", "tool_errors"),
        ("AgentCost", "Money spent on the agent per dialogue", "agent_cost"),
        ("UserCost", "Money spent on the user per dialogue", "user_cost"),
        ("Seconds", "Time per dialogue", "seconds"),
    )
)
"""What dialogues cost; these are numbers, not shares."""

_PASS = re.compile(r"pass\(k=([1-9]\d{0,3})\)", re.IGNORECASE)


def parse_system_measure(text: str) -> SystemMeasure:
    """A measure from the form that it prints in.

    Raises:
        DialmeterError: no such measure.

    Example:
        >>> parse_system_measure("pass(k=2)").name, parse_system_measure("success").name
        ('Pass(k=2)', 'Success')
        >>> parse_system_measure("Pass")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: Pass needs k, as in Pass(k=2)
    """
    plain = text.replace(" ", "")
    if found := _PASS.fullmatch(plain):
        return pass_measure(int(found[1]))
    if plain.lower() == SUCCESS.name.lower():
        return SUCCESS
    if plain.lower().startswith("pass"):
        raise DialmeterError("Pass needs k, as in Pass(k=2)")
    raise DialmeterError(f"there is no measure {text!r} of systems; {did_you_mean(text, ['Success', 'Pass(k=2)'])}")
