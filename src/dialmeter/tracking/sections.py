"""Arrays of whole numbers one behind the other, and where each of them stands: nothing in them is ever run."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

if TYPE_CHECKING:
    import numpy as np

    IntArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[Any]]

Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**62)]
_KINDS = ("u1", "u2", "u4", "i1", "i2", "i4", "i8")
"""The first that holds all numbers is taken."""


class Section(Struct, frozen=True, array_like=True):
    """Where an array stands, and of which kind its numbers are."""

    kind: Literal["u1", "u2", "u4", "i1", "i2", "i4", "i8"]
    start: Count
    length: Count


class Writer:
    """Collects arrays; the same one twice is written once."""

    def __init__(self) -> None:
        self._parts: dict[tuple[str, bytes], Section] = {}
        self._size = 0

    def add(self, numbers: Sequence[int] | array[int] | IntArray) -> Section:
        """Takes an array, in the smallest kind that holds it."""
        import numpy as np

        whole = np.asarray(numbers, np.int64)
        low, high = (int(whole.min()), int(whole.max())) if whole.size else (0, 0)
        kind: Any = next(each for each in _KINDS if np.iinfo(each).min <= low and high <= np.iinfo(each).max)
        data = whole.astype(kind).tobytes()
        found = self._parts.get((kind, data))
        if found is None:
            found = self._parts[kind, data] = Section(kind, self._size, len(data) // np.dtype(kind).itemsize)
            self._size += len(data)
        return found

    def add_bytes(self, data: bytes) -> Section:
        """Takes bytes as they are."""
        import numpy as np

        return self.add(np.frombuffer(data, np.uint8))

    def data(self) -> bytes:
        """All arrays."""
        return b"".join(data for _, data in self._parts)


class Reader:
    """Gives arrays back.

    Args:
        data: what the writer gave.
    """

    def __init__(self, data: memoryview) -> None:
        self._data = data

    def bytes(self, section: Section) -> memoryview:
        """The bytes of an array.

        Raises:
            ValueError: it stands outside.
        """
        end = section.start + section.length * int(section.kind[1])
        if end > len(self._data):
            raise ValueError("an array ends behind the end")
        return self._data[section.start : end]

    def get(self, section: Section, kind: str = "i8") -> IntArray:
        """An array.

        Raises:
            ValueError: it stands outside.
        """
        import numpy as np

        return np.frombuffer(self.bytes(section), section.kind).astype(kind)
