"""``findings.npz``, the index of the findings of a run. It is written with the run; filters read it instead of the rows.

It is valid for one digest of ``run.json`` and one size of ``rows.jsonl``. If it does not match them, is damaged, or is missing
(as in runs of earlier versions), the rows are read instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from ...core.open_runs import Run, read_arrays
from ...errors import DialmeterError, InputError
from ...readers.source import Source
from ...readers.strict_json import REFUSALS
from .findings import Finding, FindingColumns, FindingsBuilder, RowFindings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .kinds import RunKind

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


def row_lines(run: Run) -> Iterator[bytes]:
    """Yield the lines of all rows of a run.

    Raises:
        InputError: the file cannot be read.
    """
    for _, line in Source(run.path("rows.jsonl")).lines():
        yield line


def scan_rows(run: Run, kind: RunKind, progress: Callable[[], None] | None = None) -> RowFindings:
    """Read the findings of all rows of a run.

    Args:
        run: the run.
        kind: its kind, which extracts findings from rows.
        progress: called after each row.

    Raises:
        InputError: a row is damaged, or the file cannot be read.
    """
    builder = FindingsBuilder(tuple(field.name for field in kind.FIELDS))
    for number, line in enumerate(row_lines(run), 1):
        try:
            scanned = kind.scan(line, builder.sums)
        except REFUSALS as error:
            raise InputError(f"damaged: {error}", file=str(run.path("rows.jsonl")), line=number) from None
        builder.add(scanned.id, scanned.findings)
        if progress:
            progress()
    return builder.build()


def write_findings(folder: Path) -> None:
    """Add the index to the folder of an otherwise complete run; do nothing if pages cannot show the run."""
    import numpy as np

    from .kinds import kind_of

    run = Run(folder)
    try:
        findings = scan_rows(run, kind_of(run.manifest))
    except DialmeterError:
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
    text = np.frombuffer(msgspec.json.encode(heading), dtype=np.uint8)
    np.savez(folder / FILE, allow_pickle=False, heading=text, **arrays)


_ENTRIES = ("per_row", "codes", "sizes")


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
    import numpy as np

    return column.astype(np.min_scalar_type(int(column.max(initial=0))))
