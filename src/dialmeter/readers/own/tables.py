"""The rows of a table, whatever file it is in: JSON lines, a JSON list, CSV, TSV, Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import InputError, MissingExtra, one_line
from ..csv_files import parse_header, read_csv
from ..parts import as_mapping
from ..source import Sample, Source
from ..strict_json import parse_unique


def first_row(sample: Sample) -> Mapping[str, Any]:
    """The first row, for detection; of a text file the names of its columns only. Empty where there are no rows."""
    if sample.kind == "text":
        return dict.fromkeys(parse_header(sample.value)[0], "")
    row = next(iter(sample.value), None) if isinstance(sample.value, list) else sample.value
    return row if sample.kind in ("lines", "document") and isinstance(row, dict) else {}


def rows_of(source: Source) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    """The rows with their lines, where they have one.

    Raises:
        InputError: the file is no table.
        MissingExtra: a Parquet file, and pyarrow is not installed.
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
        message = f"not a Parquet file that can be read: {one_line(str(error), 120)}"
        raise InputError(message, file=source.name) from None
