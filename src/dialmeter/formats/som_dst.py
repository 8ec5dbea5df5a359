"""``{"MUL0003.json_0": [["hotel-area-east"], ["hotel-area-west"]]}``: SOM-DST, the prediction first and gold second.

The key is the dialogue's id, the last underscore, and the turn's number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from ..errors import InputError, one_line
from ..model import Dialogue, Turn
from ..readers.source import Sample, Source
from .pairs.state_layouts import GLUED
from .parts import Once, Role, as_list, dialogue, turn_number

STATES = GLUED
HOLDS = "both"
CARRIES = "gold and predicted states"


def detect(sample: Sample) -> bool:
    if sample.kind != "document" or not isinstance(sample.value, dict):
        return False
    key, states = next(iter(sample.value.items()), ("", None))
    return (
        key.rpartition("_")[2].isdecimal()
        and "_" in key
        and isinstance(states, list)
        and len(states) == 2
        and all(isinstance(state, list) for state in states)
    )


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    parts = source.parts("an object")
    dialogues: dict[str, list[tuple[str, int]]] = {}
    for place, key in enumerate(parts.keys or ()):
        dialogue_id, underscore, number = key.rpartition("_")
        if not (dialogue_id and underscore):
            raise InputError(f"a key reads dialogue_turn, found {one_line(key, 40)!r}")
        dialogues.setdefault(dialogue_id, []).append((number, place))
    once = Once()
    for dialogue_id, turns in dialogues.items():
        once.check(dialogue_id)
        try:
            yield dialogue(dialogue_id, [_turn(number, parts.parse(place)) for number, place in turns])
        except InputError as error:
            raise error.at(dialogue=dialogue_id) from None
    parts.finish()


def _turn(number: str, thing: object) -> Turn:
    try:
        states = as_list(thing, "a turn")
        if len(states) != 2:
            raise InputError(f"a turn holds two states, predicted and gold, found {len(states)}")
        pred, gold = as_list(states[0], "a state"), as_list(states[1], "a state")
        return Turn(turn_number(number), cast(Any, gold), cast(Any, pred))
    except InputError as error:
        raise error.at(turn=number) from None
