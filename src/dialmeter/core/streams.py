"""Handle standard streams that are closed or full. They affect only what a command prints, nothing else that it does."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress


class _LossyFile(io.FileIO):
    """A file that silently drops data that it cannot write."""

    def write(self, data: object) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError:
            return len(memoryview(data).cast("B"))  # type: ignore[arg-type]


OUTPUT_ERROR = "standard output: cannot be written"


class _NamedOutput(io.FileIO):
    """Standard output whose errors say so. Otherwise they look like errors of any open file."""

    def write(self, data: object) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError as error:
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
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_NamedOutput(1, "w", closefd=False)),
            encoding=getattr(sys.stdout, "encoding", None) or "utf-8",
            errors=getattr(sys.stdout, "errors", None),
            line_buffering=getattr(sys.stdout, "line_buffering", False),
        )
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(_LossyFile(2, "w", closefd=False)),
            encoding=getattr(sys.stderr, "encoding", None) or "utf-8",
            errors="backslashreplace",
            line_buffering=True,
        )


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
