"""What was found in the rows of a run, as columns: every bar, filter and breakdown is a question to them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Positions: TypeAlias = NDArray[np.int64]
    Mask: TypeAlias = NDArray[np.bool_]


class Findings:
    """One entry per finding: the row in which it stands, and a text for each field, empty where the field says nothing.

    A filter names texts for some fields, and a row passes if a single finding of it has them all: "slot ferry-to" and
    "class missed" is a row in which ferry-to was missed, not one in which both happen somewhere.

    Example:
        >>> found = Findings(("slot", "class"))
        >>> found.add("d1", [("ferry-to", "missed"), ("ferry-day", "correct")])
        >>> found.add("d2", [("ferry-to", "correct")])
        >>> found.rows({"slot": "ferry-to", "class": "missed"}).tolist()
        [0]
        >>> found.counts("class")
        Counter({('correct',): 2, ('missed',): 1})
    """

    def __init__(self, fields: tuple[str, ...]) -> None:
        self.fields = fields
        self.ids: list[str] = []
        self.sums: Counter[tuple[str, ...]] = Counter()
        """Further counts of the whole run, by whatever the kind of run counts."""
        self._rows = array("i")
        self._columns = [array("i") for _ in fields]
        self._codes: list[dict[str, int]] = [{} for _ in fields]
        self._texts: list[list[str]] = [[] for _ in fields]

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, identifier: str, found: Iterable[tuple[str, ...]]) -> None:
        """Takes the findings of the next row."""
        position = len(self.ids)
        self.ids.append(identifier)
        for finding in found:
            self._rows.append(position)
            for column, codes, texts, text in zip(self._columns, self._codes, self._texts, finding, strict=True):
                code = codes.get(text)
                if code is None:
                    code = codes[text] = len(texts)
                    texts.append(text)
                column.append(code)

    def _column(self, field: str) -> NDArray[np.int32]:
        import numpy as np

        return np.frombuffer(self._columns[self.fields.index(field)], dtype=np.int32)

    def _mask(self, wanted: Mapping[str, str]) -> Mask:
        import numpy as np

        mask = np.ones(len(self), dtype=bool)
        for field, text in wanted.items():
            # -2 is the code of nothing, so that an unknown text finds nothing.
            mask &= self._column(field) == self._codes[self.fields.index(field)].get(text, -2)
        return mask

    def _positions(self) -> NDArray[np.int32]:
        import numpy as np

        return np.frombuffer(self._rows, dtype=np.int32)

    def rows(self, wanted: Mapping[str, str]) -> Positions:
        """The positions of the rows with a finding that has all these texts, in order."""
        import numpy as np

        return np.unique(self._positions()[self._mask(wanted)]).astype(np.int64)

    def hits(self, wanted: Mapping[str, str]) -> Positions:
        """For every row, how many findings have all these texts."""
        import numpy as np

        return np.bincount(self._positions()[self._mask(wanted)], minlength=len(self.ids))

    def counts(self, *fields: str, where: Mapping[str, str] | None = None) -> Counter[tuple[str, ...]]:
        """How many findings there are for each combination of texts."""
        return self._count(fields, where or {}, by_row=False)

    def row_counts(self, *fields: str, where: Mapping[str, str] | None = None) -> Counter[tuple[str, ...]]:
        """How many rows have a finding with each combination of texts.

        Example:
            >>> found = Findings(("slot",))
            >>> found.add("d1", [("ferry-to",), ("ferry-to",)])
            >>> found.row_counts("slot")
            Counter({('ferry-to',): 1})
        """
        return self._count(fields, where or {}, by_row=True)

    def _count(self, fields: tuple[str, ...], where: Mapping[str, str], by_row: bool) -> Counter[tuple[str, ...]]:
        import numpy as np

        mask = self._mask(where)
        texts = [self._texts[self.fields.index(field)] for field in fields]
        keys: NDArray[Any] = np.zeros(int(mask.sum()), dtype=np.int64)
        for field, known in zip(fields, texts, strict=True):
            keys = keys * max(len(known), 1) + self._column(field)[mask]
        if by_row:
            keys = np.unique(keys * len(self.ids) + self._positions()[mask]) // len(self.ids)
        values, sizes = np.unique(keys, return_counts=True)
        found: Counter[tuple[str, ...]] = Counter()
        for value, size in zip(values.tolist(), sizes.tolist(), strict=True):
            key: list[str] = []
            rest = value
            for known in reversed(texts):
                rest, code = divmod(rest, len(known))
                key.append(known[code])
            found[tuple(reversed(key))] = size
        return found

    def options(self, field: str) -> list[str]:
        """The texts of a field, sorted, without the empty one.

        Example:
            >>> found = Findings(("slot",))
            >>> found.add("d1", [("b",), ("",), ("a",)])
            >>> found.options("slot")
            ['a', 'b']
        """
        return sorted((text for text in self._texts[self.fields.index(field)] if text), key=_natural)

    def of_row(self, position: int) -> list[tuple[str, ...]]:
        """The distinct findings of one row.

        Example:
            >>> found = Findings(("slot",))
            >>> found.add("d1", [("b",), ("b",)])
            >>> found.of_row(0)
            [('b',)]
        """
        import numpy as np

        start, end = np.searchsorted(self._positions(), [position, position + 1])
        return list(
            dict.fromkeys(
                tuple(known[column[at]] for known, column in zip(self._texts, self._columns, strict=True))
                for at in range(start, end)
            )
        )


def _natural(text: str) -> tuple[int, str]:
    """Numbers by size, before words."""
    return (int(text), "") if text.isascii() and text.isdigit() and len(text) < 10 else (10**9, text)
