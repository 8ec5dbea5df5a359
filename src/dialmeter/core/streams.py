"""Standard streams that are closed or full: nothing that a command does depends on them, but for what it prints."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress


class _Forgiving(io.FileIO):
    """A file that takes what it cannot write."""

    def write(self, data: object) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError:
            return len(memoryview(data).cast("B"))  # type: ignore[arg-type]


def mend_streams() -> None:
    """Makes standard streams usable.

    A closed one becomes an empty one, so that no file that is opened later gets its number; a closed standard output stays
    one that cannot be written. Messages on standard error that nobody can receive are dropped.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is taken. Standard output opened for reading refuses what is written to it.
            os.open(os.devnull, mode)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  for the whole process
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  for the whole process
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(_Forgiving(2, "w", closefd=False)),
            encoding=getattr(sys.stderr, "encoding", None) or "utf-8",
            errors="backslashreplace",
            line_buffering=True,
        )


def flush_output() -> None:
    """Writes what was printed, while it can still be said that this failed.

    Raises:
        OSError: standard output cannot be written.
    """
    if sys.stdout is not None and not sys.stdout.closed:
        sys.stdout.flush()


def give_up_output() -> None:
    """Discards what is still printed, so that writing it does not fail again when the process ends."""
    with suppress(OSError, ValueError, io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
