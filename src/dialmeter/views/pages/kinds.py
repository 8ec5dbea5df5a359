"""Which kinds of runs can be looked at, and what a kind has to say about its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, cast

from ...errors import DialmeterError, did_you_mean
from ..tables import Table
from .findings import Finding

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from .opened import Opened

    Column: TypeAlias = NDArray[np.float64]

RowsLink: TypeAlias = Callable[["Opened", Mapping[str, str]], str]
"""Where the rows of a run stand that pass a filter."""

MODULES = {"tracker": "tracker", "user": "user", "judge": "judge"}


class Field(NamedTuple):
    """A field of findings: its name in addresses, its label, and whether one can choose it from a list."""

    name: str
    label: str
    listed: bool = True


class Scanned(NamedTuple):
    """What one row holds: its id, and how often each finding stands in it."""

    id: str
    findings: Mapping[Finding, int]


class Picture(NamedTuple):
    """A chart that is drawn when it is needed, its data, and what each of its links is called."""

    name: str
    title: str
    draw: Callable[[], Figure]
    table: Table
    links: Mapping[str, str] = {}


class Headline(NamedTuple):
    """What the list of runs says of a run, and the number that it is sorted by."""

    text: str
    value: float | None


class Kind(Protocol):
    """One kind of run; implemented by the modules beside this one."""

    NAME: str
    UNIT: tuple[str, str]
    """What a row is, one and many."""
    FIELDS: tuple[Field, ...]
    HIGHER_IS_BETTER: bool
    """Of the scores of rows."""
    PAGE: str
    """The template of one row; the one of a pair is beside it."""
    ROW: type[Any]
    """What a row must hold to be shown."""

    def scan(self, line: bytes, sums: Counter[Finding]) -> Scanned:
        """What stands in one line of rows.jsonl; further counts are added to the sums of the run."""

    def teaser(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """A few facts about a row, and its first words."""

    def texts(self, row: Mapping[str, Any]) -> Iterator[str]:
        """All that was said, for search."""

    def page(self, row: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
        """What the template shows of a row; cells that pass the filter are marked."""

    def pair(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
        """What the template shows of the same row in two runs."""

    def pictures(self, runs: Sequence[Opened], link: RowsLink) -> Iterator[Picture]:
        """The charts of one run, or of several side by side."""

    def breakdowns(self, run: Opened) -> Iterator[Table]:
        """Tables of groups."""

    def headline(self, manifest: Mapping[str, Any]) -> Headline:
        """What one reads of a run first; the manifest comes from a file and may hold anything."""

    def means(self, run: Opened) -> list[dict[str, Any]]:
        """Scores that sum others up, to stand before them."""

    def headlines(self, run: Opened) -> Iterator[Table]:
        """The scores of the run."""

    def derived(self, columns: Mapping[str, Column]) -> Mapping[str, Column]:
        """Further scores of rows, made from those in the index."""

    def beside(self, folder: Path) -> Mapping[str, Mapping[str, Any]]:
        """What other files in the run's folder add to rows, by id."""

    def cell(self, column: str, value: float) -> str:
        """The score of one row."""

    def ranking(self, columns: Sequence[str]) -> str:
        """The score by which rows are sorted when nothing else is asked for, the worst first."""

    def again(self, manifest: Mapping[str, Any]) -> str:
        """The command that makes the run again."""


def kind_of(manifest: Mapping[str, Any]) -> Kind:
    """The module for a run.

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
    if name not in MODULES:
        raise DialmeterError(f"a run of kind {name!r} cannot be shown; {did_you_mean(name, MODULES)}")
    return cast(Kind, import_module(f".{MODULES[name]}", __package__))
