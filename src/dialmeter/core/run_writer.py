"""Writes a run on disk row by row, so that a killed run can be continued, and a finished one stays until the new one is whole.

``parts/`` holds what is being made: ``identity.json`` (what makes the run this run; without it nothing has begun), the rows, and at
the end the files of the new run. ``parts/whole`` counts before the files in the run's folder, into which it is moved at once.
"""

from __future__ import annotations

import fnmatch
import os
import platform
import shutil
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

from .._version import __version__
from ..errors import DialmeterError, writing
from ..readers.strict_json import parse_as
from .lock import LOCK, Lock, flock
from .open_runs import LOG_TIME, PARTS, SCHEMA, WHOLE_RUN
from .output import commit, cut_torn_line, flush_folder, replace_file, settle, write_all
from .tabular import RowId, check_parquet, write_parquet

_BATCH = 256
_CHUNK = 1 << 20
_OURS = (
    "run.json",
    "rows.jsonl",
    "rows.parquet",
    "index.npz",
    "findings.npz",
    "log.json",
    "report.md",
    "report.html",
    "report.tex",
    "document.json",
    "chart-*.svg",
)
"""The files of a run. Reports are made from it, so that they go with it."""
_IN_PARTS = ("identity.json*", "rows*.jsonl", "scores", "new", "whole")


