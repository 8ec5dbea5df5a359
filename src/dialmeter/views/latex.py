"""Tables in LaTeX with booktabs, at most as wide as a column or a page. A wide table has several parts, a high one several floats."""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from .tables import Table, visible

COLUMN, PAGE = 218.0, 455.0
"""Width in points of a column and of a page in the ACL style, which are narrower than in most other styles."""
_GAP = 8.0
"""Space between two columns, in points."""
_NAMES, _TEXT = 0.45, 0.5
"""Largest share of the width for the names of rows, and for another column of text, if a table is too wide."""
_LINES = 40
"""Number of lines that fit on a page."""

_ESCAPED = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "…": r"\ldots{}", "−": "$-$", "·": r"$\cdot$",
    "×": r"$\times$", "≤": r"$\leq$", "≥": r"$\geq$", "λ": r"$\lambda$", "α": r"$\alpha$", "√": r"$\surd$",
    "→": r"$\rightarrow$", "≠": r"$\neq$", "≈": r"$\approx$", "±": r"$\pm$", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}",
}  # fmt: skip
_BY_WIDTH = {
    2.57: "!',.:;[]`il|", 2.83: "fj", 3.08: "- ", 3.65: "()t_Irs", 4.11: "cez", 4.62: '?"$*/0123456789\\^ago{}~–', 4.88: "Jkqvxy",
    5.14: "Sbdhnpu", 5.78: "ZL", 6.29: "FEP", 6.68: "BCTw", 6.94: "RAHNUVXY", 7.26: "D&+=@KOQ<>−G", 7.71: "#%m", 8.48: "M",
}  # fmt: skip
_WIDTHS = {letter: width for width, letters in _BY_WIDTH.items() for letter in letters}
"""At most this many points are the letters of Computer Modern wide at 9 pt; all others are at most 9.51 points wide."""
_RAISED = 0.8
"""Relative size of letters in superscripts and subscripts."""
_LAMBDA = re.compile(r"\bFGA\(lam=([\w.]{1,24})(?:, ([^()]{1,80}))?\)")
_MINUS = re.compile(r"(?<![\w.])-(?=[\d.])")
_MARK = re.compile(r"\\textsuperscript\{.*\}$")
_UNUSUAL = re.compile(r"[^A-Za-z0-9:./-]")
_BREAKS = re.compile(r"(?<=[/|:;,+=_.-])(?=\w)")


class Paper(Struct, frozen=True):
    """Settings of tables in LaTeX; ``bold`` is used in Markdown, too.

    Attributes:
        columns: the columns of a two-column page that a table may take: 1 or 2.
        bold: print the best values in bold letters.
        caption: the caption; the title of the table, if there is one, follows it.
        label: the label for references; empty for none.
    """

    columns: int = 2
    bold: bool = False
    caption: str = ""
    label: str = ""

    @property
    def limit(self) -> float:
        """Largest width of a table, in points."""
        return COLUMN if self.columns == 1 else PAGE


class Typeset(NamedTuple):
    """LaTeX source, and its largest width in points when printed at 9 pt."""

    source: str
    width: float


def latex_text(text: str) -> str:
    """Escape text for LaTeX.

    Example:
        >>> print(latex_text("50 % of a_b, see --gold"))
        50 \\% of a\\_b, see -{}-gold
    """
    return "".join(_ESCAPED.get(letter, letter) for letter in text.replace("--", "\0")).replace("\0", "-{}-")


def width_of(text: str) -> float:
    """Return the largest width of plain text in points.

    Example:
        >>> round(width_of("47.62"), 2)
        21.05
    """
    # A letter with an accent is as wide as the letter without it.
    return sum(_WIDTHS.get(letter) or _WIDTHS.get(unicodedata.normalize("NFD", letter)[0], 9.51) for letter in text)


def typeset(text: str, *, number: bool = False, mark: str = "", bold: bool = False) -> Typeset:
    """Typeset the text of a cell; measures with a lambda become formulas.

    Args:
        text: plain text.
        number: print a hyphen before a digit as a minus sign.
        mark: a superscript after the text.
        bold: print in bold letters.

    Example:
        >>> print(typeset("FGA(lam=0.5)").source, typeset("-0.5", number=True).source, typeset("47.62", mark="*").source)
        FGA$_{\\lambda=0.5}$ $-$0.5 47.62\\textsuperscript{*}
    """
    text = _MINUS.sub("−", text) if number else text
    source = _LAMBDA.sub(lambda found: rf"FGA$_{{\lambda={found[1]}}}${_parameters(found)}", latex_text(text))
    source = source.replace("=inf}", r"=\infty}")
    width = width_of(_LAMBDA.sub(lambda found: f"FGA{_parameters(found)}", text))
    width += sum(_RAISED * width_of(f"n={found[1]}") for found in _LAMBDA.finditer(text))
    if bold:
        source, width = rf"\textbf{{{source}}}", width * 1.16
    raised = rf"\textsuperscript{{{latex_text(mark)}}}" if mark else ""
    return Typeset(source + raised, width + _RAISED * width_of(mark))


