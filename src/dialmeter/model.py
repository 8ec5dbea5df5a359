"""What every part of dialmeter speaks of: frozen data, nothing about files, rules or scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct, field

Value: TypeAlias = str | tuple[str, ...]
"""One value, or several: alternatives in gold."""

State: TypeAlias = Mapping[str, Value]
"""A belief state: ``domain-slot`` → value, cumulative over the dialogue."""

DELETED = "[DELETE]"
"""What a prediction holds for a slot that it takes back; absent under every rule set."""


NAMED = "[EMPTY]"
"""What a slot holds that a file names without giving it a value; absent under every rule set."""


class Frame(Struct, frozen=True, omit_defaults=True):
    """What the schema-guided layout says of one service at one turn, beside the slot values."""

    gold_intent: str | None = None
    pred_intent: str | None = None
    gold_requested: tuple[str, ...] | None = None
    pred_requested: tuple[str, ...] | None = None
    apart: str = ""
    """Why the frames of gold and prediction do not belong together, where they do not."""


class Turn(Struct, frozen=True, omit_defaults=True):
    """One user turn. ``None`` is a state that the file does not give; ``{}`` is an empty one."""

    number: int
    gold: State | None = None
    pred: State | None = None
    user: str = ""
    system: str = ""
    frames: Mapping[str, Frame] | None = None
    written: tuple[str, str] | None = None
    """Gold and prediction as texts, where the layout writes a state as one text."""


class Dialogue(Struct, frozen=True):
    """Turns in the order of their numbers."""

    id: str
    turns: tuple[Turn, ...]


USER = "user"
SYSTEM = "system"
"""The speakers of a task dialogue. Other talk may have speakers of any name."""


class Act(Struct, frozen=True, omit_defaults=True):
    """A dialogue act as its file writes it, such as ``Hotel-Inform`` with slot ``area`` and value ``east``."""

    name: str
    service: str
    slot: str = ""
    values: tuple[str, ...] = ()


class Move(Struct, frozen=True, omit_defaults=True):
    """What one speaker says at a time. ``None`` is what the file does not give; ``()`` is nothing."""

    speaker: str
    text: str = ""
    acts: tuple[Act, ...] | None = None
    understood: tuple[Act, ...] | None = None
    """What this speaker understood of the move before."""
    requested: Mapping[str, tuple[str, ...]] | None = None
    """Slots that a user asks for, service → ``domain-slot``, where the file lists them beside the acts."""


class DomainGoal(Struct, frozen=True, omit_defaults=True):
    """What a user wants in one domain: constraints to search and to book with, and slots to ask for.

    ``fail_info`` and ``fail_book`` are what the user asks for first, and gives up where nothing is found.
    """

    info: Mapping[str, str] = field(default_factory=dict)
    fail_info: Mapping[str, str] = field(default_factory=dict)
    book: Mapping[str, str] = field(default_factory=dict)
    fail_book: Mapping[str, str] = field(default_factory=dict)
    requests: tuple[str, ...] = ()

    @property
    def parts(self) -> dict[str, Mapping[str, str]]:
        """The parts that hold constraints, by name; without empty ones.

        Example:
            >>> DomainGoal(info={"area": "east"}, requests=("phone",)).parts
            {'info': {'area': 'east'}}
        """
        return {name: part for name in CONSTRAINT_PARTS if (part := getattr(self, name))}


CONSTRAINT_PARTS = ("info", "fail_info", "book", "fail_book")
"""The parts of a goal that hold constraints."""


Goal: TypeAlias = Mapping[str, DomainGoal]
"""What a user wants, by domain."""


class Conversation(Struct, frozen=True, omit_defaults=True):
    """Who said what, in order, and what the user wanted where that is known."""

    id: str
    moves: tuple[Move, ...]
    goal: Goal | None = None
    cut: bool = False
    """Did it end because it reached a limit of turns?"""


class Schema(Struct, frozen=True):
    """The slots that exist: service → slot (without the service) → is it categorical?"""

    services: dict[str, dict[str, bool]]

    @property
    def slots(self) -> frozenset[str]:
        """All slots as they stand in a state.

        Example:
            >>> sorted(Schema({"hotel": {"area": True, "name": False}}).slots)
            ['hotel-area', 'hotel-name']
        """
        return frozenset(f"{service}-{slot}" for service, slots in self.services.items() for slot in slots)


class Notice(Struct, frozen=True, omit_defaults=True):
    """A warning as it stands in every output: what, how often, and where to look."""

    code: str
    count: int
    message: str
    where: tuple[str, ...] = ()


def domain_of(slot: str) -> str:
    """The domain (or service) of a slot.

    Example:
        >>> domain_of("hotel-book-day"), domain_of("area")
        ('hotel', '')
    """
    domain, hyphen, _ = slot.partition("-")
    return domain if hyphen else ""


def dialogue_key(dialogue_id: str) -> str:
    """The form of an id under which two files are matched.

    Example:
        >>> dialogue_key("MUL0003.json")
        'mul0003'
    """
    key = dialogue_id.lower().removesuffix(".json")
    # The same object where it can be: a large corpus keeps both, and sends both between processes.
    return dialogue_id if key == dialogue_id else key
