"""Agents of ConvLab, and of everybody who speaks like them.

``module:object`` names an object with ``init_session`` and ``response``, or a class or function that makes one without arguments.
``response`` gets what the other side said as ``[intent, domain, slot, value]`` lists and answers with such lists, or with text. A user's
``init_session`` gets the goal in MultiWOZ's format where it takes an argument; ``is_terminated`` says when it is done, where there is one.
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
    """Agents from elsewhere have no dials."""


def kind_at(name: str, role: Role) -> Kind:
    """The kind of the agent that ``module:object`` names.

    Raises:
        DialmeterError: it cannot be imported, or has not the two methods.
    """
    _object_at(name)

    def make(dials: NoDials, world: World, rng: Random) -> Agent:
        return ConvlabAgent(name, role, _object_at(name))

    return Kind(role, f"{name}, an agent with init_session and response", NoDials(), make)


@cache
def _object_at(name: str) -> Any:
    """One object per process: models are slow to load, and ``init_session`` starts them anew."""
    try:
        thing = object_at(name)
        made: Any = thing() if inspect.isclass(thing) or inspect.isfunction(thing) else thing
    except Exception as error:
        raise DialmeterError(
            f"agent {name} cannot be loaded: {type(error).__name__}: {one_line(str(error), 200)}"
        ) from None
    missing = [method for method in ("init_session", "response") if not callable(getattr(made, method, None))]
    if missing:
        raise DialmeterError(f"agent {name} has no {' and no '.join(missing)}")
    return made


class ConvlabAgent:
    """An agent from elsewhere, behind the protocol of this package."""

    def __init__(self, name: str, role: Role, agent: Any) -> None:
        self._name = name
        self._role = role
        self._agent = agent
        self._bye = False

    def start(self, goal: Goal | None) -> None:
        self._bye = False
        begin = self._agent.init_session
        takes_goal = goal is not None and bool(inspect.signature(begin).parameters)
        self._call(begin, *([written_goal(goal)] if takes_goal and goal is not None else []))

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        answer = self._call(self._agent.response, as_lists(acts))
        if isinstance(answer, str):
            self._bye = "bye" in answer.lower().split()
            return Move(self._role, text=answer)
        found = self._read(answer)
        self._bye = any(intent_of(each.name) == "bye" for each in found)
        return Move(self._role, acts=found)

    def done(self) -> bool:
        ended = getattr(self._agent, "is_terminated", None)
        return bool(self._call(ended)) if callable(ended) else self._bye

    def _read(self, answer: Any) -> tuple[Act, ...]:
        try:
            return tuple(from_lists(msgspec.convert(answer, list[tuple[str, str, str, str | int | float]])))
        except msgspec.ValidationError:
            raise DialmeterError(
                f"agent {self._name} answered {one_line(repr(answer), 80)}; text or a list of [intent, domain, slot, value] is expected"
            ) from None

    def _call(self, method: Any, *arguments: Any) -> Any:
        try:
            return method(*arguments)
        except Exception as error:
            what = f"{type(error).__name__}: {one_line(str(error), 200)}"
            raise DialmeterError(
                f"agent {self._name} failed in {getattr(method, '__name__', 'a call')}: {what}"
            ) from None


def as_lists(acts: Iterable[Act]) -> list[list[str]]:
    """Acts as ConvLab-3 writes them.

    Example:
        >>> as_lists([act("hotel", "request", "phone"), act("general", "bye")])
        [['request', 'hotel', 'phone', ''], ['bye', 'general', '', '']]
    """
    return [
        [intent_of(each.name), each.service, each.slot, "" if value_of(each) == ASKED else value_of(each)]
        for each in acts
    ]


def from_lists(lists: Iterable[tuple[str, str, str, Any]]) -> Iterable[Act]:
    """Acts from lists in the spelling of ConvLab-2 or ConvLab-3.

    Example:
        >>> [(each.name, each.slot, each.values) for each in from_lists([("Inform", "Train", "Leave", "09:15"), ("bye", "general", "none", "none")])]
        [('Train-Inform', 'leaveat', ('09:15',)), ('general-bye', '', ())]
    """
    for intent, domain, slot, value in lists:
        service = domain.lower() or GENERAL
        name = slot_in(service, slot) if slot.lower() not in ("", "none") else ""
        told = "" if str(value).lower() in ("", "none", "?") else str(value).lower()
        yield act(service, intent.lower(), name, told)


def written_goal(goal: Goal) -> dict[str, Any]:
    """A goal in MultiWOZ's format."""
    return {
        domain: {**{name: dict(part) for name, part in each.parts.items()}, "reqt": list(each.requests)}
        for domain, each in goal.items()
    }
