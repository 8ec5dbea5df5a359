"""Numbering of unparsed states in formats whose turns hold only states, without keys: SOM-DST and DSTC10."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Raw

from ...errors import InputError
from .raw_turns import RawDialogue, make_raw_turn, number_raw
from .state_layouts import StateLayout
from .vocabulary import PairDialogue, Vocabulary

Numbering: TypeAlias = tuple[Vocabulary, StateLayout, str, int | None]
"""The vocabulary, the state layout, the file name, and the line."""
_RawTurn = make_raw_turn("turn", "gold", "pred", "user", "system")


def number_keyless(
    data: bytes, dialogue_id: str, states: Sequence[tuple[int, Raw | None, Raw | None]], numbering: Numbering
) -> PairDialogue | None:
    """Do the same as ``number_raw`` for a format whose turns hold only states. Return None also for an invalid state.

    Args:
        data: the text of all states.
        dialogue_id: the dialogue id.
        states: number, gold state and predicted state of each turn.
        numbering: as for ``number_raw``.
    """
    turns = [_RawTurn(number, gold, pred) for number, gold, pred in states]
    keys = sum(1 + (gold is not None) + (pred is not None) for _, gold, pred in states)
    try:
        return number_raw(data, RawDialogue(dialogue_id, turns), -keys, numbering)
    except InputError:
        # The slow path of the reader reports the error.
        return None
