"""``{"sng0073": [{"response": "..", "state": {"taxi": {"leave at": "17:15"}}}]}``: input of the MultiWOZ_Evaluation scripts.

The states are usually predictions. The number of a turn is its position in the list, counted from 0. ``response`` is
the reply of the system in this turn. It is therefore read as the system utterance before the next turn.
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

    def read_turn(number: int, each: Any) -> Turn:
        nonlocal answer
        turn = as_mapping(each, "a turn")
        state = as_mapping(turn["state"], "a state") if turn.get("state") is not None else None
        if state is None and role is Role.PRED:
            raise InputError("a prediction without a state")
        previous_answer, answer = answer, as_text(turn.get("response"), "response")
        return turn_with_state(role, number, state, system=previous_answer)

    return read_turns(enumerate(as_list(thing, "a dialogue")), read_turn)
