"""Spans of bytes of JSON lines files, or whole files, so that several processes can read one file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

SIZE = 16 * 1024 * 1024
"""Bytes of a span. It does not depend on the number of workers, so that neither does what they leave on disk."""

_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5")


class Span(Struct, frozen=True):
    """A part of a file: the lines that begin between two bytes, or all of it where there are no bounds."""

    path: str
    bounds: tuple[int, int] | None = None


def spans(path: str, size: int = SIZE) -> list[Span]:
    """The spans of a JSON lines file, in order; a compressed file is one.

    Args:
        path: a file that exists.
        size: how many bytes a span has. The last ones have a quarter of it, so that workers finish at the same time.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "d.jsonl")
        ...     with open(path, "w") as file:
        ...         _ = file.write("x" * 30)
        ...     [span.bounds for span in spans(path, 12)]
        [(0, 12), (12, 15), (15, 18), (18, 21), (21, 24), (24, 27), (27, 30)]
    """
    length = Path(path).stat().st_size
    with open(path, "rb") as file:
        compressed = file.read(2) in _COMPRESSED
    if compressed or length <= size:
        return [Span(path)]
    return [Span(path, bounds) for bounds in pairwise([*_cuts(length, size), length])]


def _cuts(length: int, size: int) -> Iterator[int]:
    """Where spans begin."""
    end_begins = max(0, length // size - 1) * size
    yield from range(0, end_begins, size)
    yield from range(end_begins, length, max(1, size // 4))
