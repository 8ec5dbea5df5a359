"""TRADE and those who followed it, states as lists of ``domain-slot-value``; one of two formats.

``{dialogue: {"0": {"turn_belief": ["hotel-area-east"], "pred_bs_ptr": [...]}}}``
``{dialogue: {"domain": .., "turns": {"0": {"turn_belief": [...], "pred_belief": [...]}}}}``

Whatever key begins with ``pred_`` and holds a list is the prediction.
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
    return isinstance(turn, dict) and ("turn_belief" in turn or bool(_predictions(turn)))


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    return read_dialogues(source.members(), _turns)


def _turns(thing: Any) -> Iterator[Turn]:
    held = as_mapping(thing, "a dialogue")
    return read_turns((as_mapping(held["turns"], "turns") if "turns" in held else held).items(), _turn)


def _turn(key: str, thing: Any) -> Turn:
    turn = as_mapping(thing, "a turn")
    gold: Any = as_list(turn["turn_belief"], "a state") if "turn_belief" in turn else None
    pred = _predicted(turn)
    if gold is None and pred is None:
        raise InputError("a turn without turn_belief and without a prediction (pred_bs_ptr, pred_belief)")
    return Turn(number=turn_number(key), gold=gold, pred=pred)


def _predicted(turn: Mapping[str, Any]) -> Any:
    named = [key for key in turn if key.startswith("pred_")]
    held = _predictions(turn) or named
    if len(held) > 1:
        listed = ", ".join(one_line(key, 30) for key in held)
        raise InputError(f"several predictions, {listed}; keep one of them in the file")
    return as_list(turn[held[0]], "a state") if held else None


def _predictions(turn: Mapping[str, Any]) -> list[str]:
    return [key for key, value in turn.items() if key.startswith("pred_") and isinstance(value, list)]
