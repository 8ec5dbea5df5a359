"""``findings.npz``, the index of the findings of a run: written with the run, so that a filter reads it instead of the rows.

It belongs to one ``run.json`` and one size of ``rows.jsonl``. Where it belongs to others, is damaged, or is missing (as in runs of
earlier versions), the rows are read instead.
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
from ...readers.strict_json import REFUSALS
from .findings import Finding, FindingColumns, FindingsBuilder, RowFindings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .kinds import RunKind

FILE = "findings.npz"
VERSION = 1
"""Of the file and of the findings in it; changes with what a kind of run finds in a row."""


class _Heading(Struct):
    """What an index belongs to, and what is not a column of it."""

    version: int
    run: str
    size: int
    fields: tuple[str, ...]
    ids: list[str]
    texts: list[list[str]]
    sums: list[tuple[tuple[str, ...], int]]


def row_lines(run: Run) -> Iterator[bytes]:
    """The lines of all rows of a run.

    Raises:
        InputError: the file cannot be read.
    """
    rows = run.path("rows.jsonl")
    try:
        with open(rows, "rb") as file:
            yield from file
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(rows)) from None


def scan_rows(run: Run, kind: RunKind, progress: Callable[[], None] | None = None) -> RowFindings:
    """Reads all rows of a run for their findings.

    Args:
        run: the run.
        kind: what to find in its rows.
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
    """Adds the index to the folder of a run that is otherwise whole; nothing where pages cannot show such a run."""
    import numpy as np

    from .kinds import kind_of

    run = Run(folder)
    try:
        found = scan_rows(run, kind_of(run.manifest))
    except DialmeterError:
        return  # Pages say what is wrong when they read the rows.
    columns = found.columns
    heading = _Heading(
        VERSION,
        run.digest,
        _size(run),
        found.fields,
        list(found.ids),
        [*map(list, columns.texts)],
        sorted(found.sums.items()),
    )
    arrays = {f"key:{name}": _small(key) for name, key in zip(found.fields, columns.keys, strict=True)}
    arrays |= {name: _small(getattr(columns, name)) for name in _ENTRIES}
    text = np.frombuffer(msgspec.json.encode(heading), dtype=np.uint8)
    np.savez(folder / FILE, allow_pickle=False, heading=text, **arrays)


_ENTRIES = ("per_row", "codes", "sizes")


def read_findings(run: Run, kind: RunKind) -> RowFindings | None:
    """The findings of a run from its index; None where there is none that fits the run."""
    fields = tuple(field.name for field in kind.FIELDS)
    path = run.path(FILE)
    try:
        arrays = {} if path.is_symlink() else read_arrays(path)
        heading = msgspec.json.decode(arrays["heading"].tobytes(), type=_Heading)
        keys = [arrays[f"key:{name}"] for name in fields]
        columns = FindingColumns(heading.texts, keys, *(arrays[name] for name in _ENTRIES))
        belongs_to = (VERSION, run.digest, _size(run), fields)
    except (InputError, OSError, KeyError, *REFUSALS):
        return None
    if (heading.version, heading.run, heading.size, heading.fields) != belongs_to or not _is_whole(columns):
        return None
    sums: Counter[Finding] = Counter(dict(heading.sums))
    return RowFindings(fields, heading.ids, sums, columns) if len(columns.per_row) == len(heading.ids) else None


def _is_whole(columns: FindingColumns) -> bool:
    """Do the columns fit each other?"""
    texts, keys, per_row, codes, sizes = columns
    return (
        all(column.ndim == 1 and column.dtype.kind == "u" for column in (*keys, per_row, codes, sizes))
        and len(texts) == len(keys)
        and all(
            len(key) == len(keys[0]) and _are_below(key, len(known)) for key, known in zip(keys, texts, strict=True)
        )
        and _are_below(codes, len(keys[0]))
        and len(codes) == len(sizes) == int(per_row.sum(dtype="uint64"))
    )


def _are_below(column: NDArray[Any], limit: int) -> bool:
    return not len(column) or int(column.max()) < limit


def _size(run: Run) -> int:
    return run.path("rows.jsonl").stat().st_size


def _small(column: NDArray[np.int32]) -> NDArray[Any]:
    """A column of counts or numbers in the smallest type that holds it."""
    import numpy as np

    return column.astype(np.min_scalar_type(int(column.max(initial=0))))
