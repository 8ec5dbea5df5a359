"""The tally: nine integers per turn, from which every tracker measure is computed.

``Walk.rows`` computes tallies; a ``TallyTable`` stores them for a corpus.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from ..measure import Gather
from ..numeric import np
from ..stats.formulas import Floats

NEVER = -1
"""The value of ``since`` for a turn that counts 1 in FGA: it is exact, or no turn up to it has its own mistake."""

OTHER_DOMAINS = "other"
"""The name for all domains that are not listed in a setting by domain."""

NOTHING, CORRECT, WRONG, MISSED, OVER = range(5)
"""The kind of a slot at a turn; ``NOTHING`` if neither side holds it."""

Row: TypeAlias = tuple[int, ...]
"""A tally as plain numbers."""
Local: TypeAlias = Literal["paper", "code", "vector"]
Deletions: TypeAlias = Literal["ignore", "count", "code"]
Alternatives: TypeAlias = Literal["overlap", "strict"]


class Tally(NamedTuple):
    """The counts of one turn.

    The three fields ``cut_...`` are counted only under rule sets that cut slots at the last hyphen. Otherwise they are -1, and
    their values follow from the other fields. ``strictness`` is the smallest strictness of the wrong domains (see
    ``TallyVariant``) if the mistake is older than the turn, else -1.
    """

    gold: int
    pred: int
    match: int
    both: int
    since: int
    missed: int
    wrong: int
    extra: int
    correct: int
    cut_errors: int = -1
    cut_slots: int = -1
    cut_rsa_errors: int = -1
    strictness: int = -1

    @property
    def exact(self) -> bool:
        """Is the predicted state equal to the gold state?"""
        return self.match == self.gold == self.pred

    @property
    def local(self) -> bool:
        """Is the turn exact or locally right?"""
        return self.since != 0

    @property
    def union(self) -> int:
        """Distinct slots of both states (RSA's T*)."""
        return self.gold + self.pred - self.both if self.cut_slots < 0 else self.cut_slots

    @property
    def errors(self) -> int:
        """Number of wrong slots, each counted once (SA's e)."""
        return self.gold + self.pred - self.both - self.match if self.cut_errors < 0 else self.cut_errors

    @property
    def rsa_errors(self) -> int:
        """RSA's e; with the hyphen cut it differs from SA's e."""
        return self.errors if self.cut_rsa_errors < 0 else self.cut_rsa_errors


class TallyVariant(Struct, frozen=True):
    """The settings that a tally depends on, apart from the rule set; None means any value.

    Attributes:
        local: the definition of a locally right turn.
        deletions: how a slot that is deleted from the state counts.
        alternatives: whether gold changes if its new value shares an alternative with the old one.
        strictness: the strictness of each domain, 0 for the strictest; empty if all domains are treated the same.
    """

    local: Local | None = None
    deletions: Deletions | None = None
    alternatives: Alternatives | None = None
    strictness: tuple[tuple[str, int], ...] = ()

    def fits(self, other: TallyVariant) -> bool:
        """Can a tally of the other variant be used?"""
        return (
            self.local in (None, other.local)
            and self.deletions in (None, other.deletions)
            and self.alternatives in (None, other.alternatives)
            and self.strictness == other.strictness
        )


class _Numbers(dict[Any, int]):
    """Assigns the next number to each new row."""

    def __missing__(self, row: Any) -> int:
        self[row] = number = len(self)
        return number


class UnitTable:
    """The rows of the units of a corpus, by dialogue and turn. Equal rows are stored once.

    Attributes:
        dialogues: the ids of the dialogues.
        number_of: the number of each distinct row.
        rows: the row number of each unit, over all dialogues.
        turns: the turn number of each unit.
        ends: the end of the units of each dialogue, after a leading 0.
    """

    def __init__(self) -> None:
        self.dialogues: list[str] = []
        self.number_of = _Numbers()
        self.rows = array("I")
        self.turns = array("I")
        self.ends = array("Q", [0])
        self._times: list[int] = []

    def add(self, dialogue_id: str, numbers: list[int], rows: Iterable[Any]) -> None:
        """Add the rows of one dialogue; ``numbers`` has the turn number of each."""
        self.add_numbered(dialogue_id, numbers, list(map(self.number_of.__getitem__, rows)))

    def add_numbered(self, dialogue_id: str, numbers: list[int], rows: list[int]) -> None:
        """Add the row numbers of one dialogue; see ``add``."""
        self.dialogues.append(dialogue_id)
        self.rows.fromlist(rows)
        self.turns.fromlist(numbers)
        self.ends.append(len(self.rows))

    def merge(self, other: UnitTable) -> None:
        """Append the dialogues of another table."""
        mine = np.fromiter(map(self.number_of.__getitem__, other.number_of), np.uintc, len(other.number_of))
        ends = np.asarray(other.ends)[1:] + np.uint64(len(self.rows))
        self.dialogues.extend(other.dialogues)
        self.rows.frombytes(mine[np.asarray(other.rows)].tobytes())
        self.turns.extend(other.turns)
        self.ends.frombytes(ends.tobytes())

    def rows_of(self, position: int) -> Sequence[int]:
        """Return the row numbers of one dialogue."""
        return self.rows[self.ends[position] : self.ends[position + 1]]

    def turns_of(self, position: int) -> Sequence[int]:
        """Return the turn numbers of one dialogue."""
        return self.turns[self.ends[position] : self.ends[position + 1]]

    def times(self) -> list[int]:
        """Count how often each distinct row occurs."""
        if sum(self._times) != len(self.rows):
            counts = Counter(self.rows)
            self._times = [counts[row] for row in range(len(self.number_of))]
        return self._times


class TallyTable(UnitTable):
    """The tallies of the turns of a corpus."""

    def __init__(self) -> None:
        super().__init__()
        self._table: list[Tally] = []

    @property
    def table(self) -> list[Tally]:
        """The distinct tallies; row numbers are indices of this list."""
        if len(self._table) < len(self.number_of):
            self._table = [Tally(*row) for row in self.number_of]
        return self._table

    def counts(self) -> Counter[int]:
        """Count how often each row number occurs, without zero counts."""
        return Counter({row: count for row, count in enumerate(self.times()) if count})

    def exact_turns(self) -> Iterator[tuple[int, set[int]]]:
        """Yield the number of turns of each dialogue, and the numbers of its exact turns."""
        exact = [tally.exact for tally in self.table]
        for position in range(len(self.dialogues)):
            turns, rows = self.turns_of(position), self.rows_of(position)
            yield len(turns), {turn for turn, row in zip(turns, rows, strict=True) if exact[row]}

    def count_turns(self, fits: Callable[[Tally], int]) -> int:
        """Count the turns whose tally fits, or add up a number of each tally."""
        return sum(count * fits(tally) for tally, count in zip(self.table, self.times(), strict=True))


_PIECE = 8192
"""Number of dialogues that are gathered at a time, because the turns of a large corpus take much more memory than the result."""


def gathered(tally_table: TallyTable, of_row: Floats, gather: Gather = "sum") -> Floats:
    """Aggregate by dialogue a matrix with one line per column of a measure and one entry per row of the tally table.

    The result has the same lines and one entry per dialogue: the sum over its turns, their minimum, or that of the last turn.
    """
    reduce = np.minimum if gather == "every" else np.add
    result = np.zeros((len(of_row), len(tally_table.dialogues)))
    rows, ends = np.asarray(tally_table.rows), np.asarray(tally_table.ends).astype(np.int64)
    for first in range(0, len(ends) - 1, _PIECE):
        bounds = ends[first : first + _PIECE + 1]
        filled = np.flatnonzero(np.diff(bounds))
        if not len(filled):
            continue
        starts, stops = bounds[filled] - bounds[0], bounds[filled + 1]
        taken = (rows[stops - 1] if gather == "last" else rows[bounds[0] : bounds[-1]]).astype(np.intp)
        for column, into in zip(of_row, result, strict=True):
            into[first + filled] = column[taken] if gather == "last" else reduce.reduceat(column[taken], starts)
    return result
