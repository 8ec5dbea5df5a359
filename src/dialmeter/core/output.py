"""Write files safely: to a file next to the target, which is flushed to disk and then renamed.

The old file stays until the new one is complete, even if the process is killed or the disk fails.
"""

from __future__ import annotations

import fnmatch
import gzip
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import IO, BinaryIO, Generic, TypeVar, cast

import msgspec

from ..errors import DialmeterError, InputError, one_line, reading, writing
from ..readers.strict_json import parse_as
from .lock import LOCK, Lock, locked

Record = TypeVar("Record")

_CHUNK = 1 << 20
NEW, WHOLE, OLD = ".new", ".whole", ".old"
_STALE = ".stale"


def check_target(path: str | Path, *, force: bool) -> None:
    """Check that a file may be written, before any work is done; see :func:`new_file`.

    Args:
        path: the file.
        force: replace an existing file.

    Raises:
        DialmeterError: the file exists, it is not a regular file, or another process is writing it.
    """
    with _lock_target(path, force):
        pass


@contextmanager
def _lock_target(path: str | Path, force: bool) -> Iterator[Path]:
    """Lock a file for one writer, and yield its path with links resolved."""
    name, target = one_line(str(path), 200), Path(os.path.realpath(path))
    with writing(name):
        if target.is_dir():
            raise DialmeterError(f"{name}: is a folder; --out needs a file")
        if target.exists() and force and not target.is_file():
            raise DialmeterError(f"{name}: is not a regular file")
        with Lock(target, name=path):
            refuse_replacing(path, force=force)
            yield target


def refuse_replacing(path: str | Path, *, force: bool) -> None:
    """Raise an error if a file exists and may not be replaced.

    Raises:
        DialmeterError: the file exists.
    """
    if Path(path).exists() and not force:
        raise DialmeterError(f"{one_line(str(path), 200)}: already exists; use --force to replace it")


@contextmanager
def new_file(path: str | Path, *, force: bool = False) -> Iterator[BinaryIO]:
    """Open a new file for writing. It gets its name when all is written; if an error occurs, it is removed.

    Args:
        path: the file. A link is followed.
        force: replace an existing file.

    Raises:
        DialmeterError: the file exists, cannot be written, or is being written by another process.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with new_file(Path(folder, "map.json")) as file:
        ...         _ = file.write(b"{}")
        ...         during = os.listdir(folder)
        ...     sorted(during), os.listdir(folder)
        (['.map.json.lock', 'map.json.part'], ['map.json'])
    """
    with _lock_target(path, force) as target:
        part = target.with_name(target.name + ".part")
        try:
            with open(part, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, target)
            flush_folder(target.parent)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)


