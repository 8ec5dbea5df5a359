"""CSV files: one reader for all of them, and cells that are safe in a spreadsheet program."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite, nan
from typing import NamedTuple

from ..errors import InputError, one_line
from .source import Source

_DELIMITERS = "\t,;|"
_LINE_END = re.compile("\r\n|\r|\n")
_LONGEST_CELL = 16 * 1024**2
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-][\d.,]*\d(e[+-]?\d+)?( to [+-]?[\d.,]*\d)?")


def guarded(text: str) -> str:
    """A cell with a quote before it where a spreadsheet would calculate it; numbers and intervals stay as they are.

    Example:
        >>> guarded('=HYPERLINK("http://x")'), guarded("@sum"), guarded("-1.5"), guarded("+2.50 to +3.10"), guarded("a=b")
        ('\\'=HYPERLINK("http://x")', "'@sum", '-1.5', '+2.50 to +3.10', 'a=b')
    """
    return f"'{text}" if text.lstrip("'").startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def unguarded(text: str) -> str:
    """A cell as it was before :func:`guarded`.

    Example:
        >>> unguarded("'=a"), unguarded("'tis"), unguarded("-1.5")
        ('=a', "'tis", '-1.5')
    """
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(_FORMULA) else text


def csv_text(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as CSV. No cell is a formula.

    Example:
        >>> csv_text(["task", "value"], [["1", "=a"]])
        "task,value\\n1,'=a\\n"
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([guarded(cell) for cell in row] for row in (headings, *rows))
    return file.getvalue()


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
    return [unguarded(name.strip()) for name in names], delimiter


class CsvTable(NamedTuple):
    """A CSV file that is read.

    Attributes:
        names: the columns; one may have no name.
        rows: line and cells by column. Rows without any text, which spreadsheets write, are skipped, and so is a column without a name,
            such as the index of a data frame.
    """

    names: list[str]
    rows: Iterator[tuple[int, dict[str, str]]]


def read_csv(source: Source, needed: Sequence[str] = (), hint: str = "", *, lower: bool = False) -> CsvTable:
    """A CSV file with headings; commas, semicolons, tabs or bars between its cells.

    Args:
        source: the file.
        needed: columns that must be there.
        hint: what to say where one is not.
        lower: True to take headings in lower case.

    Raises:
        InputError: a column is missing or a duplicate. Reading the rows: not CSV, or a row with another number of cells than there
            are columns; with the line.
    """
    text = source.text
    names, delimiter = header_of(text)
    names = [name.lower() for name in names] if lower else names
    duplicate = next((name for name in names if names.count(name) > 1), None)
    if duplicate is not None:
        raise InputError(f"duplicate column {one_line(duplicate)!r}", file=source.name, line=1)
    missing = next((name for name in needed if name not in names), None)
    if missing is not None:
        raise InputError(f"no column {missing!r}; {hint}", file=source.name, line=1)
    return CsvTable(names, _rows(text, names, delimiter, source.name))


def _rows(text: str, names: Sequence[str], delimiter: str, file: str) -> Iterator[tuple[int, dict[str, str]]]:
    limit = csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        next(reader, None)
        for cells in reader:
            if not any(cells):
                continue
            if len(cells) != len(names):
                message = f"{len(cells)} cells, while the first line names {len(names)} columns"
                more = len(cells) > len(names)
                why = "a cell that holds the separator is not in quotes" if more else "the file is damaged or cut off"
                raise InputError(f"{message}; {why}", file=file, line=reader.line_num)
            named = zip(names, cells, strict=True)
            yield reader.line_num, {name: unguarded(cell) for name, cell in named if name}
    except csv.Error as error:
        message = f"not valid CSV: {error}; the file is damaged or cut off"
        raise InputError(message, file=file, line=reader.line_num) from None
    finally:
        csv.field_size_limit(limit)


def number_in(text: str, column: str) -> float:
    """The number in a cell.

    Raises:
        InputError: it holds something else.

    Example:
        >>> number_in(" 3.5", "rating:overall")
        3.5
    """
    found = number_or_nan(text)
    if not isfinite(found):
        hint = "; write it with a point" if isfinite(number_or_nan(text.replace(",", ".", 1))) else ""
        raise InputError(f"{one_line(column)}: expected a number, found {one_line(text, 40)!r}{hint}")
    return found


def number_or_nan(text: str) -> float:
    """The number that a text holds, or nan.

    Example:
        >>> number_or_nan("4.5"), number_or_nan("good")
        (4.5, nan)
    """
    try:
        return float(text)
    except ValueError:
        return nan
