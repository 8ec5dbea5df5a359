"""Cuts input into shards: spans of bytes of JSON lines files, whole files where that cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

SIZE = 16 * 1024 * 1024
"""Bytes of a span. It does not depend on the number of workers, so that neither does what they leave on disk."""

_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5")


class Span(Struct, frozen=True):
    """A part of a file: the lines that begin between two bytes, or all of it where there are no bounds."""

    path: str
    bounds: tuple[int, int] | None = None


def spans(paths: Sequence[str], size: int = SIZE) -> list[Span]:
    """The spans of JSON lines files, in order; a compressed file is one.

    Args:
        paths: files that exist.
        size: how many bytes a span has; the last one has the rest.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "d.jsonl")
        ...     with open(path, "w") as file:
        ...         _ = file.write("x" * 25)
        ...     [span.bounds for span in spans([path], 10)]
        [(0, 10), (10, 20), (20, 25)]
    """
    found = []
    for path in paths:
        length = Path(path).stat().st_size
        with open(path, "rb") as file:
            compressed = file.read(2) in _COMPRESSED
        if compressed or length <= size:
            found.append(Span(path))
        else:
            found += [Span(path, (start, min(start + size, length))) for start in range(0, length, size)]
    return found
