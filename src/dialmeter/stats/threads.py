"""Apply a function to many pieces in several threads."""

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Done = TypeVar("Done")


def map_pieces(work: Callable[..., Done], *pieces: Collection[Any], threads: int) -> Iterator[Done]:
    """Like ``map``, but in several threads. One thread or one piece needs no pool: starting a thread takes longer than most pieces.

    Example:
        >>> list(map_pieces(max, [1, 5], [3, 4], threads=2))
        [3, 5]
    """
    if threads == 1 or len(pieces[0]) == 1:
        yield from map(work, *pieces)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, *pieces)
