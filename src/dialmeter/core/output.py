"""How all files are written: to a file next to the target, flushed to disk, then renamed.

What was there before stays until the new one is whole, whenever the process is killed and whatever the disk does.
"""

from __future__ import annotations

import fnmatch
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, Generic, TypeVar

import msgspec

from ..errors import DialmeterError, InputError, one_line, writing
from ..readers.strict_json import parse_as
from .lock import LOCK, Lock, waiting

Record = TypeVar("Record")

_CHUNK = 1 << 20
NEW, WHOLE, OLD = ".new", ".whole", ".old"
_STALE = ".stale"


def check_target(path: str | Path, *, force: bool) -> None:
    """Refuses a file that may not be written, before work is done for it; see :func:`new_file`.

    Args:
        path: the file.
        force: replace a file that is there.

    Raises:
        DialmeterError: it is there, it is something else than a file, or another process is writing it.
    """
    with _locked(path, force):
        pass


@contextmanager
def _locked(path: str | Path, force: bool) -> Iterator[Path]:
    """The file behind a name, for one writer."""
    name, target = one_line(str(path), 200), Path(os.path.realpath(path))
    with writing(name):
        if target.is_dir():
            raise DialmeterError(f"{name}: is a folder; --out names a file")
        if target.exists() and force and not target.is_file():
            raise DialmeterError(f"{name}: is not a regular file")
        with Lock(target, name=path):
            refuse_replacing(path, force=force)
            yield target


def refuse_replacing(path: str | Path, *, force: bool) -> None:
    """Refuses a file that is there, unless it may be replaced.

    Raises:
        DialmeterError: it is there.
    """
    if Path(path).exists() and not force:
        raise DialmeterError(f"{one_line(str(path), 200)}: is there already; replace it with --force")


@contextmanager
def new_file(path: str | Path, *, force: bool = False) -> Iterator[BinaryIO]:
    """A file to write; it gets its name when all is written, and not at all if something goes wrong.

    Args:
        path: the file. A link is followed.
        force: replace a file that is there.

    Raises:
        DialmeterError: the file is there, cannot be written, or is being written by another process.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with new_file(Path(folder, "map.json")) as file:
        ...         _ = file.write(b"{}")
        ...         during = os.listdir(folder)
        ...     sorted(during), os.listdir(folder)
        (['.map.json.lock', 'map.json.part'], ['map.json'])
    """
    with _locked(path, force) as target:
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


def replace_file(path: Path, data: bytes) -> None:
    """Writes a small file of a target that this process has locked: the old one, or the new one whole."""
    part = path.with_name(path.name + ".part")
    with open(part, "wb", buffering=0) as file:
        write_all(file, data)
        os.fsync(file.fileno())
    os.replace(part, path)
    flush_folder(path.parent)


def write_file(path: str | Path, data: bytes | str, *, force: bool = False) -> None:
    """Writes a file as :func:`new_file` does; text as UTF-8."""
    with new_file(path, force=force) as file:
        file.write(data.encode() if isinstance(data, str) else data)


