"""Byte spans of JSON lines files. They let several processes read one file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from ..errors import reading

SIZE = 16 * 1024 * 1024
"""Size of a span in bytes. It is independent of the number of workers, so the files that workers write are, too."""

_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5")


class Span(Struct, frozen=True):
    """The lines of a file that begin between two byte offsets, or the whole file if there are no bounds."""

    path: str
    bounds: tuple[int, int] | None = None


def spans(path: str, size: int = SIZE) -> list[Span]:
    """Split a JSON lines file into spans. A compressed file is one span.

    Args:
        path: an existing file.
        size: size of a span in bytes. The last spans have a quarter of it, so that all workers finish at the same time.

    Raises:
        InputError: the file cannot be read.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "d.jsonl")
        ...     with open(path, "w") as file:
        ...         _ = file.write("x" * 30)
        ...     [span.bounds for span in spans(path, 12)]
        [(0, 12), (12, 15), (15, 18), (18, 21), (21, 24), (24, 27), (27, 30)]
    """
    with reading(path), open(path, "rb") as file:
        length = os.fstat(file.fileno()).st_size
        is_compressed = file.read(2) in _COMPRESSED
    if is_compressed or length <= size:
        return [Span(path)]
    return [Span(path, bounds) for bounds in pairwise([*_span_starts(length, size), length])]


def _span_starts(length: int, size: int) -> Iterator[int]:
    """Yield the start offsets of the spans."""
    tail_start = max(0, length // size - 1) * size
    yield from range(0, tail_start, size)
    yield from range(tail_start, length, max(1, size // 4))
