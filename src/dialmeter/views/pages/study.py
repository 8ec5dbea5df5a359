"""Studies: the lines, tables and charts of a command that compares or analyses several files. They have no rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from ...errors import DialmeterError, one_line
from ..charts.points import FOREST
from ..tables import Table
from .kinds import Headline, RowsLink, RunKind, fields, no_link

if TYPE_CHECKING:
    from ..chart_files import Chart
    from .opened_run import OpenedRun

_HEADLINE = 70


class StudyTable(Struct, frozen=True, omit_defaults=True):
    """A table in ``run.json``."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...] = ()
    marks: tuple[tuple[int, int, str], ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if any(len(row) != len(self.headings) for row in self.rows):
            raise ValueError("a table row and its headings have different numbers of cells")


class StudyContent(Struct, frozen=True):
    """The output of a command: lines and tables."""

    lines: list[str] = []
    tables: list[StudyTable] = []


def study_table(table: Table) -> StudyTable:
    """Convert a table for ``run.json``.

    Example:
        >>> study_table(Table("a", ("x", "y"), (("1", "2"),), frozenset({1}), {(0, 1): "*"}, foot=("all scored",))).marks
        ((0, 1, '*'),)
    """
    marks = tuple((*place, mark) for place, mark in sorted(table.marks.items()))
    return StudyTable(
        table.title, table.headings, table.rows, tuple(sorted(table.numeric)), marks, (*table.foot, *table.notes)
    )


class NoRow(Struct):
    """The type of the rows of a study, of which there are none."""

    def __post_init__(self) -> None:
        raise ValueError("a study has no rows")


class StudyKind(RunKind):
    """Results of `compare`, `cross`, `bias`, `curve` and `rules`."""

    NAME = "study"
    UNIT = ("row", "rows")
    ROW = NoRow
    FIELDS = fields("part", unlisted=("part",))
    COMPARABLE = False
    VALUES = "Output of the command"

    def breakdowns(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield the tables of the command that are not among its headlines."""
        study = _parse_study(run.manifest)
        first = len(_ladder_tables(study)) + 1
        for number, each in enumerate(study.tables[first:], first + 1):
            yield from _page_tables(each, each.title or f"table {number}")

    def headline(self, manifest: Mapping[str, Any]) -> Headline:
        """Return the command and the first line of its output.

        Example:
            >>> KIND.headline({"command": "compare", "study": {"lines": ["b against a: no difference"]}}).text
            'compare: b against a: no difference'
        """
        first = _result_lines(_parse_study(manifest))[:1]
        return Headline(one_line(": ".join([str(manifest.get("command", "")), *first]), _HEADLINE), None)

    def headlines(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield the tables of ladders, and the first table after them."""
        study = _parse_study(run.manifest)
        ladders = _ladder_tables(study)
        for each in ladders:
            yield from _page_tables(each, f"What the verdict depends on: {each.headings[0]}")
        for each in study.tables[len(ladders) : len(ladders) + 1]:
            yield from _page_tables(each, each.title)

    def result_lines(self, run: OpenedRun) -> list[str]:
        """Return the lines of the command."""
        return _result_lines(_parse_study(run.manifest))

    def charts(self, run: OpenedRun, link: RowsLink) -> Iterator[Chart]:
        """Yield the other charts."""
        return (each for each in run.saved_charts if each.mark is not FOREST)


KIND = StudyKind()


def _result_lines(study: StudyContent) -> list[str]:
    """Return the lines of a study without signatures, which a page shows elsewhere."""
    return [line for line in study.lines if line.strip() and not line.lower().startswith("signature")]


def _ladder_tables(study: StudyContent) -> list[StudyTable]:
    """Return the tables of ladders, which a comparison begins with."""
    return list(takewhile(lambda each: each.headings[-1:] == ("verdict",), study.tables))


def _page_tables(table: StudyTable, title: str) -> Iterator[Table]:
    """Yield a table of a study, and a second table with its notes."""
    marks = {(row, column): mark for row, column, mark in table.marks}
    yield Table(title, table.headings, table.rows, frozenset(table.numeric), marks)
    if table.notes:
        yield Table(f"notes on {title}" if title else "Notes", ("note",), tuple((note,) for note in table.notes))


def _parse_study(manifest: Mapping[str, Any]) -> StudyContent:
    """Parse the study of a run.

    Raises:
        DialmeterError: the manifest is malformed.
    """
    try:
        return msgspec.convert(manifest.get("study") or {}, StudyContent)
    except msgspec.ValidationError as error:
        raise DialmeterError(f"run.json: damaged: {str(error).replace('`', '')}") from None
