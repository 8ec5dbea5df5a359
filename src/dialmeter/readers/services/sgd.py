"""Schema-guided dialogues: a folder of ``dialogues_*.json`` with ``schema.json``, or one such file. MultiWOZ 2.2 too.

``[{"dialogue_id": "..", "turns": [{"speaker": "USER", "utterance": "..", "frames": [{"service": "Hotels_1", "state":
{"active_intent": "..", "requested_slots": [], "slot_values": {"area": ["east", "the east"]}}}]}]}]``

A turn's number counts user turns. A slot is ``service-slot``; a service without a frame keeps its last state. The schema
is looked for beside the dialogues, and above the folder as MultiWOZ 2.2 has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, one_line, placing
from ...model import USER, Act, Conversation, Dialogue, Frame, Move, Schema, Turn
from ..entries import Entry, entries, first_entry, make_conversation, read_moves, user_or_system
from ..formats import ConversationReader
from ..multiwoz.acts import ActFile, act_file_near
from ..multiwoz.goals import goal_in
from ..pairs.slot_names import slot_in
from ..pairs.state_layouts import SERVICES
from ..parts import Role, as_list, as_mapping, as_text, as_value, first_mapping, read_dialogues, turns_by_id
from ..source import Sample, Source
from .schema import read_schema, slot_of_service

STATES = SERVICES
HOLDS = "state"
CARRIES = "one state per turn, intents, requested slots, utterances, schema; a folder or one file"

_DIALOGUE_FILE = re.compile(r"dialogues_.*\.json(\.gz|\.zst)?")
# Output of the official scorer in the folder of the predictions: the same dialogues once more.
_SCORER_OUTPUT = "dialogues_and_metrics.json"


def detect(sample: Sample) -> bool:
    if sample.kind == "folder":
        return bool(dialogue_files(sample.value))
    return sample.kind == "document" and isinstance(sample.value, list) and _is_framed(first_mapping(sample.value))


def _is_framed(entry: Mapping[str, Any]) -> bool:
    return "dialogue_id" in entry and {"speaker", "frames"} <= first_mapping(entry.get("turns")).keys()


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    source.schema = _schema_near(source)
    stateless = True
    for part in files_of(source):
        source.part = part.name
        with placing(file=part.name):
            turns = turns_by_id(part.elements(), "dialogue_id", "turns")
            for found in read_dialogues(turns, partial(_user_turns, role)):
                stateless = stateless and not any(turn.frames for turn in found.turns)
                yield found
        if part is not source:
            source.doubled.extend(part.doubled)
    if stateless:
        raise InputError("no frame of a user turn holds a state")


def dialogue_files(folder: Path) -> list[Path]:
    """The files of a folder that hold dialogues, in order."""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(folder)) from None
    return [folder / name for name in names if _DIALOGUE_FILE.fullmatch(name) and name != _SCORER_OUTPUT]


def files_of(source: Source) -> Iterator[Source]:
    """The file itself, or the files of a folder one by one."""
    if not source.is_folder:
        yield source
        return
    paths = dialogue_files(Path(source.path))
    if not paths:
        raise InputError("a folder without dialogues_*.json")
    yield from map(Source, paths)


def _schema_near(source: Source) -> Schema | None:
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
    heard = ""
    last: dict[str, Any] = {}
    is_whole = False
    for each in as_list(thing, "turns"):
        try:
            turn = as_mapping(each, "a turn")
            said = as_text(turn.get("utterance"), "utterance")
            states, frames = _framed(turn.get("frames"), role)
            if not _is_user(turn.get("speaker")):
                if states:
                    raise InputError("a frame of a system turn holds a state; states belong to user turns")
                heard = f"{heard} {said}".strip()
                continue
            # MultiWOZ 2.2 writes the whole state at every turn: a slot that is not written is deleted.
            is_whole = is_whole or any(map(_is_prefixed, states.items()))
            if is_whole:
                last = states
            elif states:
                last = {**last, **states}
            gold, pred = (None, last) if role is Role.PRED else (last, None)
            yield Turn(number, gold, pred, said, heard, frames)
            number, heard = number + 1, ""
        except InputError as error:
            raise error.at(turn=number) from None


def _is_prefixed(framed: tuple[str, Mapping[str, Any]]) -> bool:
    """Do slots repeat the name of their service, as in MultiWOZ 2.2?"""
    service, values = framed
    return next(iter(values), "").startswith(f"{service}-")


def _is_user(speaker: Any) -> bool:
    if speaker in _SPEAKERS:
        return bool(speaker == "USER")
    if not isinstance(speaker, str) or speaker.upper() not in _SPEAKERS:
        raise InputError(f"speaker must be USER or SYSTEM, found {one_line(str(speaker), 40)!r}")
    return speaker.upper() == "USER"


_SPEAKERS = ("USER", "SYSTEM")


def _framed(thing: Any, role: Role) -> tuple[dict[str, Mapping[str, Any]], dict[str, Frame]]:
    """By service: the slot values of the frames that hold a state, and their intents and requested slots."""
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
        # By place, which is faster: the intent in gold and in a prediction, the requested slots in gold and in a prediction.
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
    # Dialogues with a goal have the format in which GCDF1 was published.
    return "goal" not in entry and _is_framed(entry)


def _items(source: Source) -> Iterator[_Item]:
    acts = act_file_near(source, ("dialog_acts.json",))
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
        found = tuple(act for service, frame in frames for act in _acts(service, frame.get("actions")))
    else:
        found = acts.acts(dialogue, str(turn.get("turn_id", place))) or ()
    requested = _requested_of(frames) if who == USER else None
    yield Move(who, as_text(turn.get("utterance"), "utterance"), found, requested=requested)


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
    found = as_value(thing)
    return () if found is None else (found,) if isinstance(found, str) else found


def _requested_of(frames: list[tuple[str, Mapping[str, Any]]]) -> dict[str, tuple[str, ...]] | None:
    """The requested slots that the frames list; None where no frame has such a list."""
    found: dict[str, tuple[str, ...]] = {}
    for service, frame in frames:
        state = as_mapping(frame.get("state") or {}, "state")
        if state.get("requested_slots") is not None:
            slots = (as_text(slot, "requested_slots") for slot in as_list(state["requested_slots"], "requested_slots"))
            found[service] = tuple(f"{service}-{slot_in(service, slot_of_service(service, slot))}" for slot in slots)
    return found or None


CONVERSATIONS = ConversationReader(
    """Schema-guided dialogues and MultiWOZ 2.2: a folder of ``dialogues_*.json``, one such file, or JSON lines.

``[{"dialogue_id": "..", "services": ["Hotels_1"], "turns": [{"speaker": "USER", "utterance": "..", "frames": [{"service":
"Hotels_1", "actions": [{"act": "INFORM", "slot": "area", "values": ["the east"], "canonical_values": ["east"]}], "state":
{"requested_slots": ["phone"]}}]}]}]``

An act has its canonical values where there are any. MultiWOZ 2.2 leaves ``actions`` empty and has its acts in
``dialog_acts.json``, which is looked for beside the dialogues and above their folder. A dialogue without any act has none
given. Slots of MultiWOZ's services get the names that goals have, as in the format ``multiwoz``; those of other services stay
as they are written. Goals are in a file of their own; ``data.json`` of MultiWOZ 2.1 serves as one.
    """,
    "text, acts, requested slots; a folder or a file, goals in a file of their own",
    _detect_conversation,
    _items,
    _conversation,
)
