"""The data model: immutable dialogues, conversations and logs. It knows nothing about files, rules or scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias
from unicodedata import normalize

from msgspec import Struct, field

Value: TypeAlias = str | tuple[str, ...]
"""One value, or several: alternatives in gold."""

State: TypeAlias = Mapping[str, Value]
"""A belief state: ``domain-slot`` → value, cumulative over the dialogue."""

DELETED = "[DELETE]"
"""The predicted value of a slot that the prediction deletes. It means absent under every rule set."""


NAMED = "[EMPTY]"
"""The value of a slot that a file names without a value. It means absent under every rule set."""


class Frame(Struct, frozen=True, omit_defaults=True):
    """The data of one service at one turn in the schema-guided format, without the slot values."""

    gold_intent: str | None = None
    pred_intent: str | None = None
    gold_requested: tuple[str, ...] | None = None
    pred_requested: tuple[str, ...] | None = None
    apart: str = ""
    """The reason why the frames of gold and prediction do not match; empty if they match."""


class Turn(Struct, frozen=True, omit_defaults=True):
    """One user turn. The state is ``None`` if the file has no state, and ``{}`` if it is empty."""

    number: int
    gold: State | None = None
    pred: State | None = None
    user: str = ""
    system: str = ""
    frames: Mapping[str, Frame] | None = None
    written: tuple[str, str] | None = None
    """Gold and prediction as texts, if the format stores a state as one text."""


class Dialogue(Struct, frozen=True):
    """A dialogue: its turns, sorted by number."""

    id: str
    turns: tuple[Turn, ...]


USER = "user"
SYSTEM = "system"
"""The speakers of a task dialogue. Other conversations may have speakers with any name."""


class Act(Struct, frozen=True, omit_defaults=True):
    """A dialogue act as in its file, such as ``Hotel-Inform`` with slot ``area`` and value ``east``."""

    name: str
    service: str
    slot: str = ""
    values: tuple[str, ...] = ()


class Move(Struct, frozen=True, omit_defaults=True):
    """One utterance of a speaker. A field is ``None`` if the file does not have it, and ``()`` if it is empty."""

    speaker: str
    text: str = ""
    acts: tuple[Act, ...] | None = None
    understood: tuple[Act, ...] | None = None
    """The acts that this speaker understood from the previous move."""
    requested: Mapping[str, tuple[str, ...]] | None = None
    """Requested slots of the user, service → ``domain-slot``, if the file lists them in addition to the acts."""
    read_by: str = ""
    """The name of the reader that found the acts in the text, if the speaker did not give acts."""


class DomainGoal(Struct, frozen=True, omit_defaults=True):
    """The goal of a user in one domain: constraints for search and for booking, and slots to request.

    ``fail_info`` and ``fail_book`` are constraints that the user tries first, and gives up if nothing is found.
    """

    info: Mapping[str, str] = field(default_factory=dict)
    fail_info: Mapping[str, str] = field(default_factory=dict)
    book: Mapping[str, str] = field(default_factory=dict)
    fail_book: Mapping[str, str] = field(default_factory=dict)
    requests: tuple[str, ...] = ()

    @property
    def parts(self) -> dict[str, Mapping[str, str]]:
        """Return the parts with constraints by name, without empty parts.

        Example:
            >>> DomainGoal(info={"area": "east"}, requests=("phone",)).parts
            {'info': {'area': 'east'}}
        """
        return {name: part for name in CONSTRAINT_PARTS if (part := getattr(self, name))}


CONSTRAINT_PARTS = ("info", "fail_info", "book", "fail_book")
"""The parts of a goal that have constraints."""


Goal: TypeAlias = Mapping[str, DomainGoal]
"""The goal of a user: domain → goal in this domain."""


class Conversation(Struct, frozen=True, omit_defaults=True):
    """The moves of a conversation in order, and the goal of the user if it is known."""

    id: str
    moves: tuple[Move, ...]
    goal: Goal | None = None
    cut: bool = False
    """True if it ended at a limit of turns."""
    task: str = ""
    """The instruction for the user, if the file has it."""


class ToolCall(Struct, frozen=True, omit_defaults=True):
    """A call of a tool with its result.

    Attributes:
        name: the name of the tool.
        arguments: name → value.
        result: the result of the tool; None if the log has no answer.
        failed: True if the tool reported an error.
        in_text: True if the call is part of the text of a message, and not a separate field.
        unreadable: True if its arguments are no JSON object; they are then stored as ``arguments``.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    result: str | None = None
    failed: bool = False
    in_text: bool = False
    unreadable: bool = False


