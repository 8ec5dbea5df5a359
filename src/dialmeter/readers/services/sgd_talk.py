"""Schema-guided dialogues and MultiWOZ 2.2: a folder of ``dialogues_*.json``, one such file, or JSON lines.

``[{"dialogue_id": "..", "services": ["Hotels_1"], "turns": [{"speaker": "USER", "utterance": "..", "frames": [{"service":
"Hotels_1", "actions": [{"act": "INFORM", "slot": "area", "values": ["the east"], "canonical_values": ["east"]}], "state":
{"requested_slots": ["phone"]}}]}]}]``

An act has its canonical values where there are any. MultiWOZ 2.2 leaves ``actions`` empty and has its acts in
``dialog_acts.json``, which is looked for beside the dialogues and above their folder. A dialogue without any act has none
given. Slots of MultiWOZ's services get the names that goals have, as in the layout ``multiwoz``; those of other services stay
as they are written. Goals are in a file of their own; ``data.json`` of MultiWOZ 2.1 serves as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from ...errors import InputError, one_line, placing
from ...model import USER, Act, Conversation, Move
from ..entries import Entry, entries, first_entry, first_of, id_under, moves_of, talk, user_or_system
from ..multiwoz.acts import ActFile, act_file_near
from ..multiwoz.goals import goal_in
from ..multiwoz.names import slot_in
from ..parts import as_list, as_mapping, as_text, as_value
from ..source import Sample, Source
from .sgd import dialogue_files, files_of

CARRIES = "text, acts, requested slots; a folder or a file, goals in a file of their own"


class _Item(NamedTuple):
    entry: Entry
    acts: ActFile | None


def detect(sample: Sample) -> bool:
    if sample.kind == "folder":
        return bool(dialogue_files(sample.value))
    entry = first_entry(sample)
    turn = first_of(entry.get("turns"))
    # With a goal inside it is the layout in which GCDF1 was published.
    return "dialogue_id" in entry and "goal" not in entry and {"speaker", "frames"} <= turn.keys()


def items(source: Source) -> Iterator[_Item]:
    acts = act_file_near(source, ("dialog_acts.json",))
    if not source.is_folder:
        yield from (_Item(entry, acts) for entry in entries(source))
        return
    for part in files_of(source):
        with placing(file=part.name):
            for place, thing in enumerate(part.elements(), 1):
                yield _Item(Entry(str(place), thing, file=part.name), acts)
        source.doubled.extend(part.doubled)


def conversation(item: _Item) -> Conversation:
    with item.entry.placing():
        entry = item.entry.mapping()
        name = id_under(entry, "dialogue_id")
        with placing(dialogue=name or None):
            acts = item.acts if item.acts is not None and item.acts.has(name) else None
            moves = list(moves_of(as_list(entry.get("turns"), "turns"), partial(_moves, name, acts)))
            if not any(move.acts for move in moves):
                moves = [Move(move.speaker, move.text, requested=move.requested) for move in moves]
            return talk(name, moves, None if entry.get("goal") is None else goal_in(entry["goal"]))


def _moves(dialogue: str, acts: ActFile | None, place: int, thing: Any) -> Iterator[Move]:
    turn = as_mapping(thing, "a turn")
    who = user_or_system(turn.get("speaker"))
    frames = [_frame(frame) for frame in as_list(turn.get("frames", []), "frames")]
    if acts is None:
        found = tuple(act for service, frame in frames for act in _acts(service, frame.get("actions")))
    else:
        found = acts.acts(dialogue, str(turn.get("turn_id", place))) or ()
    requested = _requested(frames) if who == USER else None
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


def _requested(frames: list[tuple[str, Mapping[str, Any]]]) -> dict[str, tuple[str, ...]] | None:
    """What the frames list as asked for; None where no frame has such a list."""
    found: dict[str, tuple[str, ...]] = {}
    for service, frame in frames:
        state = as_mapping(frame.get("state") or {}, "state")
        if state.get("requested_slots") is not None:
            slots = (as_text(slot, "requested_slots") for slot in as_list(state["requested_slots"], "requested_slots"))
            found[service] = tuple(f"{service}-{slot_in(service, _bare(service, slot))}" for slot in slots)
    return found or None


def _bare(service: str, slot: str) -> str:
    return slot.removeprefix(f"{service}-")
