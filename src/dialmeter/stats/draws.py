"""Random draws over dialogues, turned into sums by matrix products.

One draw serves every measure: it is a row of weights over the dialogues, and `weights @ columns` gives the sums of all
columns at once. Rows are drawn in chunks whose size depends on the number of dialogues alone, so the block size
changes memory and speed but never a number. Very many dialogues are drawn in `strata`.

The k-th row of `columns` gets the k-th weight. For a result that does not depend on the order of the input, sort the
dialogues by id first.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialmeter.stats.formulas import Floats
from dialmeter.stats.products import product
from dialmeter.stats.strata import stratified_sums

BLOCK_BYTES = 8 * 2**20
CHUNK_ENTRIES = 2**16
Seed = int | np.random.SeedSequence
Draw = Callable[[np.random.Generator, int, int], NDArray[np.integer[Any]]]


def resampled_sums(
    columns: Floats, resamples: int, seed: Seed, block_bytes: int = BLOCK_BYTES, threads: int = 1
) -> Floats:
    """Sums over dialogues drawn with replacement.

    Args:
        columns: One row per dialogue, already `exact`.
        resamples: How many times n of the n dialogues are drawn.
        seed: Seed of the draw.
        block_bytes: Memory for weights.
        threads: How many to use where there are very many dialogues; changes no number.

    Returns:
        Sums of shape (resamples, k).

    Example:
        >>> resampled_sums(np.array([[1.0, 5.0], [1.0, 7.0]]), resamples=3, seed=1)[:, 0]
        array([2., 2., 2.])
    """
    if len(columns) > CHUNK_ENTRIES:
        _check(resamples)
        return stratified_sums(columns, resamples, _sequence(seed), threads)
    return _sums(columns, _counts, resamples, seed, block_bytes)


def swapped_sums(columns: Floats, resamples: int, seed: Seed, block_bytes: int = BLOCK_BYTES) -> Floats:
    """Sums over dialogues that are each in or out by the toss of a fair coin.

    Args:
        columns: One row per dialogue, already `exact`.
        resamples: How many times the n coins are tossed.
        seed: Seed of the draw.
        block_bytes: Memory for weights.

    Returns:
        Sums of shape (resamples, k).

    Example:
        >>> sums = swapped_sums(np.array([[1.0], [1.0]]), resamples=1000, seed=1)
        >>> bool(0.9 < sums.mean() < 1.1)
        True
    """
    return _sums(columns, _coins, resamples, seed, block_bytes)


def _sums(columns: Floats, draw: Draw, resamples: int, seed: Seed, block_bytes: int) -> Floats:
    _check(resamples)
    blocks = _blocks(len(columns), draw, resamples, seed, block_bytes)
    return np.vstack([product(weights, columns) for weights in blocks])


def _check(resamples: int) -> None:
    if resamples < 1:
        raise ValueError(f"at least one resample is needed, and {resamples} were asked for")


def _sequence(seed: Seed) -> np.random.SeedSequence:
    return seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)


def _blocks(n: int, draw: Draw, resamples: int, seed: Seed, block_bytes: int) -> Iterator[Floats]:
    # Named, because numpy may change what default_rng() returns.
    generator = np.random.Generator(np.random.PCG64(_sequence(seed)))
    chunk = max(1, CHUNK_ENTRIES // n)
    chunks = max(1, block_bytes // (8 * n * chunk))
    block = np.empty((min(chunks * chunk, -(-resamples // chunk) * chunk), n))
    left = resamples
    while left > 0:
        rows = min(left, len(block))
        for row in range(0, rows, chunk):
            block[row : row + chunk] = draw(generator, chunk, n)
        yield block[:rows]
        left -= rows


def _counts(generator: np.random.Generator, rows: int, n: int) -> NDArray[np.int64]:
    drawn = generator.integers(n, size=(rows, n), dtype=np.uint32)
    drawn += np.arange(0, rows * n, n, dtype=np.uint32)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)


def _coins(generator: np.random.Generator, rows: int, n: int) -> NDArray[np.uint8]:
    packed = np.frombuffer(generator.bytes(-(-rows * n // 8)), dtype=np.uint8)
    return np.unpackbits(packed, count=rows * n).reshape(rows, n)
