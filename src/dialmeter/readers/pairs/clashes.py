"""Slots that stand twice in one state."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import InputError, one_line
from ...model import Value


def clashing(state: tuple[int, ...], slots: Sequence[int], held: Sequence[int]) -> dict[int, list[int]]:
    """The pairs of a state whose names become one slot with different values, by slot.

    Args:
        state: the pairs.
        slots: by pair, the slot that its name becomes.
        held: by pair, what it holds; 0 is nothing.
    """
    by_slot: dict[int, list[int]] = {}
    for pair in state:
        if held[pair]:
            by_slot.setdefault(slots[pair], []).append(pair)
    return {slot: pairs for slot, pairs in by_slot.items() if len({held[pair] for pair in pairs}) > 1}


def two_values(slot: str, one: Value, other: Value) -> InputError:
    """The error of a slot that has two values in one state."""
    shown = [repr(one_line(value if isinstance(value, str) else " | ".join(value), 40)) for value in (one, other)]
    return InputError(f"the slot stands twice with two values, {shown[0]} and {shown[1]}", slot=slot)
