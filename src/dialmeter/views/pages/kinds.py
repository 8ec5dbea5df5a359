"""Kinds of runs that pages can show, and what is particular to each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from ...errors import DialmeterError, did_you_mean
from ..chart_files import Chart
from ..html_env import score
from ..tables import Table, interval
from .findings import Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .opened import Opened

    Column: TypeAlias = NDArray[np.float64]

RowsLink: TypeAlias = Callable[["Opened", Mapping[str, str]], str]
"""The address of those rows of a run that pass a filter."""


def no_link(run: Opened, params: Mapping[str, str]) -> str:
    """Leads nowhere: for tables that are not on a page."""
    return ""


Conditions: TypeAlias = Mapping[str, tuple[str, ...]]
"""By field, the texts of which a finding must have one."""
Cell: TypeAlias = str | tuple[str, Mapping[str, str]]
"""The text of a cell, or a text and the filter of the rows that it counts."""
_NOTHING = ("", "0", "–")


def linked_table(
    run: Opened,
    link: RowsLink,
    title: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    numeric: Iterable[int] | None = None,
) -> Table:
    """A table whose cells lead to the rows of the run that they count; cells that count nothing lead nowhere.

    ``numeric`` are the columns of numbers; by default all but the first.
    """
    texts, links = [], {}
    for at, cells in enumerate(rows):
        pairs = [(cell, None) if isinstance(cell, str) else cell for cell in cells]
        texts.append(tuple(text for text, _ in pairs))
        for column, (text, params) in enumerate(pairs):
            if params is not None and text not in _NOTHING and (address := link(run, params)):
                links[at, column] = address
    numbers = frozenset(range(1, len(headings)) if numeric is None else numeric)
    return Table(title, tuple(headings), tuple(texts), numbers, links=links)


KINDS = ("tracker", "user", "judge", "people", "system", "items", "study")


class Field(NamedTuple):
    """A field of findings: its name in addresses, its label, and whether one can choose it from a list."""

    name: str
    label: str
    listed: bool = True


class Grouping(NamedTuple):
    """A field by which runs are compared: how many mistakes each run makes at every text of the field.

    ``mistakes`` has the findings that count: for each field in it, the finding has one of the texts. They are divided by ``chances``:
    by the findings of the row that pass it, by those of the same text where ``own`` is set, or by the rows if there is none.
    ``value`` says in words what a hundred times the quotient is. ``reasons`` are the fields that tell mistakes apart.
    """

    field: str
    value: str
    mistakes: Conditions
    reasons: tuple[str, ...]
    chances: Conditions | None = None
    own: bool = False


class Scanned(NamedTuple):
    """The id of a row, and how often each finding occurs in it."""

    id: str
    findings: Mapping[Finding, int]


class Headline(NamedTuple):
    """What the list of runs says of a run, and the number that it is sorted by."""

    text: str
    value: float | None


class ChartImage(NamedTuple):
    """A chart as an image: its title, and an address that holds its data."""

    title: str
    address: str


class RunKind(ABC):
    """One kind of run; the modules of this folder have one object each, called ``KIND``."""

    NAME: ClassVar[str]
    """Also the folder of its templates: ``row`` and ``pair`` for the viewer, ``brief`` for the report."""
    UNIT: ClassVar[tuple[str, str]]
    """What a row is, singular and plural."""
    FIELDS: ClassVar[tuple[Field, ...]]
    ROW: ClassVar[type[Any]]
    """What a row must hold to be shown."""
    HIGHER_IS_BETTER: ClassVar[bool] = True
    """For the scores of rows."""
    VALUES: ClassVar[str] = "Values in percent"
    """What the numbers of tables are."""
    DRAWN: ClassVar[str] = ""
    """What is resampled for intervals, where it is not the rows."""
    COMPARABLE: ClassVar[bool] = True
    """Can two runs of the kind be compared?"""
    GROUPINGS: ClassVar[tuple[Grouping, ...]] = ()
    """By what runs are compared, the usual one first."""
    MISTAKEN: ClassVar[Conditions] = {}
    """The findings that make one row worse than another of the same score; none where a score has no such findings."""
    FIRST_COLUMN: ClassVar[str] = ""
    """The score by which rows are sorted by default, the worst first; if a run lacks it, its first score."""

    @abstractmethod
    def scan(self, line: bytes, sums: Counter[Finding]) -> Scanned:
        """The findings of one line of rows.jsonl; further counts are added to the sums of the run."""

    @abstractmethod
    def teaser(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """A few facts about a row, and its first words."""

    @abstractmethod
    def texts(self, row: Mapping[str, Any]) -> Iterator[str]:
        """All utterances, and the names and values of slots or what the kind has in their place, for search.

        Each is a text of the row, not one that is put together: search looks at the line before it parses it.
        """

    @abstractmethod
    def page(self, row: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
        """What the template shows of a row; cells that pass the filter are marked."""

    @abstractmethod
    def charts(self, runs: Sequence[Opened], link: RowsLink) -> Iterator[Chart]:
        """The charts of one run, or of several side by side."""

    @abstractmethod
    def breakdowns(self, run: Opened, link: RowsLink = no_link) -> Iterator[Table]:
        """Tables of groups, whose numbers lead to their rows."""

    @abstractmethod
    def again(self, manifest: Mapping[str, Any]) -> list[str]:
        """The words of the command that makes the run again, after ``dialmeter``."""

    def pair(self, first: Mapping[str, Any], second: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
        """What the template shows of the same row in two runs: both rows as on their own pages."""
        return {"sides": [self.page(row, wanted) for row in (first, second)]}

    def headline(self, manifest: Mapping[str, Any]) -> Headline:
        """The first thing to read about a run: its first score."""
        first: Mapping[str, Any] = next(iter(manifest.get("scores") or ()), {})
        value = first.get("value")
        return Headline(f"{first.get('measure', '')} {score(value)}".strip(), value)

    def headlines(self, run: Opened, link: RowsLink = no_link) -> Iterator[Table]:
        """The scores of the run, which lead to its rows: one row per measure."""
        from .scores import score_table  # loads the code of trackers

        yield score_table(run, link)

    def images(self, run: Opened) -> Iterator[ChartImage]:
        """Charts that were drawn when the run was made."""
        return iter(())

    def means(self, run: Opened) -> list[dict[str, Any]]:
        """Scores that summarise others, listed before them."""
        return []

    def derived(self, columns: Mapping[str, Column]) -> Mapping[str, Column]:
        """Further scores of rows, computed from those in the index."""
        return {}

    def counted(self, run: Opened) -> Conditions:
        """A further condition for the mistakes by which a run is compared."""
        return {}

    def additions(self, folder: Path) -> Mapping[str, Mapping[str, Any]]:
        """What other files in the run's folder add to rows, by id."""
        return {}

    def value(self, value: float | None) -> str:
        """A score of the run: a share in percent."""
        return score(value)

    def limits(self, found: Mapping[str, Any]) -> str:
        """The interval of a score of the run, or why there is none."""
        return interval(found.get("ci"), str(found.get("ci_reason") or ""))

    def cell(self, column: str, value: float) -> str:
        """The score of one row: a share in percent."""
        return score(value)

    def ranking(self, columns: Sequence[str]) -> str:
        """The score by which rows are sorted by default."""
        return self.FIRST_COLUMN if self.FIRST_COLUMN in columns else columns[0]

    def label(self, name: str) -> str:
        """The label of a field."""
        return next(field.label for field in self.FIELDS if field.name == name)


def kind_of(manifest: Mapping[str, Any]) -> RunKind:
    """The kind of a run.

    Raises:
        DialmeterError: a kind that this version cannot show.

    Example:
        >>> kind_of({"kind": "tracker"}).UNIT
        ('dialogue', 'dialogues')
        >>> kind_of({"kind": "trackers"})
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: a run of kind 'trackers' cannot be shown; did you mean tracker?
    """
    name = str(manifest.get("kind"))
    if name not in KINDS:
        raise DialmeterError(f"a run of kind {name!r} cannot be shown; {did_you_mean(name, KINDS)}")
    found: RunKind = import_module(f".{name}", __package__).KIND
    return found
