"""Measures of systems: two numbers per task, and the ratio of their sums over tasks."""

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
        parts: numerator and denominator of one task, from its scored dialogues; None where the task has no value. A
            mean over tasks has the denominator 1.
        higher_is_better: True if a higher value is better.
    """

    name: str
    title: str
    formula: str
    parts: Callable[[Sequence[SystemOutcome]], tuple[float, float] | None]
    higher_is_better: bool = True

    def value(self, outcomes: Sequence[SystemOutcome]) -> float | None:
        """The value of some dialogues of one task; None where there is none."""
        found = self.parts(outcomes)
        return found[0] / found[1] if found else None


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
    lambda outcomes: _over_one(pass_value(outcomes, 1)),
)

GOAL_COMPLETION = SystemMeasure(
    "GoalCompletion",
    "Goals completed",
    "the share of dialogues in which every domain of the goal is completed",
    lambda outcomes: _over_one(pass_value(outcomes, 1)),
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
        lambda outcomes: _over_one(pass_value(outcomes, k)),
    )


def _over_one(value: float | None) -> tuple[float, float] | None:
    return None if value is None else (value, 1.0)


def _mean(name: str) -> Callable[[Sequence[SystemOutcome]], tuple[float, float] | None]:
    def parts(outcomes: Sequence[SystemOutcome]) -> tuple[float, float] | None:
        known = [float(number) for each in outcomes if (number := getattr(each, name)) is not None]
        return (sum(known) / len(known), 1.0) if known else None

    return parts


def _ratio(name: str) -> Callable[[Sequence[SystemOutcome]], tuple[float, float] | None]:
    def parts(outcomes: Sequence[SystemOutcome]) -> tuple[float, float] | None:
        pairs = [pair for each in outcomes if (pair := getattr(each, name)) is not None]
        wanted = sum(pair[1] for pair in pairs)
        return (float(sum(pair[0] for pair in pairs)), float(wanted)) if wanted else None

    return parts


RATES = (
    SystemMeasure(
        "BookingRate", "Wanted bookings that were made", "bookings made / bookings wanted", _ratio("bookings")
    ),
    SystemMeasure("InformRate", "Requests of the goal that were answered", "answered / requests", _ratio("answers")),
    SystemMeasure(
        "MatchRate",
        "Domains whose offer meets the goal",
        "domains whose last offer meets the constraints / domains with constraints",
        _ratio("matches"),
    ),
)
"""What was reached of goals by domain; sums over dialogues."""


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
    for measure in (SUCCESS, GOAL_COMPLETION, *RATES):
        if plain.lower() == measure.name.lower():
            return measure
    if plain.lower().startswith("pass"):
        raise DialmeterError("Pass needs k, as in Pass(k=2)")
    raise DialmeterError(
        f"there is no measure {text!r} of systems; {did_you_mean(text, ['Success', 'Pass(k=2)', GOAL_COMPLETION.name, *(each.name for each in RATES)])}"
    )
