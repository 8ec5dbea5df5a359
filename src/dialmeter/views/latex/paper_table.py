"""A table as a LaTeX float with booktabs rules, caption, label and footnotes, at most as wide as a column or a page."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from ..tables import Table, visible
from .fitting import GAP, Column, TablePart, fit, in_floats
from .typeset import breakable, typeset, width_of

COLUMN, PAGE = 218.0, 455.0
"""Width in points of a column and of a page in the ACL style, which are narrower than in most other styles."""


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
    parts, footnotes = fit(table, paper.limit, bold=paper.bold)
    notes = [*footnotes, *(breakable(visible(note), paper.limit) for note in table.notes)]
    caption = ": ".join(part for part in (paper.caption or table.caption, table.title) if part)
    environment = "table*" if any(part.width > COLUMN for part in parts) else "table"
    height = sum(1 + int(width_of(note) / paper.limit) for note in notes)
    lines = [r"% needs \usepackage{booktabs}"]
    for place, group in enumerate(floats := in_floats(parts, height)):
        lines += [rf"\begin{{{environment}}}", r"\centering"]
        lines += [rf"{{\fontsize{{9}}{{11}}\selectfont\setlength{{\tabcolsep}}{{{GAP / 2:g}pt}}%"]
        lines += "\\par\\medskip\n".join("\n".join(_tabular(part)) for part in group).split("\n")
        lines[-1] += r"\par}"
        if notes and place == len(floats) - 1:
            body = r"\par ".join(notes)
            lines.append(
                rf"\smallskip\parbox{{{paper.limit:g}pt}}{{\raggedright\fontsize{{8}}{{9.5}}\selectfont {body}}}\par"
            )
        if caption:
            lines.append(
                rf"\caption{{{typeset(visible(caption[:1].upper() + caption[1:])).source}{' (continued)' if place else ''}}}"
            )
        if caption and paper.label and not place:
            lines.append(rf"\label{{{_label(paper.label)}}}")
        lines.append(rf"\end{{{environment}}}")
    return "\n".join([*lines, *(f"% {visible(each)}" for each in table.foot)])


def _label(text: str) -> str:
    """Replace the characters that are special in LaTeX by hyphens."""
    return "".join(letter if letter.isascii() and (letter.isalnum() or letter in ":-./") else "-" for letter in text)


def _tabular(part: TablePart) -> list[str]:
    columns = part.columns
    return [
        rf"\begin{{tabular}}{{@{{}}{''.join(column.layout for column in columns)}@{{}}}}",
        r"\toprule",
        _row(map(_heading, columns)),
        r"\midrule",
        *(_row(column.source(row) for column in columns) for row in part.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _heading(column: Column) -> str:
    lines = [line.source for line in column.heading]
    side = "r" if column.numeric else "l"
    stacked = r"\strut " + r"\\".join(lines)
    return lines[0] if len(lines) == 1 else rf"\shortstack[{side}]{{{stacked}}}"
