"""What every part of dialmeter speaks of: frozen data, nothing about files, rules or scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

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
    """What the schema-guided format says of one service at one turn, beside the slot values."""

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
    """Gold and prediction as texts, where the format writes a state as one text."""


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
    read_by: str = ""
    """What found the acts in the text, where the speaker did not give them."""


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
    task: str = ""
    """The text that told the user what to do, where the file has it."""


class ToolCall(Struct, frozen=True, omit_defaults=True):
    """A call of a tool with its result.

    Attributes:
        name: of the tool.
        arguments: by name.
        result: what the tool returned; None where the log has no answer.
        failed: did the tool report an error?
        in_text: the call is part of a message's text and not a field of its own.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    result: str | None = None
    failed: bool = False
    in_text: bool = False


class Step(Struct, frozen=True, omit_defaults=True):
    """One message of user or agent in a log, with the tools that it calls.

    Attributes:
        at: the place of the message in the log, from 0.
        speaker: ``user`` or ``system``.
        text: what the other side reads.
        aside: text that the other side never sees, such as words beside a call.
        calls: of tools.
        acts: dialogue acts, where the file has them.
    """

    at: int
    speaker: str
    text: str = ""
    aside: str = ""
    calls: tuple[ToolCall, ...] = ()
    acts: tuple[Act, ...] = ()


class ExpectedAction(Struct, frozen=True, omit_defaults=True):
    """A call of a tool that reaching the goal takes, by the agent or by the user."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    requestor: str = SYSTEM


class TaskGoal(Struct, frozen=True, omit_defaults=True):
    """What the user of a log was asked to do, in words, and how it is checked.

    Attributes:
        instruction: the text that the user was given.
        actions: calls of tools that the agent should end up with.
        outputs: facts that the agent should tell the user.
    """

    instruction: str = ""
    actions: tuple[ExpectedAction, ...] = ()
    outputs: tuple[str, ...] = ()


Ending: TypeAlias = Literal["user_stop", "agent_stop", "transfer", "out_of_scope", "limit", "error", "crash", "unknown"]
"""How a dialogue with an agent ended: ``limit`` is one of steps, time or errors; ``crash`` is not of the agent's making."""


class Trajectory(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One dialogue of a log: a task tried once by an agent that talks and calls tools.

    Attributes:
        id: task and trial.
        task: the id of the task; the same in the logs of all agents.
        trial: which of several tries it is.
        steps: what was said and called, in order.
        rewards: by scorer, the first one first; empty where the log has none.
        ending: how it ended.
        goal: None where the log does not say.
        costs: money spent on the ``agent`` and on the ``user``.
        seconds: how long it took.
        roles: how many messages of each role the log has.
        error: what a crashed run reports.
        source: what ended it in the words of the log.
        basis: the parts that the reward is made of, where the log lists them.
    """

    id: str
    task: str
    trial: int = 0
    steps: tuple[Step, ...] = ()
    rewards: Mapping[str, float] = field(default_factory=dict)
    ending: Ending = "unknown"
    goal: TaskGoal | None = None
    costs: Mapping[str, float] = field(default_factory=dict)
    seconds: float | None = None
    roles: Mapping[str, int] = field(default_factory=dict)
    error: str = ""
    source: str = ""
    basis: tuple[str, ...] = ()


class Schema(Struct, frozen=True):
    """The slots that exist: service → slot (without the service) → is it categorical?"""

    services: dict[str, dict[str, bool]]

    @property
    def slots(self) -> frozenset[str]:
        """All slots as they are named in a state.

        Example:
            >>> sorted(Schema({"hotel": {"area": True, "name": False}}).slots)
            ['hotel-area', 'hotel-name']
        """
        return frozenset(f"{service}-{slot}" for service, slots in self.services.items() for slot in slots)


class Notice(Struct, frozen=True, omit_defaults=True):
    """A warning in every output: what, how often, and where to look."""

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