@contextmanager
def compressed(plain: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    """Context manager that gives a file whose content is compressed as its name ends: .gz or .zst."""
    if suffix == ".gz":
        # Without a name and a time in the header, the same dialogues give the same bytes.
        with gzip.GzipFile(filename="", fileobj=plain, mode="wb", mtime=0) as packed:
            yield cast(BinaryIO, packed)
    elif suffix == ".zst":
        from ..readers.raw_file import zstd_module

        with zstd_module().ZstdFile(plain, "wb") as packed:
            yield packed
    else:
        yield plain


def replace_file(path: Path, data: bytes) -> None:
    """Replace a small file of a target that this process has locked. A kill leaves either the old or the complete new file."""
    part = path.with_name(path.name + ".part")
    with open(part, "wb", buffering=0) as file:
        write_all(file, data)
        os.fsync(file.fileno())
    os.replace(part, path)
    flush_folder(path.parent)


def write_file(path: str | Path, data: bytes | str, *, force: bool = False) -> None:
    """Write a file as :func:`new_file` does. Text is encoded as UTF-8."""
    with new_file(path, force=force) as file:
        file.write(data.encode() if isinstance(data, str) else data)


@contextmanager
def new_folder(folder: Path, check: Callable[[set[str]], None], ours: Sequence[str] = ()) -> Iterator[Path]:
    """Create a folder to fill. It gets its name when all is written; if an error occurs, the old folder stays.

    The new folder is created next to the old one, and then the two are exchanged. At any moment, a reader finds either the old
    folder or the new one. Files in the old folder that do not match ``ours`` are moved to the new one. A folder that cannot be
    exchanged (a mount point, the working directory, a parent that cannot be written) gets the files one after another; a kill
    during that leaves a mixture of old and new files until the next writer moves the rest.

    Args:
        folder: the target folder. A link is followed.
        check: gets the file names in the old folder, and raises an error if they may not be replaced.
        ours: patterns of names that are removed even if no new file replaces them.

    Raises:
        DialmeterError: ``check`` raised it, or the folder cannot be written, or another process is writing it.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as parent:
        ...     for text in ("one", "two"):
        ...         with new_folder(Path(parent, "pages"), lambda _: None) as new:
        ...             _ = (new / "index.html").write_text(text)
        ...     os.listdir(parent), Path(parent, "pages", "index.html").read_text()
        (['pages'], 'two')
    """
    with writing(one_line(str(folder), 200)):
        if folder.exists() and not folder.is_dir():
            check({folder.name})
            raise NotADirectoryError(20, "Not a directory")
        target = Path(os.path.realpath(folder))
        movable = _is_movable(target)
        with Lock(target, folder=not movable, parents=movable, name=folder):
            new, old = (
                (target.with_name(f".{target.name}{end}") for end in (NEW, OLD)) if movable else (target / NEW, None)
            )
            settle(target / WHOLE, target)
            if old:
                _finish_exchange(target, new, old)
            shutil.rmtree(new, ignore_errors=True)
            check({path.name for path in target.iterdir()} - {LOCK} if target.exists() else set())
            try:
                new.mkdir()
                yield new
                if old:
                    _exchange(target, new, old, ours)
                else:
                    commit(new, target / WHOLE, target, ours)
            finally:
                if not (target / _STALE).exists():
                    shutil.rmtree(new, ignore_errors=True)


def _is_movable(folder: Path) -> bool:
    """Return True if a folder can be renamed without disturbing the processes that use it."""
    parent = next(each for each in folder.parents if each.exists())
    here = Path.cwd()
    return os.access(parent, os.W_OK) and not os.path.ismount(folder) and folder not in (here, *here.parents)


def _exchange(folder: Path, new: Path, old: Path, ours: Sequence[str]) -> None:
    """Replace a folder by a complete new one, and move files that are not ours from the old one."""
    _write_stale(new, folder, ours, replaced=True)
    if folder.exists():
        shutil.copymode(folder, new)
    _flush_tree(new)
    if not folder.exists():
        os.rename(new, folder)
    elif not _swap_names(new, folder):
        os.rename(folder, old)
        os.rename(new, folder)
    flush_folder(folder.parent)
    _finish_exchange(folder, new, old)


def _swap_names(new: Path, folder: Path) -> bool:
    """Swap the names of two folders in one step, if the system supports it (Linux). Return True if it did."""
    if os.name != "posix":
        return False
    import ctypes

    exchange = getattr(ctypes.CDLL(None), "renameat2", None)
    here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return exchange is not None and not exchange(here, os.fsencode(new), here, os.fsencode(folder), swap)


def _finish_exchange(folder: Path, new: Path, old: Path) -> None:
    """Do the remaining steps after two folders were exchanged. Continue where a killed process stopped."""
    stale = folder / _STALE
    if stale.exists():
        replaced = set(stale.read_text("utf-8").split("\0"))
        for source in (new, old):
            if source.is_dir():
                for path in sorted(source.iterdir()):
                    if path.name not in replaced:
                        os.replace(path, folder / path.name)
                shutil.rmtree(source)
        flush_folder(folder)
        stale.unlink()
    elif old.is_dir() and not folder.exists():
        os.rename(old, folder)  # killed between two renames


def _write_stale(new: Path, folder: Path, ours: Sequence[str], *, replaced: bool) -> None:
    """Record in the new folder which names of the old one are dropped: stale ones and, if ``replaced``, those of new files."""
    names = {path.name for path in new.iterdir()}
    old_names = {path.name for path in folder.iterdir()} if folder.exists() else set()
    stale = {name for name in old_names if any(fnmatch.fnmatchcase(name, pattern) for pattern in ours)}
    (new / _STALE).write_text("\0".join(sorted(stale | names if replaced else stale - names)), "utf-8")


def _flush_tree(new: Path) -> None:
    for path in sorted(new.rglob("*")):
        if path.is_file():
            with open(path, "rb") as file:
                os.fsync(file.fileno())
        else:
            flush_folder(path)
    flush_folder(new)


def commit(new: Path, whole: Path, folder: Path, ours: Sequence[str]) -> None:
    """Move the files of one folder into another, so that a kill at any moment leaves either none of them or all.

    Args:
        new: the folder with the new files, on the same disk.
        whole: name of that folder when it is complete. From then on its files are valid, and :func:`settle` moves them.
        folder: the target folder.
        ours: patterns of names that are removed even if no new file replaces them.
    """
    _write_stale(new, folder, ours, replaced=False)
    _flush_tree(new)
    os.rename(new, whole)
    flush_folder(whole.parent)
    settle(whole, folder)


def settle(whole: Path, folder: Path) -> None:
    """Move the complete files into the target folder. Continue where a killed process stopped."""
    if not whole.is_dir():
        return
    stale = whole / _STALE
    for name in stale.read_text("utf-8").split("\0") if stale.exists() else ():
        if name:
            _remove(folder / name)
    for path in sorted(whole.iterdir()):
        if path != stale:
            if path.is_dir():
                _remove(folder / path.name)
            os.replace(path, folder / path.name)
    flush_folder(folder)
    stale.unlink(missing_ok=True)
    whole.rmdir()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def flush_folder(folder: Path) -> None:
    """Flush the file names of a folder to disk."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_all(file: IO[bytes], data: bytes) -> None:
    """Write all data to an unbuffered file, whose ``write`` may accept only a part of the data."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def append_line(
    path: Path, line: bytes, head: bytes = b"", *, name: object = None, resumable: bool = False, sync: bool = True
) -> None:
    """Append a line to a file that several processes share. When this returns, the line is on disk.

    An incomplete last line is removed first.

    Args:
        path: the file. It and its folder are created if they do not exist.
        line: the line with its line end.
        head: the first line of a new file.
        name: name of the file in error messages (default: its folder).
        resumable: a later run can continue from the existing lines.
        sync: wait until the disk has the line; otherwise it survives a kill of the process, but perhaps not a power cut.

    Raises:
        DialmeterError: the file cannot be written; ``Unfinished`` if a later run can continue.
    """
    with writing(one_line(str(name or path.parent), 200), resumable=resumable):
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a+b", buffering=0) as file, locked(file):
            end = cut_torn_line(file)
            try:
                write_all(file, line if end else head + line)
                if sync:
                    os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):
                    file.truncate(end)
                raise
        if not end:
            flush_folder(path.parent)


