"""Make a table narrow enough: headings in several lines, footnotes, paragraphs in cells, and several parts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..tables import Table, visible
from .typeset import Typeset, breakable, typeset, width_of

GAP = 8.0
"""Space between two columns, in points."""
_LONG_TEXT = 100.0
"""A wider text, in points, becomes a paragraph or a footnote."""
_LEAST_PARAGRAPH = 120.0
"""Smallest width of a paragraph, in points."""
_KEYS = 0.45
"""Largest share of the width for row names if a table has several parts."""
_MOST_LINES = 40
"""Largest number of lines of a table that fits on a page."""


class Cell(Struct):
    """A cell with its superscripts."""

    text: str
    marks: list[str]
    number: bool = False
    bold: bool = False

    @property
    def shown(self) -> Typeset:
        """The cell on one line."""
        return typeset(self.text, number=self.number, mark=",".join(self.marks), bold=self.bold)

    def paragraph(self, width: float) -> str:
        """Return the source of the cell with line breaks."""
        mark = typeset("", mark=",".join(self.marks)).source
        return (
            rf"\parbox[t]{{{width:.0f}pt}}{{\raggedright {breakable(self.text, width)}{mark}\strut}}"
            if self.text or mark
            else ""
        )


class Column(Struct):
    """A printed column.

    Attributes:
        title: the heading as plain text.
        numeric: whether it is aligned right.
        cells: one per row.
        heading: the typeset lines of the heading.
        inside: the width of the widest cell.
        paragraph: the width of its paragraphs; None if the column is as wide as its widest cell.
    """

    title: str
    numeric: bool
    cells: list[Cell]
    heading: list[Typeset]
    inside: float
    paragraph: float | None = None

    @property
    def width(self) -> float:
        """Width in points."""
        heading = max(line.width for line in self.heading)
        return max(self.inside if self.paragraph is None else self.paragraph, heading)

    @property
    def layout(self) -> str:
        """The column type in the argument of ``tabular``."""
        return "r" if self.numeric else "l"

    def lines(self, row: int) -> int:
        """Return the number of lines of a cell."""
        return 1 if self.paragraph is None else max(1, math.ceil(1.15 * self.cells[row].shown.width / self.paragraph))

    def source(self, row: int) -> str:
        """Return the source of the cell in a row."""
        cell = self.cells[row]
        return cell.shown.source if self.paragraph is None else cell.paragraph(self.paragraph)


class TablePart(Struct, frozen=True):
    """A part of a table: columns, and the numbers of rows."""

    columns: Sequence[Column]
    rows: Sequence[int]

    @property
    def width(self) -> float:
        """Width in points."""
        return _total(self.columns)

    @property
    def lines(self) -> int:
        """Height in lines."""
        heading = max(len(column.heading) for column in self.columns)
        return heading + 2 + sum(max(column.lines(row) for column in self.columns) for row in self.rows)


def _total(columns: Iterable[Column]) -> float:
    """Return the total width of columns with the gaps between them."""
    widths = [column.width for column in columns]
    return sum(widths) + GAP * (len(widths) - 1)


def fit(table: Table, limit: float, *, bold: bool) -> tuple[list[TablePart], list[str]]:
    """Split a table into parts of limited width; return the parts, and footnotes with the texts that do not fit.

    Args:
        table: the table.
        limit: the largest width, in points.
        bold: print the best values in bold letters.
    """
    columns = _columns(table, bold)
    # The first column names the row. A second column of text is part of the name.
    count = 2 if len(columns) > 2 and not (columns[0].numeric or columns[1].numeric) else 1
    keys, others = columns[:count], columns[count:]
    notes: list[str] = []
    if _total(columns) > limit:
        for column in columns:
            _stack_heading(column)
    if _total(columns) > limit:
        long = [column for column in others if not column.numeric and column.inside > _LONG_TEXT]
        short = [column for column in others if column.numeric or column.inside <= _LONG_TEXT]
        room = limit - _total([*keys, *short]) - GAP
        if len(long) == 1 and room >= _LEAST_PARAGRAPH:
            long[0].paragraph = math.floor(room)
        else:
            others = short
            notes = [_footnote(column, keys[0], limit) for column in long]
    if _total([*keys, *others]) > limit:
        _break_names(keys, _KEYS * limit)
    parts = _split_columns(keys, others, limit)
    return [
        TablePart(_repeat_group_name(part, rows), rows)
        for rows in _split_rows(parts, len(table.rows))
        for part in parts
    ], notes


def _columns(table: Table, bold: bool) -> list[Column]:
    """Return the columns of a table that are not empty; the first column is always included."""
    columns = []
    for place, heading in enumerate(map(visible, table.headings)):
        number = place in table.numeric
        cells = []
        for row, texts in enumerate(table.rows):
            mark = table.marks.get((row, place))
            best = bold and (row, place) in table.best
            cells.append(Cell(visible(texts[place]), [mark] if mark else [], number, best))
        if not place or not cells or any(cell.text or cell.marks for cell in cells):
            columns.append(Column(heading, number, cells, [typeset(heading)], _widest(cells)))
    return columns


def _widest(cells: Iterable[Cell]) -> float:
    return max((cell.shown.width for cell in cells), default=0.0)


def _stack_heading(column: Column) -> None:
    """Break a heading that is wider than the cells below it into several lines."""
    words = [typeset(word) for word in column.title.split(" ")]
    limit = max(column.inside, *(word.width for word in words))
    lines = words[:1]
    for word in words[1:]:
        width = lines[-1].width + width_of(" ") + word.width
        if width <= limit:
            lines[-1] = Typeset(f"{lines[-1].source} {word.source}", width)
        else:
            lines.append(word)
    column.heading = lines


def _footnote(column: Column, key: Column, limit: float) -> str:
    """Move the texts of a column to a footnote, and add their numbers to the row names; equal texts share a number."""
    used = max((int(mark) for cell in key.cells for mark in cell.marks if mark.isdecimal()), default=0)
    numbers: dict[str, int] = {}
    for name, cell in zip(key.cells, column.cells, strict=True):
        if cell.text:
            name.marks.append(str(numbers.setdefault(cell.text, used + len(numbers) + 1)))
    key.inside = _widest(key.cells)
    texts = [rf"\textsuperscript{{{number}}}{breakable(text, limit)}" for text, number in numbers.items()]
    return f"{breakable(column.title, limit)}: {'; '.join(texts)}"


def _break_names(keys: Sequence[Column], limit: float) -> None:
    """Break the row names into paragraphs, the widest column first."""
    for key in sorted((key for key in keys if not key.numeric), key=lambda key: -key.width):
        if _total(keys) > limit:
            longest = max(width_of(word) for cell in key.cells for word in cell.text.split(" "))
            room = limit - _total(each for each in keys if each is not key) - GAP
            key.paragraph = math.floor(max(room, min(longest, limit / len(keys)), 40.0))


def _split_columns(keys: Sequence[Column], others: Sequence[Column], limit: float) -> list[list[Column]]:
    """Split the columns into as few parts as possible, of about equal width."""
    parts = _fill_parts(keys, others, limit)
    count = len(parts)
    while count > 1 and limit > GAP and len(narrower := _fill_parts(keys, others, limit := limit - GAP)) == count:
        parts = narrower
    return parts


def _fill_parts(keys: Sequence[Column], others: Sequence[Column], limit: float) -> list[list[Column]]:
    parts = [[*keys]]
    for column in others:
        if len(parts[-1]) > len(keys) and _total([*parts[-1], column]) > limit:
            parts.append([*keys])
        parts[-1].append(column)
    return parts


def _split_rows(parts: Sequence[Sequence[Column]], rows: int) -> list[range]:
    """Split the rows into ranges that each fit on a page."""
    height = sum(max(column.lines(row) for part in parts for column in part) for row in range(rows))
    size = max(1, math.ceil(rows / max(1, math.ceil((height + 4) / _MOST_LINES))))
    return [range(start, min(start + size, rows)) for start in range(0, max(rows, 1), size)]


def _repeat_group_name(columns: Sequence[Column], rows: range) -> list[Column]:
    """Return the columns; if a part starts inside a group, its first row repeats the group's name."""
    first, *others = columns
    start = rows.start
    if not start or first.cells[start].text:
        return [first, *others]
    above = next((cell for cell in reversed(first.cells[:start]) if cell.text), first.cells[start])
    return [replace(first, cells=[*first.cells[:start], above, *first.cells[start + 1 :]]), *others]


def in_floats(parts: Sequence[TablePart], extra: int) -> list[list[TablePart]]:
    """Group the parts into floats that each fit on a page.

    Args:
        parts: the parts.
        extra: number of lines below the last part.
    """
    floats: list[list[TablePart]] = [[]]
    for place, part in enumerate(parts):
        below = extra if place == len(parts) - 1 else 0
        if floats[-1] and sum(each.lines for each in floats[-1]) + part.lines + below > _MOST_LINES + 4:
            floats.append([])
        floats[-1].append(part)
    return floats
