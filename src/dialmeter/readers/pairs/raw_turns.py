"""Turns with unparsed states. Most states equal the previous state, or gold, and need not be parsed.

This file is plain Python. ``raw_turns.pxd`` adds C types if dialmeter is built with a compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw

from ...errors import InputError
from ..strict_json import REFUSALS, count_written_strings
from ..validation import LATEST_TURN
from .state_layouts import StateLayout
from .vocabulary import PairDialogue, Vocabulary


class _NoText(str):
    """The default for an absent text. It differs by identity from an empty text in the file."""


_NO_TEXT = _NoText()
_NO_STATE: Any = None
_INVALID = (*REFUSALS, InputError)


def make_raw_turn(number: str, gold: str, pred: str, **texts: str) -> Any:
    """Make a msgspec type for turns with the common fields. The arguments are the keys of the format.

    Args:
        number: the key of the turn number, and so on.
        texts: the keys of ``user`` and ``system``, if the format has utterances.
    """
    fields: list[tuple[str, Any, Any]] = [
        ("number", int, msgspec.field(name=number, default=-1)),
        ("gold", Raw, msgspec.field(name=gold, default=_NO_STATE)),
        ("pred", Raw, msgspec.field(name=pred, default=_NO_STATE)),
        *((name, str, msgspec.field(name=key, default=_NO_TEXT)) for name, key in texts.items()),
    ]
    constant = {"user": _NO_TEXT, "system": _NO_TEXT, "frames": None, "written": None}
    namespace = {name: value for name, value in constant.items() if name not in texts}
    return msgspec.defstruct("RawTurn", fields, namespace=namespace, gc=False)


class RawDialogue(msgspec.Struct, gc=False):
    """A dialogue whose turns have unparsed states."""

    id: str
    turns: Sequence[Any]


def number_raw(
    data: bytes, found: Any, strings: int, numbering: tuple[Vocabulary, StateLayout, str, int | None]
) -> PairDialogue | None:
    """Return the dialogue in a JSON text that holds only ids, numbers, states and utterances; None for any other text.

    It is also None for an invalid state: the reader parses the text in another way, and reports the error.

    Args:
        data: the text.
        found: the decoded text, with an ``id`` and ``turns`` of raw turns.
        strings: number of strings of the text outside its turns.
        numbering: the vocabulary, the state layout, the file name, and the line.
    """
    words, layout, file, line = numbering
    try:
        around = _count_around_states(found.turns)
        if around < 0:
            return None
        pairs = words.number_dialogue(found, layout, file, line)
    except _INVALID:
        return None
    # The counts differ if the text has a duplicate or unknown key.
    return pairs if strings + around + pairs.strings == count_written_strings(data) else None


def _count_around_states(turns: Sequence[Any]) -> int:
    """Count the strings of turns outside their states. Return -1 if turns are out of order, or if there are none."""
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
