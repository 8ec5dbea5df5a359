"""The right to write a target, for one process at a time.

The kernel holds the lock (``flock``), so that it ends with its owner, however that ends: a lock file that is left behind means
nothing on the machine where it was made. Not every shared file system tells other machines of it, so that a lock file of
another machine is obeyed until somebody removes it.
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
except ImportError:  # Windows: nobody is refused there
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
_UNSUPPORTED = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)


class Owner(Struct, frozen=True):
    """Who holds a lock."""

    pid: int
    host: str


class Lock:
    """Makes this process the only writer of a file or a folder until ``release``.

    Args:
        target: what is to be written. The lock file is in a folder, or next to a file.
        folder: the lock file is in the target, a folder; it is made, and removed again if it is empty at the end.
        parents: make the folder of the target, too.
        name: what messages call the target.

    Raises:
        DialmeterError: somebody else is writing the target, or it cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as place, Lock(Path(place, "talk.jsonl")):
        ...     os.listdir(place)
        ['.talk.jsonl.lock']
    """

    def __init__(self, target: Path, *, folder: bool = False, parents: bool = False, name: object = None) -> None:
        self._path = target / LOCK if folder else target.with_name(f".{target.name}{LOCK}")
        self._name = one_line(str(name or target), 200)
        self._made: list[Path] = []
        with writing(self._name):
            if folder or parents:
                self._make(self._path.parent)
            try:
                self._file = self._taken()
                # Whoever forgets a lock loses it.
                weakref.finalize(self, self._file.close)
            except BaseException:
                self._remove_folders()
                raise

    def _make(self, folder: Path) -> None:
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
            self._made.insert(0, each)

    def _taken(self) -> IO[bytes]:
        while True:
            file = open(self._path, "a+b", buffering=0)  # noqa: SIM115  closed by release
            try:
                locked = flock(file, wait=False)
                file.seek(0)
                owner = _owner(file.read())
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
                # Whoever held it before may have removed the file between our opening and our locking it.
                if self._path.exists() and os.path.samestat(os.fstat(file.fileno()), self._path.stat()):
                    file.truncate(0)
                    file.write(msgspec.json.encode(Owner(os.getpid(), socket.gethostname())) + b"\n")
                    return file
            except BaseException:
                file.close()
                raise
            file.close()

    def release(self) -> None:
        """Lets others write. May be called again."""
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
    """Locks an open file for its readers (shared) or for one writer, and says whether that worked.

    Args:
        file: the file.
        wait: wait for others; otherwise give up at once.
        shared: for reading.
    """
    if fcntl is None:
        return True
    how = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
    try:
        fcntl.flock(file.fileno(), how)
    except OSError as error:
        # Where a file system has no locks, nobody is refused.
        return not isinstance(error, BlockingIOError) and error.errno in _UNSUPPORTED
    return True


def unlock(file: IO[Any]) -> None:
    """Gives back what ``flock`` took, also where another process got the open file by a fork."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(file.fileno(), fcntl.LOCK_UN)


@contextmanager
def waiting(file: IO[Any], *, shared: bool = False) -> Iterator[None]:
    """Waits for an open file, and holds it."""
    flock(file, wait=True, shared=shared)
    try:
        yield
    finally:
        unlock(file)


def _owner(data: bytes) -> Owner | None:
    try:
        return msgspec.json.decode(data, type=Owner)
    except msgspec.DecodeError:
        return None
