"""Dialogues whose turns hold states alone, without keys, as SOM-DST and DSTC10 write them; the states are still bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Raw

from ...errors import InputError
from .raw_turns import RawDialogue, make_raw_turn, number_raw
from .state_layouts import StateLayout
from .vocabulary import PairDialogue, Vocabulary

Numbering: TypeAlias = tuple[Vocabulary, StateLayout, str, int | None]
"""What numbers pairs, how states are written, the file, and the line in it."""
_RawTurn = make_raw_turn("turn", "gold", "pred", "user", "system")


def number_keyless(
    data: bytes, dialogue_id: str, states: Sequence[tuple[int, Raw | None, Raw | None]], numbering: Numbering
) -> PairDialogue | None:
    """As ``number_raw``, for a layout whose turns hold states alone, without keys; None also where a state is none.

    Args:
        data: the text of all states.
        dialogue_id: the dialogue.
        states: by turn, its number, gold and prediction.
        numbering: as for ``number_raw``.
    """
    turns = [_RawTurn(number, gold, pred) for number, gold, pred in states]
    keys = sum(1 + (gold is not None) + (pred is not None) for _, gold, pred in states)
    try:
        return number_raw(data, RawDialogue(dialogue_id, turns), -keys, numbering)
    except InputError:
        # The reader of parsed turns says what is wrong.
        return None
