"""The same work on many pieces, by several threads."""

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Done = TypeVar("Done")


def map_pieces(work: Callable[..., Done], *pieces: Collection[Any], threads: int) -> Iterator[Done]:
    """As ``map``, by several threads where there is work for them: to start one takes longer than most small pieces do.

    Example:
        >>> list(map_pieces(max, [1, 5], [3, 4], threads=2))
        [3, 5]
    """
    if threads == 1 or len(pieces[0]) == 1:
        yield from map(work, *pieces)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, *pieces)
