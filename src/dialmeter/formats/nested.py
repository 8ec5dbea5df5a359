"""``{dialogue: {"0": {"gt": {"hotel": {"area": "east"}}, "pr": {...}}}}``: the FGA and GCA repositories."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import InputError
from ..model import Dialogue, Turn
from .pairs.state_layouts import NESTED
from .parts import Once, Role, as_mapping, as_text, dialogue, turn_number
from .source import Sample, Source

STATES = NESTED
HOLDS = "both"
CARRIES = "gold and predicted states"


def detect(sample: Sample) -> bool:
    if sample.kind != "document" or not isinstance(sample.value, dict):
        return False
    turns = next(iter(sample.value.values()), None)
    turn = next(iter(turns.values()), None) if isinstance(turns, dict) else None
    return isinstance(turn, dict) and ("gt" in turn or "pr" in turn)


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    once = Once()
    for dialogue_id, turns in source.members():
        once.check(dialogue_id)
        try:
            yield dialogue(dialogue_id, [_turn(key, turn) for key, turn in as_mapping(turns, "a dialogue").items()])
        except InputError as error:
            raise error.at(dialogue=dialogue_id) from None


def _turn(key: str, thing: object) -> Turn:
    try:
        turn = as_mapping(thing, "a turn")
        return Turn(
            number=turn_number(key),
            gold=as_mapping(turn["gt"], "a state") if "gt" in turn else None,
            pred=as_mapping(turn["pr"], "a state") if "pr" in turn else None,
            user=as_text(turn.get("usr"), "usr"),
            system=as_text(turn.get("sys"), "sys"),
        )
    except InputError as error:
        raise error.at(turn=key) from None