class Step(Struct, frozen=True, omit_defaults=True):
    """One message of the user or the agent in a log, with its tool calls.

    Attributes:
        at: the index of the message in the log, from 0.
        speaker: ``user`` or ``system``.
        text: the text that the other side reads.
        aside: text that the other side does not see, such as text of a message with a call.
        calls: the tool calls.
        acts: dialogue acts, if the file has them.
    """

    at: int
    speaker: str
    text: str = ""
    aside: str = ""
    calls: tuple[ToolCall, ...] = ()
    acts: tuple[Act, ...] = ()


class ExpectedAction(Struct, frozen=True, omit_defaults=True):
    """A tool call of the agent or the user that the goal requires.

    ``compared`` are the arguments that a call must have in common with it; None for all.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    requestor: str = SYSTEM
    compared: tuple[str, ...] | None = None


class TaskGoal(Struct, frozen=True, omit_defaults=True):
    """The goal in words of the user of a log, and the data for checking it.

    Attributes:
        instruction: the instruction for the user.
        actions: the expected tool calls.
        outputs: facts that the agent should tell the user.
    """

    instruction: str = ""
    actions: tuple[ExpectedAction, ...] = ()
    outputs: tuple[str, ...] = ()


Ending: TypeAlias = Literal[
    "user_stop", "agent_stop", "transfer", "out_of_scope", "limit", "crash", "infrastructure", "unknown"
]
"""The ending of a dialogue with an agent. ``limit`` is a limit of steps, time or errors. A ``crash`` is an error in the programs of
the run; ``infrastructure`` is an error of what they need: the connection, the endpoint of a model, its quota."""
ABORTED: frozenset[Ending] = frozenset({"crash", "infrastructure"})
"""The endings of runs that an error ended. They have no success."""


class Trajectory(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One dialogue of a log: one trial of a task by an agent that talks and calls tools.

    Attributes:
        id: task and trial.
        task: the id of the task; the same in the logs of all agents.
        trial: the number of the trial.
        steps: messages and tool calls, in order.
        rewards: scorer → reward, in the order of the log; empty if the log has none.
        ending: how the dialogue ended.
        goal: the goal; None if the log does not have it.
        costs: the cost of the ``agent`` and of the ``user``.
        seconds: the duration.
        roles: number of messages by role.
        error: the message of the error that ended the run.
        source: the ending as named in the log.
        basis: the parts of the reward, if the log lists them.
        tokens: number of tokens of the agent's model by kind, such as ``prompt``.
        same_database: whether the database at the end is the expected one; None if the log does not say.
        tool_types: tool → its type, such as ``read`` or ``write``, if the log declares it.
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
    tokens: Mapping[str, int] = field(default_factory=dict)
    same_database: bool | None = None
    tool_types: Mapping[str, str] = field(default_factory=dict)


class Schema(Struct, frozen=True):
    """The slots that exist: service → slot (without the service) → True if it is categorical."""

    services: dict[str, dict[str, bool]]

    @property
    def slots(self) -> frozenset[str]:
        """Return all slots with their names in states.

        Example:
            >>> sorted(Schema({"hotel": {"area": True, "name": False}}).slots)
            ['hotel-area', 'hotel-name']
        """
        return frozenset(f"{service}-{slot}" for service, slots in self.services.items() for slot in slots)


class Notice(Struct, frozen=True, omit_defaults=True):
    """A warning: its code, a count, the message, and places to look at."""

    code: str
    count: int
    message: str
    where: tuple[str, ...] = ()


def domain_of(slot: str) -> str:
    """Return the domain (or service) of a slot.

    Example:
        >>> domain_of("hotel-book-day"), domain_of("area")
        ('hotel', '')
    """
    domain, hyphen, _ = slot.partition("-")
    return domain if hyphen else ""


def dialogue_key(dialogue_id: str) -> str:
    """Return the normalised form of an id, which matches the dialogues of two files, or of a file and a list.

    Letter case, blanks at both ends, the Unicode form, and the ending ``.json`` do not count.

    Example:
        >>> dialogue_key("MUL0003.json"), dialogue_key(" a ")
        ('mul0003', 'a')
    """
    written = dialogue_id if dialogue_id.isascii() else normalize("NFC", dialogue_id)
    key = written.strip().lower().removesuffix(".json").rstrip()
    # Return the same object if possible: a large corpus keeps both strings, and sends both between processes.
    return dialogue_id if key == dialogue_id else key


def full_name(name: str, service: str) -> str:
    """Return the name of an act with its service, in lower case.

    Example:
        >>> full_name("Hotel-Inform", "hotel"), full_name("INFORM", "Hotels_1")
        ('hotel-inform', 'hotels_1-inform')
    """
    lower, where = name.lower(), service.lower()
    return lower if where in lower else f"{where}-{lower}"
