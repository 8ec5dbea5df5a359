"""Write a run to disk row by row. A killed run can be continued, and a finished run stays until the new one is complete.

``parts/`` holds the unfinished run: ``identity.json`` (it identifies the run; without it nothing has begun), the rows, and at the
end the files of the new run. ``parts/whole`` takes precedence over the files in the run's folder. Its files are moved there at
once.
"""

from __future__ import annotations

import fnmatch
import os
import platform
import shutil
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from .._version import __version__
from ..errors import DialmeterError, reading, writing
from ..readers.source import Span
from ..readers.strict_json import parse_as
from .lock import LOCK, Lock, flock
from .open_runs import LOG_TIME, PARTS, SCHEMA, SUMMARY, WHOLE_RUN, RowId
from .output import commit, cut_torn_line, flush_folder, replace_file, settle, write_all

_BATCH = 256
_CHUNK = 1 << 20
_RUN_FILES = (
    "run.json",
    "rows.jsonl",
    "index.npz",
    "findings.npz",
    "log.json",
    "report.md",
    "report.html",
    "report.tex",
    "document.json",
    "charts.json",
    SUMMARY,
)
"""The files of a run. Reports are derived from the run, so they are removed with it."""
_IN_PARTS = ("identity.json*", "rows*.jsonl", "scores", "new", "whole")


class RowPart:
    """The rows of one part of a run. They are appended and flushed to disk in batches; an existing part is continued.

    The file of a part is locked, because a worker may keep running for a while after the process that started it was killed.

    Args:
        path: the part's file. Its folder must exist when the first batch is full.
        resume: continue with existing rows; otherwise they are ignored.
    """

    def __init__(self, path: Path, resume: bool = True) -> None:
        self._path = path
        self._pending: list[bytes] = []
        self._file: IO[bytes] | None = None
        self._done: set[str] | None = None if resume else set()

    @property
    def done(self) -> set[str]:
        """The ids of the dialogues whose rows are already on disk."""
        if self._done is None:
            self._done = set()
            if self._path.exists():
                self._open()
                with reading(self._path), open(self._path, "rb") as file:
                    self._done = {
                        parse_as(line, RowId, str(self._path), number, what="a row of an unfinished run").id
                        for number, line in enumerate(file, 1)
                    }
        return self._done

    def _open(self) -> IO[bytes]:
        if self._file is None:
            self._file = open(self._path, "a+b", buffering=0)  # noqa: SIM115  closed by close
            weakref.finalize(self, self._file.close)
            flock(self._file, wait=True)
            cut_torn_line(self._file)
        return self._file

    def add(self, row: Any) -> None:
        """Add one dialogue's row, an object or a struct. It must have an ``id`` that is not in ``done``."""
        self._pending.append(msgspec.json.encode(row) + b"\n")
        if len(self._pending) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write the pending rows to disk.

        Raises:
            Unfinished: the file cannot be written.
        """
        if not self._pending:
            return
        with writing(self._path.parent.parent, resumable=True):
            file = self._open()
            write_all(file, b"".join(self._pending))
            os.fsync(file.fileno())
        self._pending.clear()

    def close(self) -> None:
        """Close the file and release its lock. Pending rows are not written."""
        if self._file is not None:
            self._file.close()

    @property
    def is_batch_nearly_full(self) -> bool:
        """True if the next row completes a batch."""
        return len(self._pending) + 1 >= _BATCH


def row_part(parts: str | Path, number: int, resume: bool = True) -> RowPart:
    """Return the rows of one shard. They are written by this process or by another one.

    Args:
        parts: the folder that ``RunWriter.begin`` returns.
        number: the index of the shard.
        resume: continue with existing rows.
    """
    return RowPart(Path(parts) / f"rows-{number:06}.jsonl", resume)


Settings = TypeVar("Settings")


class ShardTask(Struct, Generic[Settings], frozen=True):
    """One shard to score; it can be sent between processes.

    Attributes:
        span: the lines to read.
        number: the index of the shard.
        settings: scoring settings, the same for all shards.
        parts: the folder for the rows of the run; None if no run is written.
    """

    span: Span
    number: int
    settings: Settings
    parts: str | None = None

    @contextmanager
    def open_rows(self) -> Iterator[RowPart | None]:
        """Open the file for the shard's rows. It is complete on disk after the block. Yield None if no run is written."""
        if self.parts is None:
            yield None
            return
        rows = row_part(self.parts, self.number)
        yield rows
        rows.flush()
        rows.close()


