"""TripPy's ``pred_res`` files: one entry per turn, one set of keys per slot.

``[{"guid": ["test", "MUL0484.json", "3"], "class_prediction_hotel-area": 2, "slot_prediction_hotel-area": "east",
"slot_groundtruth_hotel-area": "east", ...}]``

The guid may also be one string, ``test-MUL0484.json-3``. Values are updates, and ``none`` means that the turn leaves the
slot as it is; they are added up to cumulative states. The layout cannot say that a slot is taken back, so nothing is ever
deleted. Values that the model copied from what the system said are marked ``§§``, and the mark is taken off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import InputError
from ..model import Dialogue, State, Turn, Value
from . import Role
from .parts import Once, as_list, as_mapping, dialogue, kind_of, put, turn_number
from .source import Sample, Source

HOLDS = "both"
CARRIES = "gold and predicted states, written as updates"

_GOLD = "slot_groundtruth_"
_PRED = "slot_prediction_"
_FROM_SYSTEM = "§§"
_UNCHANGED = "none"


class _Update(NamedTuple):
    number: int
    gold: State | None
    pred: State | None


def detect(sample: Sample) -> bool:
    if sample.kind != "document" or not isinstance(sample.value, list):
        return False
    entry = next(iter(sample.value), None)
    return isinstance(entry, dict) and "guid" in entry and any(key.startswith((_GOLD, _PRED)) for key in entry)


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    dialogues: dict[str, list[_Update]] = {}
    for position, thing in enumerate(as_list(source.document, "the file"), 1):
        entry = as_mapping(thing, f"entry {position}")
        dialogue_id, number = _place(entry.get("guid"), position)
        try:
            dialogues.setdefault(dialogue_id, []).append(_update(turn_number(number), entry))
        except InputError as error:
            raise error.at(dialogue=dialogue_id, turn=str(number)) from None
    once = Once()
    for dialogue_id, updates in dialogues.items():
        once.check(dialogue_id)
        yield dialogue(dialogue_id, _added_up(updates))


def _place(guid: Any, position: int) -> tuple[str, str | int]:
    """Dialogue and turn. An id with hyphens in it may have been cut into several parts."""
    parts = guid.split("-") if isinstance(guid, str) else guid
    if (
        not isinstance(parts, list)
        or len(parts) < 3
        or not all(isinstance(part, str | int) and not isinstance(part, bool) for part in parts)
    ):
        raise InputError(f"the guid of entry {position} must read [split, dialogue, turn]")
    return "-".join(map(str, parts[1:-1])), parts[-1]


def _update(number: int, entry: Mapping[str, Any]) -> _Update:
    golden = {key.removeprefix(_GOLD) for key in entry if key.startswith(_GOLD)}
    predicted = {key.removeprefix(_PRED) for key in entry if key.startswith(_PRED)}
    if not (golden or predicted):
        raise InputError(f"an entry without any {_PRED}... or {_GOLD}...")
    if golden and predicted and golden != predicted:
        lonely = min(golden ^ predicted)
        raise InputError("the slot has a prediction or a ground truth, not both", slot=lonely)
    return _Update(
        number,
        _changes(entry, _GOLD) if golden else None,
        _changes(entry, _PRED) if predicted else None,
    )


def _changes(entry: Mapping[str, Any], prefix: str) -> State:
    changes: dict[str, Value] = {}
    for key, value in entry.items():
        if not key.startswith(prefix):
            continue
        slot = key.removeprefix(prefix)
        if not isinstance(value, str):
            raise InputError(f"a value must be a string, found {kind_of(value)}", slot=slot)
        text = value.removeprefix(_FROM_SYSTEM).lstrip() if value.startswith(_FROM_SYSTEM) else value
        if text != _UNCHANGED:
            put(changes, slot, text)
    return changes


def _added_up(updates: list[_Update]) -> Iterator[Turn]:
    gold: State = {}
    pred: State = {}
    for update in sorted(updates, key=lambda each: each.number):
        gold = {**gold, **(update.gold or {})}
        pred = {**pred, **(update.pred or {})}
        yield Turn(
            number=update.number,
            gold=None if update.gold is None else gold,
            pred=None if update.pred is None else pred,
        )