def _parameters(found: re.Match[str]) -> str:
    return f" ({found[2]})" if found[2] else ""


def breakable(text: str, room: float) -> str:
    """Return the source of a paragraph in which words that are too wide may be broken.

    Breaks are allowed after punctuation, and between all letters of parts that are still too wide.

    Args:
        text: plain text.
        room: the width of the paragraph, in points.

    Example:
        >>> print(breakable("short runs/som_dst/pred.json", 60))
        short runs/\\allowbreak{}som\\_\\allowbreak{}dst/\\allowbreak{}pred.\\allowbreak{}json
    """

    def parts(word: str) -> Iterator[str]:
        for part in _BREAKS.split(word) if width_of(word) > room else [word]:
            yield from part if width_of(part) > room else [part]

    return " ".join(r"\allowbreak{}".join(typeset(part).source for part in parts(word)) for word in text.split(" "))


class _Column(Struct):
    """A printed column.

    Attributes:
        side: its alignment, ``l`` or ``r``.
        heading: the lines of the heading.
        texts: the heading and the cells as plain text.
        cells: the cells on one line.
        paragraph: the width of its paragraphs; 0 if the column is as wide as its widest cell.
    """

    side: str
    heading: list[Typeset]
    texts: list[str]
    cells: list[Typeset]
    paragraph: int = 0

    @property
    def width(self) -> float:
        """Width in points."""
        inside = self.paragraph or max((cell.width for cell in self.cells), default=0.0)
        return max(inside, *(line.width for line in self.heading))

    def stack_heading(self) -> None:
        """Break a heading that is longer than the cells below it into several lines."""
        title, *texts = self.texts
        lines = textwrap.wrap(title, max(map(len, (*title.split(), *texts, " "))), break_on_hyphens=False)
        self.heading = [typeset(line) for line in lines or [""]]

    def wrap(self, width: float) -> None:
        """Make paragraphs of a column of text that is wider than this."""
        if self.side == "l" and self.width > width:
            self.paragraph = math.floor(width)

    def lines(self, row: int) -> int:
        """Return the number of lines of a cell."""
        return max(1, math.ceil(1.15 * self.cells[row].width / self.paragraph)) if self.paragraph else 1

    def source(self, row: int) -> str:
        """Return the source of a cell."""
        source, text = self.cells[row].source, self.texts[row + 1]
        if not self.paragraph or not text:
            return source
        body = breakable(text, self.paragraph) + "".join(_MARK.findall(source))
        return rf"\parbox[t]{{{self.paragraph}pt}}{{\raggedright {body}\strut}}"

    def heading_source(self) -> str:
        """Return the source of the heading."""
        lines = r"\\".join(line.source for line in self.heading)
        return lines if len(self.heading) == 1 else rf"\shortstack[{self.side}]{{\strut {lines}}}"


def _columns(table: Table, bold: bool) -> Iterator[_Column]:
    """Yield the first column, and the other ones that are not empty."""
    for place, title in enumerate(map(visible, table.headings)):
        number = place in table.numeric
        texts = [visible(row[place]) for row in table.rows]
        cells = [
            typeset(text, number=number, mark=table.marks.get(at, ""), bold=bold and at in table.best)
            for text, at in zip(texts, ((row, place) for row in range(len(texts))), strict=True)
        ]
        if not place or not cells or any(cell.source for cell in cells):
            yield _Column("r" if number else "l", [typeset(title)], [title, *texts], cells)


def _total(columns: Sequence[_Column]) -> float:
    """Return the total width of columns with the gaps between them."""
    return sum(column.width for column in columns) + _GAP * (len(columns) - 1)


def _parts(columns: Sequence[_Column], limit: float) -> list[list[_Column]]:
    """Return the columns in parts that are at most as wide as the limit. Each part has the names of the rows."""
    # The first column names the row. A second column of text is part of the name.
    names = 2 if len(columns) > 2 and columns[0].side == columns[1].side == "l" else 1
    keys, others = columns[:names], columns[names:]
    if _total(columns) > limit:
        for column in columns:
            column.stack_heading()
    if _total(columns) > limit:
        for column in others:
            column.wrap(_TEXT * limit)
    if _total(columns) > limit:
        for key in sorted(keys, key=lambda key: -key.width):
            key.wrap(max(_NAMES * limit - (_total(keys) - key.width), _NAMES * limit / names - _GAP))
    parts = narrower = _fill_parts(keys, others, limit)
    # The last part may be narrow; a smaller limit makes parts of about the same width.
    while len(narrower) == len(parts) > 1 and limit > _GAP:
        parts, limit = narrower, limit - _GAP
        narrower = _fill_parts(keys, others, limit)
    return parts


