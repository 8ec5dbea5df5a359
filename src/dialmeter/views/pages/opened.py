"""An opened run: its index and single rows at once, and the findings of all rows from their index or when they have been read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

import msgspec

from ...core.open_runs import Run, open_run, parse_row
from ...errors import DialmeterError, InputError
from .findings import RowFindings
from .findings_file import FILE, read_findings, scan_rows
from .kinds import RunKind, kind_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .charts import DrawnChart


class Opened:
    """A finished run to look at.

    Args:
        folder: the run's folder.
        key: its name in addresses and headings; by default the folder's name.

    Raises:
        DialmeterError: no finished run, or one of a kind that cannot be shown.
    """

    def __init__(self, folder: Path, key: str | None = None) -> None:
        self.key = folder.resolve().name if key is None else key
        self.run: Run = open_run(folder)
        self.manifest = self.run.manifest
        self.kind: RunKind = kind_of(self.manifest)
        self.read = 0
        self.drawn: dict[bool, list[DrawnChart]] = {}
        """Charts that are drawn already, for pages that are files and for those that are not."""
        self._lock = Lock()
        self._found: RowFindings | None = None
        self._problem: Exception | None = None
        self._done = Event()
        self._thread: Thread | None = None
        self.scores = self.run.scores

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """The warnings of the run, and the findings of its diagnosis."""
        listed = [*(self.manifest.get("warnings") or ()), *(self.manifest.get("diagnosis") or ())]
        return [{"code": "", "message": "", "where": (), **each} for each in listed]

    @cached_property
    def index(self) -> dict[str, NDArray[Any]]:
        """The index of the run, as far as it is whole.

        Raises:
            InputError: the index is missing or damaged.
        """
        found = self.run.index()
        rows = len(found["offset"])
        return {name: column for name, column in found.items() if column.shape == (rows,)}

    def __len__(self) -> int:
        return len(self.index["offset"])

    @cached_property
    def columns(self) -> dict[str, NDArray[np.float64]]:
        """The scores of every row, by measure."""
        found = {name: column for name, column in self.index.items() if name != "offset"}
        return {**found, **self.kind.derived(found)}

    @property
    def ranking(self) -> str:
        """The score by which rows are sorted by default."""
        return self.kind.ranking(list(self.columns)) if self.columns else ""

    def cell(self, name: str, position: int) -> str:
        """The score of one row, as pages show it."""
        return self.kind.cell(name, float(self.columns[name][position]))

    def row(self, position: int) -> dict[str, Any]:
        """One row by its position, without reading the others.

        Raises:
            InputError: the row is damaged.
        """
        return self.parse(self.run.line(int(self.index["offset"][position])), position)

    def parse(self, line: bytes, position: int) -> dict[str, Any]:
        """One row from its line.

        Raises:
            InputError: the row is damaged.
        """
        found = parse_row(line, self._rows_file, position + 1)
        try:
            msgspec.convert(found, self.kind.ROW)
        except msgspec.ValidationError as error:
            raise InputError(f"damaged: {error}", file=self._rows_file, line=position + 1) from None
        return {**found, **self._additions.get(found["id"], {})}

    @cached_property
    def _additions(self) -> Mapping[str, Mapping[str, Any]]:
        return self.kind.additions(self.run.folder)

    @property
    def _rows_file(self) -> str:
        return str(self.run.path("rows.jsonl"))

    @cached_property
    def is_indexed(self) -> bool:
        """Was an index of the findings written with the run? Earlier versions did not."""
        return self.run.path(FILE).exists()

    def start_reading(self) -> None:
        """Reads the index of findings, or all rows in a thread where there is none that fits; once."""
        with self._lock:
            if self._thread is None and not self._done.is_set():
                self._found = read_findings(self.run, self.kind)
                if self._found is not None and len(self._found.ids) == len(self):
                    self._done.set()
                    return
                self._thread = Thread(target=self._read_all, daemon=True)
                self._thread.start()

    def is_read(self, seconds: float = 0) -> bool:
        """Are the findings there? Waits a little for it."""
        return self._done.wait(seconds)

    @property
    def findings(self) -> RowFindings:
        """The findings of all rows; waits until they have been read.

        Raises:
            DialmeterError: a row is damaged.
        """
        self.start_reading()
        self._done.wait()
        if self._found is None:
            raise self._problem or DialmeterError(f"{self.key}: cannot be read")
        return self._found

    def _read_all(self) -> None:
        try:
            found = scan_rows(self.run, self.kind, self._count)
            if self.read != len(self):
                raise InputError(f"damaged: {self.read} rows, and {len(self)} in the index", file=self._rows_file)
            self._found = found
        except DialmeterError as error:
            self._problem = error
        except Exception as error:
            # An exception in a thread would be lost.
            self._problem = DialmeterError(f"{self.key}: cannot be read: {type(error).__name__}: {error}")
        finally:
            self._done.set()

    def _count(self) -> None:
        self.read += 1


def named_apart(folders: Sequence[str]) -> list[str]:
    """Short names for runs: the folder's, with as many parent folders as make it unique.

    Example:
        >>> named_apart(["runs/a", "runs/b"]), named_apart(["x/run", "y/run"])
        (['a', 'b'], ['x/run', 'y/run'])

    Raises:
        DialmeterError: a run is named twice.
    """
    whole = [Path(folder).resolve() for folder in folders]
    if len(set(whole)) < len(whole):
        raise DialmeterError("a run is named twice")
    depth = 1
    while len({path.parts[-depth:] for path in whole}) < len(whole):
        depth += 1
    return ["/".join(path.parts[-depth:]) for path in whole]
