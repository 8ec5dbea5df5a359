"""What an agent is: something that can start, reply, and be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from msgspec import Struct

from ...model import Act, Goal, Move
from ..world.database import World

Role: TypeAlias = Literal["user", "system"]


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
        """Has it said its last word?"""
        ...


class Kind(NamedTuple):
    """An agent that can be named.

    Attributes:
        role: which side it speaks for.
        about: one line of help.
        dials: its settings, at their defaults.
        make: an agent from dials, the town and a generator of its own.
    """

    role: Role
    about: str
    dials: Struct
    make: Callable[[Any, World, Random], Agent]


class Chosen(Struct, frozen=True):
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
