"""MultiWOZ 2.0 and 2.1 ``data.json``, and TRADE's ``test_dials.json``.

``{"MUL0003.json": {"log": [{"text": "..", "metadata": {}}, {"text": "..", "metadata": {"hotel": {"semi": {"area": "east"},
"book": {"people": "2", "booked": []}}}}]}}``: user and system take turns, and the system's metadata is the state after the
user's turn before it. A user turn at the end that the system does not answer has no state.

``[{"dialogue_idx": "MUL0003.json", "dialogue": [{"turn_idx": 0, "belief_state": [{"slots": [["hotel-area", "east"]], "act":
"inform"}], "system_transcript": "", "transcript": ".."}]}]``: the state after the user's transcript.

Both write ``""`` or ``not mentioned`` where a slot is named and has no value. Other words, ``none`` among
them, are values like any other until a rule set says what they mean.
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
from ..formats import ConversationReader
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
from .acts import ActFile, act_file_near, acts_in
from .goals import goal_in, task_in

STATES = StateLayout("sections", absent=("", "not mentioned"))
_BELIEF_STATES = StateLayout("flat", absent=STATES.absent)
HOLDS = "state"
CARRIES = "one state per turn, utterances: data.json of MultiWOZ 2.0 and 2.1, test_dials.json of TRADE"


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
    """The dialogues that a list file names, one id per line, in the form under which ids are matched.

    Raises:
        InputError: cannot be read, holds no id, or is no such list.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "testListFile.txt")
        ...     with open(path, "w") as file:
        ...         _ = file.write("MUL0003.json\\nSNG01.json\\n")
        ...     sorted(ids_of_list(path))
        ['mul0003', 'sng01']
    """
    source = Source(path)
    ids = {line.strip() for line in source.text.splitlines()} - {""}
    odd = sorted(each for each in ids if any(letter in each for letter in '[]{}",'))
    if odd:
        raise InputError(f"one dialogue id per line is expected, found {one_line(odd[0], 40)!r}", file=source.name)
    if not ids:
        raise InputError("a list of dialogues without any id", file=source.name)
    return {dialogue_key(each) for each in ids}


def _log_turns(role: Role, thing: Any) -> Iterator[Turn]:
    log = as_list(as_mapping(thing, "a dialogue").get("log"), "log")
    heard = ""
    for number in range((len(log) + 1) // 2):
        try:
            said = as_mapping(log[2 * number], "an utterance")
            if said.get("metadata"):
                raise InputError("metadata at a user's turn: user and system must take turns, the user first")
            answer = as_mapping(log[2 * number + 1], "an utterance") if 2 * number + 1 < len(log) else {}
            metadata = answer.get("metadata")
            state = as_mapping(metadata, "a state") if metadata is not None else None
            yield turn_with_state(role, number, state, user=as_text(said.get("text"), "text"), system=heard)
            heard = as_text(answer.get("text"), "text")
        except InputError as error:
            raise error.at(turn=number) from None


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
        if entry.get("act") == "request":  # what the user asks for is no value of the state
            continue
        for pair in as_list(entry.get("slots"), "slots"):
            if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)):
                raise InputError('a slot reads ["domain-slot", "value"]')
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
    acts = act_file_near(source, ("dialogue_acts.json", "system_acts.json"))
    for name, thing in as_mapping(source.document, "the file").items():
        yield _Item(name, thing, acts)


def _conversation(item: _Item) -> Conversation:
    with placing(dialogue=item.name):
        entry = as_mapping(item.thing, "a dialogue")
        goal = None if entry.get("goal") is None else goal_in(entry["goal"])
        found = make_conversation(item.name, read_moves(as_list(entry.get("log"), "log"), partial(_moves, item)), goal)
        return structs.replace(found, task=task_in(entry.get("goal")))


def _moves(item: _Item, place: int, thing: Any) -> Iterator[Move]:
    who = SYSTEM if place % 2 else USER
    said = as_mapping(thing, "an utterance")
    if who == USER and said.get("metadata"):
        raise InputError("metadata at a user's turn: user and system must take turns, the user first")
    yield Move(who, as_text(said.get("text"), "text"), _acts(item, said, place))


def _acts(item: _Item, said: Any, place: int) -> tuple[Act, ...] | None:
    if said.get("dialog_act") is not None:
        return acts_in(said["dialog_act"])
    if place % 2 == 0 or item.acts is None or not item.acts.has(item.name):
        return None
    return item.acts.acts(item.name, str(place // 2 + 1))


CONVERSATIONS = ConversationReader(
    """MultiWOZ 2.0 and 2.1 ``data.json``: talk, goals, and acts where the file has them.

``{"MUL0003.json": {"goal": {"hotel": {"info": {"area": "east"}, "reqt": ["phone"]}, "taxi": {}}, "log": [{"text": "..", "metadata":
{}, "dialog_act": {"Hotel-Inform": [["Area", "east"]]}}]}}``

User and system take turns, the user first. Acts stand in the turns; where they do not, the system's are looked for in
``dialogue_acts.json`` or ``system_acts.json`` beside the file or one folder above, which count the system's turns from 1.
Slots get the names that goals have (``Addr`` is ``address``, ``Leave`` is ``leaveat``), in small letters. A domain of the goal
with nothing in it is absent, and ``invalid`` and ``pre_invalid`` are no slots.
    """,
    "text, acts, goals: data.json of MultiWOZ 2.0 and 2.1",
    _has_log,
    _items,
    _conversation,
)
