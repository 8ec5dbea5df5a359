"""Tables, rendered as text, Markdown, LaTeX or CSV. The caller writes JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from ..core.comparability import add_fields, joint_signature
from ..core.result import percent as percent  # noqa: PLC0414  other views take it from here
from ..measure import Score
from ..readers.csv_files import csv_text

if TYPE_CHECKING:
    from ..core.comparison import PairedDifference
    from .latex import Paper

Style: TypeAlias = Literal["text", "json", "markdown", "latex", "csv"]
STYLES: tuple[str, ...] = get_args(Style)


class Table(Struct, frozen=True):
    """A title, headings, and rows of cells.

    Attributes:
        title: above the table.
        headings: one per column.
        rows: the cells as text.
        numeric: columns of numbers, which are aligned right.
        marks: superscripts by (row, column), such as stars or letters of significance.
        foot: lines below the table, such as the account of what was scored. CSV omits them; in LaTeX they are comments.
        notes: how to read the table, such as the meaning of stars. LaTeX prints them, too.
        caption: the title in LaTeX, for a table that has no title elsewhere.
        best: cells (row, column) that are bold if bold is requested.
        links: on pages, the URLs of cells.
        shades: on pages, the colour intensity of cells, from 0 to 1.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    marks: Mapping[tuple[int, int], str] = {}
    foot: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    caption: str = ""
    best: frozenset[tuple[int, int]] = frozenset()
    links: Mapping[tuple[int, int], str] = {}
    shades: Mapping[tuple[int, int], float] = {}

    def marked(self, escape: Callable[[str], str], superscript: Callable[[str], str]) -> list[list[str]]:
        """Return the rows with escaped cells and their marks."""
        return [
            [
                escape(visible(cell))
                + (superscript(escape(self.marks[row, column])) if (row, column) in self.marks else "")
                for column, cell in enumerate(cells)
            ]
            for row, cells in enumerate(self.rows)
        ]


def visible(text: str) -> str:
    """Replace control characters by blanks, so that the text is safe for a terminal.

    Example:
        >>> visible("a\x1b[31mb")
        'a [31mb'
    """
    return "".join(letter if letter.isprintable() else " " for letter in text)


def decimals(value: float | None) -> str:
    """Format a number with three decimals; a dash if there is no value.

    Example:
        >>> decimals(0.33333), decimals(None)
        ('0.333', '–')
    """
    return "–" if value is None else f"{value:.3f}"


def p_value(p: float | None) -> str:
    """Format a p value with three decimals and no leading zero; a dash if there is none.

    Example:
        >>> p_value(0.0439), p_value(0.0001), p_value(None)
        ('.044', '<.001', '–')
    """
    return "<.001" if p is not None and p < 0.001 else decimals(p).removeprefix("0")


def interval(limits: Sequence[float] | None, reason: str = "") -> str:
    """Format an interval in percent, or the reason why there is none.

    Example:
        >>> interval((0.5, 0.61239)), interval(None), interval(None, "all resamples have the same value")
        ('50.00 to 61.24', '', 'none: all resamples have the same value')
    """
    return f"{percent(limits[0])} to {percent(limits[1])}" if limits else f"none: {reason}" if reason else ""


def coefficient(value: float | None, ci: Sequence[float] | None = None) -> str:
    """Format a correlation with three decimals, and its interval if it is given.

    Example:
        >>> coefficient(0.3333), coefficient(-1), coefficient(None)
        ('0.333', '-1.000', '–')
    """
    # Adding zero turns -0.0 into 0.0.
    return "–" if value is None else f"{round(value, 3) + 0.0:.3f}{f' ({limits(ci)})' if ci else ''}"


def limits(ci: Sequence[float] | None) -> str:
    """Format the interval of a correlation.

    Example:
        >>> limits((0.1, 0.25)), limits(None)
        ('0.100 to 0.250', '')
    """
    return f"{coefficient(ci[0])} to {coefficient(ci[1])}" if ci else ""


def score_cells(score: Score) -> tuple[str, ...]:
    """Return the cells of a score: measure, value, interval or reason, number of scored units, number of unscored units.

    Example:
        >>> score_cells(Score(measure="JGA", value=0.5, n=6, unscored=0, signature="JGA|v:1"))
        ('JGA', '50.00', '', '6', '')
    """
    limits = interval(score.ci, score.ci_reason)
    return (score.measure, percent(score.value), limits, str(score.n), str(score.unscored or ""))


