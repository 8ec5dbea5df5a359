"""The findings in the rows of a run, as columns: every bar, filter and breakdown is a query on them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers: TypeAlias = NDArray[np.int64]

Finding: TypeAlias = tuple[str, ...]
"""A text for each field, empty where the field does not apply."""

RIGHT_TURN, WRONG_TURN = "turn right", "turn wrong"
"""The classes of findings about whole turns of trackers."""


class FindingColumns(NamedTuple):
    """Entries of row, finding and count as columns; a finding is a number, and so is each of its texts.

    Attributes:
        texts: for each field, its distinct texts.
        keys: for each field, the number of the text that each distinct finding has.
        per_row: how many entries each row has; the entries of a row follow each other.
        codes: the finding of each entry.
        sizes: how often a row has it.
    """

    texts: Sequence[Sequence[str]]
    keys: Sequence[NDArray[Any]]
    per_row: NDArray[Any]
    codes: NDArray[Any]
    sizes: NDArray[Any]


class FindingsBuilder:
    """Collects the findings of rows, one row after the other.

    Args:
        fields: the names of the texts of a finding.

    Attributes:
        sums: further counts of the whole run, by whatever the kind of run counts.
    """

    def __init__(self, fields: tuple[str, ...]) -> None:
        self.sums: Counter[Finding] = Counter()
        self._fields = fields
        self._ids: list[str] = []
        self._known: dict[Finding, int] = {}
        self._per_row, self._codes, self._sizes = array("i"), array("i"), array("i")

    def add(self, identifier: str, found: Mapping[Finding, int]) -> None:
        """Adds the findings of the next row, with their counts."""
        known = self._known
        self._ids.append(identifier)
        self._per_row.append(len(found))
        self._codes.extend([known.setdefault(finding, len(known)) for finding in found])
        self._sizes.extend(found.values())

    def build(self) -> RowFindings:
        """The findings of all rows, to be queried."""
        import numpy as np

        texts, keys = [], []
        for at in range(len(self._fields)):
            codes: dict[str, int] = {}
            column = [codes.setdefault(finding[at], len(codes)) for finding in self._known]
            keys.append(np.array(column, dtype=np.int32))
            texts.append(list(codes))
        columns = (np.array(column, dtype=np.int32) for column in (self._per_row, self._codes, self._sizes))
        return RowFindings(self._fields, self._ids, self.sums, FindingColumns(texts, keys, *columns))


class RowFindings:
    """The findings of all rows of a run.

    A filter names texts for some fields, and a row passes if a single finding of it has them all: "slot ferry-to" and
    "class missed" is a row in which ferry-to was missed, not one in which both happen somewhere.

    Args:
        fields: the names of the texts of a finding.
        ids: of the rows.
        sums: further counts of the whole run.
        columns: the entries.

    Example:
        >>> made = FindingsBuilder(("slot", "class"))
        >>> made.add("d1", {("ferry-to", "missed"): 1, ("ferry-day", "correct"): 3})
        >>> made.add("d2", {("ferry-to", "correct"): 2})
        >>> found = made.build()
        >>> found.rows({"slot": "ferry-to", "class": "missed"}).tolist()
        [0]
        >>> found.counts("class")
        Counter({('correct',): 5, ('missed',): 1})
    """

    def __init__(
        self, fields: tuple[str, ...], ids: Sequence[str], sums: Counter[Finding], columns: FindingColumns
    ) -> None:
        self.fields = fields
        self.ids = ids
        self.sums = sums
        self.columns = columns

    def _passing(self, wanted: Mapping[str, str]) -> NDArray[np.bool_]:
        """Which distinct findings have all these texts."""
        import numpy as np

        passing = np.ones(len(self.columns.keys[0]), dtype=bool)
        for field, text in wanted.items():
            at = self.fields.index(field)
            texts = self.columns.texts[at]
            passing &= self.columns.keys[at] == (texts.index(text) if text in texts else -1)
        return passing

    @cached_property
    def _rows(self) -> NDArray[np.int32]:
        """The row of each entry."""
        import numpy as np

        return np.repeat(np.arange(len(self.ids), dtype=np.int32), self.columns.per_row)

    def rows(self, wanted: Mapping[str, str]) -> Integers:
        """The positions of the rows with a finding that has all these texts, in order."""
        import numpy as np

        return np.unique(self._rows[self._passing(wanted)[self.columns.codes]]).astype(np.int64)

    def hits(self, wanted: Mapping[str, str]) -> Integers:
        """For every row, how many findings have all these texts."""
        import numpy as np

        chosen = self._passing(wanted)[self.columns.codes]
        weights = self.columns.sizes[chosen]
        return np.bincount(self._rows[chosen], weights=weights, minlength=len(self.ids)).astype(np.int64)

    def by_row(
        self, where: Mapping[str, Collection[str]], field: str = "", names: Sequence[str] = ()
    ) -> NDArray[np.int32]:
        """For every row and name, how many findings have one of the texts of each condition and the name in the field.

        Args:
            where: by field, the texts that count.
            field: the field that holds the names; without it there is one column for all findings.
            names: the columns.

        Example:
            >>> made = FindingsBuilder(("slot", "class"))
            >>> made.add("d1", {("ferry-to", "missed"): 2, ("ferry-day", "correct"): 3})
            >>> made.add("d2", {("ferry-day", "wrong"): 1})
            >>> found = made.build()
            >>> found.by_row({"class": ("missed", "wrong")}, "slot", ["ferry-day", "ferry-to"]).tolist()
            [[0, 2], [1, 0]]
            >>> found.by_row({"class": ("missed", "wrong")}).tolist()
            [[2], [1]]
        """
        import numpy as np

        texts, keys, _, codes, sizes = self.columns
        places = np.zeros(len(keys[0]), dtype=np.int64)
        if field:
            at = self.fields.index(field)
            known = {name: place for place, name in enumerate(names)}
            places = np.array([known.get(text, -1) for text in texts[at]], dtype=np.int64)[keys[at]]
        for name, wanted in where.items():
            at = self.fields.index(name)
            places[~np.array([text in wanted for text in texts[at]], dtype=bool)[keys[at]]] = -1
        width = len(names) if field else 1
        column = places[codes]
        chosen = column >= 0
        cells = self._rows[chosen] * np.int64(width) + column[chosen]
        counted = np.bincount(cells, weights=sizes[chosen], minlength=len(self.ids) * width)
        return counted.reshape(len(self.ids), width).astype(np.int32)

    @cached_property
    def _totals(self) -> NDArray[np.float64]:
        """How often each distinct finding occurs."""
        import numpy as np

        distinct = len(self.columns.keys[0])
        return np.bincount(self.columns.codes, weights=self.columns.sizes, minlength=distinct).astype(np.float64)

    def counts(self, *fields: str, where: Mapping[str, str] | None = None) -> Counter[Finding]:
        """How many findings there are for each combination of texts, in the order in which they occur."""
        import numpy as np

        chosen = self._passing(where or {})
        places = [self.fields.index(field) for field in fields]
        combined = np.zeros(int(chosen.sum()), dtype=np.int64)
        for at in places:
            combined = combined * len(self.columns.texts[at]) + self.columns.keys[at][chosen]
        _, first, group = np.unique(combined, return_index=True, return_inverse=True)
        totals = np.bincount(group, weights=self._totals[chosen], minlength=len(first))
        order = np.argsort(first)
        names = [
            [self.columns.texts[at][code] for code in self.columns.keys[at][chosen][first[order]].tolist()]
            for at in places
        ]
        return Counter(dict(zip(zip(*names, strict=True), map(int, totals[order].tolist()), strict=True)))

    def options(self, field: str) -> list[str]:
        """The texts of a field, sorted, without the empty one.

        Example:
            >>> made = FindingsBuilder(("slot",))
            >>> made.add("d1", {("b",): 1, ("",): 1, ("a",): 1})
            >>> made.build().options("slot")
            ['a', 'b']
        """
        return sorted({*self.columns.texts[self.fields.index(field)]} - {""}, key=_natural)

    def ranked(self, field: str) -> list[str]:
        """The texts of a field, the most frequent first, without the empty one.

        Example:
            >>> made = FindingsBuilder(("event",))
            >>> made.add("d1", {("a",): 1, ("b",): 2, ("",): 5})
            >>> made.build().ranked("event")
            ['b', 'a']
        """
        totals = self.counts(field)
        return [text for (text,), _ in sorted(totals.items(), key=lambda item: (-item[1], item[0])) if text]

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        import numpy as np

        found: NDArray[np.int64] = np.cumsum(self.columns.per_row, dtype=np.int64)
        return found

    def of_row(self, position: int) -> list[Finding]:
        """The findings of one row.

        Example:
            >>> made = FindingsBuilder(("slot",))
            >>> made.add("d1", {("b",): 2})
            >>> made.build().of_row(0)
            [('b',)]
        """
        end = int(self._ends[position])
        codes = self.columns.codes[end - int(self.columns.per_row[position]) : end]
        texts, keys = self.columns.texts, self.columns.keys
        return [tuple(texts[at][keys[at][code]] for at in range(len(texts))) for code in codes.tolist()]


def _natural(text: str) -> tuple[int, str]:
    """Numbers by size, before words."""
    return (int(text), "") if text.isascii() and text.isdigit() and len(text) < 10 else (10**9, text)