class RunWriter:
    """Writer of a run. It writes row by row, and continues an unfinished run.

    No other process can write the run until ``close`` or ``finish``. A run that is processed in shards has one part per shard
    (:func:`row_part`); ``add`` is for the first part.

    Args:
        folder: the folder of the run.
        identity: the inputs, rules and measures that identify the run; only a run with the same identity is continued.
        force: replace an existing run when the new one is complete; an unfinished run is started again.
        rows: True if the run has a row for each dialogue or case that it counts. Otherwise there is nothing to continue.
        index: adds a file to the folder of a run that is otherwise complete, before the run is moved into place.

    Raises:
        DialmeterError: the folder is in use, or it holds a finished run, or an unfinished one with another identity.
    """

    def __init__(
        self,
        folder: str | Path,
        identity: Mapping[str, Any],
        *,
        force: bool = False,
        rows: bool = True,
        index: Callable[[Path], None] | None = None,
    ) -> None:
        self.folder = Path(folder)
        self._has_rows = rows
        self._index = index
        self._parts = self.folder / PARTS
        self._whole = self.folder / WHOLE_RUN
        self._started = time.time()
        self._begun = False
        self._kept: dict[str, str] = {}
        # Another version may split the input into other shards, so only the same version continues a run.
        self._identity = msgspec.json.encode({**identity, "dialmeter": __version__}, order="sorted")
        if self.folder.exists() and not self.folder.is_dir():
            raise DialmeterError(f"{self.folder}: is a file; --out needs a folder")
        self._lock = Lock(self.folder, folder=True)
        try:
            with writing(self.folder):
                self._resumes = self._check_folder(force)
        except BaseException:
            self._lock.release()
            raise
        self._first = row_part(self._parts, 0, self._resumes)

    @property
    def done(self) -> set[str]:
        """The ids of the dialogues of the first part whose rows are already on disk."""
        with writing(self.folder):
            return self._first.done

    def _check_folder(self, force: bool) -> bool:
        """Return True if an unfinished run is continued. Raise an error if the folder may not be written."""
        settle(self._whole, self.folder)
        inside = [path.name for path in self._parts.iterdir()] if self._parts.exists() else []
        foreign = [name for name in inside if not any(fnmatch.fnmatchcase(name, each) for each in _IN_PARTS)]
        begun = self._parts / "identity.json"
        if foreign and not begun.exists():
            raise DialmeterError(
                f"{self._parts / foreign[0]}: does not belong to a run; --out needs a folder for this run only"
            )
        if force:
            return False
        finished, unfinished = (self.folder / "run.json").exists(), begun.exists()
        if finished and not unfinished:
            self._discard()
            raise DialmeterError(f"{self.folder}: holds a finished run; use --force to replace it")
        if not self._parts.exists():
            if any(path.name != LOCK for path in self.folder.iterdir()):
                raise DialmeterError(f"{self.folder}: is not empty; use --force to replace its content")
            return False
        if not self._has_rows:
            return False
        if unfinished and begun.read_bytes() != self._identity:
            raise DialmeterError(
                f"{self.folder}: the unfinished run has other input, rules or measures; start again with --force"
            )
        return unfinished

    def add(self, row: Any) -> None:
        """Add one dialogue's row to the first part. The folder of the parts is created before the first batch is written."""
        if self._first.is_batch_nearly_full:
            self.begin()
        self._first.add(row)

    def begin(self) -> Path:
        """Create the folder of the parts and return its path. Call it before the first row if the first row takes long."""
        with writing(self.folder):
            if not self._begun and not self._resumes:
                self._discard()
                self._parts.mkdir()
                replace_file(self._parts / "identity.json", self._identity)
            self._begun = True
        return self._parts

    def _discard(self) -> None:
        """Remove the parts. The identity is removed first: without it the rest is not continued."""
        (self._parts / "identity.json").unlink(missing_ok=True)
        shutil.rmtree(self._parts, ignore_errors=True)

    def keep(self, name: str, text: str) -> None:
        """Add a text file to the run; ``finish`` writes it."""
        self._kept[name] = text

    def abandon(self) -> None:
        """Remove what this writer began, because the input is bad. A finished run and an older unfinished run stay."""
        self._first.close()
        if self._begun and not self._resumes:
            with writing(self.folder):
                self._discard()
        self.close()

    def close(self) -> None:
        """Release the lock, whether the run is finished or not."""
        self._first.close()
        self._lock.release()

    def finish(self, manifest: Mapping[str, Any], columns: Mapping[str, Sequence[float | None]] | None = None) -> None:
        """Write the remaining files of the run and move them into place.

        Args:
            manifest: the content of ``run.json``.
            columns: a score per row for each name, for the index.

        Raises:
            DialmeterError: the number of rows differs from the number of scores.
            Unfinished: the run cannot be written.
        """
        self.begin()
        with writing(self.folder, resumable=True):
            self._first.flush()
            new = self._parts / "new"
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir()
            self._write_files(new, manifest, columns or {})
            commit(new, self._whole, self.folder, _RUN_FILES)
            self._discard()
            flush_folder(self.folder)
        self.close()

    def _write_files(
        self, new: Path, manifest: Mapping[str, Any], columns: Mapping[str, Sequence[float | None]]
    ) -> None:
        """Write the files of the new run into a new folder."""
        import numpy as np

        _concatenate(sorted(self._parts.glob("rows-*.jsonl")), new / "rows.jsonl")
        offsets = np.array(list(_offsets(new / "rows.jsonl")), dtype=np.int64)
        self._check_row_count(len(offsets), manifest, columns)
        scores = {
            f"score:{name}": np.array([np.nan if value is None else value for value in values], dtype=np.float64)
            for name, values in columns.items()
        }
        np.savez(new / "index.npz", allow_pickle=False, offset=offsets, **scores)
        for name, text in self._kept.items():
            (new / name).write_text(text, "utf-8", newline="")
        log = {
            "dialmeter": __version__,
            "python": platform.python_version(),
            "machine": platform.platform(),
            "seconds": round(time.time() - self._started, 3),
            "finished": time.strftime(LOG_TIME),
        }
        (new / "log.json").write_bytes(_format_json(log))
        (new / "run.json").write_bytes(_format_json({"schema": SCHEMA, "dialmeter": __version__, **manifest}))
        if self._index:
            self._index(new)

    def _check_row_count(
        self, rows: int, manifest: Mapping[str, Any], columns: Mapping[str, Sequence[float | None]]
    ) -> None:
        counts = manifest.get("counts") or {}
        counted = [counts[name] for name in ("dialogues", "cases") if name in counts and self._has_rows][:1]
        for expected in (*counted, *map(len, columns.values())):
            if rows != expected:
                raise DialmeterError(
                    f"{self.folder}: cannot finish the run: it has {rows} rows for {expected} dialogues; "
                    "start again with --force"
                )


def _concatenate(parts: Sequence[Path], target: Path) -> None:
    """Write several files into one, in order, without loading any of them into memory."""
    with open(target, "wb") as file:
        for part in parts:
            with open(part, "rb") as rows:
                shutil.copyfileobj(rows, file, _CHUNK)


def _offsets(path: Path) -> Iterator[int]:
    position = 0
    with open(path, "rb") as file:
        for line in file:
            yield position
            position += len(line)


def _format_json(content: Mapping[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(dict(content)), indent=1) + b"\n"
