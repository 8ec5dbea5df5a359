"""Results of TRADE and of trackers based on it, with states as lists of ``domain-slot-value``. There are two variants:

- ``{dialogue: {"0": {"turn_belief": ["hotel-area-east"], "pred_bs_ptr": [...]}}}``
- ``{dialogue: {"domain": .., "turns": {"0": {"turn_belief": [...], "pred_belief": [...]}}}}``

``turn_belief`` is gold. The prediction is the list under a key that begins with ``pred_``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import InputError, one_line
from ...model import Dialogue, Turn
from ..pairs.state_layouts import GLUED
from ..parts import Role, as_list, as_mapping, first_value, read_dialogues, read_turns, turn_number
from ..source import Sample, Source

STATES = GLUED
HOLDS = "both"
CARRIES = "gold and predicted states"


def detect(sample: Sample) -> bool:
    turns = first_value(sample.value) if sample.kind == "document" else None
    turn = first_value(turns.get("turns", turns)) if isinstance(turns, dict) else None
    return isinstance(turn, dict) and ("turn_belief" in turn or bool(_prediction_keys(turn)))


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    return read_dialogues(source.members(), _turns)


def _turns(thing: Any) -> Iterator[Turn]:
    entry = as_mapping(thing, "a dialogue")
    return read_turns((as_mapping(entry["turns"], "turns") if "turns" in entry else entry).items(), _turn)


def _turn(key: str, thing: Any) -> Turn:
    turn = as_mapping(thing, "a turn")
    gold: Any = as_list(turn["turn_belief"], "a state") if "turn_belief" in turn else None
    pred = _predicted_state(turn)
    if gold is None and pred is None:
        raise InputError("a turn without turn_belief and without a prediction (pred_bs_ptr, pred_belief)")
    return Turn(number=turn_number(key), gold=gold, pred=pred)


def _predicted_state(turn: Mapping[str, Any]) -> Any:
    keys = _prediction_keys(turn) or [key for key in turn if key.startswith("pred_")]
    if len(keys) > 1:
        listed = ", ".join(one_line(key, 30) for key in keys)
        raise InputError(f"several predictions, {listed}; keep one of them in the file")
    return as_list(turn[keys[0]], "a state") if keys else None


def _prediction_keys(turn: Mapping[str, Any]) -> list[str]:
    return [key for key, value in turn.items() if key.startswith("pred_") and isinstance(value, list)]
