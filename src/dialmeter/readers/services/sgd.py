"""Schema-guided dialogues: a folder of ``dialogues_*.json`` with ``schema.json``, or one such file. MultiWOZ 2.2 too.

``[{"dialogue_id": "..", "turns": [{"speaker": "USER", "utterance": "..", "frames": [{"service": "Hotels_1", "state":
{"active_intent": "..", "requested_slots": [], "slot_values": {"area": ["east", "the east"]}}}]}]}]``

A turn's number counts user turns. A slot is ``service-slot``; a service without a frame keeps its last state. The schema
is looked for beside the dialogues, and above the folder as MultiWOZ 2.2 has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import InputError, one_line
from ...model import Dialogue, Frame, Schema, Turn
from ..pairs.state_layouts import SERVICES
from ..parts import Once, Role, as_list, as_mapping, as_text, dialogue
from ..source import Sample, Source
from .schema import read_schema, slot_of_service

STATES = SERVICES
HOLDS = "state"
CARRIES = "one state per turn, intents, requested slots, utterances, schema; a folder or one file"

_DIALOGUE_FILE = re.compile(r"dialogues_.*\.json(\.gz|\.zst)?")
# The official scorer leaves this beside the predictions: the same dialogues once more.
_SCORER_OUTPUT = "dialogues_and_metrics.json"


def detect(sample: Sample) -> bool:
    if sample.kind == "folder":
        return bool(dialogue_files(sample.value))
    if sample.kind != "document" or not isinstance(sample.value, list) or not sample.value:
        return False
    first = sample.value[0]
    turns = first.get("turns") if isinstance(first, dict) and "dialogue_id" in first else None
    turn = turns[0] if isinstance(turns, list) and turns else None
    return isinstance(turn, dict) and {"speaker", "frames"} <= turn.keys()


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    source.schema = _schema_near(source)
    once = Once()
    stateless = True
    for part in files_of(source):
        source.part = part.name
        try:
            for position, thing in enumerate(part.elements()):
                found = _dialogue(position, thing, role)
                once.check(found.id)
                stateless = stateless and not any(turn.frames for turn in found.turns)
                yield found
        except InputError as error:
            raise error.at(file=part.name) from None
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


def _dialogue(position: int, thing: Any, role: Role) -> Dialogue:
    entry = as_mapping(thing, f"entry {position}")
    dialogue_id = entry.get("dialogue_id")
    if not isinstance(dialogue_id, str):
        raise InputError(f"entry {position}: dialogue_id must be a string")
    try:
        return dialogue(dialogue_id, _user_turns(entry.get("turns"), role))
    except InputError as error:
        raise error.at(dialogue=dialogue_id) from None


def _user_turns(thing: Any, role: Role) -> Iterator[Turn]:
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
            # MultiWOZ 2.2 tells the whole state at every turn; there, what is not told is gone.
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
    """The values of the frames that hold a state, and what they say beside it; by service."""
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
