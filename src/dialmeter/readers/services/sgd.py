"""Schema-guided dialogues and MultiWOZ 2.2: a folder of ``dialogues_*.json`` with ``schema.json``, or one such file.

``[{"dialogue_id": "..", "turns": [{"speaker": "USER", "utterance": "..", "frames": [{"service": "Hotels_1", "state":
{"active_intent": "..", "requested_slots": [], "slot_values": {"area": ["east", "the east"]}}}]}]}]``

Turn numbers count user turns. A slot is named ``service-slot``. A service without a frame keeps its last state. In
files of MultiWOZ 2.2, whose slot names repeat the service, every turn has the whole state. The schema is read from the
folder of the dialogues, or from its parent folder, as in MultiWOZ 2.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, one_line, placing, reading
from ...model import USER, Act, Conversation, Dialogue, Frame, Move, Schema, Turn
from ..entries import Entry, entries, first_entry, make_conversation, read_moves, user_or_system
from ..multiwoz.goals import ActFile, find_act_file, goal_in
from ..pairs.slot_names import slot_in
from ..pairs.state_layouts import SERVICES
from ..parts import Role, as_list, as_mapping, as_text, as_value, first_mapping, read_dialogues, turns_by_id
from ..source import Sample, Source
from .schema import read_schema, slot_of_service

STATES = SERVICES
HOLDS = "state"
CARRIES = "one state per turn, intents, requested slots, utterances, schema; a folder or one file"

_DIALOGUE_FILE = re.compile(r"dialogues_.*\.json(\.gz|\.zst)?")
# The official scorer writes this file into the folder of the predictions. It repeats the same dialogues.
_SCORER_OUTPUT = "dialogues_and_metrics.json"


def detect(sample: Sample) -> bool:
    if sample.kind == "folder":
        return bool(dialogue_files(sample.value))
    return sample.kind == "document" and isinstance(sample.value, list) and _has_frames(first_mapping(sample.value))


def _has_frames(entry: Mapping[str, Any]) -> bool:
    return "dialogue_id" in entry and {"speaker", "frames"} <= first_mapping(entry.get("turns")).keys()


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    source.schema = _find_schema(source)
    is_stateless = True
    for part in files_of(source):
        source.part = part.name
        with placing(file=part.name):
            turns = turns_by_id(part.elements(), "dialogue_id", "turns")
            for dialogue in read_dialogues(turns, partial(_user_turns, role)):
                is_stateless = is_stateless and not any(turn.frames for turn in dialogue.turns)
                yield dialogue
        if part is not source:
            source.doubled.extend(part.doubled)
    if is_stateless:
        raise InputError("no user turn has a frame with a state")


def dialogue_files(folder: Path) -> list[Path]:
    """Return the dialogue files of a folder, sorted by name."""
    with reading(folder):
        names = sorted(path.name for path in folder.iterdir())
    return [folder / name for name in names if _DIALOGUE_FILE.fullmatch(name) and name != _SCORER_OUTPUT]


def files_of(source: Source) -> Iterator[Source]:
    """Yield the file itself, or the dialogue files of a folder."""
    if not source.is_folder:
        yield source
        return
    paths = dialogue_files(Path(source.path))
    if not paths:
        raise InputError("a folder without dialogues_*.json")
    yield from map(Source, paths)


def _find_schema(source: Source) -> Schema | None:
    if source.path == "-":
        return None
    path = Path(source.path).absolute()
    for folder in (path, path.parent) if source.is_folder else (path.parent,):
        for name in ("schema.json", "schema.json.gz", "schema.json.zst"):
            if (folder / name).is_file():
                return read_schema(folder / name)
    return None


def _user_turns(role: Role, thing: Any) -> Iterator[Turn]:
    number = 0
    system_text = ""
    last: dict[str, Any] = {}
    is_whole = False
    for each in as_list(thing, "turns"):
        try:
            turn = as_mapping(each, "a turn")
            text = as_text(turn.get("utterance"), "utterance")
            states, frames = _read_frames(turn.get("frames"), role)
            if not _is_user(turn.get("speaker")):
                if states:
                    raise InputError("a system turn has a frame with a state; only user turns may have states")
                system_text = f"{system_text} {text}".strip()
                continue
            # MultiWOZ 2.2 writes the whole state in every turn. A slot that is not written is deleted.
            is_whole = is_whole or any(map(_is_prefixed, states.items()))
            if is_whole:
                last = states
            elif states:
                last = {**last, **states}
            gold, pred = (None, last) if role is Role.PRED else (last, None)
            yield Turn(number, gold, pred, text, system_text, frames)
            number, system_text = number + 1, ""
        except InputError as error:
            raise error.at(turn=number) from None


def _is_prefixed(state: tuple[str, Mapping[str, Any]]) -> bool:
    """Return True if slot names repeat the name of their service, as in MultiWOZ 2.2."""
    service, values = state
    return next(iter(values), "").startswith(f"{service}-")


def _is_user(speaker: Any) -> bool:
    if speaker in _SPEAKERS:
        return bool(speaker == "USER")
    if not isinstance(speaker, str) or speaker.upper() not in _SPEAKERS:
        raise InputError(f"speaker must be USER or SYSTEM, found {one_line(str(speaker), 40)!r}")
    return speaker.upper() == "USER"


_SPEAKERS = ("USER", "SYSTEM")


def _read_frames(thing: Any, role: Role) -> tuple[dict[str, Mapping[str, Any]], dict[str, Frame]]:
    """Return slot values, and intents with requested slots, both by service, of the frames that have a state."""
    states: dict[str, Mapping[str, Any]] = {}
    frames: dict[str, Frame] = {}
    for each in as_list(thing, "frames"):
        frame = as_mapping(each, "a frame")
        service = frame.get("service")
        if not isinstance(service, str) or not service or "-" in service:
            raise InputError(f"service must be a name without a hyphen, found {one_line(str(service), 40)!r}")
        state = frame.get("state")
        if state is None:
            continue
        if service in states:
            raise InputError("the service has two frames", slot=service)
        try:
            state = as_mapping(state, "state")
            states[service] = as_mapping(state.get("slot_values"), "slot_values")
            intent, requested = state.get("active_intent"), state.get("requested_slots")
            if intent is not None:
                as_text(intent, "active_intent")
            if requested is not None:
                requested = _requested(service, requested)
        except InputError as error:
            raise error.at(slot=service) from None
        # Positional arguments are faster: gold and predicted intent, gold and predicted requested slots.
        frames[service] = (
            Frame(None, intent, None, requested) if role is Role.PRED else Frame(intent, None, requested, None)
        )
    return states, frames


def _requested(service: str, thing: Any) -> tuple[str, ...]:
    slots = as_list(thing, "requested_slots")
    if not slots:
        return ()
    if not all(isinstance(slot, str) for slot in slots):
        raise InputError("requested_slots must be a list of strings")
    return tuple(slot_of_service(service, slot) for slot in slots)


class _Item(NamedTuple):
    entry: Entry
    acts: ActFile | None


def _detect_conversation(sample: Sample) -> bool:
    if sample.kind == "folder":
        return bool(dialogue_files(sample.value))
    entry = first_entry(sample)
    # Dialogues with a goal have the format gcdf1.
    return "goal" not in entry and _has_frames(entry)


def _items(source: Source) -> Iterator[_Item]:
    acts = find_act_file(source, ("dialog_acts.json",))
    if not source.is_folder:
        yield from (_Item(entry, acts) for entry in entries(source))
        return
    for part in files_of(source):
        with placing(file=part.name):
            for place, thing in enumerate(part.elements(), 1):
                yield _Item(Entry(str(place), thing, file=part.name), acts)
        source.doubled.extend(part.doubled)


def _conversation(item: _Item) -> Conversation:
    with item.entry.opened("dialogue_id") as (name, entry):
        acts = item.acts if item.acts is not None and item.acts.has(name) else None
        moves = list(read_moves(as_list(entry.get("turns"), "turns"), partial(_moves, name, acts)))
        if not any(move.acts for move in moves):
            moves = [Move(move.speaker, move.text, requested=move.requested) for move in moves]
        return make_conversation(name, moves, None if entry.get("goal") is None else goal_in(entry["goal"]))


def _moves(dialogue: str, acts: ActFile | None, place: int, thing: Any) -> Iterator[Move]:
    turn = as_mapping(thing, "a turn")
    who = user_or_system(turn.get("speaker"))
    frames = [_frame(frame) for frame in as_list(turn.get("frames", []), "frames")]
    if acts is None:
        turn_acts = tuple(act for service, frame in frames for act in _acts(service, frame.get("actions")))
    else:
        turn_acts = acts.acts(dialogue, str(turn.get("turn_id", place))) or ()
    requested = _requested_of(frames) if who == USER else None
    yield Move(who, as_text(turn.get("utterance"), "utterance"), turn_acts, requested=requested)


def _frame(thing: Any) -> tuple[str, Mapping[str, Any]]:
    frame = as_mapping(thing, "a frame")
    service = frame.get("service")
    if not isinstance(service, str) or not service:
        raise InputError(f"service must be a name, found {one_line(str(service), 40)!r}")
    return service, frame


def _acts(service: str, thing: Any) -> Iterator[Act]:
    for each in as_list(thing if thing is not None else [], "actions"):
        action = as_mapping(each, "an action")
        name = as_text(action.get("act"), "act")
        if not name:
            raise InputError("an action without an act", slot=service)
        slot = slot_in(service, as_text(action.get("slot"), "slot"))
        yield Act(name, service, slot, _values(action.get("canonical_values")) or _values(action.get("values")))


def _values(thing: Any) -> tuple[str, ...]:
    value = as_value(thing)
    return () if value is None else (value,) if isinstance(value, str) else value


def _requested_of(frames: list[tuple[str, Mapping[str, Any]]]) -> dict[str, tuple[str, ...]] | None:
    """Return the requested slots by service; None if no frame lists any."""
    requested: dict[str, tuple[str, ...]] = {}
    for service, frame in frames:
        state = as_mapping(frame.get("state") or {}, "state")
        if state.get("requested_slots") is not None:
            slots = (as_text(slot, "requested_slots") for slot in as_list(state["requested_slots"], "requested_slots"))
            requested[service] = tuple(
                f"{service}-{slot_in(service, slot_of_service(service, slot))}" for slot in slots
            )
    return requested or None


class SgdConversations:
    """Schema-guided dialogues and MultiWOZ 2.2: a folder of ``dialogues_*.json``, one such file, or JSON lines.

    ``[{"dialogue_id": "..", "services": ["Hotels_1"], "turns": [{"speaker": "USER", "utterance": "..", "frames": [{"service":
    "Hotels_1", "actions": [{"act": "INFORM", "slot": "area", "values": ["the east"], "canonical_values": ["east"]}], "state":
    {"requested_slots": ["phone"]}}]}]}]``

    The values of an act are its canonical values if it has any. In MultiWOZ 2.2, ``actions`` is empty, and the acts are in
    ``dialog_acts.json``, in the folder of the dialogues or in its parent folder. A dialogue without any act is read as not
    annotated. Slots of MultiWOZ services are renamed as in the format ``multiwoz``; slots of other services are unchanged.
    Goals are in a separate file, which may be ``data.json`` of MultiWOZ 2.1.
    """

    CARRIES = "text, acts, requested slots; a folder or a file, goals in a separate file"
    detect = staticmethod(_detect_conversation)
    items = staticmethod(_items)
    conversation = staticmethod(_conversation)