def signature_of(scores: Iterable[Score], versus: Iterable[PairedDifference] = ()) -> str:
    """Return the signatures of all scores of a table in one line; with comparisons, also their test."""
    tests = [part for each in versus for part in each.signature.split("|") if part.startswith("test:")]
    return add_fields(joint_signature([score.signature for score in scores]), tests[:1])


def highest(
    rows: Sequence[Sequence[str]], columns: Iterable[int], *, across: bool = False
) -> frozenset[tuple[int, int]]:
    """Return the cells with the highest printed number of each column; none if all its numbers are equal.

    Args:
        rows: the rows of the table.
        columns: the columns with numbers.
        across: compare the numbers of each row instead of each column.

    Example:
        >>> sorted(highest([("a", "1.0", "3"), ("b", "2.0", "3"), ("c", "–", "1")], [1, 2]))
        [(0, 2), (1, 1), (1, 2)]
    """
    numeric = list(columns)
    lines = [[(row, column) for column in numeric] for row in range(len(rows))]
    best: set[tuple[int, int]] = set()
    for line in lines if across else zip(*lines, strict=True):
        numbers = {(row, column): _parse_number(rows[row][column]) for row, column in line}
        values = [value for value in numbers.values() if value is not None]
        if values and min(values) < max(values):
            best |= {cell for cell, value in numbers.items() if value == max(values)}
    return frozenset(best)


def _parse_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def render(table: Table, style: str, paper: Paper | None = None) -> str:
    """Render a table as text in one of the styles; ``paper`` has the settings of LaTeX, and whether the best values are bold."""
    if style == "latex":
        from .latex import Paper, paper_table

        return paper_table(table, paper or Paper())
    if style == "markdown":
        return _markdown(table, bold=paper is not None and paper.bold)
    return {"text": _text, "csv": _csv}[style](table)


def _width(text: str) -> int:
    """Return the number of columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _text(table: Table) -> str:
    rows = table.marked(str, lambda mark: f" {mark}")
    headings = [*map(visible, table.headings)]
    lines: list[Sequence[str]] = [headings, *rows]
    widths = [max(_width(cells[column]) for cells in lines) for column in range(len(table.headings))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            " " * (width - _width(cell)) + cell if column in table.numeric else cell + " " * (width - _width(cell))
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()

    rule = "  ".join("─" * width for width in widths)
    title = [visible(table.title)] if table.title else []
    return "\n".join([*title, line(headings), rule, *map(line, rows), *map(visible, (*table.notes, *table.foot))])


def _markdown(table: Table, bold: bool) -> str:
    """Render a table of GitHub Markdown; pipes and other markup in cells are escaped."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    marks = ["---:" if column in table.numeric else "---" for column in range(len(table.headings))]
    title = [f"**{_markdown_cell(visible(table.title))}**", ""] if table.title else []
    headings = line([*map(_markdown_cell, map(visible, table.headings))])
    rows = table.marked(_markdown_cell, lambda mark: f" {mark}")
    for row, column in table.best if bold else ():
        rows[row][column] = f"**{rows[row][column]}**"
    foot = [part for each in (*table.notes, *table.foot) for part in ("", markdown_text(visible(each)))]
    return "\n".join([*title, headings, "|" + "|".join(marks) + "|", *map(line, rows), *foot])


def markdown_text(text: str) -> str:
    """Escape text for Markdown.

    Example:
        >>> markdown_text("a_b <script>")
        'a\\\\_b \\\\<script\\\\>'
    """
    return "".join("\\" + letter if letter in "\\`*_<>[]#|" else letter for letter in text)


def markdown_code(text: str) -> str:
    """Format text as Markdown code, without the characters that could end the code or begin a tag.

    Example:
        >>> markdown_code("a|b`<script>")
        '`a|bscript>`'
    """
    return f"`{visible(text).replace('`', '').replace('<', '')}`"


def _markdown_cell(text: str) -> str:
    for sign in ("\\", "|", "`", "*", "_", "<", ">", "["):
        text = text.replace(sign, "\\" + sign)
    return text.replace("\n", " ")


