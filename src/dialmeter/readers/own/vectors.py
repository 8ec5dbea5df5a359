"""``{dialogue: {"0": [1, 1, 0, ...]}}``: for each turn, whether each slot of the schema is correct (1) or wrong (0).

TripPy's results for FGA were published in this format. The file has no values, so only JGA, SA and FGA(local=vector)
can be computed. Every position is a slot. Its gold value is ``right``, and its predicted value is ``right`` or
``wrong``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import InputError, one_line
from ...model import Dialogue, State, Turn
from ..pairs.state_layouts import FLAT
from ..parts import Role, as_list, as_mapping, first_value, read_dialogues, read_turns, turn_number
from ..source import Sample, Source

STATES = FLAT
HOLDS = "both"
CARRIES = "which slots are correct, without values"
CORRECTNESS_ONLY = True

_WORDS = {0: "wrong", 1: "right"}


def detect(sample: Sample) -> bool:
    vector = first_value(first_value(sample.value)) if sample.kind == "document" else None
    return isinstance(vector, list) and bool(vector) and all(map(_is_mark, vector))


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    reader = _VectorReader()
    return read_dialogues(
        source.members(), lambda thing: read_turns(as_mapping(thing, "a dialogue").items(), reader.turn)
    )


def _is_mark(thing: object) -> bool:
    """Return True for 0 and 1. TripPy's own script writes them as 0.0 and 1.0."""
    return isinstance(thing, int | float) and not isinstance(thing, bool) and thing in _WORDS


class _VectorReader:
    """Reads turns. The first turn sets the number of positions of all turns."""

    def __init__(self) -> None:
        self._gold: State | None = None

    def turn(self, key: str, thing: Any) -> Turn:
        vector = as_list(thing, "a turn")
        if self._gold is None:
            self._gold = {f"slot-{position:02d}": "right" for position in range(len(vector))}
        if not vector or len(vector) != len(self._gold):
            raise InputError(
                f"a vector of {len(vector)} positions; expected {len(self._gold)}, as in the first vector, and at least one"
            )
        pred: dict[str, str] = {}
        for slot, mark in zip(self._gold, vector, strict=True):
            if not _is_mark(mark):
                raise InputError(f"a position must be 0 or 1, found {one_line(repr(mark), 40)}", slot=slot)
            pred[slot] = _WORDS[mark]
        return Turn(number=turn_number(key), gold=self._gold, pred=pred)
