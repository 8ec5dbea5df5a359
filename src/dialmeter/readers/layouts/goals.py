"""Goals and dialogue acts in the format of MultiWOZ, in a dialogue or in a separate file.

``{"MUL0003.json": {"hotel": {"info": {"area": "east"}, "fail_info": {}, "book": {"people": "2", "invalid": false}, "fail_book":
{}, "reqt": ["phone"]}, "taxi": {}, "message": [".."]}}``
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import structs

from ...errors import InputError, one_line, placing
from ...model import CONSTRAINT_PARTS, Act, Conversation, DomainGoal, Goal, Notice, dialogue_key
from ..pairs.slot_names import slot_in
from ..source import Source
from ..validation import as_list, as_mapping, as_text, as_value

_REQUESTS = ("reqt", "requests")
# Keys that are not domains, keys of a domain that are not parts of the goal, and keys of a part that are not slots.
_NO_DOMAINS = frozenset({"message", "messageLen", "topic", "eod", "description"})
_NO_PARTS = frozenset({"booked"})
_NO_SLOTS = frozenset({"invalid", "pre_invalid"})
LISTED = 10
"""Maximum number of dialogues that a notice lists."""
_MARKUP = re.compile(r"<[^<>]*>")


def goal_in(value: Any) -> Goal:
    """Parse the goal of a user, by domain. Empty domains are omitted.

    Raises:
        InputError: an invalid goal.

    Example:
        >>> goal = goal_in({"hotel": {"info": {"area": "east"}, "book": {"invalid": False}, "reqt": ["phone"]}, "taxi": {}})
        >>> list(goal), goal["hotel"].info, goal["hotel"].book, goal["hotel"].requests
        (['hotel'], {'area': 'east'}, {}, ('phone',))
    """
    domains = {key: part for key, part in as_mapping(value, "a goal").items() if key not in _NO_DOMAINS}
    return {domain: _domain(domain, parts) for domain, parts in domains.items() if parts not in ({}, None)}


def task_in(value: Any) -> str:
    """Return the instruction to the user without markup; an empty string if the goal has none.

    Example:
        >>> task_in({"hotel": {}, "message": ["Find a <span class='x'>cheap</span> hotel.", "Book it."]})
        'Find a cheap hotel. Book it.'
    """
    message = value.get("message") if isinstance(value, dict) else None
    texts = [message] if isinstance(message, str) else message if isinstance(message, list) else []
    return _MARKUP.sub("", " ".join(text for text in texts if isinstance(text, str)))


def _domain(domain: str, value: Any) -> DomainGoal:
    parts = as_mapping(value, f"the goal in {one_line(domain, 40)}")
    for key in parts:
        if key not in (*CONSTRAINT_PARTS, *_REQUESTS, *_NO_PARTS):
            allowed = ", ".join((*CONSTRAINT_PARTS, "reqt"))
            raise InputError(f"the goal in {one_line(domain, 40)} may have {allowed}; found {one_line(key, 40)!r}")
    requests = [slot for key in _REQUESTS for slot in _slots(parts.get(key))]
    constraints = {part: _pairs(domain, parts.get(part)) for part in CONSTRAINT_PARTS}
    return DomainGoal(**constraints, requests=tuple(dict.fromkeys(slot_in(domain, slot) for slot in requests)))


def _slots(value: Any) -> list[str]:
    """Return the requested slots, given as a list or as an object whose keys are slots."""
    slots = list(value) if isinstance(value, dict) else as_list(value if value is not None else [], "reqt")
    return [as_text(slot, "a slot of reqt") for slot in slots]


def _pairs(domain: str, raw: Any) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for slot, written in as_mapping(raw if raw is not None else {}, "a part of a goal").items():
        if slot in _NO_SLOTS:
            continue
        with placing(slot=f"{domain}-{slot}"):
            value = as_value(written)
            if isinstance(value, tuple):
                raise InputError("a goal must have one value per slot")
        if value is None:
            raise null_goal_value(domain, slot)
        pairs[slot_in(domain, slot)] = value
    return pairs


def null_goal_value(domain: str, slot: str) -> InputError:
    """Return the error for a goal slot whose value is null."""
    return InputError("a value of a goal must be a string or a number, found null", slot=f"{domain}-{slot}")


class _DialogueFile:
    """A JSON document with an object by dialogue. Raise InputError if it cannot be read."""

    CONTENT = ""

    def __init__(self, path: str | Path) -> None:
        source = Source(path)
        self.name = source.name
        with placing(file=self.name):
            written = as_mapping(source.document, f"the file of {self.CONTENT}")
        self._by_key: dict[str, tuple[str, Any]] = {dialogue_key(name): (name, each) for name, each in written.items()}

    def has(self, dialogue: str) -> bool:
        """Return True if the file has this dialogue."""
        return dialogue_key(dialogue) in self._by_key


class GoalFile(_DialogueFile):
    """A file of goals by dialogue, which replace the goals in the dialogues.

    The file may be ``data.json`` of MultiWOZ 2.1; only the goals of its dialogues are read.
    """

    CONTENT = "goals"

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self._used: set[str] = set()
        self._without: list[str] = []

    def apply_to(self, conversation: Conversation) -> Conversation:
        """Return the conversation with its goal from this file. It is unchanged if the file has no goal for it.

        Raises:
            InputError: an invalid goal.
        """
        if not self.has(conversation.id):
            self._without.append(conversation.id)
            return conversation
        key = dialogue_key(conversation.id)
        self._used.add(key)
        goal = self._by_key[key][1]
        if isinstance(goal, dict) and isinstance(goal.get("log"), list) and "goal" in goal:
            goal = goal["goal"]
        with placing(file=self.name, dialogue=conversation.id):
            return structs.replace(conversation, goal=goal_in(goal), task=task_in(goal))

    def notices(self) -> list[Notice]:
        """Return notices about ids that only one of the two files has. Call this when all dialogues have been read.

        Raises:
            InputError: the two files have no id in common.
        """
        if self._without and not self._used:
            raise InputError(
                f"none of its {len(self._by_key)} ids is a dialogue id; the dialogues have ids such as "
                f"{one_line(self._without[0], 40)!r}, the goals such as {one_line(next(iter(self._by_key.values()))[0], 40)!r}"
                if self._by_key
                else "the file has no goals",
                file=self.name,
            )
        unused = [name for key, (name, _) in self._by_key.items() if key not in self._used]
        unmatched = [
            ("no-goal", self._without, "dialogues have no goal in the file of goals"),
            ("goal-alone", unused, "goals in the file of goals have no dialogue"),
        ]
        return [
            Notice(code, len(names), f"{len(names)} {message}", tuple(names[:LISTED]))
            for code, names, message in unmatched
            if names
        ]


_NOT_ANNOTATED = "No Annotation"
_NO_VALUE = ("", "none", "?")


def parse_acts(raw: Any) -> tuple[Act, ...]:
    """Parse the acts of one turn.

    Args:
        raw: name of an act → list of pairs of slot and value; or the text for a turn without annotation.

    Raises:
        InputError: invalid acts.

    Example:
        >>> acts = parse_acts({"Hotel-Inform": [["Price", "cheap"]], "general-bye": [["none", "none"]]})
        >>> [(act.name, act.service, act.slot, act.values) for act in acts]
        [('Hotel-Inform', 'hotel', 'pricerange', ('cheap',)), ('general-bye', 'general', '', ())]
    """
    acts: list[Act] = []
    written = {} if raw in (_NOT_ANNOTATED, []) else as_mapping(raw, "dialog_act")
    for name, pairs in written.items():
        service = name.partition("-")[0].lower()
        for pair in as_list(pairs, f"act {one_line(name, 40)}"):
            if not isinstance(pair, list) or len(pair) != 2:
                raise InputError(f"act {one_line(name, 40)} must hold pairs of slot and value")
            slot, value = (as_text(part, "slot and value of an act") for part in pair)
            goal_slot = slot_in(service, slot)
            acts.append(Act(name, service, goal_slot, (value,) if goal_slot and value not in _NO_VALUE else ()))
    return tuple(acts)


class ActFile(_DialogueFile):
    """A separate file of acts, by dialogue and turn."""

    CONTENT = "acts"

    def acts(self, dialogue: str, turn: str) -> tuple[Act, ...] | None:
        """Return the acts of one turn; None if the file does not have the turn.

        Raises:
            InputError: invalid acts.
        """
        with placing(file=self.name):
            turns: Mapping[str, Any] = as_mapping(self._by_key[dialogue_key(dialogue)][1], "a dialogue")
            if turn not in turns:
                return None
            value = turns[turn]
            # In MultiWOZ 2.2 the same object also holds the spans of values.
            return parse_acts(
                value.get("dialog_act", {}) if isinstance(value, dict) and "dialog_act" in value else value
            )


def find_act_file(source: Source, names: tuple[str, ...]) -> ActFile | None:
    """Find the file of acts in the folder of the dialogues or in its parent folder; None if there is none."""
    path = find_beside(source, names)
    return None if path is None else ActFile(path)


def find_beside(source: Source, names: tuple[str, ...], folders: int = 2) -> Path | None:
    """Find a file, plain or compressed, in the folder of the dialogues and its parent folders; None if there is none."""
    if source.path == "-":
        return None
    path = Path(source.path).absolute()
    start = path if source.is_folder else path.parent
    for folder in (start, *start.parents)[:folders]:
        for name in (name + ending for name in names for ending in ("", ".gz", ".zst")):
            if (folder / name).is_file():
                return folder / name
    return None