class RowPart:
    """The rows of one part of a run, appended and flushed to disk by batch; an existing part is continued.

    A worker may live on for a while when the process that started it was killed, so that a part is locked.

    Args:
        path: the part's file, in a folder that exists when the first batch is full.
        resume: continue with existing rows; otherwise they are ignored.
    """

    def __init__(self, path: Path, resume: bool = True) -> None:
        self._path = path
        self._pending: list[bytes] = []
        self._file: IO[bytes] | None = None
        self._done: set[str] | None = None if resume else set()

    @property
    def done(self) -> set[str]:
        """The dialogues whose rows were on disk already."""
        if self._done is None:
            self._done = set()
            if self._path.exists():
                self._opened()
                with open(self._path, "rb") as file:
                    self._done = {
                        parse_as(line, RowId, str(self._path), number, what="a row of an unfinished run").id
                        for number, line in enumerate(file, 1)
                    }
        return self._done

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            self._file = open(self._path, "a+b", buffering=0)  # noqa: SIM115  closed by close
            weakref.finalize(self, self._file.close)
            flock(self._file, wait=True)
            cut_torn_line(self._file)
        return self._file

    def add(self, row: Any) -> None:
        """Takes one dialogue's row, an object or a struct; it must have an ``id`` that is not done yet."""
        self._pending.append(msgspec.json.encode(row) + b"\n")
        if len(self._pending) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Appends what has not been written.

        Raises:
            Unfinished: it cannot be written.
        """
        if not self._pending:
            return
        with writing(self._path.parent.parent, resumable=True):
            file = self._opened()
            write_all(file, b"".join(self._pending))
            os.fsync(file.fileno())
        self._pending.clear()

    def close(self) -> None:
        """Lets others write; what is pending is not written."""
        if self._file is not None:
            self._file.close()

    @property
    def full(self) -> bool:
        """Would the next row fill a batch?"""
        return len(self._pending) + 1 >= _BATCH


def row_part(parts: str | Path, number: int, resume: bool = True) -> RowPart:
    """The rows of one shard, written by this process or by another one.

    Args:
        parts: the folder that ``RunWriter.begin`` gives.
        number: the shard's place among the shards.
        resume: continue with existing rows.
    """
    return RowPart(Path(parts) / f"rows-{number:06}.jsonl", resume)


class RunWriter:
    """Writes a run row by row, so that a killed run can be continued. Nobody else can write it until ``close`` or ``finish``.

    Rows of a run that is worked in shards are in one part per shard (:func:`row_part`); ``add`` is for the first part.

    Args:
        folder: where the run goes.
        identity: what makes the run this run (inputs, rules, measures); only a run with the same is continued.
        resume: continue an unfinished run.
        force: replace a run that is there, when the new one is whole.
        parquet: write the rows as Parquet, too.
        rows: does the run have rows? What a run without rows counts is somewhere else.
        index: adds a file to the folder of a run that is otherwise whole, before the run gets its place.

    Raises:
        DialmeterError: the folder is taken, or the unfinished run in it is another one.
    """

    def __init__(
        self,
        folder: str | Path,
        identity: Mapping[str, Any],
        *,
        resume: bool = False,
        force: bool = False,
        parquet: bool = False,
        rows: bool = True,
        index: Callable[[Path], None] | None = None,
    ) -> None:
        if parquet:
            check_parquet()
        self.folder = Path(folder)
        self._parquet = parquet
        self._has_rows = rows
        self._index = index
        self._parts = self.folder / PARTS
        self._whole = self.folder / WHOLE_RUN
        self._started = time.time()
        self._begun = False
        # Another version may cut the input into other shards, so a run is continued only by the same version.
        self._identity = msgspec.json.encode({**identity, "dialmeter": __version__}, order="sorted")
        if self.folder.exists() and not self.folder.is_dir():
            raise DialmeterError(f"{self.folder}: is a file; --out names a folder")
        self._lock = Lock(self.folder, folder=True)
        try:
            with writing(self.folder):
                self._resumes = self._may_write(resume, force)
        except BaseException:
            self._lock.release()
            raise
        self._first = row_part(self._parts, 0, self._resumes)

    @property
    def done(self) -> set[str]:
        """The dialogues of the first part whose rows are on disk already."""
        with writing(self.folder):
            return self._first.done

    def _may_write(self, resume: bool, force: bool) -> bool:
        """Is an unfinished run continued? Refuses a folder that is taken."""
        settle(self._whole, self.folder)
        inside = [path.name for path in self._parts.iterdir()] if self._parts.exists() else []
        foreign = [name for name in inside if not any(fnmatch.fnmatchcase(name, each) for each in _IN_PARTS)]
        begun = self._parts / "identity.json"
        if foreign and not begun.exists():
            raise DialmeterError(f"{self._parts / foreign[0]}: is not of a run; --out names a folder for the run alone")
        if force:
            return False
        finished, unfinished = (self.folder / "run.json").exists(), begun.exists()
        if finished and not unfinished:
            self._discard()
            raise DialmeterError(f"{self.folder}: holds a finished run; replace it with --force")
        if not self._parts.exists():
            if any(path.name != LOCK for path in self.folder.iterdir()):
                raise DialmeterError(f"{self.folder}: is not empty; replace what is there with --force")
            return False
        if not resume:
            what = "a finished run, and an unfinished one to replace it" if finished else "an unfinished run"
            raise DialmeterError(f"{self.folder}: holds {what}; go on with --resume or start again with --force")
        if unfinished and begun.read_bytes() != self._identity:
            raise DialmeterError(
                f"{self.folder}: the unfinished run has other input, rules or measures; start again with --force"
            )
        return unfinished

    def add(self, row: Any) -> None:
        """Takes one dialogue's row into the first part; the parts are made when there is something to keep."""
        if self._first.full:
            self.begin()
        self._first.add(row)

    def begin(self) -> Path:
        """Makes the parts before the first row, for work that takes long until then, and gives their place."""
        with writing(self.folder):
            if not self._begun and not self._resumes:
                self._discard()
                self._parts.mkdir()
                replace_file(self._parts / "identity.json", self._identity)
            self._begun = True
        return self._parts

    def _discard(self) -> None:
        """Removes the parts, the identity first: without it the rest is not continued."""
        (self._parts / "identity.json").unlink(missing_ok=True)
        shutil.rmtree(self._parts, ignore_errors=True)

    def abandon(self) -> None:
        """Takes back what was begun for input that turned out to be bad; a finished run and an older unfinished one stay."""
        self._first.close()
        if self._begun and not self._resumes:
            with writing(self.folder):
                self._discard()
        self.close()

    def close(self) -> None:
        """Lets others write the run, finished or not."""
        self._first.close()
        self._lock.release()

    def finish(
        self, manifest: Mapping[str, Any], columns: Mapping[str, Sequence[float | None]], extra: Mapping[str, str]
    ) -> None:
        """Closes the run.

        Args:
            manifest: what goes into ``run.json``.
            columns: a score per row for each name, for the index.
            extra: further text files, name → content.

        Raises:
            DialmeterError: there are more or fewer rows than scores.
            Unfinished: the run cannot be written to.
        """
        self.begin()
        with writing(self.folder, resumable=True):
            self._first.flush()
            new = self._parts / "new"
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir()
            self._write(new, manifest, columns, extra)
            commit(new, self._whole, self.folder, _OURS)
            self._discard()
            flush_folder(self.folder)
        self.close()

    def _write(
        self,
        new: Path,
        manifest: Mapping[str, Any],
        columns: Mapping[str, Sequence[float | None]],
        extra: Mapping[str, str],
    ) -> None:
        """Writes the files of the new run into a new folder."""
        import numpy as np

        _join(sorted(self._parts.glob("rows-*.jsonl")), new / "rows.jsonl")
        offsets = np.array(list(_offsets(new / "rows.jsonl")), dtype=np.int64)
        self._check(len(offsets), manifest, columns)
        scores = {
            f"score:{name}": np.array([np.nan if value is None else value for value in values])
            for name, values in columns.items()
        }
        np.savez(new / "index.npz", allow_pickle=False, offset=offsets, **scores)
        for name, text in extra.items():
            (new / name).write_text(text, "utf-8", newline="")
        if self._parquet:
            write_parquet(new / "rows.jsonl", new / "rows.parquet", columns)
        log = {
            "dialmeter": __version__,
            "python": platform.python_version(),
            "machine": platform.platform(),
            "seconds": round(time.time() - self._started, 3),
            "finished": time.strftime(LOG_TIME),
        }
        (new / "log.json").write_bytes(_pretty(log))
        (new / "run.json").write_bytes(_pretty({"schema": SCHEMA, "dialmeter": __version__, **manifest}))
        if self._index:
            self._index(new)

    def _check(self, rows: int, manifest: Mapping[str, Any], columns: Mapping[str, Sequence[float | None]]) -> None:
        counts = manifest.get("counts") or {}
        counted = [counts[name] for name in ("dialogues", "cases") if name in counts and self._has_rows][:1]
        for expected in (*counted, *map(len, columns.values())):
            if rows != expected:
                raise DialmeterError(
                    f"{self.folder}: {rows} rows for {expected} dialogues, so that the run is not closed; "
                    "start again with --force"
                )


def _join(parts: Sequence[Path], target: Path) -> None:
    """One file from several, in their order, without holding any of them."""
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


def _pretty(thing: Mapping[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(dict(thing)), indent=1) + b"\n"
