"""CSV files, and rows of tables in any file type. Written cells that a spreadsheet would evaluate as formulas are escaped."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite, nan
from typing import Any, NamedTuple

from ..errors import InputError, one_line
from .containers import arrow_rows
from .entries import first_entry
from .source import Sample, Source
from .strict_json import parse_unique
from .validation import as_mapping

_DELIMITERS = "\t,;|"
_LINE_END = re.compile("\r\n|\r|\n")
_LONGEST_CELL = 16 * 1024**2
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
NO_HEADER = (
    "a table needs the names of its columns in line 1, and this line holds data; put a line such as "
    "dialogue_id,turn,gold,pred before it, with the delimiter of the file"
)
_NUMBER = re.compile(r"[+-][\d.,]*\d(e[+-]?\d+)?( to [+-]?[\d.,]*\d)?")


def escape_formula(text: str) -> str:
    """Put a quote before a cell that a spreadsheet would evaluate as a formula. Numbers and intervals are unchanged.

    Example:
        >>> escape_formula('=HYPERLINK("http://x")'), escape_formula("@sum"), escape_formula("-1.5"), escape_formula("+2.50 to +3.10"), escape_formula("a=b")
        ('\\'=HYPERLINK("http://x")', "'@sum", '-1.5', '+2.50 to +3.10', 'a=b')
    """
    return f"'{text}" if text.lstrip("'").startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def unescape_formula(text: str) -> str:
    """Undo :func:`escape_formula`.

    Example:
        >>> unescape_formula("'=a"), unescape_formula("'tis"), unescape_formula("-1.5")
        ('=a', "'tis", '-1.5')
    """
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(_FORMULA) else text


def csv_text(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as CSV, with formulas escaped.

    Example:
        >>> csv_text(["task", "value"], [["1", "=a"]])
        "task,value\\n1,'=a\\n"
    """
    lines = []
    for row in (headings, *rows):
        line = io.StringIO()
        # Only cells with characters of the line end are quoted, and a carriage return needs quotes.
        csv.writer(line, lineterminator="\r\n").writerow([escape_formula(cell) for cell in row])
        lines.append(line.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines)


def parse_header(text: str) -> tuple[list[str], str]:
    """Return the column names in the first line of a text, and the delimiter.

    Example:
        >>> parse_header('id,"turn",pred')
        (['id', 'turn', 'pred'], ',')
    """
    line = _LINE_END.split(text.removeprefix("\ufeff"), maxsplit=1)[0]
    delimiter = max(_DELIMITERS, key=line.count)
    try:
        names = next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        names = []
    return [unescape_formula(name.strip()) for name in names], delimiter


def is_data(cell: str) -> bool:
    """Return True if a cell of the first line is a state, not the name of a column.

    Example:
        >>> is_data('{"hotel-area": "east"}'), is_data("hotel-area=east"), is_data("hotel-area"), is_data("7")
        (True, True, False, False)
    """
    text = cell.strip()
    is_object = text[:1] == "{" and text[-1:] == "}" and not {'"', "'"}.isdisjoint(text)
    return is_object or ("=" in text and "-" in text.partition("=")[0])


class CsvTable(NamedTuple):
    """A CSV file.

    Attributes:
        names: the column names; one may be empty.
        rows: line number and cells by column. Rows without any text, which spreadsheets write, are skipped. A column
            without a name, such as the index of a data frame, is skipped, too.
    """

    names: list[str]
    rows: Iterator[tuple[int, dict[str, str]]]


def read_csv(source: Source, needed: Sequence[str] = (), hint: str = "", *, lower: bool = False) -> CsvTable:
    """Read a CSV file with a header. The delimiter is a comma, semicolon, tab or bar.

    Args:
        source: the file.
        needed: required columns.
        hint: advice for the message about a missing column.
        lower: True to convert the column names to lower case.

    Raises:
        InputError: a column is missing or duplicate. While the rows are read: invalid CSV, or a row with too many or too
            few cells; with the line.
    """
    text = source.table_text
    names, delimiter = parse_header(text)
    names = [name.lower() for name in names] if lower else names
    duplicate = next((name for name in names if names.count(name) > 1), None)
    if duplicate is not None:
        advice = "give each column its own name, or remove line 1 if line 2 has the names"
        raise InputError(f"duplicate column {one_line(duplicate)!r}; {advice}", file=source.name, line=1)
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
                message = f"{len(cells)} cells, but the first line has {len(names)} columns"
                has_more = len(cells) > len(names)
                cause = "quote cells that contain the delimiter" if has_more else "the file is damaged or cut off"
                raise InputError(f"{message}; {cause}", file=file, line=reader.line_num)
            named = zip(names, cells, strict=True)
            yield reader.line_num, {name: unescape_formula(cell) for name, cell in named if name}
    except csv.Error as error:
        message = f"not valid CSV: {error}; the file is damaged or cut off"
        raise InputError(message, file=file, line=reader.line_num) from None
    finally:
        csv.field_size_limit(limit)


def parse_number(text: str, column: str) -> float:
    """Parse the number in a cell.

    Raises:
        InputError: the cell does not hold a finite number.

    Example:
        >>> parse_number(" 3.5", "rating:overall")
        3.5
    """
    number = number_or_nan(text)
    if not isfinite(number):
        hint = "; use a decimal point" if isfinite(number_or_nan(text.replace(",", ".", 1))) else ""
        raise InputError(f"{one_line(column)}: expected a number, found {one_line(text, 40)!r}{hint}")
    return number


def number_or_nan(text: str) -> float:
    """Parse a number; return nan if the text is not a number.

    Example:
        >>> number_or_nan("4.5"), number_or_nan("good")
        (4.5, nan)
    """
    try:
        return float(text)
    except ValueError:
        return nan


def first_row(sample: Sample) -> Mapping[str, Any]:
    """Return the first row, for detection. It is empty if there are no rows; for a text it has only column names."""
    if sample.kind == "text":
        return dict.fromkeys(parse_header(sample.value)[0], "")
    return first_entry(sample)


def rows_of(source: Source) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    """Yield the rows with their line numbers, or None if the file has no lines.

    Raises:
        InputError: the file is not a table.
        MissingExtra: the file is Parquet, and pyarrow is not installed.
    """
    kind = source.sample.kind
    if kind == "parquet":
        yield from ((None, row) for row in arrow_rows(source.read_all(), source.name))
    elif kind == "text":
        yield from read_csv(source).rows
    elif kind == "document":
        document = source.document
        rows = document if isinstance(document, list) else [document]
        yield from ((None, as_mapping(value, "a row")) for value in rows)
    else:
        for number, line in source.lines():
            try:
                row = as_mapping(parse_unique(line, source.name, number), "a line")
            except InputError as error:
                raise error.at(line=number) from None
            yield number, row
