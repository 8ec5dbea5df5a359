"""``data.json`` of MultiWOZ 2.0 and 2.1, and ``test_dials.json`` of TRADE.

``{"MUL0003.json": {"log": [{"text": "..", "metadata": {}}, {"text": "..", "metadata": {"hotel": {"semi": {"area": "east"},
"book": {"people": "2", "booked": []}}}}]}}``: user and system take turns. The metadata of a system turn is the state after the
preceding user turn. A final user turn without a system turn has no state.

``[{"dialogue_idx": "MUL0003.json", "dialogue": [{"turn_idx": 0, "belief_state": [{"slots": [["hotel-area", "east"]], "act":
"inform"}], "system_transcript": "", "transcript": ".."}]}]``: ``belief_state`` is the state after ``transcript``, the utterance of
the user.

In both, ``""`` and ``not mentioned`` mean that a slot has no value. All other words, including ``none``, are values.
The rule set decides on their meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs

from ...errors import InputError, one_line, placing
from ...model import SYSTEM, USER, Act, Conversation, Dialogue, Move, State, Turn, Value, dialogue_key
from ..entries import make_conversation, read_moves
from ..pairs.slot_names import two_values
from ..pairs.state_layouts import StateLayout
from ..parts import (
    Role,
    as_list,
    as_mapping,
    as_text,
    as_value,
    first_mapping,
    first_value,
    read_dialogues,
    turn_number,
    turn_with_state,
    turns_by_id,
)
from ..source import Sample, Source
from ..strict_json import parse_unique
from .goals import ActFile, find_act_file, goal_in, parse_acts, task_in

STATES = StateLayout("sections", absent=("", "not mentioned"))
_BELIEF_STATES = StateLayout("flat", absent=STATES.absent)
HOLDS = "state"
CARRIES = "one state per turn, utterances: data.json of MultiWOZ 2.0 and 2.1, test_dials.json of TRADE"

_NOT_TAKING_TURNS = "metadata in a user turn: user and system must take turns, and the user must begin"


def detect(sample: Sample) -> bool:
    if sample.kind == "document" and isinstance(sample.value, list):
        entry = first_mapping(sample.value)
        return "dialogue_idx" in entry and isinstance(entry.get("dialogue"), list)
    return _has_log(sample)


def _has_log(sample: Sample) -> bool:
    entry = first_value(sample.value) if sample.kind == "document" else None
    return isinstance(entry, dict) and isinstance(entry.get("log"), list)


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    if isinstance(source.sample.value, list):
        source.states = _BELIEF_STATES
        return read_dialogues(turns_by_id(source.elements(), "dialogue_idx", "dialogue"), partial(_dial_turns, role))
    return read_dialogues(source.members(), partial(_log_turns, role))


def ids_of_list(path: str | Path) -> set[str]:
    """Read a list of dialogue ids, one id per line. Return the normalised form of each id, see :func:`dialogue_key`.

    A line in double quotes is read as a JSON string, so a list can hold every id. Blank lines are skipped.

    Raises:
        InputError: the file cannot be read, has no id, or is not such a list.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "testListFile.txt")
        ...     with open(path, "w") as file:
        ...         _ = file.write('MUL0003.json\\nSNG01.json\\n""\\n"a, b"\\n')
        ...     sorted(ids_of_list(path))
        ['', 'a, b', 'mul0003', 'sng01']
    """
    source = Source(path)
    ids = {_id_of_line(line, source.name) for line in source.text.split("\n") if line.strip()}
    if not ids:
        raise InputError("the list has no dialogue ids", file=source.name)
    return ids


def _id_of_line(line: str, name: str) -> str:
    line = line.strip()
    if len(line) > 1 and line[0] == line[-1] == '"':
        return dialogue_key(parse_unique(line.encode(), name))
    if any(letter in line for letter in '[]{}",'):
        message = (
            f'expected one dialogue id per line, found {one_line(line, 40)!r}; an id with one of []{{}}", needs quotes'
        )
        raise InputError(message, file=name)
    return dialogue_key(line)


def _log_turns(role: Role, thing: Any) -> Iterator[Turn]:
    log = as_list(as_mapping(thing, "a dialogue").get("log"), "log")
    system_text = ""
    for number in range((len(log) + 1) // 2):
        with placing(turn=number):
            user_turn = as_mapping(log[2 * number], "an utterance")
            if user_turn.get("metadata"):
                raise InputError(_NOT_TAKING_TURNS)
            answer = as_mapping(log[2 * number + 1], "an utterance") if 2 * number + 1 < len(log) else {}
            metadata = answer.get("metadata")
            state = as_mapping(metadata, "a state") if metadata is not None else None
            yield turn_with_state(role, number, state, as_text(user_turn.get("text"), "text"), system_text)
            system_text = as_text(answer.get("text"), "text")


def _dial_turns(role: Role, thing: Any) -> Iterator[Turn]:
    for position, each in enumerate(as_list(thing, "dialogue")):
        number: Any = position
        try:
            turn = as_mapping(each, "a turn")
            number = turn_number(turn.get("turn_idx", position))
            state = _belief_state(turn["belief_state"]) if turn.get("belief_state") is not None else None
            user = as_text(turn.get("transcript"), "transcript")
            yield turn_with_state(
                role, number, state, user, as_text(turn.get("system_transcript"), "system_transcript")
            )
        except InputError as error:
            raise error.at(turn=number) from None


def _belief_state(thing: Any) -> State:
    state: dict[str, Value] = {}
    for each in as_list(thing, "belief_state"):
        entry = as_mapping(each, "an entry of belief_state")
        if entry.get("act") == "request":  # requested slots are not part of the state
            continue
        for pair in as_list(entry.get("slots"), "slots"):
            if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)):
                raise InputError('a slot must be ["domain-slot", "value"]')
            try:
                value = as_value(pair[1])
            except InputError as error:
                raise error.at(slot=pair[0]) from None
            if value is not None and state.setdefault(pair[0], value) != value:
                raise two_values(pair[0], state[pair[0]], value)
    return state


class _Item(NamedTuple):
    name: str
    thing: Any
    acts: ActFile | None


def _items(source: Source) -> Iterator[_Item]:
    acts = find_act_file(source, ("dialogue_acts.json", "system_acts.json"))
    for name, thing in as_mapping(source.document, "the file").items():
        yield _Item(name, thing, acts)


def _conversation(item: _Item) -> Conversation:
    with placing(dialogue=item.name):
        entry = as_mapping(item.thing, "a dialogue")
        goal = None if entry.get("goal") is None else goal_in(entry["goal"])
        moves = read_moves(as_list(entry.get("log"), "log"), partial(_moves, item))
        return structs.replace(make_conversation(item.name, moves, goal), task=task_in(entry.get("goal")))


def _moves(item: _Item, place: int, thing: Any) -> Iterator[Move]:
    who = SYSTEM if place % 2 else USER
    turn = as_mapping(thing, "an utterance")
    if who == USER and turn.get("metadata"):
        raise InputError(_NOT_TAKING_TURNS)
    yield Move(who, as_text(turn.get("text"), "text"), _acts(item, turn, place))


def _acts(item: _Item, turn: Any, place: int) -> tuple[Act, ...] | None:
    if turn.get("dialog_act") is not None:
        return parse_acts(turn["dialog_act"])
    if place % 2 == 0 or item.acts is None or not item.acts.has(item.name):
        return None
    return item.acts.acts(item.name, str(place // 2 + 1))


class MultiWozConversations:
    """``data.json`` of MultiWOZ 2.0 and 2.1: utterances, goals, and acts if available.

    ``{"MUL0003.json": {"goal": {"hotel": {"info": {"area": "east"}, "reqt": ["phone"]}, "taxi": {}}, "log": [{"text": "..", "metadata":
    {}, "dialog_act": {"Hotel-Inform": [["Area", "east"]]}}]}}``

    User and system take turns, and the user begins. Acts are in the turns. For turns without acts, the acts of the system
    are read from ``dialogue_acts.json`` or ``system_acts.json``, in the folder of the file or in its parent folder. These
    files count system turns from 1. Slots are renamed as in goals, in lower case (``Addr`` becomes ``address``, ``Leave``
    becomes ``leaveat``). Empty domains of a goal are omitted. ``invalid`` and ``pre_invalid`` are not slots.
    """

    CARRIES = "text, acts, goals: data.json of MultiWOZ 2.0 and 2.1"
    detect = staticmethod(_has_log)
    items = staticmethod(_items)
    conversation = staticmethod(_conversation)