def _fill_parts(keys: Sequence[_Column], others: Iterable[_Column], limit: float) -> list[list[_Column]]:
    parts = [[*keys]]
    for column in others:
        if len(parts[-1]) > len(keys) and _total([*parts[-1], column]) > limit:
            parts.append([*keys])
        parts[-1].append(column)
    return parts


def _tabulars(parts: Sequence[Sequence[_Column]], rows: int) -> Iterator[tuple[str, int]]:
    """Yield the source and the number of lines of each part, with as many rows as fit on a page."""
    lines = [max(column.lines(row) for part in parts for column in part) for row in range(rows)]
    heading = 2 + max(len(column.heading) for part in parts for column in part)
    size = math.ceil(rows / math.ceil((sum(lines) + heading) / _LINES)) or 1
    for start in range(0, max(rows, 1), size):
        for part in parts:
            yield _tabular(part, range(rows)[start : start + size]), heading + sum(lines[start : start + size])


def _tabular(columns: Sequence[_Column], rows: range) -> str:
    body = [[column.source(row) for column in columns] for row in rows]
    if rows and not body[0][0]:
        # The rows start inside a group: repeat the name of the group.
        named = [row for row in range(rows[0]) if columns[0].texts[row + 1]]
        body[0][0] = columns[0].source(named[-1]) if named else ""
    heading, *lines = (" & ".join(line) + r" \\" for line in ([column.heading_source() for column in columns], *body))
    sides = "".join(column.side for column in columns)
    start = rf"\begin{{tabular}}{{@{{}}{sides}@{{}}}}"
    return "\n".join([start, r"\toprule", heading, r"\midrule", *lines, r"\bottomrule", r"\end{tabular}"])


def paper_table(table: Table, paper: Paper) -> str:
    """Return a table as LaTeX source.

    Example:
        >>> print(paper_table(Table("scores", ("system", "JGA"), (("a_b", "47.62"),), frozenset({1})), Paper(1)))
        % needs \\usepackage{booktabs}
        \\begin{table}
        \\centering
        {\\fontsize{9}{11}\\selectfont\\setlength{\\tabcolsep}{4pt}%
        \\begin{tabular}{@{}lr@{}}
        \\toprule
        system & JGA \\\\
        \\midrule
        a\\_b & 47.62 \\\\
        \\bottomrule
        \\end{tabular}\\par}
        \\caption{Scores}
        \\end{table}
    """
    parts = _parts([*_columns(table, paper.bold)], paper.limit)
    environment, width = ("table*", PAGE) if any(_total(part) > COLUMN for part in parts) else ("table", COLUMN)
    notes = [breakable(visible(note), width) for note in table.notes]
    floats: list[list[str]] = [[]]
    height = sum(1 + int(width_of(note) / width) for note in notes)  # Notes are below the first tables.
    for tabular, lines in _tabulars(parts, len(table.rows)):
        if floats[-1] and height + lines > _LINES + 4:
            floats.append([])
            height = 0
        floats[-1].append(tabular)
        height += lines
    caption = ": ".join(part for part in (paper.caption or table.caption, table.title) if part)
    source = [r"% needs \usepackage{booktabs}"]
    for place, tabulars in enumerate(floats):
        source += [rf"\begin{{{environment}}}", r"\centering"]
        source += [rf"{{\fontsize{{9}}{{11}}\selectfont\setlength{{\tabcolsep}}{{{_GAP / 2:g}pt}}%"]
        source += ["\\par\\medskip\n".join(tabulars) + r"\par}"]
        if notes and not place:
            small = r"\raggedright\fontsize{8}{9.5}\selectfont " + r"\par ".join(notes)
            source += [rf"\smallskip\parbox{{{width:g}pt}}{{{small}}}\par"]
        if caption:
            text = typeset(visible(caption[:1].upper() + caption[1:])).source
            source += [rf"\caption{{{text}{' (continued)' if place else ''}}}"]
        if caption and paper.label and not place:
            source += [rf"\label{{{_UNUSUAL.sub('-', paper.label)}}}"]
        source += [rf"\end{{{environment}}}"]
    return "\n".join([*source, *(f"% {visible(each)}" for each in table.foot)])
