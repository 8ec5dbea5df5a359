"""``{"MUL0003.json_0": [["hotel-area-east"], ["hotel-area-west"]]}``: SOM-DST, the prediction first and gold second.

The key is the dialogue's id, the last underscore, and the turn's number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from ...errors import InputError, one_line
from ...model import Dialogue, Turn
from ..pairs.state_layouts import GLUED
from ..parts import Role, as_list, read_dialogues, read_turns, turn_number
from ..source import Sample, Source

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

    def turns_of(turns: list[tuple[str, int]]) -> Iterator[Turn]:
        return read_turns(((number, parts.parse(place)) for number, place in turns), _turn)

    yield from read_dialogues(dialogues.items(), turns_of)
    parts.finish()


def _turn(number: str, thing: Any) -> Turn:
    states = as_list(thing, "a turn")
    if len(states) != 2:
        raise InputError(f"a turn holds two states, predicted and gold, found {len(states)}")
    pred, gold = (as_list(state, "a state") for state in states)
    return Turn(turn_number(number), cast(Any, gold), cast(Any, pred))
