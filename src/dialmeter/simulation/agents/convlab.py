"""Agents of ConvLab, and other agents with the same interface.

``module:object`` is an object with ``init_session`` and ``response``, or a class or function that returns one without arguments.
``response`` gets the acts of the other side as ``[intent, domain, slot, value]`` lists and returns such lists, or text. If
``init_session`` of a user takes an argument, it gets the goal in the format of MultiWOZ. If there is ``is_terminated``, it says when the
agent has ended the dialogue.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from functools import cache
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from ...errors import DialmeterError, one_line
from ...model import Act, Goal, Move
from ...readers.pairs.slot_names import slot_in
from ...registry import object_at
from ..language.grammar import ASKED, GENERAL, act, intent_of, value_of
from ..world.database import World
from .agent import Agent, Kind, Role


class NoDials(Struct, frozen=True):
    """External agents have no dials."""


def kind_at(name: str, role: Role) -> Kind:
    """Return the kind of the agent at ``module:object``.

    Raises:
        DialmeterError: it cannot be imported, or does not have the two methods.
    """
    _object_at(name)

    def make(dials: NoDials, world: World, rng: Random) -> Agent:
        return ConvlabAgent(name, role, _object_at(name))

    return Kind(role, f"{name}, an agent with init_session and response", NoDials(), make)


@cache
def _object_at(name: str) -> Any:
    """Load the object once per process, because models are slow to load; ``init_session`` resets it."""
    try:
        target = object_at(name)
        agent: Any = target() if inspect.isclass(target) or inspect.isfunction(target) else target
    except Exception as error:
        raise DialmeterError(
            f"agent {name} cannot be loaded: {type(error).__name__}: {one_line(str(error), 200)}"
        ) from None
    missing = [method for method in ("init_session", "response") if not callable(getattr(agent, method, None))]
    if missing:
        raise DialmeterError(f"agent {name} has no {' and no '.join(missing)}")
    return agent


class ConvlabAgent:
    """Adapter from an external agent to the protocol of this package."""

    def __init__(self, name: str, role: Role, agent: Any) -> None:
        self._name = name
        self._role = role
        self._agent = agent
        self._bye = False

    def start(self, goal: Goal | None) -> None:
        self._bye = False
        begin = self._agent.init_session
        takes_goal = goal is not None and bool(inspect.signature(begin).parameters)
        self._call(begin, *([multiwoz_goal(goal)] if takes_goal and goal is not None else []))

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        answer = self._call(self._agent.response, as_lists(acts))
        if isinstance(answer, str):
            self._bye = "bye" in answer.lower().split()
            return Move(self._role, text=answer)
        answer_acts = self._parse(answer)
        self._bye = any(intent_of(each.name) == "bye" for each in answer_acts)
        return Move(self._role, acts=answer_acts)

    def done(self) -> bool:
        is_terminated = getattr(self._agent, "is_terminated", None)
        return bool(self._call(is_terminated)) if callable(is_terminated) else self._bye

    def _parse(self, answer: Any) -> tuple[Act, ...]:
        try:
            return tuple(from_lists(msgspec.convert(answer, list[tuple[str, str, str, str | int | float]])))
        except msgspec.ValidationError:
            raise DialmeterError(
                f"agent {self._name} answered {one_line(repr(answer), 80)}; expected text or a list of [intent, domain, slot, value]"
            ) from None

    def _call(self, method: Any, *arguments: Any) -> Any:
        try:
            return method(*arguments)
        except Exception as error:
            reason = f"{type(error).__name__}: {one_line(str(error), 200)}"
            raise DialmeterError(
                f"agent {self._name} failed in {getattr(method, '__name__', 'a call')}: {reason}"
            ) from None


def as_lists(acts: Iterable[Act]) -> list[list[str]]:
    """Convert acts to the lists of ConvLab-3.

    Example:
        >>> as_lists([act("hotel", "request", "phone"), act("general", "bye")])
        [['request', 'hotel', 'phone', ''], ['bye', 'general', '', '']]
    """
    return [
        [intent_of(each.name), each.service, each.slot, "" if value_of(each) == ASKED else value_of(each)]
        for each in acts
    ]


def from_lists(lists: Iterable[tuple[str, str, str, Any]]) -> Iterable[Act]:
    """Convert lists in the spelling of ConvLab-2 or ConvLab-3 to acts.

    Example:
        >>> [(each.name, each.slot, each.values) for each in from_lists([("Inform", "Train", "Leave", "09:15"), ("bye", "general", "none", "none")])]
        [('Train-Inform', 'leaveat', ('09:15',)), ('general-bye', '', ())]
    """
    for intent, domain, slot, value in lists:
        service = domain.lower() or GENERAL
        name = slot_in(service, slot) if slot.lower() not in ("", "none") else ""
        text = "" if str(value).lower() in ("", "none", "?") else str(value).lower()
        yield act(service, intent.lower(), name, text)


def multiwoz_goal(goal: Goal) -> dict[str, Any]:
    """Convert a goal to the format of MultiWOZ."""
    return {
        domain: {**{name: dict(part) for name, part in each.parts.items()}, "reqt": list(each.requests)}
        for domain, each in goal.items()
    }
