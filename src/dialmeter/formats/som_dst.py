"""``{"MUL0003.json_0": [["hotel-area-east"], ["hotel-area-west"]]}``: SOM-DST, the prediction first and gold second.

The key is the dialogue's id, the last underscore, and the turn's number.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import InputError, one_line
from ..model import Dialogue, Turn
from . import Role
from .parts import Once, as_list, as_mapping, dialogue, glued_state, turn_number
from .source import Sample, Source

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
    dialogues: dict[str, list[Turn]] = {}
    for key, states in as_mapping(source.document, "the file").items():
        dialogue_id, underscore, number = key.rpartition("_")
        if not (dialogue_id and underscore):
            raise InputError(f"a key reads dialogue_turn, found {one_line(key, 40)!r}")
        try:
            dialogues.setdefault(dialogue_id, []).append(_turn(number, states))
        except InputError as error:
            raise error.at(dialogue=dialogue_id, turn=number) from None
    once = Once()
    for dialogue_id, turns in dialogues.items():
        once.check(dialogue_id)
        yield dialogue(dialogue_id, turns)


def _turn(number: str, thing: object) -> Turn:
    states = as_list(thing, "a turn")
    if len(states) != 2:
        raise InputError(f"a turn holds two states, predicted and gold, found {len(states)}")
    pred, gold = states
    return Turn(number=turn_number(number), gold=glued_state(gold), pred=glued_state(pred))
