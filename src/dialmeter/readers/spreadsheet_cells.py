"""CSV files that people fill in with a spreadsheet program, and cells that are safe there."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..errors import InputError
from .source import Source

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


def filled_rows(
    path: str | Path, columns: Sequence[str], needed: Sequence[str], hint: str
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a filled sheet: line, and the cells of some columns; a cell that is absent is empty.

    Args:
        path: the file.
        columns: those to read.
        needed: those that must be there.
        hint: what to say where one is not.

    Raises:
        InputError: a column is missing, or not a CSV file.
    """
    rows = csv.DictReader(io.StringIO(Source(path).text.removeprefix("\ufeff"), newline=""))
    try:
        missing = [name for name in needed if name not in (rows.fieldnames or ())]
        if missing:
            raise InputError(f"no column {missing[0]!r}; {hint}", file=str(path))
        for row in rows:
            yield rows.line_num, {name: unguarded((row.get(name) or "").strip()) for name in columns}
    except csv.Error as error:
        raise InputError(f"not a CSV file ({error})", file=str(path)) from None
