"""The kinds of runs that pages can show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from ...errors import DialmeterError, did_you_mean
from ...numeric import NDArray, np
from ..chart_files import Chart
from ..charts.points import FOREST
from ..html_env import score
from ..tables import Table, interval
from .findings import Finding

if TYPE_CHECKING:
    from .opened_run import OpenedRun

    Column: TypeAlias = NDArray[np.float64]

RowsLink: TypeAlias = Callable[["OpenedRun", Mapping[str, str]], str]
"""Function that returns the address of the rows of a run that match a filter."""


def no_link(run: OpenedRun, params: Mapping[str, str]) -> str:
    """Return an empty address, for tables that are not on a page."""
    return ""


Conditions: TypeAlias = Mapping[str, tuple[str, ...]]
"""Field → texts; a finding matches if it has one of the texts in every field."""
Cell: TypeAlias = str | tuple[str, Mapping[str, str]]
"""The text of a cell, or the text and the filter of the rows that it counts."""
_EMPTY_CELLS = ("", "0", "–")


def linked_table(
    run: OpenedRun,
    link: RowsLink,
    title: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    numeric: Iterable[int] | None = None,
) -> Table:
    """Return a table whose cells link to the rows that they count; cells that count nothing have no link.

    ``numeric`` are the columns of numbers; by default all except the first.
    """
    texts, links = [], {}
    for at, cells in enumerate(rows):
        pairs = [(cell, None) if isinstance(cell, str) else cell for cell in cells]
        texts.append(tuple(text for text, _ in pairs))
        for column, (text, params) in enumerate(pairs):
            if params is not None and text not in _EMPTY_CELLS and (address := link(run, params)):
                links[at, column] = address
    numbers = frozenset(range(1, len(headings)) if numeric is None else numeric)
    return Table(title, tuple(headings), tuple(texts), numbers, links=links)


def pivot(
    run: OpenedRun,
    link: RowsLink,
    title: str,
    names: Iterable[str | tuple[str, ...]],
    *fields: str,
    columns: Iterable[str] = (),
    headings: Iterable[str] = (),
    total: str = "",
    zero: str = "",
    meaning: Mapping[str, str] | None = None,
) -> Table:
    """Return a table of counts of findings that links to their rows.

    Args:
        run: the run.
        link: returns addresses.
        title: of the table.
        names: the texts of the rows, in order.
        fields: the fields of the texts of the rows; then the field of the columns, if there are columns.
        columns: the texts of the columns.
        headings: the headings of the columns, if these are not their texts.
        total: the heading of a column that counts all findings of the row; empty for none.
        zero: the text of a cell that counts nothing.
        meaning: the text of a last column, by the text of the row.
    """
    columns = list(columns)
    own, by = (fields[:-1], fields[-1]) if columns else (fields, "")
    counts, totals = run.findings.counts(*fields), run.findings.counts(*own)
    rows: list[list[Cell]] = []
    for name in names:
        texts = (name,) if isinstance(name, str) else name
        where = dict(zip(own, texts, strict=True))
        cells: list[Cell] = [(str(totals[texts]), where)] if total else []
        cells += [(str(counts[*texts, each] or zero), {**where, by: each}) for each in columns]
        rows.append([*texts, *cells, *([] if meaning is None else [meaning.get(texts[0], "")])])
    numbers = [*filter(None, [total]), *(headings or columns)]
    titles = (*own, *numbers, *([] if meaning is None else ["meaning"]))
    return linked_table(run, link, title, titles, rows, numeric=range(len(own), len(own) + len(numbers)))


KINDS = ("tracker", "user", "judge", "people", "system", "items", "study")


class Field(NamedTuple):
    """A field of findings: its name in addresses, its label, and whether pages offer a list of its texts as a filter."""

    name: str
    label: str
    listed: bool = True


def fields(names: str, *, unlisted: tuple[str, ...] = (), **labels: str) -> tuple[Field, ...]:
    """Return fields from their names, separated by blanks; the label of a field is its name, unless another one is given.

    Example:
        >>> fields("slot gold", unlisted=("gold",), gold="gold value")[1]
        Field(name='gold', label='gold value', listed=False)
    """
    return tuple(Field(name, labels.get(name, name), name not in unlisted) for name in names.split())


class Grouping(NamedTuple):
    """A field by which runs are compared: the number of mistakes of each run for every text of the field.

    Attributes:
        field: name of the field.
        value: what 100 times the quotient of mistakes and chances is, in words.
        mistakes: conditions of the findings that count as mistakes.
        reasons: fields that distinguish mistakes.
        chances: conditions of the findings of a row that are the denominator; None to divide by the number of rows.
        own: whether only chances with the same text of the field count.
    """

    field: str
    value: str
    mistakes: Conditions
    reasons: tuple[str, ...]
    chances: Conditions | None = None
    own: bool = False


class Headline(NamedTuple):
    """The text about a run in the list of runs, and the number that the list is sorted by."""

    text: str
    value: float | None


class RunKind:
    """One kind of run. The module of each kind in this folder has one instance, called ``KIND``."""

    NAME: ClassVar[str]
    """Name of the kind, and of the file of its templates: ``row`` and ``pair`` for the viewer, ``brief`` for the report."""
    UNIT: ClassVar[tuple[str, str]]
    """Name of a row, singular and plural."""
    FIELDS: ClassVar[tuple[Field, ...]]
    ROW: ClassVar[type[Any]]
    """Type of a row; other fields of the row are ignored."""
    HIGHER_IS_BETTER: ClassVar[bool] = True
    """Whether a higher score of a row is better."""
    VALUES: ClassVar[str] = "Values in percent"
    """Unit of the numbers in tables."""
    RESAMPLED: ClassVar[str] = ""
    """Name of the units that are resampled for intervals, if these are not the rows."""
    COMPARABLE: ClassVar[bool] = True
    """Whether two runs of the kind can be compared."""
    GROUPINGS: ClassVar[tuple[Grouping, ...]] = ()
    """Groupings for the comparison of runs, the default first."""
    MISTAKE_CONDITIONS: ClassVar[Conditions] = {}
    """Conditions of the findings that order rows with the same score; empty if there are none."""
    FIRST_COLUMN: ClassVar[str] = ""
    """Default sort key of rows, the worst first; a run without this score uses its first score."""

    def scan(self, row: Any, sums: Counter[Finding]) -> Mapping[Finding, int]:
        """Return the number of each finding in a row; add further counts to the sums of the run."""
        raise NotImplementedError

    def summary(self, row: Any) -> tuple[str, str]:
        """Return a few facts about a row, and its first text."""
        raise NotImplementedError

    def texts(self, row: Any) -> Iterator[str]:
        """Yield all searchable texts: utterances, and names and values of slots or their equivalents."""
        raise NotImplementedError

    def page(self, row: Any, filters: Mapping[str, str]) -> dict[str, Any]:
        """Return the template variables of a row; cells that match the filters are marked."""
        raise NotImplementedError

    def charts(self, run: OpenedRun, link: RowsLink) -> Iterator[Chart]:
        """Yield the charts of a run."""
        return iter(())

    def breakdowns(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield tables of groups; their numbers link to the rows."""
        return iter(())

    def pair(self, first: Any, second: Any, filters: Mapping[str, str]) -> dict[str, Any]:
        """Return the template variables of the same row in two runs."""
        return {"sides": [self.page(row, filters) for row in (first, second)]}

    def headline(self, manifest: Mapping[str, Any]) -> Headline:
        """Return the headline of a run: by default its first score."""
        first: Mapping[str, Any] = next(iter(manifest.get("scores") or ()), {})
        value = first.get("value")
        return Headline(f"{first.get('measure', '')} {score(value)}".strip(), value)

    def headlines(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield the main tables of the run: by default its scores, one row per measure, with links to the rows."""
        from .scores import score_table  # imported here, because it imports the code of trackers

        yield score_table(run, link)

    def result_lines(self, run: OpenedRun) -> list[str]:
        """Return the result in words, for a run that has no summary."""
        return []

    def ladders(self, run: OpenedRun) -> list[Chart]:
        """Return the forest plots of verdicts."""
        return [each for each in run.saved_charts if each.mark is FOREST]

    def means(self, run: OpenedRun) -> list[dict[str, Any]]:
        """Return scores that summarise other scores; they are listed first."""
        return []

    def derived(self, columns: Mapping[str, Column]) -> Mapping[str, Column]:
        """Return further scores of rows, computed from the scores in the index."""
        return {}

    def extra_conditions(self, run: OpenedRun) -> Conditions:
        """Return further conditions for the mistakes in comparisons of runs."""
        return {}

    def value(self, value: float | None) -> str:
        """Format a score of the run: by default a share in percent."""
        return score(value)

    def limits(self, entry: Mapping[str, Any]) -> str:
        """Format the interval of a score of the run, or the reason why there is none."""
        return interval(entry.get("ci"), str(entry.get("ci_reason") or ""))

    def cell(self, column: str, value: float) -> str:
        """Format the score of one row: by default a share in percent."""
        return score(value)

    def ranking(self, columns: Sequence[str]) -> str:
        """Return the default sort key of rows."""
        return self.FIRST_COLUMN if self.FIRST_COLUMN in columns else columns[0]

    def label(self, name: str) -> str:
        """Return the label of a field."""
        return next(field.label for field in self.FIELDS if field.name == name)


def kind_of(manifest: Mapping[str, Any]) -> RunKind:
    """Return the kind of a run.

    Raises:
        DialmeterError: this version cannot show the kind.

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
    kind: RunKind = import_module(f".{name}", __package__).KIND
    return kind
