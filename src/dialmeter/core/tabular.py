"""Export the rows of a run as Parquet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import msgspec

from ..errors import MissingExtra

_GROUP = 2000
"""Number of rows that are in memory at a time."""


class RowId(msgspec.Struct):
    """The id of a row. Its other fields are not decoded."""

    id: str


def check_parquet() -> None:
    """Raise MissingExtra before any work is done if Parquet cannot be written."""
    try:
        import pyarrow.parquet  # type: ignore[import-untyped]  # noqa: F401
    except ImportError:
        raise MissingExtra("convert --to parquet", "tables") from None


def write_parquet(rows: Path, target: BinaryIO, columns: Mapping[str, Sequence[float | None]]) -> None:
    """Write one row per dialogue: its id, its scores, and the original row as JSON text.

    Args:
        rows: the file of rows of a run, JSON lines.
        target: the Parquet file, open for writing.
        columns: a score per row for each name.
    """
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([("id", pa.string()), *((name, pa.float64()) for name in columns), ("row", pa.string())])
    with parquet.ParquetWriter(target, schema) as writer, open(rows, "rb") as file:
        start = 0
        while lines := [line.rstrip(b"\n") for line in islice(file, _GROUP)]:
            end = start + len(lines)
            scores = {name: [finite(value) for value in values[start:end]] for name, values in columns.items()}
            ids = [msgspec.json.decode(line, type=RowId).id for line in lines]
            writer.write_table(pa.table({"id": ids, **scores, "row": [line.decode() for line in lines]}, schema=schema))
            start = end


def finite(value: float | None) -> float | None:
    """Return the value, or None if it is NaN."""
    return None if value is None or value != value else float(value)  # noqa: PLR0124  true for NaN