def whole_lines(path: Path) -> list[bytes]:
    """Return the lines of a file that several processes share, without an incomplete last line; empty if there is no file."""
    if not path.exists():
        return []
    with reading(path), open(path, "rb") as file, locked(file, shared=True):
        return file.read().split(b"\n")[:-1]


def cut_torn_line(file: IO[bytes]) -> int:
    """Remove an incomplete last line from an open file, and return the remaining size."""
    size = end = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - _CHUNK)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        file.truncate(end)
    file.seek(end)
    return end


class RecordLog(Generic[Record]):
    """An append-only file of JSON lines, such as the parts of an unfinished run of attacks.

    Each line is one record. When ``append`` returns, the complete record is on disk. A kill loses at most the record that is being
    written. Several processes may append to the same file.

    Args:
        path: the file; it is created with the first record.
        kind: the type of a record.
        what: name of a record in error messages.
        head: the first line of the file, with its line end; empty for none.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = RecordLog(Path(folder, "log.jsonl"), list[int], "a list")
        ...     log.append([1, 2])
        ...     list(log.read())
        [[1, 2]]
    """

    def __init__(self, path: Path, kind: type[Record], what: str, head: bytes = b"") -> None:
        self.path = path
        self.head = head
        self._kind = kind
        self._what = what

    def read(self, *, skip_damaged: bool = False) -> Iterator[Record]:
        """Yield the records. An incomplete last line, left by a kill, is not read.

        Raises:
            InputError: a line is not a record, and damaged lines are not skipped.
        """
        first = 1 if self.head else 0
        for number, line in enumerate(whole_lines(self.path)[first:], first + 1):
            try:
                yield parse_as(line, self._kind, str(self.path), number, what=self._what)
            except InputError:
                if not skip_damaged:
                    raise

    def append(self, record: Record, *, name: object = None, resumable: bool = False, sync: bool = True) -> None:
        """Append a record; for ``name``, ``resumable`` and ``sync`` see :func:`append_line`.

        Raises:
            DialmeterError: the file cannot be written.
        """
        line = msgspec.json.encode(record) + b"\n"
        append_line(self.path, line, self.head, name=name, resumable=resumable, sync=sync)


