"""The frames of a corpus by dialogue and turn: four bytes a frame, because measures see few frames that differ."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from ..errors import InputError
from ..measure import Measure, Vector
from ..model import Schema
from ..readers.pairs.vocabulary import PairDialogue
from .compared import ComparedDialogue
from .frames import FrameCells, cells_of_frames, slots_of_service

_MOST_KNOWN = 1 << 15
_ALL = ""


class FrameBook:
    """The vectors of the measures that look at one frame after the other.

    Args:
        measures: those measures.
    """

    def __init__(self, measures: Iterable[Measure]) -> None:
        # A measure that is asked for under two names, such as JGA and JointGoalAccuracy, is here once.
        self.measures: list[Any] = list(dict.fromkeys(measures))
        # A row is a service and a vector for each measure.
        self._number_of: dict[tuple[str, tuple[Vector, ...]], int] = {}
        self._rows = array("I")
        self._turn_ends = array("Q", [0])
        self._ends = array("Q", [0])
        # The rows of frames that were met before, as long as what frames depend on stays the same.
        self._known: dict[FrameCells, int] = {}
        self._slots: dict[str, dict[str, bool]] = {}
        self._basis: tuple[object, object] = (None, None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": {}, "_slots": {}, "_basis": (None, None)}

    def add(self, compared: ComparedDialogue, dialogue: PairDialogue, schema: Schema) -> None:
        """Takes the frames of a dialogue.

        Raises:
            InputError: a frame of gold has no prediction, or its service is not in the schema.
        """
        pairs = compared.pairs
        if self._basis[0] is not pairs or self._basis[1] is not schema or len(self._known) > _MOST_KNOWN:
            self._known, self._slots, self._basis = {}, {}, (pairs, schema)
        known = self._known
        last: list[FrameCells] | None = None
        rows: list[int] = []
        try:
            for frames in cells_of_frames(compared, dialogue):
                if frames is not last:
                    last, rows = frames, []
                    for frame in frames:
                        row = known.get(frame)
                        if row is None:
                            if frame.service not in self._slots:
                                self._slots[frame.service] = slots_of_service(frame.service, pairs, schema)
                            pair = frame.pair(pairs, self._slots[frame.service])
                            vectors = tuple([measure.from_frame(pair) for measure in self.measures])
                            row = known[frame] = self._number((frame.service, vectors))
                        rows.append(row)
                self._rows.fromlist(rows)
                self._turn_ends.append(len(self._rows))
        except InputError as error:
            raise error.at(dialogue=dialogue.id) from None
        self._ends.append(len(self._turn_ends) - 1)

    def last(self, measure: Measure) -> list[list[Vector]]:
        """A measure's vectors of the dialogue that was taken last, by turn."""
        table = self._table(measure)
        bounds = pairwise(self._turn_ends[self._ends[-2] : self._ends[-1] + 1])
        return [[table[row][1] for row in self._rows[start:end]] for start, end in bounds]

    def _number(self, row: tuple[str, tuple[Vector, ...]]) -> int:
        return self._number_of.setdefault(row, len(self._number_of))

    def _table(self, measure: Measure) -> list[tuple[str, Vector]]:
        """By row: the service, and the vector of a measure."""
        place = self.measures.index(measure)
        return [(service, vectors[place]) for service, vectors in self._number_of]

    def merge(self, other: FrameBook) -> None:
        """Appends another book's dialogues."""
        mine = [self._number(row) for row in other._number_of]
        frames, turns = len(self._rows), len(self._turn_ends) - 1
        self._rows.extend(mine[row] for row in other._rows)
        self._turn_ends.extend(frames + end for end in other._turn_ends[1:])
        self._ends.extend(turns + end for end in other._ends[1:])

    def units(self, measure: Measure) -> list[list[Vector]]:
        """A measure's vectors, by dialogue."""
        table = self._table(measure)
        bounds = self._turn_ends
        if not getattr(measure, "across_turn", False):
            return [
                [table[row][1] for row in self._rows[bounds[first] : bounds[last]]]
                for first, last in pairwise(self._ends)
            ]
        return [
            [
                _product([table[row][1] for row in self._rows[start:end]])
                for start, end in pairwise(bounds[first : last + 1])
            ]
            for first, last in pairwise(self._ends)
        ]

    def counts(
        self, measure: Measure, name_of: Callable[[str], str] = lambda service: _ALL
    ) -> dict[str, Counter[Vector]]:
        """How often a measure has which vector, in all or by groups of services."""
        table = [(name_of(service), vector) for service, vector in self._table(measure)]
        found: dict[str, Counter[Vector]] = defaultdict(Counter)
        if not getattr(measure, "across_turn", False):
            for row, count in Counter(self._rows).items():
                group, vector = table[row]
                found[group][vector] += count
            return found
        turns = Counter(tuple(self._rows[start:end]) for start, end in pairwise(self._turn_ends))
        for rows, count in turns.items():
            groups: dict[str, list[Vector]] = {}
            for row in rows:
                groups.setdefault(table[row][0], []).append(table[row][1])
            for group, vectors in groups.items():
                found[group][_product(vectors)] += count
        return found


def _product(vectors: Sequence[Vector]) -> Vector:
    """The frames of a turn as one: the product of those that have a value."""
    values = [value for value, weight in vectors if weight]
    return (math.prod(values), 1) if values else (0, 0)
