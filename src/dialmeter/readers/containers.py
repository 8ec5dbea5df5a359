"""Tables in files that are no text: workbooks, SQLite databases, Parquet and Arrow files."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date, datetime, time
from typing import Any

from ..errors import InputError, MissingExtra, one_line


class Sheets(dict[str, list[dict[str, Any]]]):
    """The rows of each sheet of a workbook, or of each table of a database, by its name."""


SQLITE = b"SQLite format 3\x00"
ARROW = (b"ARROW1", b"\xff\xff\xff\xff")
"""The first bytes of an Arrow file and of an Arrow stream."""
PARQUET = b"PAR1"


def workbook_tables(data: bytes, file: str) -> Sheets:
    """Return the tables of a workbook. Merged cells are repeated, and titles above a table are skipped.

    Raises:
        InputError: the file is damaged, or a table has no header.
        MissingExtra: openpyxl is not installed.
    """
    try:
        import openpyxl  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        raise MissingExtra("reading workbooks (or save the sheet as CSV, UTF-8)", "tables") from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), data_only=True)
        sheets = [(sheet.title, *_cells_of(sheet)) for sheet in book.worksheets]
    except (OSError, KeyError, ValueError, TypeError, IndexError, SyntaxError) as error:
        raise InputError(f"invalid workbook: {one_line(str(error), 120)}", file=file) from None
    tables = {title: rows_of_cells(cells, merged, f"{file}#{title}") for title, cells, merged in sheets}
    return Sheets((title, rows) for title, rows in tables.items() if rows)


def _cells_of(sheet: Any) -> tuple[list[list[Any]], set[int]]:
    """Return the cells of a sheet, and the rows in which cells of several columns are merged."""
    cells = [[_plain(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
    merged = set()
    for area in sheet.merged_cells.ranges:
        first = cells[area.min_row - 1][area.min_col - 1]
        for row in range(area.min_row - 1, area.max_row):
            cells[row][area.min_col - 1 : area.max_col] = [first] * (area.max_col - area.min_col + 1)
            if area.max_col > area.min_col:
                merged.add(row)
    return cells, {sum(any(row) for row in cells[:place]) for place in merged}


def _plain(cell: Any) -> Any:
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if isinstance(cell, time):
        return cell.isoformat("minutes")
    if isinstance(cell, datetime):
        return cell.isoformat(" ", "minutes").removesuffix(" 00:00")
    return cell.isoformat() if isinstance(cell, date) else "" if cell is None else cell


def rows_of_cells(cells: Sequence[Sequence[Any]], merged: set[int], file: str) -> list[dict[str, Any]]:
    """Return the rows of a sheet as records.

    Args:
        cells: the lines of the sheet.
        merged: the lines with cells that are merged over several columns, not counting empty lines.
        file: the name of the file and the sheet, for messages.

    Raises:
        InputError: the first line is no header.

    Example:
        >>> rows_of_cells([["Run 3", "", ""], ["id", "Gold", "Gold"], ["id", "area", "day"], ["a", "east", ""]], {1}, "f")
        [{'id': 'a', 'Gold.area': 'east', 'Gold.day': ''}]
    """
    lines = [list(line) for line in cells if any(each not in ("", None) for each in line)]
    start = 0
    while start < len(lines) - 1 and len({each for each in lines[start] if each != ""}) == 1 and len(lines[start]) > 1:
        start += 1
    if len(lines) - start < 2:
        return []
    names, body = lines[start], lines[start + 1 :]
    if start in merged:
        names = [
            inner if inner in (outer, "") or outer == "" else f"{outer}.{inner}"
            for outer, inner in zip(names, body[0], strict=True)
        ]
        names = [name or outer for name, outer in zip(names, lines[start], strict=True)]
        body = body[1:]
    for name in names:
        if not isinstance(name, str) or name[:1] in ("{", "["):
            raise InputError(f"the first line must hold names of columns, found {one_line(str(name), 40)!r}", file=file)
    doubled = next((name for name in names if name and names.count(name) > 1), None)
    if doubled:
        raise InputError(f"duplicate column {one_line(doubled)!r}", file=file)
    return [{name: cell for name, cell in zip(names, line, strict=True) if name} for line in body]


def database_tables(data: bytes, file: str) -> Sheets:
    """Return the tables of a SQLite database.

    Raises:
        InputError: the database is damaged.
    """
    import sqlite3

    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.deserialize(data)
            connection.execute("pragma query_only = on")
            connection.row_factory = sqlite3.Row
            names = connection.execute("select name from sqlite_master where type = 'table' order by rowid").fetchall()
            tables = Sheets()
            for (name,) in names:
                quoted = name.replace('"', '""')
                rows = [dict(row) for row in connection.execute(f'select * from "{quoted}"')]  # noqa: S608  the name of a table, quoted
                if rows:
                    tables[name] = rows
        except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:
            raise InputError(f"invalid SQLite database: {one_line(str(error), 120)}", file=file) from None
    return tables


def arrow_rows(data: bytes, file: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet or Arrow file.

    Raises:
        InputError: the file is damaged.
        MissingExtra: pyarrow is not installed.
    """
    try:
        import pyarrow  # type: ignore[import-untyped]
        from pyarrow import ipc, parquet
    except ImportError:
        raise MissingExtra("reading Parquet", "tables") from None
    buffer = pyarrow.BufferReader(data)
    try:
        if data.startswith(PARQUET):
            batches = parquet.ParquetFile(buffer).iter_batches()
        elif data.startswith(ARROW[0]):
            batches = ipc.open_file(buffer).read_all().to_batches()
        else:
            batches = iter(ipc.open_stream(buffer))
        for batch in batches:
            yield from batch.to_pylist(maps_as_pydicts="strict")
    except (pyarrow.ArrowException, OSError, KeyError, ValueError) as error:
        kind = "Parquet" if data.startswith(PARQUET) else "Arrow"
        raise InputError(f"invalid {kind} file: {one_line(str(error), 120)}", file=file) from None
