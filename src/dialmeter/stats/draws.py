"""Random draws of dialogues. The sums of a draw are computed by matrix products.

One draw is used for all measures: it is a row of weights over the dialogues, and `weights @ columns` gives the sums of all
columns at once. Rows are drawn in chunks whose size depends only on the number of dialogues, so the block size affects
memory and speed but no number.

Very many dialogues are drawn by stratum. To draw n of n dialogues with replacement, one can first draw the number of
dialogues from each stratum, and then draw that many within each: the distribution is the same. A stratum fits into a
processor's cache and has its own seed, so strata can be processed in any order and by several threads. Sums are exact, so
this does not change any number.

The k-th row of `columns` gets the k-th weight. For a result that does not depend on the order of the input, sort the
dialogues by id first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

from ..numeric import NDArray, np
from .formulas import Floats

BLOCK_BYTES = 8 * 2**20
"""Memory for weights."""
CHUNK_ENTRIES = 2**16
STRATUM_BITS = 13
STRATUM = 2**STRATUM_BITS
_KEPT_WEIGHTS = 2**24
"""The last draws with up to this many weights are kept."""
PRODUCT_ROWS = 32
PRODUCT_ENTRIES = 2**18
"""Products with up to this many multiplications are computed in one thread."""
Seed: TypeAlias = "int | np.random.SeedSequence"
Draw: TypeAlias = "Callable[[np.random.Generator, int, int], NDArray[np.integer[Any]]]"


def count_in_numpy(bit_generator: np.random.BitGenerator, bits: int, shares: NDArray[np.int64], counts: Floats) -> None:
    """Count how often each of 2**bits dialogues is drawn, in one row per share. The numbers are the same as in `counting.pyx`.

    A share is the number of draws of a row. Every 64 random bits give four draws, the lowest bits first.

    Example:
        >>> counts = np.empty((2, 4))
        >>> count_in_numpy(np.random.PCG64(1), 2, np.array([9, 5]), counts)
        >>> counts.sum(axis=1).tolist()
        [9.0, 5.0]
    """
    for row, share in zip(counts, shares.tolist(), strict=False):
        raw = bit_generator.random_raw(-(-share // 4)).astype("<u8", copy=False)
        row[:] = np.bincount(raw.view("<u2")[:share] >> np.uint16(16 - bits), minlength=1 << bits)


try:
    from .counting import count
except ImportError:
    count = count_in_numpy


def resampled_sums(columns: Floats, resamples: int, seed: Seed, threads: int = 1) -> Floats:
    """Return sums over n of the n dialogues, drawn with replacement: one row per resample.

    The columns have one row per dialogue, rounded by `exact`. Very many dialogues are drawn with several threads, which does not
    change any number.

    Example:
        >>> resampled_sums(np.array([[1.0, 5.0], [1.0, 7.0]]), resamples=3, seed=1)[:, 0]
        array([2., 2., 2.])
    """
    if len(columns) > CHUNK_ENTRIES:
        return stratified_sums(columns, resamples, seed, threads)
    return _sums(columns, _counts, resamples, seed)


def swapped_sums(columns: Floats, resamples: int, seed: Seed) -> Floats:
    """Return sums over random subsets of the dialogues; each dialogue is included with probability one half.

    Arguments and result are those of `resampled_sums`.

    Example:
        >>> sums = swapped_sums(np.array([[1.0], [1.0]]), resamples=1000, seed=1)
        >>> bool(0.9 < sums.mean() < 1.1)
        True
    """
    return _sums(columns, _coins, resamples, seed)


def stratified_sums(columns: Floats, resamples: int, seed: Seed, threads: int = 1) -> Floats:
    """Return sums over very many dialogues that are drawn with replacement, stratum by stratum.

    Arguments and result are those of `resampled_sums`.

    Example:
        >>> stratified_sums(np.ones((20_000, 1)), 2, seed=1).tolist()
        [[20000.0], [20000.0]]
    """
    root = _seed_sequence(resamples, seed)
    n = len(columns)
    starts = range(0, n, STRATUM)
    sizes = np.array([min(STRATUM, n - start) for start in starts])
    # Not with spawn(), which returns other children when it is called again.
    first, *seeds = (
        np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, number)) for number in range(1 + len(starts))
    )
    shares = np.random.Generator(np.random.PCG64(first)).multinomial(n, sizes / n, size=resamples)
    strata = [columns[start : start + STRATUM] for start in starts]
    sums = np.zeros((resamples, columns.shape[1]))
    for part in map_pieces(_stratum_sums, strata, shares.T, seeds, threads=threads):
        sums += part
    return sums


def product(weights: Floats, columns: Floats) -> Floats:
    """Compute `weights @ columns` in small pieces. The result is the same, because sums are exact.

    A linear algebra library computes a large product with its own threads, which wait for each other by spinning. On a
    busy machine this takes a hundred times as long as one thread. Small products stay in one thread and in the cache.

    Example:
        >>> product(np.array([[1.0, 2.0, 3.0]]), np.array([[3.0], [4.0], [5.0]]))
        array([[26.]])
    """
    n, width = columns.shape
    length = max(1, PRODUCT_ENTRIES // (PRODUCT_ROWS * width))
    pieces = n // length
    whole = pieces * length
    right = columns[:whole].reshape(pieces, length, width)
    products = []
    for start in range(0, len(weights), PRODUCT_ROWS):
        rows = weights[start : start + PRODUCT_ROWS]
        left = rows[:, :whole].reshape(len(rows), pieces, length).transpose(1, 0, 2)
        products.append(np.matmul(left, right).sum(axis=0) + rows[:, whole:] @ columns[whole:])
    return np.vstack(products)


def _seed_sequence(resamples: int, seed: Seed) -> np.random.SeedSequence:
    if resamples < 1:
        raise ValueError(f"the number of resamples must be at least 1, not {resamples}")
    return seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)


def _sums(columns: Floats, draw: Draw, resamples: int, seed: Seed) -> Floats:
    n = len(columns)
    is_kept = n * resamples <= _KEPT_WEIGHTS and isinstance(seed, int)
    blocks: Iterable[NDArray[Any]] = (_kept_weights if is_kept else _weights)(draw, n, resamples, seed)
    return np.vstack([product(block.astype(np.float64, copy=False), columns) for block in blocks])


@lru_cache(maxsize=2)
def _kept_weights(draw: Draw, n: int, resamples: int, seed: int) -> list[NDArray[Any]]:
    """Return the weights of a draw in little memory: many systems and measures use the same draw."""
    return [block.astype(np.min_scalar_type(int(block.max()))) for block in _weights(draw, n, resamples, seed)]


def _weights(draw: Draw, n: int, resamples: int, seed: Seed) -> Iterator[Floats]:
    """Yield blocks of weights, with one row per resample. The next block is written into the same memory."""
    # PCG64 is explicit, because numpy may change the generator of default_rng().
    generator = np.random.Generator(np.random.PCG64(_seed_sequence(resamples, seed)))
    chunk = max(1, CHUNK_ENTRIES // n)
    chunks = max(1, BLOCK_BYTES // (8 * n * chunk))
    block = np.empty((min(chunks * chunk, -(-resamples // chunk) * chunk), n))
    for done in range(0, resamples, len(block)):
        rows = min(resamples - done, len(block))
        for row in range(0, rows, chunk):
            block[row : row + chunk] = draw(generator, chunk, n)
        yield block[:rows]


def _counts(generator: np.random.Generator, rows: int, n: int) -> NDArray[np.int64]:
    drawn = generator.integers(n, size=(rows, n), dtype=np.uint32)
    drawn += np.arange(0, rows * n, n, dtype=np.uint32)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)


def _coins(generator: np.random.Generator, rows: int, n: int) -> NDArray[np.uint8]:
    packed = np.frombuffer(generator.bytes(-(-rows * n // 8)), dtype=np.uint8)
    return np.unpackbits(packed, count=rows * n).reshape(rows, n)


def _stratum_sums(columns: Floats, shares: NDArray[np.int64], seed: np.random.SeedSequence) -> Floats:
    columns = np.ascontiguousarray(columns)
    n = len(columns)
    generator = np.random.Generator(np.random.PCG64(seed))
    weights = np.empty((PRODUCT_ROWS, n))
    sums = np.empty((len(shares), columns.shape[1]))
    for first in range(0, len(shares), PRODUCT_ROWS):
        batch = shares[first : first + PRODUCT_ROWS]
        if n == STRATUM:
            count(generator.bit_generator, STRATUM_BITS, batch, weights)
        else:  # the last stratum, whose size is not a power of two
            for row, share in zip(weights, batch.tolist(), strict=False):
                row[:] = np.bincount(generator.integers(n, size=share, dtype=np.uint32), minlength=n)
        sums[first : first + PRODUCT_ROWS] = product(weights[: len(batch)], columns)
    return sums


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
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, *pieces)
