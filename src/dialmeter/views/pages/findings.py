"""The findings in the rows of a run, as columns. Charts, filters and breakdowns are queries on them. The texts of the rows, for search.

``findings.npz`` is their index. It is written with the run; filters and search read it instead of the rows. It is valid for one
digest of ``run.json`` and one size of ``rows.jsonl``. If it does not match them, is damaged or missing, the rows are read instead.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from zipfile import ZipFile, ZipInfo

import msgspec
from msgspec import Struct

from ...core.open_runs import Run, read_arrays
from ...errors import DialmeterError, InputError
from ...numeric import NDArray, np
from ...readers.source import Source
from ...readers.strict_json import REFUSALS

if TYPE_CHECKING:
    Integers: TypeAlias = NDArray[np.int64]
    from .kinds import RunKind

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


def collect_findings(
    fields: tuple[str, ...], rows: Iterable[tuple[str, Mapping[Finding, int]]], sums: Counter[Finding] | None = None
) -> RowFindings:
    """Collect the findings of rows in order.

    Args:
        fields: the names of the fields.
        rows: the id of each row, and the number of each of its findings.
        sums: further counts of the whole run, after all rows; their keys depend on the kind of run.
    """
    ids: list[str] = []
    codes_by_finding: dict[Finding, int] = {}
    per_row, codes, sizes = array("i"), array("i"), array("i")
    for identifier, findings in rows:
        ids.append(identifier)
        per_row.append(len(findings))
        codes.extend([codes_by_finding.setdefault(finding, len(codes_by_finding)) for finding in findings])
        sizes.extend(findings.values())
    texts, keys = [], []
    for at in range(len(fields)):
        numbers: dict[str, int] = {}
        column = [numbers.setdefault(finding[at], len(numbers)) for finding in codes_by_finding]
        keys.append(np.array(column, dtype=np.int32))
        texts.append(list(numbers))
    columns = (np.array(column, dtype=np.int32) for column in (per_row, codes, sizes))
    return RowFindings(fields, ids, sums if sums is not None else Counter(), FindingColumns(texts, keys, *columns))


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
        >>> rows = {"d1": {("ferry-to", "missed"): 1, ("ferry-day", "correct"): 3}, "d2": {("ferry-to", "correct"): 2}}
        >>> findings = collect_findings(("slot", "class"), rows.items())
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
        mask = np.ones(len(self.columns.keys[0]), dtype=bool)
        for field, text in filters.items():
            at = self.fields.index(field)
            texts = self.columns.texts[at]
            mask &= self.columns.keys[at] == (texts.index(text) if text in texts else -1)
        return mask

    @cached_property
    def _rows(self) -> NDArray[np.int32]:
        """Row position of each entry."""
        return np.repeat(np.arange(len(self.ids), dtype=np.int32), self.columns.per_row)

    def rows(self, filters: Mapping[str, str]) -> Integers:
        """Return the sorted positions of the rows with a finding that has all these texts."""
        return np.unique(self._rows[self._matching(filters)[self.columns.codes]]).astype(np.int64)

    def hits(self, filters: Mapping[str, str]) -> Integers:
        """Return for every row the number of findings with all these texts."""
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
            >>> rows = {"d1": {("ferry-to", "missed"): 2, ("ferry-day", "correct"): 3}, "d2": {("ferry-day", "wrong"): 1}}
            >>> findings = collect_findings(("slot", "class"), rows.items())
            >>> findings.by_row({"class": ("missed", "wrong")}, "slot", ["ferry-day", "ferry-to"]).tolist()
            [[0, 2], [1, 0]]
            >>> findings.by_row({"class": ("missed", "wrong")}).tolist()
            [[2], [1]]
        """
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
        distinct = len(self.columns.keys[0])
        return np.bincount(self.columns.codes, weights=self.columns.sizes, minlength=distinct).astype(np.float64)

    def counts(self, *fields: str, where: Mapping[str, str] | None = None) -> Counter[Finding]:
        """Count the findings for each combination of texts, in the order of their first occurrence."""
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
            >>> collect_findings(("slot",), [("d1", {("b",): 1, ("",): 1, ("a",): 1})]).options("slot")
            ['a', 'b']
        """
        return sorted({*self.columns.texts[self.fields.index(field)]} - {""}, key=_sort_key)

    def ranked(self, field: str) -> list[str]:
        """Return the texts of a field, the most frequent first, without the empty text.

        Example:
            >>> collect_findings(("event",), [("d1", {("a",): 1, ("b",): 2, ("",): 5})]).ranked("event")
            ['b', 'a']
        """
        totals = self.counts(field)
        return [text for (text,), _ in sorted(totals.items(), key=lambda item: (-item[1], item[0])) if text]

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        ends: NDArray[np.int64] = np.cumsum(self.columns.per_row, dtype=np.int64)
        return ends

    def of_row(self, position: int) -> list[Finding]:
        """Return the findings of one row.

        Example:
            >>> collect_findings(("slot",), [("d1", {("b",): 2})]).of_row(0)
            [('b',)]
        """
        end = int(self._ends[position])
        codes = self.columns.codes[end - int(self.columns.per_row[position]) : end]
        texts, keys = self.columns.texts, self.columns.keys
        return [tuple(texts[at][keys[at][code]] for at in range(len(texts))) for code in codes.tolist()]


def _sort_key(text: str) -> tuple[int, str]:
    """Return the sort key of a text: numbers by value, before words."""
    return (int(text), "") if text.isascii() and text.isdigit() and len(text) < 10 else (10**9, text)


FILE = "findings.npz"
VERSION = 1
"""Version of the file and of the findings in it. It changes when a kind of run extracts other findings from a row."""


class _Heading(Struct):
    """The version and run of an index, and the data that are not columns."""

    version: int
    run: str
    size: int
    fields: tuple[str, ...]
    ids: list[str]
    texts: list[list[str]]
    sums: list[tuple[tuple[str, ...], int]]


def _read_rows(run: Run, kind: RunKind) -> Iterator[Any]:
    decoder = msgspec.json.Decoder(kind.ROW)
    source = Source(run.path("rows.jsonl"))
    for number, line in source.lines():
        try:
            yield decoder.decode(line)
        except REFUSALS as error:
            raise InputError(f"damaged: {error}", file=source.name, line=number) from None


def scan_rows(run: Run, kind: RunKind, on_texts: Callable[[bytes], object] | None = None) -> RowFindings:
    """Read the findings of all rows of a run; its kind extracts them from a row.

    Args:
        run: the run.
        kind: its kind.
        on_texts: called with the texts of each row; see :func:`search`.

    Raises:
        InputError: a row is damaged, or the file cannot be read.
    """
    sums: Counter[Finding] = Counter()

    def rows() -> Iterator[tuple[str, Mapping[Finding, int]]]:
        for row in _read_rows(run, kind):
            if on_texts:
                on_texts(_text_line(row, kind))
            yield row.id, kind.scan(row, sums)

    return collect_findings(tuple(field.name for field in kind.FIELDS), rows(), sums)


def _searchable(text: str) -> bytes:
    return text.lower().encode("utf-8", "surrogatepass").replace(b"\n", b"\xfe")


def _text_line(row: Any, kind: RunKind) -> bytes:
    """Return the searchable texts of a row in one line. What separates texts and lines does not occur in UTF-8 or in a text."""
    return b"\xff".join(map(_searchable, dict.fromkeys((row.id, *kind.texts(row))))) + b"\n"


def search(run: Run, kind: RunKind, text: str, *, is_indexed: bool) -> list[int]:
    """Return the positions of rows whose id, utterances, slots or values contain the text anywhere; case is ignored.

    Args:
        run: the run.
        kind: its kind.
        text: the text. It may have any length, and is never a pattern.
        is_indexed: whether the index matches the run. Otherwise all rows are read.

    Raises:
        InputError: a row is damaged, or the file cannot be read.
    """
    wanted = _searchable(text)

    def positions(lines: Iterable[bytes]) -> list[int]:
        return [position for position, line in enumerate(lines) if wanted in line]

    if is_indexed:
        try:
            with ZipFile(run.path(FILE)) as archive, archive.open(_TEXTS) as texts:
                return positions(BufferedReader(texts, _BUFFER))  # type: ignore[type-var]
        except Exception:  # noqa: S110  An index of an earlier version has no texts; a damaged one raises many errors.
            pass
    return positions(_text_line(row, kind) for row in _read_rows(run, kind))


def write_findings(folder: Path) -> None:
    """Add the index to the folder of an otherwise complete run; do nothing if pages cannot show the run."""
    from numpy.lib.format import write_array

    from .kinds import kind_of

    run, path = Run(folder), folder / FILE
    try:
        kind = kind_of(run.manifest)
        with ZipFile(path, "w") as archive, archive.open(ZipInfo(_TEXTS), "w", force_zip64=True) as texts:
            findings = scan_rows(run, kind, texts.write)
    except DialmeterError:
        path.unlink(missing_ok=True)
        return  # Pages report the error when they read the rows.
    columns = findings.columns
    heading = _Heading(
        VERSION,
        run.digest,
        _rows_size(run),
        findings.fields,
        list(findings.ids),
        [*map(list, columns.texts)],
        sorted(findings.sums.items()),
    )
    arrays = {f"key:{name}": _compact(key) for name, key in zip(findings.fields, columns.keys, strict=True)}
    arrays |= {name: _compact(getattr(columns, name)) for name in _ENTRIES}
    arrays["heading"] = np.frombuffer(msgspec.json.encode(heading), dtype=np.uint8)
    with ZipFile(path, "a") as archive:
        for name, array in arrays.items():
            with archive.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                write_array(member, array, allow_pickle=False)


_ENTRIES = ("per_row", "codes", "sizes")
_TEXTS = "texts"
"""The part of the index for search: a line of texts per row, in lower case. It is read as a stream."""
_BUFFER = 1 << 20


def read_findings(run: Run, kind: RunKind) -> RowFindings | None:
    """Read the findings of a run from its index; return None if there is no index that matches the run."""
    fields = tuple(field.name for field in kind.FIELDS)
    path = run.path(FILE)
    try:
        arrays = {} if path.is_symlink() else read_arrays(path)
        heading = msgspec.json.decode(arrays["heading"].tobytes(), type=_Heading)
        keys = [arrays[f"key:{name}"] for name in fields]
        columns = FindingColumns(heading.texts, keys, *(arrays[name] for name in _ENTRIES))
        expected = (VERSION, run.digest, _rows_size(run), fields)
    except (InputError, OSError, KeyError, *REFUSALS):
        return None
    if (heading.version, heading.run, heading.size, heading.fields) != expected or not _is_consistent(columns):
        return None
    sums: Counter[Finding] = Counter(dict(heading.sums))
    return RowFindings(fields, heading.ids, sums, columns) if len(columns.per_row) == len(heading.ids) else None


def _is_consistent(columns: FindingColumns) -> bool:
    """Check that the columns are consistent."""
    texts, keys, per_row, codes, sizes = columns
    return (
        all(column.ndim == 1 and column.dtype.kind == "u" for column in (*keys, per_row, codes, sizes))
        and len(texts) == len(keys)
        and all(
            len(key) == len(keys[0]) and _are_below(key, len(names)) for key, names in zip(keys, texts, strict=True)
        )
        and _are_below(codes, len(keys[0]))
        and len(codes) == len(sizes) == int(per_row.sum(dtype="uint64"))
    )


def _are_below(column: NDArray[Any], limit: int) -> bool:
    return not len(column) or int(column.max()) < limit


def _rows_size(run: Run) -> int:
    return run.path("rows.jsonl").stat().st_size


def _compact(column: NDArray[np.int32]) -> NDArray[Any]:
    """Convert a column to the smallest integer type that holds its values."""
    return column.astype(np.min_scalar_type(int(column.max(initial=0))))
