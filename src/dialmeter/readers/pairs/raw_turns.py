"""Turns whose states are still bytes: most repeat the one before, or gold, and need not be parsed.

This file is plain Python; ``raw_turns.pxd`` gives it C types where dialmeter is built with a compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

from ..parts import LATEST_TURN
from ..strict_json import REFUSALS, count_written_strings
from .state_layouts import StateLayout
from .vocabulary import PairDialogue, Vocabulary


class _NoText(str):
    """The text of a turn that has none; an empty text that is written is another object."""


_NO_TEXT = _NoText()
_NO_STATE: Any = None


def make_raw_turn(number: str, gold: str, pred: str, user: str, system: str) -> Any:
    """A type of turns for msgspec to decode, with all that most files say of a turn; the arguments are the keys of a format."""
    fields = [
        ("number", int, msgspec.field(name=number, default=-1)),
        ("gold", Raw, msgspec.field(name=gold, default=_NO_STATE)),
        ("pred", Raw, msgspec.field(name=pred, default=_NO_STATE)),
        ("user", str, msgspec.field(name=user, default=_NO_TEXT)),
        ("system", str, msgspec.field(name=system, default=_NO_TEXT)),
    ]
    return msgspec.defstruct("RawTurn", fields, namespace={"frames": None, "written": None}, gc=False)


class RawDialogue(NamedTuple):
    """A dialogue of such turns."""

    id: str
    turns: Sequence[Any]


def number_raw(
    data: bytes, found: Any, strings: int, numbering: tuple[Vocabulary, StateLayout, str, int | None]
) -> PairDialogue | None:
    """The dialogue in a JSON text, if that says nothing but ids, numbers, states and utterances; None for any other text.

    Args:
        data: the text.
        found: what it says, with an ``id`` and ``turns`` of raw turns.
        strings: how many strings it has beside those in its turns.
        numbering: what numbers pairs, how states are written, the file, and the line in it.

    Raises:
        InputError: something that is no state, with its turn and slot.
    """
    words, layout, file, line = numbering
    try:
        around = _count_around_states(found.turns)
        if around < 0:
            return None
        pairs = words.number_dialogue(found, layout, file, line)
    except REFUSALS:
        return None
    # A key that is a duplicate, or that was passed over, has left strings in the text that nobody has seen.
    return pairs if strings + around + pairs.strings == count_written_strings(data) else None


def _count_around_states(turns: Sequence[Any]) -> int:
    """How many strings turns have that are not in states; below 0 where they are out of order, or there is none."""
    count = 0
    last = -1
    for turn in turns:
        number = turn.number
        if number <= last or number >= LATEST_TURN:
            return -1
        last = number
        count += 1
        if turn.gold is not _NO_STATE:
            count += 1
        if turn.pred is not _NO_STATE:
            count += 1
        if turn.user is not _NO_TEXT:
            count += 2
        if turn.system is not _NO_TEXT:
            count += 2
    return count if last >= 0 else -1