@contextmanager
def new_folder(folder: Path, check: Callable[[set[str]], None], ours: Sequence[str] = ()) -> Iterator[Path]:
    """A folder to fill; it gets its name when all is written, and the old one stays if something goes wrong.

    It is made next to the old one, and then the two are exchanged, so that whoever opens the folder finds the old one or the new
    one at any moment. Files of others in the old one are moved to the new one. A folder that cannot be exchanged (a mount point,
    the working directory, a parent that cannot be written) gets the files one by one; a kill in the middle of that leaves some
    of both until the next writer moves the rest.

    Args:
        folder: where the files go. A link is followed.
        check: gets the names that are in the folder, and refuses it where they may not be replaced.
        ours: patterns of names that are removed where the new files do not replace them.

    Raises:
        DialmeterError: the folder is refused, cannot be written, or is being written by another process.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as place:
        ...     for text in ("one", "two"):
        ...         with new_folder(Path(place, "pages"), lambda _: None) as new:
        ...             _ = (new / "index.html").write_text(text)
        ...     os.listdir(place), Path(place, "pages", "index.html").read_text()
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
    """May a folder be renamed without harm to who uses it?"""
    parent = next(each for each in folder.parents if each.exists())
    here = Path.cwd()
    return os.access(parent, os.W_OK) and not os.path.ismount(folder) and folder not in (here, *here.parents)


def _exchange(folder: Path, new: Path, old: Path, ours: Sequence[str]) -> None:
    """Puts a folder that is whole in the place of another, and moves files of others from the old one."""
    _write_stale(new, folder, ours, replaced=True)
    if folder.exists():
        shutil.copymode(folder, new)
    _flush_tree(new)
    if not folder.exists():
        os.rename(new, folder)
    elif not _renamed_at_once(new, folder):
        os.rename(folder, old)
        os.rename(new, folder)
    flush_folder(folder.parent)
    _finish_exchange(folder, new, old)


def _renamed_at_once(new: Path, folder: Path) -> bool:
    """Exchanges the names of two folders in one step, where the system can do that (Linux)."""
    if os.name != "posix":
        return False
    import ctypes

    exchange = getattr(ctypes.CDLL(None), "renameat2", None)
    here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return exchange is not None and not exchange(here, os.fsencode(new), here, os.fsencode(folder), swap)


def _finish_exchange(folder: Path, new: Path, old: Path) -> None:
    """Does what is left when two folders have been exchanged; continues where a killed process stopped."""
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
    """Notes in the new folder which names of the old one are not kept: stale ones, and those that the new files replace."""
    names = {path.name for path in new.iterdir()}
    there = {path.name for path in folder.iterdir()} if folder.exists() else set()
    stale = {name for name in there if any(fnmatch.fnmatchcase(name, pattern) for pattern in ours)}
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
    """Puts the files of one folder into another, so that a kill at any moment leaves either none of them there or all.

    Args:
        new: the files, on the same disk.
        whole: what the folder is called when it is whole. From then on its files count, and :func:`settle` moves them.
        folder: where they go.
        ours: patterns of names that are removed where the new files do not replace them.
    """
    _write_stale(new, folder, ours, replaced=False)
    _flush_tree(new)
    os.rename(new, whole)
    flush_folder(whole.parent)
    settle(whole, folder)


def settle(whole: Path, folder: Path) -> None:
    """Moves files that are whole to their place; continues where a killed process stopped."""
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
    """Makes sure that the names in a folder are on disk."""
    if os.name == "posix":
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def write_all(file: IO[bytes], data: bytes) -> None:
    """Writes to a file without a buffer, which may take less than it is given."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def append_line(path: Path, line: bytes, head: bytes = b"", *, name: object = None, resumable: bool = False) -> None:
    """Appends to a file that several processes share; the line is on disk when this returns. A torn last line is cut.

    Args:
        path: the file; made where it is not there, its folder too.
        line: with its end.
        head: the first line of a new file.
        name: what an error message calls the file; its folder by default.
        resumable: a later run can continue from the lines that are there.

    Raises:
        DialmeterError: it cannot be written; ``Unfinished`` where a later run can continue.
    """
    with writing(one_line(str(name or path.parent), 200), resumable=resumable):
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a+b", buffering=0) as file, waiting(file):
            end = cut_torn_line(file)
            try:
                write_all(file, line if end else head + line)
                os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):
                    file.truncate(end)
                raise
        if not end:
            flush_folder(path.parent)


def whole_lines(path: Path) -> list[bytes]:
    """The lines of a file that several processes share, without a torn last one; none where there is no file."""
    if not path.exists():
        return []
    with open(path, "rb") as file, waiting(file, shared=True):
        return file.read().split(b"\n")[:-1]


def cut_torn_line(file: IO[bytes]) -> int:
    """Removes what is behind the last whole line of an open file, and gives the size that is left."""
    size = end = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - _CHUNK)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    if end < size:
        file.truncate(end)
    file.seek(end)
    return end


class RecordLog(Generic[Record]):
    """A file of JSON lines that only grows: scores of judges, answers of chat endpoints, parts of an unfinished run of attacks.

    Each line is one record. It is written whole or not at all, and it is on disk when ``append`` returns, so that a kill loses at
    most the record that was being written. Several processes may append to the same file.

    Args:
        path: the file; it is created with the first record.
        kind: the type of a record.
        what: how error messages call a record.
        head: the first line of the file, with its end; empty for none.

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
        """The records. A last line that was cut off by a kill is not read.

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

    def append(self, record: Record, *, name: object = None, resumable: bool = False) -> None:
        """Adds a record; for ``name`` and ``resumable`` see :func:`append_line`.

        Raises:
            DialmeterError: the file cannot be written.
        """
        append_line(self.path, msgspec.json.encode(record) + b"\n", self.head, name=name, resumable=resumable)
