"""The findings in the rows of a run, as columns: every bar, filter and breakdown is a query on them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers: TypeAlias = NDArray[np.int64]

Finding: TypeAlias = tuple[str, ...]
"""A text for each field, empty where the field does not apply."""

RIGHT_TURN, WRONG_TURN = "turn right", "turn wrong"
"""The classes of findings about whole turns of trackers."""


class RowFindings:
    """Entries of row, finding and count. First all rows are added, then queries are made.

    A filter names texts for some fields, and a row passes if a single finding of it has them all: "slot ferry-to" and
    "class missed" is a row in which ferry-to was missed, not one in which both happen somewhere.

    Example:
        >>> found = RowFindings(("slot", "class"))
        >>> found.add("d1", {("ferry-to", "missed"): 1, ("ferry-day", "correct"): 3})
        >>> found.add("d2", {("ferry-to", "correct"): 2})
        >>> found.rows({"slot": "ferry-to", "class": "missed"}).tolist()
        [0]
        >>> found.counts("class")
        Counter({('correct',): 5, ('missed',): 1})
    """

    def __init__(self, fields: tuple[str, ...]) -> None:
        self.fields = fields
        self.ids: list[str] = []
        self.sums: Counter[Finding] = Counter()
        """Further counts of the whole run, by whatever the kind of run counts."""
        self._distinct: dict[Finding, int] = {}
        self._rows = array("i")
        self._codes = array("i")
        self._sizes = array("i")

    def add(self, identifier: str, found: Mapping[Finding, int]) -> None:
        """Adds the findings of the next row, with their counts."""
        position = len(self.ids)
        self.ids.append(identifier)
        known = self._distinct
        for finding, size in found.items():
            self._rows.append(position)
            self._codes.append(known.setdefault(finding, len(known)))
            self._sizes.append(size)

    @cached_property
    def _columns(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        import numpy as np

        rows, codes, sizes = (np.array(column, dtype=np.int32) for column in (self._rows, self._codes, self._sizes))
        return rows, codes, sizes

    @cached_property
    def _texts(self) -> list[Finding]:
        return list(self._distinct)

    def _entries(self, wanted: Mapping[str, str]) -> NDArray[np.bool_]:
        """Which entries have a finding with all these texts: computed for the distinct findings, then looked up."""
        import numpy as np

        places = [(self.fields.index(field), text) for field, text in wanted.items()]
        passing = np.fromiter(
            (all(finding[at] == text for at, text in places) for finding in self._texts), bool, len(self._texts)
        )
        return passing[self._columns[1]]

    def rows(self, wanted: Mapping[str, str]) -> Integers:
        """The positions of the rows with a finding that has all these texts, in order."""
        import numpy as np

        return np.unique(self._columns[0][self._entries(wanted)]).astype(np.int64)

    def hits(self, wanted: Mapping[str, str]) -> Integers:
        """For every row, how many findings have all these texts."""
        import numpy as np

        chosen = self._entries(wanted)
        rows, _, sizes = self._columns
        return np.bincount(rows[chosen], weights=sizes[chosen], minlength=len(self.ids)).astype(np.int64)

    def by_row(
        self, where: Mapping[str, Collection[str]], field: str = "", names: Sequence[str] = ()
    ) -> NDArray[np.int32]:
        """For every row and name, how many findings have one of the texts of each condition and the name in the field.

        Args:
            where: by field, the texts that count.
            field: the field that holds the names; without it there is one column for all findings.
            names: the columns.

        Example:
            >>> found = RowFindings(("slot", "class"))
            >>> found.add("d1", {("ferry-to", "missed"): 2, ("ferry-day", "correct"): 3})
            >>> found.add("d2", {("ferry-day", "wrong"): 1})
            >>> found.by_row({"class": ("missed", "wrong")}, "slot", ["ferry-day", "ferry-to"]).tolist()
            [[0, 2], [1, 0]]
            >>> found.by_row({"class": ("missed", "wrong")}).tolist()
            [[2], [1]]
        """
        import numpy as np

        places = {name: at for at, name in enumerate(names)} if field else {"": 0}
        conditions = [(self.fields.index(name), frozenset(texts)) for name, texts in where.items()]
        named = self.fields.index(field) if field else None
        columns = np.fromiter(
            (
                places.get("" if named is None else finding[named], -1)
                if all(finding[at] in texts for at, texts in conditions)
                else -1
                for finding in self._texts
            ),
            np.int64,
            len(self._texts),
        )
        rows, codes, sizes = self._columns
        column = columns[codes]
        chosen = column >= 0
        cells = rows[chosen] * np.int64(len(places)) + column[chosen]
        counted = np.bincount(cells, weights=sizes[chosen], minlength=len(self.ids) * len(places))
        return counted.reshape(len(self.ids), len(places)).astype(np.int32)

    @cached_property
    def _totals(self) -> list[int]:
        import numpy as np

        _, codes, sizes = self._columns
        totals: Any = np.bincount(codes, weights=sizes, minlength=len(self._texts))
        return [int(total) for total in totals]

    def counts(self, *fields: str, where: Mapping[str, str] | None = None) -> Counter[Finding]:
        """How many findings there are for each combination of texts."""
        places = [self.fields.index(field) for field in fields]
        asked = [(self.fields.index(field), text) for field, text in (where or {}).items()]
        found: Counter[Finding] = Counter()
        for finding, total in zip(self._texts, self._totals, strict=True):
            if all(finding[at] == text for at, text in asked):
                found[tuple(finding[at] for at in places)] += total
        return found

    def options(self, field: str) -> list[str]:
        """The texts of a field, sorted, without the empty one.

        Example:
            >>> found = RowFindings(("slot",))
            >>> found.add("d1", {("b",): 1, ("",): 1, ("a",): 1})
            >>> found.options("slot")
            ['a', 'b']
        """
        at = self.fields.index(field)
        return sorted({finding[at] for finding in self._texts} - {""}, key=_natural)

    def ranked(self, field: str) -> list[str]:
        """The texts of a field, the most frequent first, without the empty one.

        Example:
            >>> found = RowFindings(("event",))
            >>> found.add("d1", {("a",): 1, ("b",): 2, ("",): 5})
            >>> found.ranked("event")
            ['b', 'a']
        """
        totals = self.counts(field)
        return [text for (text,), _ in sorted(totals.items(), key=lambda item: (-item[1], item[0])) if text]

    def of_row(self, position: int) -> list[Finding]:
        """The findings of one row.

        Example:
            >>> found = RowFindings(("slot",))
            >>> found.add("d1", {("b",): 2})
            >>> found.of_row(0)
            [('b',)]
        """
        import numpy as np

        rows, codes, _ = self._columns
        start, end = np.searchsorted(rows, [position, position + 1])
        return [self._texts[code] for code in codes[start:end]]


def _natural(text: str) -> tuple[int, str]:
    """Numbers by size, before words."""
    return (int(text), "") if text.isascii() and text.isdigit() and len(text) < 10 else (10**9, text)
