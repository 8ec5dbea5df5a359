"""``{"sng0073": [{"response": "..", "state": {"taxi": {"leave at": "17:15"}}}]}``: the MultiWOZ_Evaluation scripts.

Predictions, usually; a turn's number is its place in the list. ``response`` answers the turn that it stands in, so it is
what the system said before the next turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import InputError
from ...model import Dialogue, Turn
from ..pairs.state_layouts import NESTED
from ..parts import Once, Role, as_list, as_mapping, as_text, dialogue, sided
from ..source import Sample, Source

STATES = NESTED
HOLDS = "state"
CARRIES = "one state per turn, replies; ids in lower case without .json"


def detect(sample: Sample) -> bool:
    if sample.kind != "document" or not isinstance(sample.value, dict):
        return False
    turns = next(iter(sample.value.values()), None)
    if not isinstance(turns, list) or not turns or not isinstance(turns[0], dict):
        return False
    return isinstance(turns[0].get("state"), dict) or isinstance(turns[0].get("response"), str)


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    once = Once()
    for dialogue_id, turns in source.members():
        try:
            once.check(dialogue_id)
            yield dialogue(dialogue_id, _turns(turns, role))
        except InputError as error:
            raise error.at(dialogue=dialogue_id) from None


def _turns(thing: Any, role: Role) -> Iterator[Turn]:
    answer = ""
    for number, each in enumerate(as_list(thing, "a dialogue")):
        try:
            turn = as_mapping(each, "a turn")
            state = as_mapping(turn["state"], "a state") if turn.get("state") is not None else None
            if state is None and role is Role.PRED:
                raise InputError("a prediction without a state")
            yield sided(role, number, state, system=answer)
            answer = as_text(turn.get("response"), "response")
        except InputError as error:
            raise error.at(turn=number) from None
