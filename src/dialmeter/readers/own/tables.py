"""Rows of a table in any file type: JSON lines, a JSON list, CSV, TSV, Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import InputError, MissingExtra, one_line
from ..csv_files import parse_header, read_csv
from ..parts import as_mapping
from ..source import Sample, Source
from ..strict_json import parse_unique


def first_row(sample: Sample) -> Mapping[str, Any]:
    """Return the first row, for detection. It is empty if there are no rows; for a text it has only column names."""
    if sample.kind == "text":
        return dict.fromkeys(parse_header(sample.value)[0], "")
    row = next(iter(sample.value), None) if isinstance(sample.value, list) else sample.value
    return row if sample.kind in ("lines", "document") and isinstance(row, dict) else {}


def rows_of(source: Source) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    """Yield the rows with their line numbers, or None if the file has no lines.

    Raises:
        InputError: the file is not a table.
        MissingExtra: the file is Parquet, and pyarrow is not installed.
    """
    kind = source.sample.kind
    if kind == "parquet":
        yield from ((None, row) for row in _parquet(source))
    elif kind == "text":
        yield from read_csv(source).rows
    elif kind == "document":
        document = source.document
        things = document if isinstance(document, list) else [document]
        yield from ((None, as_mapping(thing, "a row")) for thing in things)
    else:
        for number, line in source.lines():
            try:
                yield number, as_mapping(parse_unique(line, source.name, number), "a line")
            except InputError as error:
                raise error.at(line=number) from None


def _parquet(source: Source) -> Iterator[dict[str, Any]]:
    try:
        import pyarrow  # type: ignore[import-untyped]
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("reading Parquet", "tables") from None
    try:
        file = parquet.ParquetFile(pyarrow.BufferReader(source.read_all()))
        for batch in file.iter_batches():
            yield from batch.to_pylist(maps_as_pydicts="strict")
    except (pyarrow.ArrowException, OSError, KeyError, ValueError) as error:
        message = f"invalid Parquet file: {one_line(str(error), 120)}"
        raise InputError(message, file=source.name) from None
