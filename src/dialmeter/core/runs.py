"""A run on disk: a folder that holds all that was measured and all that one wants to look at afterwards.

``run.json`` is written last, so that a folder without it is an unfinished run. Nothing in it depends on the clock, the
machine or a path; that stands in ``log.json``.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from .._version import __version__
from ..errors import DialmeterError, InputError, writing
from ..views import as_polars
from .parquet import check_parquet, finite, write_parquet

if TYPE_CHECKING:
    import numpy as np
    import polars

SCHEMA = 1
_BATCH = 256
_CHUNK = 1 << 20


class RowPart:
    """The rows of one part of a run, appended and flushed to disk by batch; a part that is there is gone on with.

    Args:
        path: the part's file, in a folder that exists when the first batch is full.
        resume: go on with what is there; otherwise it is not looked at.

    Attributes:
        done: the dialogues whose rows are on disk already.
    """

    def __init__(self, path: Path, resume: bool = True) -> None:
        self._path = path
        self._pending: list[bytes] = []
        if resume:
            _cut_torn_line(path)
        self.done = _ids(path) if resume else set()

    def add(self, row: Any) -> None:
        """Takes one dialogue's row, an object or a struct; it must have an ``id`` that is not done yet."""
        self._pending.append(msgspec.json.encode(row) + b"\n")
        if len(self._pending) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Appends what has not been written."""
        with open(self._path, "ab") as file:
            file.write(b"".join(self._pending))
            file.flush()
            os.fsync(file.fileno())
        self._pending.clear()

    @property
    def full(self) -> bool:
        """Would the next row fill a batch?"""
        return len(self._pending) + 1 >= _BATCH


def row_part(parts: str | Path, number: int, resume: bool = True) -> RowPart:
    """The part of a run that belongs to a shard, for whoever works it, in this process or in another.

    Args:
        parts: the folder that ``RunWriter.begin`` gives.
        number: the shard's place among the shards.
        resume: go on with what is there.
    """
    return RowPart(Path(parts) / f"rows-{number:06}.jsonl", resume)


class RunWriter:
    """Writes a run row by row, so that a run that is killed can go on.

    Rows of a run that is worked in shards stand in one part per shard (:func:`row_part`); ``add`` is for the first part.

    Args:
        folder: where the run goes.
        identity: what makes the run this run (inputs, rules, measures); a run goes on only with the same.
        resume: go on with an unfinished run.
        force: replace a run that is there.
        parquet: write the rows as Parquet, too.

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
    ) -> None:
        if parquet:
            check_parquet()
        self.folder = Path(folder)
        self._parquet = parquet
        self._parts = self.folder / "parts"
        self._started = time.time()
        self._begun = False
        # Another version may cut the input into other shards, so one goes on only with the same.
        self._identity = msgspec.json.encode({**identity, "dialmeter": __version__}, order="sorted")
        with writing(self.folder):
            self._resumes = self._may_write(resume, force)
            self._first = row_part(self._parts, 0, self._resumes)
        self.done = self._first.done

    def _may_write(self, resume: bool, force: bool) -> bool:
        """Does the run go on with an unfinished one? Refuses a folder that is taken."""
        if self.folder.exists() and not self.folder.is_dir():
            raise DialmeterError(f"{self.folder}: is a file; --out names a folder")
        unfinished = self._parts.exists()
        if force:
            return False
        if (self.folder / "run.json").exists():
            # Whoever was killed after the last write left the parts of a run that is finished all the same.
            shutil.rmtree(self._parts, ignore_errors=True)
            raise DialmeterError(f"{self.folder}: holds a finished run; replace it with --force")
        if not unfinished:
            if self.folder.exists() and any(self.folder.iterdir()):
                raise DialmeterError(f"{self.folder}: is not empty; replace what is there with --force")
            return False
        if not resume:
            raise DialmeterError(
                f"{self.folder}: holds an unfinished run; go on with --resume or start again with --force"
            )
        begun = self._parts / "identity.json"
        if not begun.exists() or begun.read_bytes() != self._identity:
            raise DialmeterError(
                f"{self.folder}: the unfinished run has other input, rules or measures; start again with --force"
            )
        return True

    def add(self, row: Any) -> None:
        """Takes one dialogue's row into the first part; the folder is made when there is something to keep."""
        if self._first.full:
            self._begin()
        self._first.add(row)

    def begin(self) -> Path:
        """Makes the folder before the first row, for work that takes long until then, and gives the place of its parts."""
        with writing(self.folder):
            self._begin()
        return self._parts

    def _begin(self) -> None:
        if not self._begun and not self._resumes:
            # What a run wrote is removed, and nothing else.
            shutil.rmtree(self._parts, ignore_errors=True)
            for name in ("run.json", "rows.jsonl", "rows.parquet", "index.npz", "log.json", "report.md"):
                (self.folder / name).unlink(missing_ok=True)
            self._parts.mkdir(parents=True)
            _write_atomically(self._parts / "identity.json", self._identity)
        self._begun = True

    def abandon(self) -> None:
        """Takes back what was begun for input that turned out to be bad; an older unfinished run stays."""
        if self._begun and not self._resumes:
            shutil.rmtree(self._parts, ignore_errors=True)
            with suppress(OSError):
                self.folder.rmdir()

    def finish(
        self, manifest: Mapping[str, Any], columns: Mapping[str, Sequence[float | None]], extra: Mapping[str, str]
    ) -> None:
        """Closes the run.

        Args:
            manifest: what goes into ``run.json``.
            columns: a score per row for each name, for the index.
            extra: further text files, name → content.
        """
        with writing(self.folder):
            self._finish(manifest, columns, extra)

    def _finish(
        self, manifest: Mapping[str, Any], columns: Mapping[str, Sequence[float | None]], extra: Mapping[str, str]
    ) -> None:
        import numpy as np

        self._begin()
        self._first.flush()
        _join(sorted(self._parts.glob("rows-*.jsonl")), self.folder / "rows.jsonl")
        arrays = {
            name: np.array([np.nan if value is None else value for value in values]) for name, values in columns.items()
        }
        offsets = np.array(list(_offsets(self.folder / "rows.jsonl")), dtype=np.int64)
        np.savez(
            self.folder / "index.npz",
            allow_pickle=False,
            offset=offsets,
            **{f"score:{name}": array for name, array in arrays.items()},
        )
        for name, text in extra.items():
            _write_atomically(self.folder / name, text.encode())
        if self._parquet:
            write_parquet(self.folder / "rows.jsonl", self.folder / "rows.parquet", columns)
        log = {
            "dialmeter": __version__,
            "python": platform.python_version(),
            "machine": platform.platform(),
            "seconds": round(time.time() - self._started, 3),
            "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        }
        _write_atomically(self.folder / "log.json", _pretty(log))
        _write_atomically(self.folder / "run.json", _pretty({"schema": SCHEMA, "dialmeter": __version__, **manifest}))
        # Only now: whoever is killed before this line leaves a finished run, before the last an unfinished one.
        shutil.rmtree(self._parts)


class Run:
    """A finished run.

    Args:
        folder: the run's folder.

    Attributes:
        digest: SHA-256 of ``run.json``, which tells a run from the one that replaced it.

    Raises:
        DialmeterError: no finished run there.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        manifest = self.folder / "run.json"
        if not manifest.exists():
            unfinished = (self.folder / "parts").exists()
            reason = "an unfinished run; go on with --resume" if unfinished else "no run here (run.json is missing)"
            raise DialmeterError(f"{folder}: {reason}")
        data = manifest.read_bytes()
        self.digest = hashlib.sha256(data).hexdigest()
        try:
            self.manifest: dict[str, Any] = msgspec.json.decode(data, type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise InputError(f"damaged: {error}", file=str(manifest)) from None
        if self.manifest.get("schema") != SCHEMA:
            raise InputError(
                f"schema {self.manifest.get('schema')!r} is not {SCHEMA}, the one this version reads",
                file=str(manifest),
            )

    @property
    def scores(self) -> list[dict[str, Any]]:
        """The scores as in JSON."""
        found: list[dict[str, Any]] = self.manifest["scores"]
        return found

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows, one per dialogue, in order."""
        with open(self.folder / "rows.jsonl", "rb") as file:
            for line in file:
                yield msgspec.json.decode(line, type=dict[str, Any])

    def index(self) -> dict[str, np.ndarray[Any, Any]]:
        """Byte offsets of the rows (``offset``) and a column per score."""
        import numpy as np

        with np.load(self.folder / "index.npz", allow_pickle=False) as file:
            return {name.removeprefix("score:"): file[name] for name in file.files}

    def to_polars(self) -> polars.DataFrame:
        """One row per dialogue: its id and its scores.

        Raises:
            MissingExtra: polars is not installed.
        """
        scores = {name: [*map(finite, values.tolist())] for name, values in self.index().items() if name != "offset"}
        return as_polars({"id": [row["id"] for row in self], **scores})

    def row(self, position: int) -> dict[str, Any]:
        """One row by its position, without reading the others."""
        with open(self.folder / "rows.jsonl", "rb") as file:
            file.seek(int(self.index()["offset"][position]))
            return msgspec.json.decode(file.readline(), type=dict[str, Any])


def input_of(role: str, path: str) -> dict[str, str | None]:
    """An input's name without its folder, and its SHA-256; standard input cannot be read twice and has none."""
    if path == "-":
        return {"role": role, "name": "standard input", "sha256": None}
    root = Path(path)
    if not root.exists():
        raise InputError("no such file", file=path)
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*.json*")) if root.is_dir() else [root]:
        if root.is_dir():
            digest.update(file.relative_to(root).as_posix().encode() + b"\0")
        with open(file, "rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    return {"role": role, "name": root.name, "sha256": digest.hexdigest()}


def open_run(folder: str | Path) -> Run:
    """Opens a finished run.

    Raises:
        DialmeterError: no finished run there.

    Example:
        >>> open_run("no-such-folder")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: no-such-folder: no run here (run.json is missing)
    """
    return Run(folder)


def _join(parts: Sequence[Path], target: Path) -> None:
    """One file from several, in their order, without holding any of them."""
    whole = target.with_name(target.name + ".part")
    with open(whole, "wb") as file:
        for part in parts:
            with open(part, "rb") as rows:
                shutil.copyfileobj(rows, file, _CHUNK)
        file.flush()
        os.fsync(file.fileno())
    os.replace(whole, target)


def _cut_torn_line(path: Path) -> None:
    """Removes what stands behind the last whole line."""
    if not path.exists():
        return
    with open(path, "r+b") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - _CHUNK)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
        file.truncate(end)


def _ids(path: Path) -> set[str]:
    found = set()
    if path.exists():
        with open(path, "rb") as file:
            found = {msgspec.json.decode(line, type=dict[str, Any])["id"] for line in file}
    return found


def _offsets(path: Path) -> Iterator[int]:
    position = 0
    with open(path, "rb") as file:
        for line in file:
            yield position
            position += len(line)


def _write_atomically(path: Path, data: bytes) -> None:
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    os.replace(part, path)


def _pretty(thing: Mapping[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(dict(thing)), indent=1) + b"\n"
