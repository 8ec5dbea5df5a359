"""The tallies of a corpus by dialogue and turn: four bytes a turn, because a corpus has few distinct tallies."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...measure import Gather
from ..tally import Row, Tally

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...stats.formulas import Floats


class _Numbers(dict[Row, int]):
    """Numbers rows as they come."""

    def __missing__(self, row: Row) -> int:
        self[row] = number = len(self)
        return number


class TallyTable:
    """The tallies of a corpus, by dialogue and turn.

    Attributes:
        dialogues: their ids.
        number_of: the number of each distinct tally.
        rows: a row number per turn, over all dialogues; see ``table``.
        turns: the turn's own number, per turn.
        ends: where each dialogue's turns end, with a 0 in front.
    """

    def __init__(self) -> None:
        self.dialogues: list[str] = []
        self.number_of = _Numbers()
        self.rows = array("I")
        self.turns = array("I")
        self.ends = array("Q", [0])
        self._table: list[Tally] = []
        self._counted = (0, 0)
        self._times: NDArray[np.int64] | None = None

    def add(self, dialogue_id: str, numbers: list[int], rows: Iterable[Row]) -> None:
        """Takes the tallies of one dialogue."""
        self.dialogues.append(dialogue_id)
        self.rows.fromlist(list(map(self.number_of.__getitem__, rows)))
        self.turns.fromlist(numbers)
        self.ends.append(len(self.rows))

    def merge(self, other: TallyTable) -> None:
        """Appends the dialogues of another table."""
        import numpy as np

        mine = np.fromiter(map(self.number_of.__getitem__, other.number_of), np.uintc, len(other.number_of))
        ends = np.asarray(other.ends)[1:] + np.uint64(len(self.rows))
        self.dialogues.extend(other.dialogues)
        self.rows.frombytes(mine[np.asarray(other.rows)].tobytes())
        self.turns.extend(other.turns)
        self.ends.frombytes(ends.tobytes())

    @property
    def table(self) -> list[Tally]:
        """The distinct tallies; rows are positions in it."""
        if len(self._table) < len(self.number_of):
            self._table = [Tally(*row) for row in self.number_of]
        return self._table

    def rows_of(self, position: int) -> Sequence[int]:
        """The row numbers of one dialogue."""
        return self.rows[self.ends[position] : self.ends[position + 1]]

    def turns_of(self, position: int) -> Sequence[int]:
        """The turn numbers of one dialogue."""
        return self.turns[self.ends[position] : self.ends[position + 1]]

    def times(self) -> NDArray[np.int64]:
        """How often each row occurs, in the order of the table."""
        import numpy as np

        size = len(self.rows), len(self.number_of)
        if self._times is None or self._counted != size:
            self._counted = size
            self._times = np.bincount(np.asarray(self.rows), minlength=len(self.number_of)).astype(np.int64)
        return self._times

    def counts(self) -> Counter[int]:
        """How often each row number occurs, where it does."""
        return Counter({row: count for row, count in enumerate(self.times().tolist()) if count})


_PIECE = 8192
"""How many dialogues are gathered at a time, because the turns of a large corpus are much more than what is kept of them."""


def gathered(tally_table: TallyTable, of_row: Floats, how: Gather = "sum") -> Floats:
    """What belongs to rows, brought together by dialogue.

    Args:
        tally_table: the rows of each dialogue.
        of_row: columns over the rows of the tally table, each as a line of the matrix.
        how: take the sum over a dialogue's turns, the least of them, or that of the last turn.

    Returns:
        The columns over dialogues, each as a line.
    """
    import numpy as np

    found = np.empty((len(of_row), len(tally_table.dialogues)))
    gather_into(found, tally_table, of_row, how)
    return found


def gather_into(found: Floats, tally_table: TallyTable, of_row: Floats, how: Gather, threads: int = 1) -> None:
    """As ``gathered``, into a matrix that there is, by several threads."""
    import numpy as np

    from ...stats.threads import map_pieces

    rows, ends = np.asarray(tally_table.rows), np.asarray(tally_table.ends).astype(np.int64)

    def gather_piece(first: int) -> None:
        bounds = ends[first : first + _PIECE + 1]
        _gather_piece(found[:, first : first + _PIECE], of_row, rows[bounds[0] : bounds[-1]], bounds - bounds[0], how)

    list(map_pieces(gather_piece, range(0, len(ends) - 1, _PIECE), threads=threads))


def _gather_piece(
    found: Floats,
    of_row: Floats,
    rows: NDArray[np.uintc],
    bounds: NDArray[np.int64],
    how: Gather,
) -> None:
    import numpy as np

    lengths = np.diff(bounds)
    filled: slice | NDArray[np.bool_] = slice(None) if lengths.all() else lengths > 0
    starts, stops = bounds[:-1][filled], bounds[1:][filled]
    taken = (rows[stops - 1] if how == "last" else rows).astype(np.intp)
    reduce = np.minimum if how == "every" else np.add
    found[:] = 0
    if not len(starts):
        return
    for column, into in zip(of_row, found, strict=True):
        into[filled] = column[taken] if how == "last" else reduce.reduceat(column[taken], starts)
