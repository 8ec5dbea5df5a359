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

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...errors import InputError, one_line
from ...model import Dialogue, State, Turn, Value, dialogue_key
from ..pairs.clashes import two_values
from ..pairs.state_layouts import StateLayout
from ..parts import Once, Role, as_list, as_mapping, as_text, as_value, dialogue, sided, turn_number
from ..source import Sample, Source

STATES = StateLayout("sections", absent=("", "not mentioned"))
_BELIEF_STATES = StateLayout("flat", absent=STATES.absent)
HOLDS = "state"
CARRIES = "one state per turn, utterances: data.json of MultiWOZ 2.0 and 2.1, test_dials.json of TRADE"


def detect(sample: Sample) -> bool:
    if sample.kind != "document":
        return False
    if isinstance(sample.value, list):
        entry = sample.value[0] if sample.value else None
        return isinstance(entry, dict) and "dialogue_idx" in entry and isinstance(entry.get("dialogue"), list)
    entry = next(iter(sample.value.values()), None) if isinstance(sample.value, dict) else None
    return isinstance(entry, dict) and isinstance(entry.get("log"), list)


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    once = Once()
    in_list = isinstance(source.sample.value, list)
    if in_list:
        source.states = _BELIEF_STATES
    for dialogue_id, thing in _dials(source.elements()) if in_list else _logs(source.members()):
        try:
            once.check(dialogue_id)
            yield dialogue(dialogue_id, _dial_turns(thing, role) if in_list else _log_turns(thing, role))
        except InputError as error:
            raise error.at(dialogue=dialogue_id) from None


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


def _logs(members: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    for dialogue_id, thing in members:
        try:
            yield dialogue_id, as_mapping(thing, "a dialogue").get("log")
        except InputError as error:
            raise error.at(dialogue=dialogue_id) from None


def _log_turns(thing: Any, role: Role) -> Iterator[Turn]:
    log = as_list(thing, "log")
    heard = ""
    for number in range((len(log) + 1) // 2):
        try:
            said = as_mapping(log[2 * number], "an utterance")
            if said.get("metadata"):
                raise InputError("metadata at a user's turn: user and system must take turns, the user first")
            answer = as_mapping(log[2 * number + 1], "an utterance") if 2 * number + 1 < len(log) else {}
            metadata = answer.get("metadata")
            state = as_mapping(metadata, "a state") if metadata is not None else None
            yield sided(role, number, state, user=as_text(said.get("text"), "text"), system=heard)
            heard = as_text(answer.get("text"), "text")
        except InputError as error:
            raise error.at(turn=number) from None


def _dials(elements: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    for position, thing in enumerate(elements):
        entry = as_mapping(thing, f"entry {position}")
        dialogue_id = entry.get("dialogue_idx")
        if not isinstance(dialogue_id, str):
            raise InputError(f"entry {position}: dialogue_idx must be a string")
        yield dialogue_id, entry.get("dialogue")


def _dial_turns(thing: Any, role: Role) -> Iterator[Turn]:
    for position, each in enumerate(as_list(thing, "dialogue")):
        number: Any = position
        try:
            turn = as_mapping(each, "a turn")
            number = turn_number(turn.get("turn_idx", position))
            state = _belief_state(turn["belief_state"]) if turn.get("belief_state") is not None else None
            user = as_text(turn.get("transcript"), "transcript")
            yield sided(role, number, state, user, as_text(turn.get("system_transcript"), "system_transcript"))
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
