"""Agents: the protocol, the kinds that can be named, and how ``agenda(patience=2)`` or ``module:object`` becomes an agent."""

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
    """One speaker in one dialogue at a time."""

    def start(self, goal: Goal | None) -> None:
        """Begins a dialogue: a user gets its goal, a system None."""
        ...

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        """Answers what was understood of the other's move, and its text; a user's first move answers nothing.

        A move without text gets one from its acts, a move without acts gets them from its text.
        """
        ...

    def done(self) -> bool:
        """True if it has said its last word."""
        ...


class Kind(NamedTuple):
    """An agent that can be named.

    Attributes:
        role: which side it speaks for.
        about: one line of help.
        dials: its settings, at their defaults.
        make: makes an agent from dials, the town and a random generator.
    """

    role: Role
    about: str
    dials: Struct
    make: Callable[[Any, World, Random], Agent]


class ChosenAgent(Struct, frozen=True):
    """An agent as it was asked for; made anew for every dialogue, also in another process.

    Attributes:
        text: how it prints.
        name: in the registry, or ``module:object``.
        role: which side it speaks for.
        dials: settings that were given, by name.
    """

    text: str
    name: str
    role: Role
    dials: dict[str, Any]


_CALL = re.compile(r"([^()]+)(?:\((.*)\))?")


def choose(text: str, role: Role, more: Mapping[str, Any] | None = None) -> ChosenAgent:
    """An agent by the text that names it, checked.

    Args:
        text: a name with dials in brackets, or ``module:object``.
        role: which side it is to speak for.
        more: further dials.

    Raises:
        DialmeterError: no such agent, one for the other side, or a dial that does not fit.

    Example:
        >>> choose("agenda( patience=2 )", "user").text
        'agenda(patience=2)'
        >>> choose("rule", "user")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: rule is a system and cannot be the user; users: agenda, forgetful, looping, inventive, hasty, endpoint-user
    """
    found = _CALL.fullmatch(text.strip())
    if not found:
        raise DialmeterError(f"{text!r} is not an agent; write it like agenda(patience=2)")
    name = found[1].rstrip()
    name = f"endpoint-{role}" if name == "endpoint" else name
    given = dict(_dial(part, text) for part in (found[2] or "").split(",") if part.strip())
    dials = {**given, **(more or {})}
    kind = kind_of(name, role)
    if kind.role != role:
        from . import registry

        others = [each for each in registry.builtin() if registry.load(each).role == role]
        raise DialmeterError(f"{name} is a {kind.role} and cannot be the {role}; {role}s: {', '.join(others)}")
    set_dials(name, kind, dials)
    told = {**given, **({"model": dials["model"]} if "model" in dials else {})}
    shown = ", ".join(f"{key}={_shown(value)}" for key, value in sorted(told.items()))
    return ChosenAgent(f"{name}({shown})" if shown else name, name, role, dials)


def kind_of(name: str, role: Role) -> Kind:
    """The kind of an agent: of the registry, or of an object that ``module:object`` names."""
    if ":" in name:
        from .convlab import kind_at

        return kind_at(name, role)
    from . import registry

    kind = registry.load(name)
    if not isinstance(kind, Kind):
        raise DialmeterError(f"agent {name!r} is not a Kind (see dialmeter.simulation.agents)")
    return kind


def set_dials(name: str, kind: Kind, given: Mapping[str, Any]) -> Any:
    """The dials of a kind, with those that were given.

    Raises:
        DialmeterError: no such dial, or a value that it cannot have.
    """
    known = [each.name for each in fields(kind.dials)]
    for each in given:
        if each not in known:
            hint = did_you_mean(each, known) if known else "it has no dials"
            raise DialmeterError(f"{name} has no dial {each!r}; {hint}")
    try:
        return msgspec.convert(asdict(replace(kind.dials, **given)), type(kind.dials), strict=False)
    except msgspec.ValidationError as error:
        raise DialmeterError(f"{name}: {str(error).replace(' - at `$.', ' for `')}") from None


def made(chosen: ChosenAgent, world: World, rng: Random) -> Agent:
    """Makes the agent, with its own random generator."""
    make, dials = _ready(chosen.name, chosen.role, tuple(sorted(chosen.dials.items())))
    return make(dials, world, rng)


@lru_cache(maxsize=64)
def _ready(
    name: str, role: Role, given: tuple[tuple[str, Any], ...]
) -> tuple[Callable[[Any, World, Random], Agent], Any]:
    """The maker and the dials of an agent, cached for all dialogues."""
    kind = kind_of(name, role)
    return kind.make, set_dials(name, kind, dict(given))


def _dial(part: str, text: str) -> tuple[str, Any]:
    name, equals, value = (piece.strip() for piece in part.partition("="))
    if not equals:
        raise DialmeterError(f"{text}: write dials like patience=2")
    return name, value


def _shown(value: Any) -> str:
    try:
        return f"{float(value):g}"
    except ValueError:
        return str(value)
