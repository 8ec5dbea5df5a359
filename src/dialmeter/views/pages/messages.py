"""Messages of logs and dialogue acts, as text for pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ...model import Act, ExpectedAction, Step, ToolCall, Trajectory, full_name

_LONG = 4000
"""Largest number of characters of a tool result on a page."""


def act_words(act: Act) -> str:
    """Return a dialogue act in a few words.

    Example:
        >>> act_words(Act("Hotel-Inform", "", "area", ("east",)))
        'hotel-inform area=east'
    """
    value = "|".join(value for value in act.values if value != "?")
    return " ".join(filter(None, (full_name(act.name, act.service), f"{act.slot}={value}" if value else act.slot)))


def first_text(trajectory: Trajectory) -> str:
    """Return the first text of a dialogue."""
    return next((step.text for step in trajectory.steps if step.text), "")


def step_texts(steps: Sequence[Step]) -> Iterator[str]:
    """Yield the texts of messages, and the names, arguments and results of calls."""
    for step in steps:
        yield step.text
        for call in step.calls:
            yield from (call.name, call.result or "", *(text for pair in arguments(call) for text in pair))


def step_parts(step: Step, filters: Mapping[str, str]) -> dict[str, Any]:
    """Return the template variables of a message: its text, acts and calls."""
    calls = [
        {
            "name": call.name,
            "arguments": arguments(call),
            "result": call.result if len(call.result or "") <= _LONG else f"{(call.result or '')[:_LONG]} …",
            "failed": call.failed,
            "marked": filters.get("tool") == call.name,
        }
        for call in step.calls
    ]
    acts = [act_words(act) for act in step.acts]
    return {
        "at": step.at,
        "speaker": step.speaker,
        "text": step.text,
        "aside": step.aside,
        "acts": acts,
        "calls": calls,
    }


def arguments(call: ToolCall | ExpectedAction) -> list[tuple[str, str]]:
    """Return the arguments of a call as text."""
    return [
        (name, value if isinstance(value, str) else msgspec.json.encode(value).decode())
        for name, value in call.arguments.items()
    ]