def _csv(table: Table) -> str:
    # No marks: a cell with a mark would not be a number.
    rows = ([visible(cell) for cell in cells] for cells in table.rows)
    return csv_text([visible(heading) for heading in table.headings], rows).rstrip("\n")


def score_records(scores: Sequence[tuple[Mapping[str, str], Score]]) -> list[dict[str, object]]:
    """Return scores as records, for CSV.

    Args:
        scores: the owner of a score, such as its system, and the score.

    Example:
        >>> score = Score(measure="JGA", value=0.5, n=6, unscored=0, signature="JGA|v:1", group={"domain": "taxi"})
        >>> score_records([({"system": "a"}, score)])  # doctest: +NORMALIZE_WHITESPACE
        [{'system': 'a', 'domain': 'taxi', 'measure': 'JGA', 'value': 0.5, 'ci': None, 'n': 6, 'unscored': 0,
          'reason': '', 'signature': 'JGA|v:1'}]
    """
    groups = {key: "" for owner, score in scores for key in (*owner, *score.group)}
    return [
        {
            **groups,
            **owner,
            **score.group,
            "measure": score.measure,
            "value": score.value,
            "ci": score.ci,
            "n": score.n,
            "unscored": score.unscored,
            "reason": score.reason or score.ci_reason,
            "signature": score.signature,
        }
        for owner, score in scores
    ]


def records_table(records: Sequence[Mapping[str, object]], keys: Iterable[str] = ()) -> Table:
    """Return a machine-readable table of records with one value per cell.

    Numbers have six decimals; a missing number is an empty cell. A key that holds an interval, such as ``ci`` or
    ``difference_ci``, becomes two columns.

    Args:
        records: one per row.
        keys: the columns; by default all keys of the records.

    Example:
        >>> table = records_table([{"measure": "error", "value": 0.5, "ci": (0.25, 0.75)}, {"measure": "error", "ci": None}])
        >>> table.headings, table.rows
        (('measure', 'value', 'low', 'high'), (('error', '0.500000', '0.250000', '0.750000'), ('error', '', '', '')))
    """
    columns: dict[str, list[object]] = {}
    for key in keys or dict.fromkeys(key for each in records for key in each):
        values: list[Any] = [each.get(key) for each in records]
        # A float is not an interval: a schema variant may be called "ci".
        if (key == "ci" or key.endswith("_ci")) and not any(isinstance(value, float) for value in values):
            for at, end in enumerate(("low", "high")):
                columns[f"{key[:-2]}{end}"] = [value[at] if value else None for value in values]
        else:
            columns[key] = values
    cells = (
        ["" if v is None else f"{v:.6f}" if isinstance(v, float) else str(v) for v in column]
        for column in columns.values()
    )
    rows = zip(*cells, strict=True)
    return Table("", tuple(columns), tuple(rows))


def count_table(title: str, headings: tuple[str, str], counts: Mapping[str, int]) -> Table:
    """Return a table of names and their counts.

    Example:
        >>> count_table("", ("role", "count"), {"user": 3}).rows
        (('user', '3'),)
    """
    return Table(title, headings, tuple((name, str(count)) for name, count in counts.items()), frozenset({1}))


def signed(value: float | None) -> str:
    """Format a difference in percentage points.

    Example:
        >>> signed(0.0123), signed(-0.5), signed(-1e-9), signed(None)
        ('+1.23', '-50.00', '+0.00', '–')
    """
    # Adding zero turns -0.0 into 0.0.
    return "–" if value is None else f"{round(100 * value, 2) + 0.0:+.2f}"


def _cell_of(value: str) -> Callable[[Any], str]:
    """Return the function that formats an attribute of a record, such as ``ci:interval``."""
    name, _, style = value.partition(":")
    attribute, write = attrgetter(name), _FORMATS[style]
    return lambda record: write(attribute(record))


def _read_columns(columns: Iterable[Column]) -> Iterator[tuple[str, Callable[[Any], object]]]:
    """Yield the heading of each column and the function that returns a cell."""
    for each in columns:
        if isinstance(each, tuple):
            yield each[0], _cell_of(each[1]) if isinstance(each[1], str) else each[1]
            continue
        for column in each.split(" | "):
            heading, _, value = column.rpartition("=")
            yield heading or value.partition(":")[0], _cell_of(value.removeprefix("<"))


