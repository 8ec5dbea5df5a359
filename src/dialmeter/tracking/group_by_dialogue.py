"""What belongs to turns, brought together by dialogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ..measure import Gather
from .tally_table import Book

if TYPE_CHECKING:
    import numpy as np

    BoolArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    FloatArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

_PIECE = 8192
"""How many dialogues are gathered at a time, because the turns of a large corpus are much more than what is kept of them."""


def gathered(book: Book, of_row: FloatArray, how: Gather = "sum") -> FloatArray:
    """What belongs to rows, brought together by dialogue.

    Args:
        book: the rows of each dialogue.
        of_row: columns over the rows of the book's table, each as a line of the matrix.
        how: take the sum over a dialogue's turns, the least of them, or that of the last turn.

    Returns:
        The columns over dialogues, each as a line.
    """
    import numpy as np

    found = np.empty((len(of_row), len(book.dialogues)))
    gather_into(found, book, of_row, how)
    return found


def gather_into(found: FloatArray, book: Book, of_row: FloatArray, how: Gather, threads: int = 1) -> None:
    """As ``gathered``, into a matrix that there is, by several threads."""
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np

    rows, ends = np.asarray(book.rows), np.asarray(book.ends).astype(np.int64)

    def gather_piece(first: int) -> None:
        bounds = ends[first : first + _PIECE + 1]
        _gather_piece(found[:, first : first + _PIECE], of_row, rows[bounds[0] : bounds[-1]], bounds - bounds[0], how)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(gather_piece, range(0, len(ends) - 1, _PIECE)))


def _gather_piece(
    found: FloatArray,
    of_row: FloatArray,
    rows: np.ndarray[tuple[int, ...], np.dtype[np.uintc]],
    bounds: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    how: Gather,
) -> None:
    import numpy as np

    lengths = np.diff(bounds)
    filled: slice | BoolArray = slice(None) if lengths.all() else lengths > 0
    starts, stops = bounds[:-1][filled], bounds[1:][filled]
    taken = (rows[stops - 1] if how == "last" else rows).astype(np.intp)
    reduce = np.minimum if how == "every" else np.add
    found[:] = 0
    if not len(starts):
        return
    for column, into in zip(of_row, found, strict=True):
        into[filled] = column[taken] if how == "last" else reduce.reduceat(column[taken], starts)
