"""An opened run: its index, single rows, and the findings of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ...core.open_runs import SUMMARY, Run, open_run, parse_row
from ...errors import DialmeterError, InputError
from ...numeric import NDArray, np
from ..saved_charts import read_charts
from .findings import RowFindings, read_findings, scan_rows, search
from .kinds import RunKind, kind_of

if TYPE_CHECKING:
    from ..chart_files import Chart
    from .charts import DrawnChart


class OpenedRun:
    """A finished run, opened for pages.

    Args:
        folder: the run's folder.
        key: its name in addresses and headings; by default the folder's name.

    Raises:
        DialmeterError: the run is not finished, or its kind cannot be shown.
    """

    def __init__(self, folder: Path, key: str | None = None) -> None:
        self.key = folder.resolve().name if key is None else key
        self.run: Run = open_run(folder)
        self.manifest = self.run.manifest
        self.kind: RunKind = kind_of(self.manifest)
        self.drawn: dict[bool, list[DrawnChart]] = {}
        """Cache of drawn charts; the key is whether the pages are static files."""
        self.scores = self.run.scores

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """Warnings of the run, and findings of its diagnosis."""
        listed = [*(self.manifest.get("warnings") or ()), *(self.manifest.get("diagnosis") or ())]
        return [{"code": "", "message": "", "where": (), **each} for each in listed]

    @cached_property
    def index(self) -> dict[str, NDArray[Any]]:
        """The index of the run.

        Raises:
            InputError: the index is missing or damaged.
        """
        return self.run.index()

    def __len__(self) -> int:
        return len(self.index["offset"])

    @cached_property
    def columns(self) -> dict[str, NDArray[np.float64]]:
        """The scores of every row, by measure."""
        columns = {name: column for name, column in self.index.items() if name != "offset"}
        return {**columns, **self.kind.derived(columns)}

    @property
    def summary(self) -> str:
        """The summary that the terminal printed; for a run without one, its result in words."""
        file = self.run.path(SUMMARY)
        text = file.read_text("utf-8", "replace") if file.is_file() else ""
        return text.strip("\n") or "\n".join(self.kind.result_lines(self))

    @cached_property
    def saved_charts(self) -> list[Chart]:
        """The charts that the command which made the run kept."""
        return read_charts(self.run)

    @property
    def ranking(self) -> str:
        """Default sort key of rows."""
        return self.kind.ranking(list(self.columns)) if self.columns else ""

    def cell(self, name: str, position: int) -> str:
        """Format the score of one row for pages."""
        return self.kind.cell(name, float(self.columns[name][position]))

    def row(self, position: int) -> Any:
        """Read one row by its position, without reading other rows.

        Raises:
            InputError: the row is damaged.
        """
        row = parse_row(self.run.line(int(self.index["offset"][position])), self._rows_file, position + 1)
        try:
            return msgspec.convert(row, self.kind.ROW)
        except msgspec.ValidationError as error:
            raise InputError(f"damaged: {error}", file=self._rows_file, line=position + 1) from None

    @property
    def _rows_file(self) -> str:
        return str(self.run.path("rows.jsonl"))

    @cached_property
    def _indexed(self) -> RowFindings | None:
        found = read_findings(self.run, self.kind)
        return found if found is not None and len(found.ids) == len(self) else None

    def search(self, text: str) -> list[int]:
        """Return the positions of rows with a text; see :func:`~dialmeter.views.pages.findings.search`."""
        return search(self.run, self.kind, text, is_indexed=self._indexed is not None)

    @cached_property
    def findings(self) -> RowFindings:
        """The findings of all rows: from their index, or from the rows if no index matches the run.

        Raises:
            InputError: a row is damaged.
        """
        found = self._indexed or scan_rows(self.run, self.kind)
        if len(found.ids) != len(self):
            raise InputError(f"damaged: {len(found.ids)} rows, but {len(self)} in the index", file=self._rows_file)
        return found

    @cached_property
    def mistakes(self) -> NDArray[np.int64]:
        """The number of mistakes of each row; zeros if the rows cannot be read."""
        import numpy as np

        if not self.kind.MISTAKE_CONDITIONS or self.problem:
            return np.zeros(len(self), dtype=np.int64)
        conditions = {**self.kind.MISTAKE_CONDITIONS, **self.kind.extra_conditions(self)}
        return self.findings.by_row(conditions)[:, 0].astype(np.int64)

    @property
    def problem(self) -> str:
        """Why the rows cannot be counted; empty if they can."""
        try:
            _ = self.findings
        except DialmeterError as error:
            return str(error)
        return ""


def unique_names(folders: Sequence[str]) -> list[str]:
    """Return unique short names for runs: the folder's name, with as many parent folders as needed.

    Example:
        >>> unique_names(["runs/a", "runs/b"]), unique_names(["x/run", "y/run"])
        (['a', 'b'], ['x/run', 'y/run'])

    Raises:
        DialmeterError: a run is given twice.
    """
    paths = [Path(folder).resolve() for folder in folders]
    if len(set(paths)) < len(paths):
        raise DialmeterError("duplicate run: give each run once")
    depth = 1
    while len({path.parts[-depth:] for path in paths}) < len(paths):
        depth += 1
    return ["/".join(path.parts[-depth:]) for path in paths]