Column: TypeAlias = "str | tuple[str, str | Callable[[Any], object]]"
"""Columns of a table of records; see :func:`table_of`."""

_FORMATS: Mapping[str, Callable[[Any], str]] = {
    "": str,
    "percent": percent,
    "signed": signed,
    "interval": interval,
    "decimals": decimals,
    "coefficient": coefficient,
    "limits": limits,
    "p": p_value,
    "count": lambda count: str(count or ""),
    "number": lambda value: "–" if value is None else f"{value:.4g}",
    "numbers": lambda limits: f"{limits[0]:.4g} to {limits[1]:.4g}" if limits else "",
    "words": ", ".join,
    "pairs": lambda counts: ", ".join(f"{count} {name}" for name, count in counts.items()),
}


def table_of(title: str, items: Iterable[Any], *columns: Column, **more: Any) -> Table:
    """Return a table with a row for each record.

    Args:
        title: above the table.
        items: the records.
        columns: a text such as ``<measure | value:percent | tasks=n`` declares columns with their headings, attributes of the
            records and formats; the heading is the attribute by default. A pair has a heading, and either an attribute with its
            format or a function that returns a cell. Headings from files or options need pairs.
            Columns of words begin with ``<``; all others are columns of numbers.
        more: the other fields of the table.

    Example:
        >>> from fractions import Fraction
        >>> table = table_of("", [Fraction(1, 4)], ("<value", str), "top=numerator | share=denominator:percent")
        >>> table.headings, table.rows, sorted(table.numeric)
        (('value', 'top', 'share'), (('1/4', '1', '400.00'),), [1, 2])
    """
    headings, cells = zip(*_read_columns(columns), strict=True)
    rows = tuple(tuple(str(cell(each)) for cell in cells) for each in items)
    numbers = frozenset(at for at, heading in enumerate(headings) if not heading.startswith("<"))
    return Table(title, tuple(heading.removeprefix("<") for heading in headings), rows, numbers, **more)


def grid_of(
    title: str,
    rows: Mapping[Any, Mapping[Any, Any]],
    corner: str,
    columns: Iterable[Any],
    style: str = "",
    **more: Any,
) -> Table:
    """Return a table with names as rows and as columns. A cell that does not exist is empty.

    Args:
        title: above the table.
        rows: name of the row → name of the column → value.
        corner: the heading of the first column.
        columns: the names of the other columns.
        style: the format of values, as in :func:`table_of`.
        more: the other fields of the table.

    Example:
        >>> grid_of("", {"a": {"x": 0.5}, "b": {"y": 1}}, "row", ["x", "y"], "percent").rows
        (('a', '50.00', ''), ('b', '', '100.00'))
    """
    names = list(columns)
    cells = tuple(
        (str(name), *(_FORMATS[style](row[each]) if each in row else "" for each in names))
        for name, row in rows.items()
    )
    return Table(title, (corner, *map(str, names)), cells, frozenset(range(1, len(names) + 1)), **more)


def records_of(items: Iterable[Any], keys: str) -> list[dict[str, object]]:
    """Return attributes of records as dictionaries, for :func:`records_table`. A word of ``keys`` is ``key=attribute``, or both.

    Example:
        >>> from fractions import Fraction
        >>> records_of([Fraction(1, 4)], "top=numerator denominator")
        [{'top': 1, 'denominator': 4}]
    """
    named = [(key or name, attrgetter(name)) for key, _, name in (word.rpartition("=") for word in keys.split())]
    return [{key: value(each) for key, value in named} for each in items]


def distinct(table: Table) -> Table:
    """Make headings unique for CSV: a repeated heading gets the nearest unique heading before it as a prefix.

    Example:
        >>> table = Table("", ("value", "interval", "difference", "interval"), ())
        >>> distinct(table).headings
        ('value', 'value interval', 'difference', 'difference interval')
    """
    counts = Counter(table.headings)
    prefix, headings = "", []
    for heading in table.headings:
        if counts[heading] == 1:
            prefix = heading
        headings.append(heading if counts[heading] == 1 else f"{prefix} {heading}".strip())
    return replace(table, headings=tuple(headings))
