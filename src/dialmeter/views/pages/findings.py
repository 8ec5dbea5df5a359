"""The findings in the rows of a run, as columns. Charts, filters and breakdowns are queries on them."""

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
"""A text for each field; empty if the field does not apply."""

RIGHT_TURN, WRONG_TURN = "turn right", "turn wrong"
"""The classes of findings about whole turns of trackers."""


class FindingColumns(NamedTuple):
    """Entries of row, finding and count as columns; findings and their texts are encoded as integers.

    Attributes:
        texts: for each field, its distinct texts.
        keys: for each field, the index of the text of each distinct finding.
        per_row: the number of entries of each row; the entries of a row are consecutive.
        codes: the index of the finding of each entry.
        sizes: the count of the finding in the row.
    """

    texts: Sequence[Sequence[str]]
    keys: Sequence[NDArray[Any]]
    per_row: NDArray[Any]
    codes: NDArray[Any]
    sizes: NDArray[Any]


class FindingsBuilder:
    """Collects the findings of rows in order.

    Args:
        fields: the names of the fields.

    Attributes:
        sums: further counts of the whole run; their keys depend on the kind of run.
    """

    def __init__(self, fields: tuple[str, ...]) -> None:
        self.sums: Counter[Finding] = Counter()
        self._fields = fields
        self._ids: list[str] = []
        self._codes_by_finding: dict[Finding, int] = {}
        self._per_row, self._codes, self._sizes = array("i"), array("i"), array("i")

    def add(self, identifier: str, findings: Mapping[Finding, int]) -> None:
        """Add the findings of the next row, with their counts."""
        codes = self._codes_by_finding
        self._ids.append(identifier)
        self._per_row.append(len(findings))
        self._codes.extend([codes.setdefault(finding, len(codes)) for finding in findings])
        self._sizes.extend(findings.values())

    def build(self) -> RowFindings:
        """Return the findings of all rows."""
        import numpy as np

        texts, keys = [], []
        for at in range(len(self._fields)):
            codes: dict[str, int] = {}
            column = [codes.setdefault(finding[at], len(codes)) for finding in self._codes_by_finding]
            keys.append(np.array(column, dtype=np.int32))
            texts.append(list(codes))
        columns = (np.array(column, dtype=np.int32) for column in (self._per_row, self._codes, self._sizes))
        return RowFindings(self._fields, self._ids, self.sums, FindingColumns(texts, keys, *columns))


