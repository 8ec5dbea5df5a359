"""``pred_res`` files of TripPy: one entry per turn, with several keys per slot.

``[{"guid": ["test", "MUL0484.json", "3"], "class_prediction_hotel-area": 2, "slot_prediction_hotel-area": "east",
"slot_groundtruth_hotel-area": "east", ...}]``

The guid may also be one string, ``test-MUL0484.json-3``. Values are updates, and ``none`` means that the turn does not
change the slot. Updates are accumulated to cumulative states. The format cannot express that a slot is deleted, so
slots are never deleted. The mark ``§§`` before a value means that the model copied it from a system utterance; the mark
is removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from msgspec import Struct

from ...errors import InputError
from ...model import Dialogue, State, Turn
from ..pairs.state_layouts import FLAT
from ..parts import Role, as_mapping, first_mapping, read_dialogues, turn_number
from ..source import Sample, Source
from ..strict_json import JsonParts, kind_of

STATES = FLAT
HOLDS = "both"
CARRIES = "gold and predicted states, as updates"

_GOLD = "slot_groundtruth_"
_PRED = "slot_prediction_"
_FROM_SYSTEM = "§§"
_UNCHANGED = "none"


def detect(sample: Sample) -> bool:
    entry = first_mapping(sample.value) if sample.kind == "document" else {}
    return "guid" in entry and any(key.startswith((_GOLD, _PRED)) for key in entry)


class _Head(Struct):
    """The guid of an entry, which holds dialogue and turn."""

    guid: Any = None


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    parts = source.parts("a list")
    dialogues: dict[str, list[tuple[int, int]]] = {}
    for position, head in enumerate(parts.heads(_Head), 1):
        if not isinstance(head, _Head):
            as_mapping(head, f"entry {position}")
        dialogue_id, number = _place(head.guid, position)
        try:
            dialogues.setdefault(dialogue_id, []).append((turn_number(number), position - 1))
        except InputError as error:
            raise error.at(dialogue=dialogue_id, turn=str(number)) from None
    yield from read_dialogues(dialogues.items(), partial(_cumulative_turns, parts, _Sides()))
    parts.finish()


def _place(guid: Any, position: int) -> tuple[str, str | int]:
    """Return the dialogue and turn of a guid. A dialogue id with hyphens may be split into several parts."""
    parts = guid.split("-") if isinstance(guid, str) else guid
    if (
        not isinstance(parts, list)
        or len(parts) < 3
        or not all(isinstance(part, str | int) and not isinstance(part, bool) for part in parts)
    ):
        raise InputError(f"the guid of entry {position} must be [split, dialogue, turn]")
    return "-".join(map(str, parts[1:-1])), parts[-1]


class _Sides(dict[str, tuple[str, str] | None]):
    """Cache: key of an entry → side (gold or predicted) and slot; None for a key without a value."""

    def __missing__(self, key: str) -> tuple[str, str] | None:
        split = next(((side, key.removeprefix(side)) for side in (_GOLD, _PRED) if key.startswith(side)), None)
        self[key] = split
        return split


def _cumulative_turns(parts: JsonParts, sides: _Sides, places: list[tuple[int, int]]) -> Iterator[Turn]:
    """Yield the turns of a dialogue with cumulative states."""
    states: dict[str, dict[str, str]] = {_GOLD: {}, _PRED: {}}
    for number, place in sorted(places):
        try:
            entry = as_mapping(parts.parse(place), f"entry {place + 1}")
            slots: dict[str, set[str]] = {_GOLD: set(), _PRED: set()}
            for key, value in entry.items():
                split = sides[key]
                if split is None:
                    continue
                side, slot = split
                slots[side].add(slot)
                if value == _UNCHANGED:
                    continue
                if not isinstance(value, str):
                    raise InputError(f"a value must be a string, found {kind_of(value)}", slot=slot)
                text = value.removeprefix(_FROM_SYSTEM).lstrip() if value.startswith(_FROM_SYSTEM) else value
                if text != _UNCHANGED:
                    # A copy, because previous turns share the old state.
                    states[side] = {**states[side], slot: text}
            yield _turn(number, states, slots)
        except InputError as error:
            raise error.at(turn=number) from None


def _turn(number: int, states: Mapping[str, State], slots: Mapping[str, set[str]]) -> Turn:
    gold, predicted = slots[_GOLD], slots[_PRED]
    if not (gold or predicted):
        raise InputError(f"an entry without any {_PRED}... or {_GOLD}...")
    if gold and predicted and gold != predicted:
        raise InputError("the slot must have both a prediction and a ground truth", slot=min(gold ^ predicted))
    return Turn(number, states[_GOLD] if gold else None, states[_PRED] if predicted else None)
