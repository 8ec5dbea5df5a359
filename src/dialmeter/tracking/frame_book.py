"""The frames of a corpus by dialogue: four bytes a frame, because measures see few frames that differ."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ..formats.pairs.vocabulary import PairDialogue
from ..measure import Measure, Vector
from ..model import Schema
from .compared import ComparedDialogue
from .frames import FrameCells, cells_of_frames

_MOST_KNOWN = 1 << 15


class FrameBook:
    """The vectors of the measures that look at one frame after the other.

    Args:
        measures: those measures.
    """

    def __init__(self, measures: Sequence[Measure]) -> None:
        self.measures: list[Any] = list(measures)
        # A row is a service and a vector for each measure.
        self._number_of: dict[tuple[str, tuple[Vector, ...]], int] = {}
        self._rows = array("I")
        self._ends = array("Q", [0])
        self._turn_ends: list[int] = []
        self._table: list[tuple[str, tuple[Vector, ...]]] = []
        # The rows of frames that were met before, as long as what frames depend on stays the same.
        self._known: dict[FrameCells, int] = {}
        self._basis: tuple[object, object] = (None, None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": {}, "_basis": (None, None)}

    def add(self, compared: ComparedDialogue, dialogue: PairDialogue, schema: Schema | None) -> None:
        """Takes the frames of a dialogue."""
        pairs = compared.pairs
        if self._basis[0] is not pairs or self._basis[1] is not schema or len(self._known) > _MOST_KNOWN:
            self._known, self._basis = {}, (pairs, schema)
        known, rows = self._known, self._rows
        self._turn_ends = [len(rows)]
        for frames in cells_of_frames(compared, dialogue):
            for frame in frames:
                row = known.get(frame)
                if row is None:
                    pair = frame.pair(pairs, schema)
                    vectors = tuple([measure.from_frame(pair) for measure in self.measures])
                    row = known[frame] = self._number((frame.service, vectors))
                rows.append(row)
            self._turn_ends.append(len(rows))
        self._ends.append(len(rows))

    def last(self, measure: Measure) -> list[list[Vector]]:
        """A measure's vectors of the dialogue that was taken last, by turn."""
        place = self.measures.index(measure)
        if len(self._table) < len(self._number_of):
            self._table = list(self._number_of)
        return [
            [self._table[row][1][place] for row in self._rows[start:end]] for start, end in pairwise(self._turn_ends)
        ]

    def _number(self, row: tuple[str, tuple[Vector, ...]]) -> int:
        return self._number_of.setdefault(row, len(self._number_of))

    def merge(self, other: FrameBook) -> None:
        """Appends another book's dialogues."""
        mine = [self._number(row) for row in other._number_of]
        start = len(self._rows)
        self._rows.extend(mine[row] for row in other._rows)
        self._ends.extend(start + end for end in other._ends[1:])

    def units(self, measure: Measure) -> list[list[Vector]]:
        """A measure's vectors, by dialogue."""
        place = self.measures.index(measure)
        table = [vectors[place] for _, vectors in self._number_of]
        return [[table[row] for row in self._rows[start:end]] for start, end in pairwise(self._ends)]

    def counts(self, measure: Measure) -> dict[str, Counter[Vector]]:
        """How often a measure has which vector, by service."""
        place = self.measures.index(measure)
        table = list(self._number_of)
        # A measure that is asked for under two names, such as JGA and JointGoalAccuracy, has each of its frames twice.
        times = self.measures.count(measure)
        found: dict[str, Counter[Vector]] = defaultdict(Counter)
        for row, count in Counter(self._rows).items():
            service, vectors = table[row]
            found[service][vectors[place]] += times * count
        return found
