"""Dialogues about services: the schema-guided corpora and MultiWOZ 2.2, the GCDF1 evaluator, and Taskmaster."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ...errors import InputError, one_line, placing, reading
from ...model import SYSTEM, USER, Act, Conversation, Dialogue, DomainGoal, Frame, Goal, Move, Turn
from ..entries import Entry, entries, first_entry, make_conversation, read_moves, speaker, user_or_system
from ..pairs.slot_names import slot_in
from ..pairs.state_layouts import SERVICES
from ..source import Sample, Source
from ..validation import (
    DialogueType,
    Role,
    as_list,
    as_mapping,
    as_type,
    as_value,
    dialogue,
    first_mapping,
    turns_by_id,
    value_text,
)
from .goals import ActFile, find_act_file, find_beside, goal_in, null_goal_value, task_in
from .schema import read_schema, slot_of_service

_Scalar: TypeAlias = str | int | float | bool | None
_SPEAKERS = {"USER": USER, "SYSTEM": SYSTEM, "user": USER, "system": SYSTEM}


class _Action(Struct, gc=False, omit_defaults=True):
    act: str
    slot: str | None = None
    values: list[_Scalar] | None = None
    canonical_values: list[_Scalar] | None = None


class _State(Struct, gc=False, omit_defaults=True):
    active_intent: str | None = None
    requested_slots: list[str] | None = None
    slot_values: Any = None


class _StateFrame(Struct, gc=False, omit_defaults=True):
    service: str
    state: _State | None = None


class _StateTurn(Struct):
    """The part of a turn that holds states."""

    speaker: str
    utterance: str | None = None
    frames: list[_StateFrame] | None = None


class _Frame(_StateFrame, gc=False, omit_defaults=True):
    actions: list[_Action] | None = None


class _Understood(Struct, gc=False, omit_defaults=True):
    frames: list[_Frame] | None = None


class _Turn(Struct, gc=False, omit_defaults=True):
    """A turn. Only the GCDF1 evaluator writes ``nlu``."""

    speaker: str
    turn_id: str | int | None = None
    utterance: str | None = None
    frames: list[_Frame] | None = None
    nlu: _Understood | None = None


_DIALOGUE_FILE = re.compile(r"dialogues_.*\.json(\.gz|\.zst)?")
# The official scorer writes this file into the folder of the predictions. It repeats the same dialogues.
_SCORER_OUTPUT = "dialogues_and_metrics.json"


def dialogue_files(folder: Path) -> list[Path]:
    """Return the dialogue files of a folder, sorted by name."""
    with reading(folder):
        names = sorted(path.name for path in folder.iterdir())
    return [folder / name for name in names if _DIALOGUE_FILE.fullmatch(name) and name != _SCORER_OUTPUT]


def _files_of(source: Source) -> Iterator[Source]:
    """Yield the file itself, or the dialogue files of a folder."""
    if not source.is_folder:
        yield source
        return
    paths = dialogue_files(Path(source.path))
    if not paths:
        raise InputError("a folder without dialogues_*.json")
    yield from map(Source, paths)


def _has_frames(entry: Mapping[str, Any]) -> bool:
    return "dialogue_id" in entry and {"speaker", "frames"} <= first_mapping(entry.get("turns")).keys()


class Sgd:
    """Schema-guided dialogues and MultiWOZ 2.2: a folder of ``dialogues_*.json`` with ``schema.json``, or one such file.

    ``[{"dialogue_id": "..", "turns": [{"speaker": "USER", "utterance": "..", "frames": [{"service": "Hotels_1", "state":
    {"active_intent": "..", "requested_slots": [], "slot_values": {"area": ["east", "the east"]}}}]}]}]``

    Turn numbers count user turns. A slot is named ``service-slot``. A service without a frame keeps its last state. In
    files of MultiWOZ 2.2, whose slot names repeat the service, every turn has the whole state. The schema is read from the
    folder of the dialogues, or from its parent folder, as in MultiWOZ 2.2.
    """

    STATES = SERVICES
    CONTENT = "state"
    DESCRIPTION = "one state per turn, intents, requested slots, utterances, schema; a folder or one file"

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind == "folder":
            return bool(dialogue_files(sample.value))
        return sample.kind == "document" and isinstance(sample.value, list) and _has_frames(first_mapping(sample.value))

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue]:
        schema = find_beside(source, ("schema.json",), folders=2 if source.is_folder else 1)
        source.schema = None if schema is None else read_schema(schema)
        is_stateless = True
        for part in _files_of(source):
            source.part = part.name
            with placing(file=part.name):
                for name, turns in turns_by_id(part.elements(), "dialogue_id", "turns"):
                    with placing(dialogue=name):
                        found = dialogue(name, _user_turns(role, turns))
                        part.check_keys()
                    is_stateless = is_stateless and not any(turn.frames for turn in found.turns)
                    yield found
        if is_stateless:
            raise InputError("no user turn has a frame with a state")


def _user_turns(role: Role, value: Any) -> Iterator[Turn]:
    number = 0
    system_text = ""
    last: dict[str, Any] = {}
    is_whole = False
    for each in as_list(value, "turns"):
        with placing(turn=number):
            turn = as_type(each, _StateTurn, "a turn")
            text = turn.utterance or ""
            states, frames = _read_frames(as_list(turn.frames, "frames"), role)
            if (_SPEAKERS.get(turn.speaker) or user_or_system(turn.speaker)) != USER:
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


def _is_prefixed(state: tuple[str, Mapping[str, Any]]) -> bool:
    """Return True if slot names repeat the name of their service, as in MultiWOZ 2.2."""
    service, values = state
    return next(iter(values), "").startswith(f"{service}-")


def _read_frames(written: list[_StateFrame], role: Role) -> tuple[dict[str, Mapping[str, Any]], dict[str, Frame]]:
    """Return slot values, and intents with requested slots, both by service, of the frames that have a state."""
    states: dict[str, Mapping[str, Any]] = {}
    frames: dict[str, Frame] = {}
    for frame in written:
        service, state = frame.service, frame.state
        if not service or "-" in service:
            raise InputError(f"service must be a name without a hyphen, found {one_line(service, 40)!r}")
        if state is None:
            continue
        if service in states:
            raise InputError("the service has two frames", slot=service)
        if type(state.slot_values) is not dict:
            with placing(slot=service):
                as_mapping(state.slot_values, "slot_values")
        states[service] = state.slot_values
        intent, slots = state.active_intent, state.requested_slots
        requested = None if slots is None else tuple([slot_of_service(service, slot) for slot in slots])
        # Positional arguments are faster: gold and predicted intent, gold and predicted requested slots.
        frames[service] = (
            Frame(None, intent, None, requested) if role is Role.PRED else Frame(intent, None, requested, None)
        )
    return states, frames


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

    DESCRIPTION = "text, acts, requested slots; a folder or a file, goals in a separate file"

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind == "folder":
            return bool(dialogue_files(sample.value))
        entry = first_entry(sample)
        # Dialogues with a goal have the format gcdf1.
        return "goal" not in entry and _has_frames(entry)

    @staticmethod
    def items(source: Source) -> Iterator[Entry]:
        acts = find_act_file(source, ("dialog_acts.json",))
        if not source.is_folder:
            yield from (entry._replace(context=acts) for entry in entries(source))
            return
        for part in _files_of(source):
            with placing(file=part.name):
                for place, value in enumerate(part.elements(), 1):
                    yield Entry(str(place), value, file=part.name, context=acts)
            source.doubled.extend(part.doubled)

    @staticmethod
    def conversation(item: Entry) -> Conversation:
        with item.opened("dialogue_id") as (name, entry):
            acts: ActFile | None = item.context if item.context is not None and item.context.has(name) else None

            def moves_of(place: int, value: Any) -> Iterator[Move]:
                turn = as_type(value, _Turn, "a turn")
                who, frames = user_or_system(turn.speaker), turn.frames or []
                if acts is None:
                    turn_acts = tuple(act for frame in frames for act in _canonical_acts(frame))
                else:
                    turn_acts = acts.acts(name, str(place if turn.turn_id is None else turn.turn_id)) or ()
                yield Move(who, turn.utterance or "", turn_acts, requested=_requested(frames) if who == USER else None)

            moves = list(read_moves(as_list(entry.get("turns"), "turns"), moves_of))
            if not any(move.acts for move in moves):
                moves = [replace(move, acts=None) for move in moves]
            return make_conversation(name, moves, None if entry.get("goal") is None else goal_in(entry["goal"]))


def _canonical_acts(frame: _Frame) -> Iterator[Act]:
    for action in frame.actions or ():
        if not action.act:
            raise InputError("an action without an act", slot=frame.service)
        value = as_value(action.canonical_values) or as_value(action.values) or ()
        values = (value,) if isinstance(value, str) else value
        yield Act(action.act, frame.service, slot_in(frame.service, action.slot or ""), values)


def _requested(frames: list[_Frame]) -> dict[str, tuple[str, ...]] | None:
    """Return the requested slots by service, with their names in goals; None if no frame lists any."""
    requested: dict[str, tuple[str, ...]] = {}
    for frame in frames:
        service, slots = frame.service, frame.state.requested_slots if frame.state else None
        if slots is not None:
            requested[service] = tuple(
                f"{service}-{slot_in(service, slot_of_service(service, slot))}" for slot in slots
            )
    return requested or None


class _Domain(Struct, gc=False, omit_defaults=True):
    info: dict[str, _Scalar] | None = None
    fail_info: dict[str, _Scalar] | None = None
    book: dict[str, _Scalar] | None = None
    fail_book: dict[str, _Scalar] | None = None
    reqt: dict[str, _Scalar] | list[str] | None = None
    booked: Any = None

    def goal(self, name: str) -> DomainGoal:
        parts = (self.info, self.fail_info, self.book, self.fail_book)
        info, fail_info, book, fail_book = (_constraints(name, part) for part in parts)
        return DomainGoal(info, fail_info, book, fail_book, tuple(self.reqt or ()))


def _constraints(domain: str, part: dict[str, _Scalar] | None) -> dict[str, str]:
    """Return the slots and values of a part. Booleans are flags of the goal generator and are skipped."""
    constraints: dict[str, str] = {}
    for slot, value in (part or {}).items():
        if value is None:
            raise null_goal_value(domain, slot)
        if not isinstance(value, bool):
            constraints[slot] = str(value)
    return constraints


class Gcdf1(Struct, gc=False, omit_defaults=True):
    """The format of the published GCDF1 evaluator: a JSON list of dialogues with goals, acts and understood acts.

    ``[{"dialogue_id": "..", "goal": {"hotel": {"info": {"area": "east"}, "reqt": {"phone": "?"}}}, "turns": [{"turn_id": "0",
    "speaker": "USER", "utterance": "..", "frames": [{"service": "hotel", "actions": [{"act": "Hotel-Inform", "slot": "area",
    "values": ["east"]}], "state": {"requested_slots": ["hotel-phone"]}}], "nlu": {"frames": [..]}}]}]``

    ``nlu`` holds the acts that the speaker of the turn understood in the previous turn. The files of a folder are read in
    alphabetical order.
    """

    DESCRIPTION: ClassVar = "text, acts, understood acts, goals; one JSON list (the GCDF1 evaluator)"
    dialogue_id: str
    turns: list[_Turn]
    goal: dict[str, _Domain | list[Any] | str | None] | None = None
    metrics: Any = None

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind == "folder":
            names = _json_files(sample.value)
            return bool(names) and Gcdf1.detect(Source(names[0]).sample)
        return sample.kind == "document" and isinstance(sample.value, list) and any(map(_has_goal, sample.value))

    @staticmethod
    def items(source: Source) -> Iterator[Any]:
        if source.is_folder:
            for path in _json_files(Path(source.path)):
                part = Source(path)
                with placing(file=part.name):
                    yield from Gcdf1.items(part)
                source.doubled.extend(part.doubled)
            return
        parts = source.parts("a list")
        is_common = True
        for place in range(len(parts)):
            # After the first dialogue with other keys, the fast path is skipped, to avoid decoding twice.
            raw = parts.raw(place) if is_common else None
            dialogue = None if raw is None else _GCDF1.decode(raw)
            is_common = dialogue is not None
            if dialogue is None:
                yield parts.parse(place)
            else:
                parts.skip(place)
                yield dialogue
        parts.finish()

    @staticmethod
    def conversation(item: Any) -> Conversation:
        dialogue = item if isinstance(item, Gcdf1) else _GCDF1.convert(as_mapping(item, "a dialogue"))
        with placing(dialogue=dialogue.dialogue_id):
            _check_order(dialogue.turns)
            goal: Goal | None = None
            if dialogue.goal is not None:
                domains = dialogue.goal.items()
                goal = {name: domain.goal(name) for name, domain in domains if isinstance(domain, _Domain)}
        moves = tuple([_move(turn) for turn in dialogue.turns])
        return Conversation(dialogue.dialogue_id, moves, goal, task=task_in(dialogue.goal))


_GCDF1 = DialogueType(Gcdf1, "turns")


def _json_files(folder: Path) -> list[Path]:
    """Return the JSON files of a folder except ``schema.json``, sorted by name."""
    return sorted(path for path in folder.glob("*.json") if path.name != "schema.json")


def _has_goal(item: Any) -> bool:
    """Return True for a dialogue with frames and a goal. Schema-guided dialogues have frames but no goal."""
    return (
        isinstance(item, dict)
        and isinstance(item.get("goal"), dict)
        and isinstance(item.get("turns"), list)
        and any(isinstance(turn, dict) and "frames" in turn for turn in item["turns"])
    )


def _move(turn: _Turn) -> Move:
    frames = turn.frames
    who = _SPEAKERS.get(turn.speaker, turn.speaker)
    requested = None
    if who == USER and frames is not None:
        listed = {
            frame.service: tuple(frame.state.requested_slots or ()) for frame in frames if frame.state is not None
        }
        requested = listed or None
    return Move(who, turn.utterance or "", _acts(frames), _acts(turn.nlu.frames if turn.nlu else None), requested)


def _acts(frames: list[_Frame] | None) -> tuple[Act, ...] | None:
    if frames is None:
        return None
    return tuple(
        [
            Act(action.act, frame.service, action.slot or "", _values(action.values))
            for frame in frames
            for action in frame.actions or ()
        ]
    )


def _values(values: list[_Scalar] | None) -> tuple[str, ...]:
    if not values:
        return ()
    if len(values) == 1 and type(values[0]) is str:
        return (values[0],)
    return tuple([value_text(value) for value in values if value is not None])


def _check_order(turns: list[_Turn]) -> None:
    previous = -1
    for place, turn in enumerate(turns):
        if turn.turn_id is None:
            continue
        number = str(turn.turn_id)
        if not number.isdecimal():
            raise InputError(f"turn_id must be a whole number, found {one_line(number, 40)!r}", turn=place)
        if int(number) <= previous:
            raise InputError(f"turns are out of order: {number} comes after {previous}", turn=number)
        previous = int(number)


_VERDICTS = ("accept", "reject")
"""Endings of annotations that mark a value as accepted or rejected. They are not part of the slot."""


class _Annotation(Struct):
    name: str | None = None


class _Segment(Struct):
    text: str | None = None
    annotations: list[_Annotation] | None = None

    def acts(self) -> Iterator[Act]:
        for annotation in self.annotations or ():
            service, _, slot = (annotation.name or "").partition(".")
            for verdict in _VERDICTS:
                slot = slot.removesuffix(f".{verdict}")
            if slot and self.text:
                yield Act("inform", service, slot, (self.text,))


class _Utterance(Struct):
    speaker: str | None = None
    text: str | None = None
    segments: list[_Segment] | None = None

    def moves(self) -> Iterator[Move]:
        acts = None if self.segments is None else tuple(act for segment in self.segments for act in segment.acts())
        yield Move(speaker(self.speaker), self.text or "", acts)


class Taskmaster:
    """Taskmaster: a list of dialogues with utterances of user and assistant.

    ``[{"conversation_id": "dlg-1", "utterances": [{"index": 0, "speaker": "USER", "text": "A latte, please."}]}]``

    The file may also have one dialogue per line. Every utterance is a move, and a speaker may have several moves in a row.

    An utterance may have ``"segments": [{"text": "latte", "annotations": [{"name":
    "coffee_ordering.name.drink.accept"}]}]``. Each annotation is then an act: ``inform`` of the slot ``name.drink`` in the
    service ``coffee_ordering``. In a dialogue with segments, consecutive utterances of one speaker are one move, so that
    the user can be scored.
    """

    DESCRIPTION = "text and annotated segments of Taskmaster dialogues"
    items = staticmethod(entries)

    @staticmethod
    def detect(sample: Sample) -> bool:
        entry = first_entry(sample)
        return "conversation_id" in entry and {"speaker", "text"} <= first_mapping(entry.get("utterances")).keys()

    @staticmethod
    def conversation(item: Entry) -> Conversation:
        conversation = item.conversation("conversation_id", "utterances", _Utterance)
        if all(move.acts is None for move in conversation.moves):
            return conversation
        moves: list[Move] = []
        for move in conversation.moves:
            acts = move.acts or ()
            if moves and moves[-1].speaker == move.speaker:
                before = moves.pop()
                moves.append(Move(move.speaker, f"{before.text} {move.text}", (*(before.acts or ()), *acts)))
            else:
                moves.append(replace(move, acts=acts))
        return replace(conversation, moves=tuple(moves))
