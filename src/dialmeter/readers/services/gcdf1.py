"""The format of the published GCDF1 evaluator: a JSON list of dialogues with goals, acts and understood acts.

``[{"dialogue_id": "..", "goal": {"hotel": {"info": {"area": "east"}, "reqt": {"phone": "?"}}}, "turns": [{"turn_id": "0",
"speaker": "USER", "utterance": "..", "frames": [{"service": "hotel", "actions": [{"act": "Hotel-Inform", "slot": "area",
"values": ["east"]}], "state": {"requested_slots": ["hotel-phone"]}}], "nlu": {"frames": [..]}}]}]``

``nlu`` holds the acts that the speaker of the turn understood in the previous turn. The files of a folder are read in
alphabetical order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from ...errors import InputError, one_line, placing
from ...model import SYSTEM, USER, Act, Conversation, DomainGoal, Goal, Move
from ..multiwoz.goals import null_goal_value, task_in
from ..parts import DialogueType, as_mapping, value_text
from ..source import Sample, Source

CARRIES = "text, acts, understood acts, goals; one JSON list (the GCDF1 evaluator)"

_Scalar: TypeAlias = str | int | float | bool | None


class _Action(Struct, gc=False, omit_defaults=True):
    act: str
    slot: str | None = None
    values: list[_Scalar] | None = None


class _State(Struct, gc=False, omit_defaults=True):
    requested_slots: list[str] | None = None


class _Frame(Struct, gc=False, omit_defaults=True):
    service: str
    actions: list[_Action] | None = None
    state: _State | None = None


class _Understood(Struct, gc=False, omit_defaults=True):
    frames: list[_Frame] | None = None


class _Turn(Struct, gc=False, omit_defaults=True):
    speaker: str
    turn_id: str | int | None = None
    utterance: str | None = None
    frames: list[_Frame] | None = None
    nlu: _Understood | None = None


class _Domain(Struct, gc=False, omit_defaults=True):
    info: dict[str, _Scalar] | None = None
    fail_info: dict[str, _Scalar] | None = None
    book: dict[str, _Scalar] | None = None
    fail_book: dict[str, _Scalar] | None = None
    reqt: dict[str, _Scalar] | list[str] | None = None
    booked: Any = None


class _Dialogue(Struct, gc=False, omit_defaults=True):
    dialogue_id: str
    turns: list[_Turn]
    goal: dict[str, _Domain | list[Any] | str | None] | None = None
    metrics: Any = None


_DIALOGUES = DialogueType(_Dialogue, "turns")


_SPEAKERS = {"USER": USER, "SYSTEM": SYSTEM, "user": USER, "system": SYSTEM}


def detect(sample: Sample) -> bool:
    if sample.kind == "folder":
        names = _dialogue_files(sample.value)
        return bool(names) and detect(Source(names[0]).sample)
    return sample.kind == "document" and isinstance(sample.value, list) and any(map(_is_dialogue, sample.value))


def _dialogue_files(folder: Path) -> list[Path]:
    """Return the JSON files of a folder except ``schema.json``, sorted by name."""
    return sorted(path for path in folder.glob("*.json") if path.name != "schema.json")


def _is_dialogue(item: Any) -> bool:
    """Return True for a dialogue with frames and a goal. Schema-guided dialogues have frames but no goal."""
    return (
        isinstance(item, dict)
        and isinstance(item.get("goal"), dict)
        and isinstance(item.get("turns"), list)
        and any(isinstance(turn, dict) and "frames" in turn for turn in item["turns"])
    )


def items(source: Source) -> Iterator[Any]:
    if source.is_folder:
        for path in _dialogue_files(Path(source.path)):
            part = Source(path)
            with placing(file=part.name):
                yield from items(part)
            source.doubled.extend(part.doubled)
        return
    parts = source.parts("a list")
    is_common = True
    for place in range(len(parts)):
        # After the first dialogue with other keys, the fast path is skipped, to avoid decoding twice.
        raw = parts.raw(place) if is_common else None
        dialogue = None if raw is None else _DIALOGUES.decode(raw)
        is_common = dialogue is not None
        if dialogue is None:
            yield parts.parse(place)
        else:
            parts.skip(place)
            yield dialogue
    parts.finish()


def conversation(item: Any) -> Conversation:
    dialogue = item if isinstance(item, _Dialogue) else _DIALOGUES.convert(as_mapping(item, "a dialogue"))
    _check_order(dialogue)
    with placing(dialogue=dialogue.dialogue_id):
        goal: Goal | None = None
        if dialogue.goal is not None:
            domains = dialogue.goal.items()
            goal = {name: _domain(name, domain) for name, domain in domains if isinstance(domain, _Domain)}
    moves = tuple([_move(turn) for turn in dialogue.turns])
    return Conversation(dialogue.dialogue_id, moves, goal, task=task_in(dialogue.goal))


def _move(turn: _Turn) -> Move:
    frames = turn.frames
    acts = _acts(frames) if frames is not None else None
    speaker = _SPEAKERS.get(turn.speaker, turn.speaker)
    nlu = turn.nlu
    understood = None if nlu is None or nlu.frames is None else _acts(nlu.frames)
    requested = None
    if speaker == USER and frames is not None:
        listed = {
            frame.service: tuple(frame.state.requested_slots or ()) for frame in frames if frame.state is not None
        }
        requested = listed or None
    return Move(speaker, turn.utterance or "", acts, understood, requested)


def _acts(frames: Sequence[_Frame]) -> tuple[Act, ...]:
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


def _domain(name: str, domain: _Domain) -> DomainGoal:
    return DomainGoal(
        _constraints(name, domain.info),
        _constraints(name, domain.fail_info),
        _constraints(name, domain.book),
        _constraints(name, domain.fail_book),
        tuple(domain.reqt or ()),
    )


def _constraints(domain: str, part: dict[str, _Scalar] | None) -> dict[str, str]:
    """Return the slots and values of a part. Booleans are flags of the goal generator and are skipped."""
    constraints: dict[str, str] = {}
    for slot, value in (part or {}).items():
        if value is None:
            raise null_goal_value(domain, slot)
        if not isinstance(value, bool):
            constraints[slot] = str(value)
    return constraints


def _check_order(dialogue: _Dialogue) -> None:
    previous = -1
    for place, turn in enumerate(dialogue.turns):
        if turn.turn_id is None:
            continue
        number = str(turn.turn_id)
        if not number.isdecimal():
            raise InputError(
                f"turn_id must be a whole number, found {one_line(number, 40)!r}",
                dialogue=dialogue.dialogue_id,
                turn=place,
            )
        if int(number) <= previous:
            raise InputError(
                f"turns are out of order: {number} comes after {previous}", dialogue=dialogue.dialogue_id, turn=number
            )
        previous = int(number)