class Store(Generic[Record]):
    """Keeps values by key, in memory and in a file: scores of judges, answers of chat endpoints, analyses of texts.

    A line of the file holds the values of one batch. Several processes may share the file.

    Args:
        path: the file; None to keep the values only in memory.
        kind: the type of a value.
        what: name of a line in error messages.
        head: the first line of the file, with its line end.
        skip_damaged: read a damaged line as if it were not there.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Store(Path(folder, "scores.jsonl"), float, "a line of scores").add({"a1": 3.0})
        ...     Store(Path(folder, "scores.jsonl"), float, "a line of scores").values
        {'a1': 3.0}
    """

    def __init__(
        self, path: Path | None, kind: type[Record], what: str, head: bytes = b"", *, skip_damaged: bool = False
    ) -> None:
        self._log = None if path is None else RecordLog(path, dict[str, kind], what, head)  # type: ignore[valid-type]
        self._skip_damaged = skip_damaged

    @cached_property
    def values(self) -> dict[str, Record]:
        """All values by key.

        Raises:
            InputError: a line is damaged, and damaged lines are not skipped.
        """
        lines = self._log.read(skip_damaged=self._skip_damaged) if self._log is not None else ()
        return {key: value for line in lines for key, value in line.items()}

    def add(self, values: Mapping[str, Record]) -> None:
        """Add values; when this returns, they are on disk.

        Raises:
            DialmeterError: the file cannot be written.
        """
        self.values.update(values)
        if self._log is not None and values:
            self._log.append(dict(values))


class Checkpoint(Generic[Record]):
    """Keeps the finished records of a run in ``FILE.parts``, one per line, until the output file is written.

    Args:
        out: the output file, which is locked until ``close``.
        kind: the type of a record.
        what: name of a record in error messages.
        settings: what an unfinished run with another identity may have differently, for the error message.
        force: delete existing records and replace an existing file; otherwise continue.

    Raises:
        DialmeterError: the file exists, another process is writing it, or it cannot be written.
    """

    def __init__(self, out: str | Path, kind: type[Record], what: str, settings: str, *, force: bool = False) -> None:
        self._out, self._name, self._settings = Path(out), one_line(str(out), 200), settings
        path = self._out.with_name(self._out.name + ".parts")
        self._log = RecordLog(path, kind, what)
        with writing(self._name):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = Lock(path, name=out)
            try:
                self._is_resumed = path.exists() and not force
                check_target(out, force=force or self._is_resumed)
            except BaseException:
                self.close()
                raise

    def resume(self, identity: str) -> list[Record]:
        """Return the records of an interrupted run.

        Args:
            identity: a digest of everything that the records depend on; a run is resumed only with the same identity.

        Raises:
            DialmeterError: the records belong to another run, or are damaged.
        """
        self._log.head = identity.encode() + b"\n"
        records: list[Record] = []
        if self._is_resumed:
            if [line + b"\n" for line in whole_lines(self._log.path)[:1]] not in ([], [self._log.head]):
                raise DialmeterError(f"{self._name}: was started with {self._settings}; start again with --force")
            try:
                records = list(self._log.read())
            except InputError as error:
                raise DialmeterError(f"{error}; start again with --force") from None
        if not records:
            self.remove()
        return records

    def add(self, record: Record, *, sync: bool = True) -> None:
        """Append a record; for ``sync`` see :func:`append_line`.

        Raises:
            Unfinished: the record cannot be written.
        """
        self._log.append(record, name=self._name, resumable=True, sync=sync)

    def publish(self) -> None:
        """Write the records to the output file, one per line, and delete the parts.

        Raises:
            DialmeterError: the file cannot be written.
        """
        with new_file(self._out, force=True) as file, open(self._log.path, "rb") as parts:
            parts.readline()
            shutil.copyfileobj(parts, file)
        self.remove()

    def remove(self) -> None:
        """Delete the parts."""
        with suppress(OSError):
            self._log.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the lock of the file. May be called more than once."""
        self._lock.release()
