"""Agents: the protocol, the kinds of agents, and the parsing of ``agenda(patience=2)`` or ``module:object``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, Protocol, TypeAlias

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict, fields, replace

from ...errors import DialmeterError, did_you_mean
from ...model import Act, Goal, Move
from ..world.database import World

Role: TypeAlias = Literal["user", "system"]
Share = Annotated[float, Meta(ge=0, le=1)]


class Agent(Protocol):
    """A speaker; it has one dialogue at a time."""

    def start(self, goal: Goal | None) -> None:
        """Begin a dialogue: a user gets its goal, a system gets None."""
        ...

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        """Answer the last move of the other side: the acts that were understood, and the text. The first move of a user gets
        no acts and no text.

        If the returned move has no text, the text is generated from its acts. If it has no acts, they are read from its text.
        """
        ...

    def done(self) -> bool:
        """Return True if the agent has ended the dialogue."""
        ...


class Kind(NamedTuple):
    """A kind of agent in the registry.

    Attributes:
        role: user or system.
        about: one line of help.
        dials: the settings, with their default values.
        make: creates an agent from dials, the town and a random generator.
    """

    role: Role
    about: str
    dials: Struct
    make: Callable[[Any, World, Random], Agent]


class ChosenAgent(Struct, frozen=True):
    """A requested agent. It is created again for every dialogue, also in other processes.

    Attributes:
        text: the agent as printed.
        name: the name in the registry, or ``module:object``.
        role: user or system.
        dials: the given settings, by name.
    """

    text: str
    name: str
    role: Role
    dials: dict[str, Any]


_CALL = re.compile(r"([^()]+)(?:\((.*)\))?")


def choose(text: str, role: Role, more: Mapping[str, Any] | None = None) -> ChosenAgent:
    """Parse and validate an agent.

    Args:
        text: a name with dials in brackets, or ``module:object``.
        role: user or system.
        more: more dials.

    Raises:
        DialmeterError: there is no such agent, it has the other role, or a dial is invalid.

    Example:
        >>> choose("agenda( patience=2 )", "user").text
        'agenda(patience=2)'
        >>> choose("rule", "user")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: rule is a system and cannot be the user; users: agenda, forgetful, looping, inventive, hasty, endpoint-user
    """
    match = _CALL.fullmatch(text.strip())
    if not match:
        raise DialmeterError(f"{text!r} is not an agent; write it like agenda(patience=2)")
    name = match[1].rstrip()
    name = f"endpoint-{role}" if name == "endpoint" else name
    given = dict(_parse_dial(part, text) for part in (match[2] or "").split(",") if part.strip())
    dials = {**given, **(more or {})}
    kind = kind_of(name, role)
    if kind.role != role:
        from . import registry

        others = [each for each in registry.builtin() if registry.load(each).role == role]
        raise DialmeterError(f"{name} is a {kind.role} and cannot be the {role}; {role}s: {', '.join(others)}")
    set_dials(name, kind, dials)
    printed = {**given, **({"model": dials["model"]} if "model" in dials else {})}
    arguments = ", ".join(f"{key}={_format_value(value)}" for key, value in sorted(printed.items()))
    return ChosenAgent(f"{name}({arguments})" if arguments else name, name, role, dials)


def kind_of(name: str, role: Role) -> Kind:
    """Return the kind of an agent, from the registry or from ``module:object``."""
    if ":" in name:
        from .convlab import kind_at

        return kind_at(name, role)
    from . import registry

    kind = registry.load(name)
    if not isinstance(kind, Kind):
        raise DialmeterError(f"agent {name!r} is not a Kind (see dialmeter.simulation.agents)")
    return kind


def set_dials(name: str, kind: Kind, given: Mapping[str, Any]) -> Any:
    """Return the dials of a kind with the given values.

    Raises:
        DialmeterError: there is no such dial, or a value is invalid.
    """
    names = [each.name for each in fields(kind.dials)]
    for each in given:
        if each not in names:
            hint = did_you_mean(each, names) if names else "it has no dials"
            raise DialmeterError(f"{name} has no dial {each!r}; {hint}")
    try:
        return msgspec.convert(asdict(replace(kind.dials, **given)), type(kind.dials), strict=False)
    except msgspec.ValidationError as error:
        raise DialmeterError(f"{name}: {str(error).replace(' - at `$.', ' for `')}") from None


def make_agent(chosen: ChosenAgent, world: World, rng: Random) -> Agent:
    """Create the agent with its random generator."""
    make, dials = _load_agent(chosen.name, chosen.role, tuple(sorted(chosen.dials.items())))
    return make(dials, world, rng)


@lru_cache(maxsize=64)
def _load_agent(
    name: str, role: Role, given: tuple[tuple[str, Any], ...]
) -> tuple[Callable[[Any, World, Random], Agent], Any]:
    """Return the factory and the dials of an agent, cached for all dialogues."""
    kind = kind_of(name, role)
    return kind.make, set_dials(name, kind, dict(given))


def _parse_dial(part: str, text: str) -> tuple[str, Any]:
    name, equals, value = (piece.strip() for piece in part.partition("="))
    if not equals:
        raise DialmeterError(f"{text}: write dials like patience=2")
    return name, value


def _format_value(value: Any) -> str:
    try:
        return f"{float(value):g}"
    except ValueError:
        return str(value)
