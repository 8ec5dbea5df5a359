"""Handle standard streams that are closed or full. They affect only what a command prints, nothing else that it does."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TextIO

OUTPUT_ERROR = "standard output: cannot be written"


class _OutputStream(io.FileIO):
    """Standard output, whose errors name it, or standard error, which silently drops data that it cannot write.

    An error of standard output would otherwise look like an error of any open file.
    """

    def write(self, data: object) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError as error:
            if self.name == 2:
                return len(memoryview(data).cast("B"))  # type: ignore[arg-type]
            error.filename = OUTPUT_ERROR
            raise


def repair_streams() -> None:
    """Make the standard streams usable, and let an error of standard output name it.

    A closed stream is replaced by an empty one. Otherwise a file that is opened later would get its file descriptor. A closed
    standard output still cannot be written. Messages on standard error that cannot be written are dropped.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            # The system assigns the lowest free descriptor. Standard output is opened for reading, so writing to it fails.
            os.open(os.devnull, mode)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  for the whole process
    if sys.stdout is None or sys.stdout is sys.__stdout__:
        sys.stdout = _reopen(1, sys.stdout, getattr(sys.stdout, "errors", None))
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        sys.stderr = _reopen(2, sys.stderr, "backslashreplace")


def _reopen(number: int, old: TextIO | None, errors: str | None) -> TextIO:
    file = io.BufferedWriter(_OutputStream(number, "w", closefd=False))
    lines = number == 2 or getattr(old, "line_buffering", False)
    return io.TextIOWrapper(file, getattr(old, "encoding", None) or "utf-8", errors, line_buffering=lines)


def flush_output() -> None:
    """Flush standard output while a failure can still be reported.

    Raises:
        OSError: standard output cannot be written.
    """
    if sys.stdout is not None and not sys.stdout.closed:
        sys.stdout.flush()


def discard_output() -> None:
    """Discard remaining output, so that flushing it does not fail again when the process ends."""
    with suppress(OSError, ValueError, io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