class RowFindings:
    """The findings of all rows of a run.

    A filter has a text for some fields. A row matches if a single finding has all these texts: "slot ferry-to" and
    "class missed" match a row in which ferry-to was missed, not a row in which both texts occur in different findings.

    Args:
        fields: the names of the fields.
        ids: the ids of the rows.
        sums: further counts of the whole run.
        columns: the entries.

    Example:
        >>> builder = FindingsBuilder(("slot", "class"))
        >>> builder.add("d1", {("ferry-to", "missed"): 1, ("ferry-day", "correct"): 3})
        >>> builder.add("d2", {("ferry-to", "correct"): 2})
        >>> findings = builder.build()
        >>> findings.rows({"slot": "ferry-to", "class": "missed"}).tolist()
        [0]
        >>> findings.counts("class")
        Counter({('correct',): 5, ('missed',): 1})
    """

    def __init__(
        self, fields: tuple[str, ...], ids: Sequence[str], sums: Counter[Finding], columns: FindingColumns
    ) -> None:
        self.fields = fields
        self.ids = ids
        self.sums = sums
        self.columns = columns

    def _matching(self, filters: Mapping[str, str]) -> NDArray[np.bool_]:
        """Return the mask of the distinct findings that have all these texts."""
        import numpy as np

        mask = np.ones(len(self.columns.keys[0]), dtype=bool)
        for field, text in filters.items():
            at = self.fields.index(field)
            texts = self.columns.texts[at]
            mask &= self.columns.keys[at] == (texts.index(text) if text in texts else -1)
        return mask

    @cached_property
    def _rows(self) -> NDArray[np.int32]:
        """Row position of each entry."""
        import numpy as np

        return np.repeat(np.arange(len(self.ids), dtype=np.int32), self.columns.per_row)

    def rows(self, filters: Mapping[str, str]) -> Integers:
        """Return the sorted positions of the rows with a finding that has all these texts."""
        import numpy as np

        return np.unique(self._rows[self._matching(filters)[self.columns.codes]]).astype(np.int64)

    def hits(self, filters: Mapping[str, str]) -> Integers:
        """Return for every row the number of findings with all these texts."""
        import numpy as np

        mask = self._matching(filters)[self.columns.codes]
        weights = self.columns.sizes[mask]
        return np.bincount(self._rows[mask], weights=weights, minlength=len(self.ids)).astype(np.int64)

    def by_row(
        self, where: Mapping[str, Collection[str]], field: str = "", names: Sequence[str] = ()
    ) -> NDArray[np.int32]:
        """Count for every row and name the findings that match all conditions and have the name in the field.

        Args:
            where: field → texts; a finding must have one of the texts.
            field: the field of the names; if empty, there is one column for all findings.
            names: the texts of the columns.

        Example:
            >>> builder = FindingsBuilder(("slot", "class"))
            >>> builder.add("d1", {("ferry-to", "missed"): 2, ("ferry-day", "correct"): 3})
            >>> builder.add("d2", {("ferry-day", "wrong"): 1})
            >>> findings = builder.build()
            >>> findings.by_row({"class": ("missed", "wrong")}, "slot", ["ferry-day", "ferry-to"]).tolist()
            [[0, 2], [1, 0]]
            >>> findings.by_row({"class": ("missed", "wrong")}).tolist()
            [[2], [1]]
        """
        import numpy as np

        texts, keys, _, codes, sizes = self.columns
        column_of = np.zeros(len(keys[0]), dtype=np.int64)
        if field:
            at = self.fields.index(field)
            columns = {name: place for place, name in enumerate(names)}
            column_of = np.array([columns.get(text, -1) for text in texts[at]], dtype=np.int64)[keys[at]]
        for name, allowed in where.items():
            at = self.fields.index(name)
            column_of[~np.array([text in allowed for text in texts[at]], dtype=bool)[keys[at]]] = -1
        width = len(names) if field else 1
        entry_columns = column_of[codes]
        mask = entry_columns >= 0
        cells = self._rows[mask] * np.int64(width) + entry_columns[mask]
        counts = np.bincount(cells, weights=sizes[mask], minlength=len(self.ids) * width)
        return counts.reshape(len(self.ids), width).astype(np.int32)

    @cached_property
    def _totals(self) -> NDArray[np.float64]:
        """Total count of each distinct finding."""
        import numpy as np

        distinct = len(self.columns.keys[0])
        return np.bincount(self.columns.codes, weights=self.columns.sizes, minlength=distinct).astype(np.float64)

    def counts(self, *fields: str, where: Mapping[str, str] | None = None) -> Counter[Finding]:
        """Count the findings for each combination of texts, in the order of their first occurrence."""
        import numpy as np

        mask = self._matching(where or {})
        positions = [self.fields.index(field) for field in fields]
        combined = np.zeros(int(mask.sum()), dtype=np.int64)
        for at in positions:
            combined = combined * len(self.columns.texts[at]) + self.columns.keys[at][mask]
        _, first, group = np.unique(combined, return_index=True, return_inverse=True)
        totals = np.bincount(group, weights=self._totals[mask], minlength=len(first))
        order = np.argsort(first)
        names = [
            [self.columns.texts[at][code] for code in self.columns.keys[at][mask][first[order]].tolist()]
            for at in positions
        ]
        return Counter(dict(zip(zip(*names, strict=True), map(int, totals[order].tolist()), strict=True)))

    def options(self, field: str) -> list[str]:
        """Return the texts of a field, sorted, without the empty text.

        Example:
            >>> builder = FindingsBuilder(("slot",))
            >>> builder.add("d1", {("b",): 1, ("",): 1, ("a",): 1})
            >>> builder.build().options("slot")
            ['a', 'b']
        """
        return sorted({*self.columns.texts[self.fields.index(field)]} - {""}, key=_sort_key)

    def ranked(self, field: str) -> list[str]:
        """Return the texts of a field, the most frequent first, without the empty text.

        Example:
            >>> builder = FindingsBuilder(("event",))
            >>> builder.add("d1", {("a",): 1, ("b",): 2, ("",): 5})
            >>> builder.build().ranked("event")
            ['b', 'a']
        """
        totals = self.counts(field)
        return [text for (text,), _ in sorted(totals.items(), key=lambda item: (-item[1], item[0])) if text]

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        import numpy as np

        ends: NDArray[np.int64] = np.cumsum(self.columns.per_row, dtype=np.int64)
        return ends

    def of_row(self, position: int) -> list[Finding]:
        """Return the findings of one row.

        Example:
            >>> builder = FindingsBuilder(("slot",))
            >>> builder.add("d1", {("b",): 2})
            >>> builder.build().of_row(0)
            [('b',)]
        """
        end = int(self._ends[position])
        codes = self.columns.codes[end - int(self.columns.per_row[position]) : end]
        texts, keys = self.columns.texts, self.columns.keys
        return [tuple(texts[at][keys[at][code]] for at in range(len(texts))) for code in codes.tolist()]


def _sort_key(text: str) -> tuple[int, str]:
    """Return the sort key of a text: numbers by value, before words."""
    return (int(text), "") if text.isascii() and text.isdigit() and len(text) < 10 else (10**9, text)
