"""Shards of input files: spans of bytes of JSON lines files, or whole files; and the task of scoring one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from .run_writer import RowPart

Settings = TypeVar("Settings")

SIZE = 16 * 1024 * 1024
"""Bytes of a span. It does not depend on the number of workers, so that neither does what they leave on disk."""

_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5")


class Span(Struct, frozen=True):
    """A part of a file: the lines that begin between two bytes, or all of it where there are no bounds."""

    path: str
    bounds: tuple[int, int] | None = None


class ShardTask(Struct, Generic[Settings], frozen=True):
    """One shard to score; it can be sent between processes.

    Attributes:
        span: the lines to read.
        number: the shard's place among the shards.
        settings: how to score, the same for all shards.
        parts: the folder where rows of the run are written; None where there is no run on disk.
    """

    span: Span
    number: int
    settings: Settings
    parts: str | None = None

    @contextmanager
    def open_rows(self) -> Iterator[RowPart | None]:
        """The file of the shard's rows, which is complete on disk after the block; None where no run is written."""
        if self.parts is None:
            yield None
            return
        from .run_writer import row_part

        rows = row_part(self.parts, self.number)
        yield rows
        rows.flush()
        rows.close()


def spans(paths: Sequence[str], size: int = SIZE) -> list[Span]:
    """The spans of JSON lines files, in order; a compressed file is one.

    Args:
        paths: files that exist.
        size: how many bytes a span has. The last ones have a quarter of it, so that workers come to the end together.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "d.jsonl")
        ...     with open(path, "w") as file:
        ...         _ = file.write("x" * 30)
        ...     [span.bounds for span in spans([path], 12)]
        [(0, 12), (12, 15), (15, 18), (18, 21), (21, 24), (24, 27), (27, 30)]
    """
    found = []
    for path in paths:
        length = Path(path).stat().st_size
        with open(path, "rb") as file:
            compressed = file.read(2) in _COMPRESSED
        if compressed or length <= size:
            found.append(Span(path))
        else:
            found += [Span(path, bounds) for bounds in pairwise([*_cuts(length, size), length])]
    return found


def _cuts(length: int, size: int) -> Iterator[int]:
    """Where spans begin."""
    end_begins = max(0, length // size - 1) * size
    yield from range(0, end_begins, size)
    yield from range(end_begins, length, max(1, size // 4))
