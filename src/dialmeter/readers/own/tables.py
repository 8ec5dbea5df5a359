"""The rows of a table, whatever file it is in: JSON lines, a JSON list, CSV, TSV, Parquet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import InputError, MissingExtra, one_line
from ..parts import as_mapping
from ..source import Sample, Source
from ..spreadsheet_cells import unguarded
from ..strict_json import parse_unique

_DELIMITERS = "\t,;"
_LINE_END = re.compile("\r\n|\r|\n")
_LONGEST_CELL = 16 * 1024**2


def header_of(text: str) -> tuple[list[str], str]:
    """The names of the columns in the first line of a text, and what separates them.

    Example:
        >>> header_of('id,"turn",pred')
        (['id', 'turn', 'pred'], ',')
    """
    line = _LINE_END.split(text.removeprefix("\ufeff"), maxsplit=1)[0]
    delimiter = max(_DELIMITERS, key=line.count)
    try:
        names = next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        names = []
    return [name.strip() for name in names], delimiter


def first_row(sample: Sample) -> Mapping[str, Any]:
    """The first row, for detection; of a text file the names of its columns only. Empty where there are no rows."""
    if sample.kind == "text":
        return dict.fromkeys(header_of(sample.value)[0], "")
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
        yield from _delimited(source)
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


def _delimited(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    text = source.text
    names, delimiter = header_of(text)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"duplicate column {one_line(twice)!r}", file=source.name, line=1)
    limit = csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        next(reader, None)
        for cells in reader:
            if not any(cells):
                # Spreadsheets write rows that are empty, with all their cells.
                continue
            if len(cells) == len(names):
                yield reader.line_num, dict(zip(names, map(unguarded, cells), strict=True))
            else:
                message = f"{len(cells)} cells, while the first line names {len(names)} columns"
                raise InputError(f"{message}; the file is damaged or cut off", file=source.name, line=reader.line_num)
    except csv.Error as error:
        message = f"not valid CSV: {error}; the file is damaged or cut off"
        raise InputError(message, file=source.name, line=reader.line_num) from None
    finally:
        csv.field_size_limit(limit)


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
