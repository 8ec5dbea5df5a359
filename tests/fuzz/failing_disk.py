"""A disk that fails at a chosen moment: the process ends there, or there is no more space.

Every operation on a file of a folder is a moment: opening for writing, each write, flushing to disk, renaming, making and
removing. What compiled code writes past Python (SQLite, pyarrow) is not seen.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

Failure = Literal["kill", "full"]
KILLED = 77
NEEDS_SPACE = frozenset({"open", "write", "flush", "mkdir", "rename"})


class FailingDisk:
    """Counts operations below a folder, and fails at one of them.

    Args:
        folder: what is watched.
        at: the number of the operation that fails; -1 for none.
        how: end the process, or have no more space from there on.
    """

    def __init__(self, folder: Path, at: int = -1, how: Failure = "kill") -> None:
        self._folder = f"{folder.resolve()}{os.sep}"
        self._at, self._how = at, how
        self._full = False
        self.operations: list[str] = []

    def point(self, kind: str, path: Any, half: Callable[[], Any] | None = None) -> None:
        """Comes before each operation.

        Args:
            kind: of the operation.
            path: the file or folder.
            half: does half of it, for what is not all or nothing.
        """
        if not os.path.abspath(os.fsdecode(path)).startswith(self._folder):
            return
        if len(self.operations) == self._at:
            if half is not None:
                half()
            if self._how == "kill":
                os._exit(KILLED)
            self._full = True
        self.operations.append(kind)
        if self._full and kind in NEEDS_SPACE:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def install(self) -> None:
        """Puts itself between this process and its files, for good."""
        disk = self

        class Raw(io.FileIO):
            def write(self, data: Any) -> int:
                view = memoryview(data).cast("B")
                disk.point("write", self.name, lambda: io.FileIO.write(self, view[: len(view) // 2]))
                return super().write(view)

            def truncate(self, size: int | None = None) -> int:
                disk.point("truncate", self.name)
                return super().truncate(size)

        real_open = builtins.open

        def opened(file: Any, mode: str = "r", buffering: int = -1, *more: Any, **options: Any) -> Any:
            if isinstance(file, int) or not set(mode) & set("wax+"):
                return real_open(file, mode, buffering, *more, **options)
            disk.point("open", file)
            raw = Raw(os.fspath(file), mode.replace("b", "").replace("t", ""))
            if buffering == 0:
                return raw
            binary = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            return binary if "b" in mode else io.TextIOWrapper(binary, *more, **options)

        builtins.open = io.open = opened
        real_fsync = os.fsync

        def fsync(file: int) -> None:
            disk.point("flush", os.readlink(f"/proc/self/fd/{file}"))
            real_fsync(file)

        os.fsync = fsync  # type: ignore[assignment]
        for name in ("unlink", "remove", "rmdir", "mkdir", "truncate"):
            self._watch(name, {"remove": "unlink"}.get(name, name), 0)
        for name in ("rename", "replace"):
            self._watch(name, "rename", 1)

    def _watch(self, name: str, kind: str, which: int) -> None:
        real = getattr(os, name)

        def watched(*paths: Any, **options: Any) -> Any:
            place = options.get("dir_fd")
            path = os.fsdecode(paths[which])
            self.point(kind, path if place is None else os.path.join(os.readlink(f"/proc/self/fd/{place}"), path))
            return real(*paths, **options)

        setattr(os, name, watched)
