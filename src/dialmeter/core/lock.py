"""Locks: only one process at a time writes a target.

The kernel holds the lock (``flock``), so the lock ends when its owner ends, for whatever reason. A leftover lock file means
nothing on the machine where it was made. Some shared file systems do not report locks to other machines. Therefore a lock file
of another machine is respected until somebody removes it.
"""

from __future__ import annotations

import errno
import os
import socket
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import msgspec
from msgspec import Struct

from ..errors import DialmeterError, one_line, writing

try:
    import fcntl
except ImportError:  # Windows: files are not locked there
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
_UNSUPPORTED = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)


class Owner(Struct, frozen=True):
    """The process that holds a lock."""

    pid: int
    host: str


class Lock:
    """A lock that makes this process the only writer of a file or a folder until ``release``.

    Args:
        target: the file or folder to write. By default, the lock file is next to it.
        folder: put the lock file into the target, which is a folder. The folder is created if it does not exist, and removed
            again if it is empty at the end.
        parents: also create the folder that contains the target.
        name: name of the target in messages.

    Raises:
        DialmeterError: another process is writing the target, or the target cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Lock(Path(folder, "talk.jsonl")):
        ...     os.listdir(folder)
        ['.talk.jsonl.lock']
    """

    def __init__(self, target: Path, *, folder: bool = False, parents: bool = False, name: object = None) -> None:
        self._path = target / LOCK if folder else target.with_name(f".{target.name}{LOCK}")
        self._name = one_line(str(name or target), 200)
        self._made: list[Path] = []
        with writing(self._name):
            if folder or parents:
                self._make_folders(self._path.parent)
            try:
                self._file = self._acquire()
                # A lock that is garbage-collected without ``release`` is released.
                weakref.finalize(self, self._file.close)
            except BaseException:
                self._remove_folders()
                raise

    def _make_folders(self, folder: Path) -> None:
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
            self._made.insert(0, each)

    def _acquire(self) -> IO[bytes]:
        while True:
            file = open(self._path, "a+b", buffering=0)  # noqa: SIM115  closed by release
            try:
                locked = flock(file, wait=False)
                file.seek(0)
                owner = _parse_owner(file.read())
                if not locked:
                    who = f"process {owner.pid} on {owner.host}" if owner else "another process"
                    raise DialmeterError(
                        f"{self._name}: is being written by {one_line(who, 200)}; wait until it has ended"
                    )
                if owner and owner.host != socket.gethostname():
                    raise DialmeterError(
                        f"{self._name}: is being written by process {owner.pid} on another machine, "
                        f"{one_line(owner.host)}; if it has ended there, remove {one_line(str(self._path), 200)}"
                    )
                # The previous owner may have removed the file after we opened it and before we locked it.
                if self._path.exists() and os.path.samestat(os.fstat(file.fileno()), self._path.stat()):
                    file.truncate(0)
                    file.write(msgspec.json.encode(Owner(os.getpid(), socket.gethostname())) + b"\n")
                    return file
            except BaseException:
                file.close()
                raise
            file.close()

    def release(self) -> None:
        """Release the lock. May be called more than once."""
        if not self._file.closed:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
            unlock(self._file)
            self._file.close()
            self._remove_folders()

    def _remove_folders(self) -> None:
        for folder in self._made:
            with suppress(OSError):
                folder.rmdir()

    def __enter__(self) -> Lock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def flock(file: IO[Any], *, wait: bool, shared: bool = False) -> bool:
    """Lock an open file, and return True if that worked.

    Args:
        file: the file.
        wait: wait until other processes release it; otherwise give up at once.
        shared: lock it for several readers instead of one writer.
    """
    if fcntl is None:
        return True
    operation = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
    try:
        fcntl.flock(file.fileno(), operation)
    except OSError as error:
        # On a file system without locks, the file counts as locked.
        return not isinstance(error, BlockingIOError) and error.errno in _UNSUPPORTED
    return True


def unlock(file: IO[Any]) -> None:
    """Release the lock of ``flock``, even if a forked process has inherited the open file."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(file.fileno(), fcntl.LOCK_UN)


@contextmanager
def locked(file: IO[Any], *, shared: bool = False) -> Iterator[None]:
    """Wait until an open file can be locked, and hold the lock during the block."""
    flock(file, wait=True, shared=shared)
    try:
        yield
    finally:
        unlock(file)


def _parse_owner(data: bytes) -> Owner | None:
    try:
        return msgspec.json.decode(data, type=Owner)
    except msgspec.DecodeError:
        return None
