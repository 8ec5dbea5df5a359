"""``{"sng0073": [{"response": "..", "state": {"taxi": {"leave at": "17:15"}}}]}``: the MultiWOZ_Evaluation scripts.

Predictions, usually; a turn's number is its place in the list. ``response`` answers the turn that it stands in, so it is
what the system said before the next turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ...errors import InputError
from ...model import Dialogue, Turn
from ..pairs.state_layouts import NESTED
from ..parts import (
    Role,
    as_list,
    as_mapping,
    as_text,
    first_mapping,
    first_value,
    read_dialogues,
    read_turns,
    turn_with_state,
)
from ..source import Sample, Source

STATES = NESTED
HOLDS = "state"
CARRIES = "one state per turn, replies; ids in lower case without .json"


def detect(sample: Sample) -> bool:
    turn = first_mapping(first_value(sample.value)) if sample.kind == "document" else {}
    return isinstance(turn.get("state"), dict) or isinstance(turn.get("response"), str)


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    return read_dialogues(source.members(), partial(_turns, role))


def _turns(role: Role, thing: Any) -> Iterator[Turn]:
    answer = ""

    def turn_of(number: int, each: Any) -> Turn:
        nonlocal answer
        turn = as_mapping(each, "a turn")
        state = as_mapping(turn["state"], "a state") if turn.get("state") is not None else None
        if state is None and role is Role.PRED:
            raise InputError("a prediction without a state")
        heard, answer = answer, as_text(turn.get("response"), "response")
        return turn_with_state(role, number, state, system=heard)

    return read_turns(enumerate(as_list(thing, "a dialogue")), turn_of)
