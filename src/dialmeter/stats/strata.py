"""Draws over very many dialogues, stratum by stratum.

To draw n of n dialogues with replacement, one may first draw how many of them come from each stratum, and then so many
from within each: what comes out has the same distribution. A stratum fits into a processor's cache and has a seed of its
own, so that strata can be worked in any order and by several threads; and since sums are exact, no number changes by it.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from dialmeter.stats.formulas import Floats
from dialmeter.stats.products import ROWS, product

try:
    from dialmeter.stats.counting import count
except ImportError:
    from dialmeter.stats.plain_counting import count

STRATUM_BITS = 13
STRATUM = 2**STRATUM_BITS


def stratified_sums(columns: Floats, resamples: int, seed: np.random.SeedSequence, threads: int = 1) -> Floats:
    """Sums over dialogues drawn with replacement.

    Args:
        columns: One row per dialogue, already `exact`.
        resamples: How many times n of the n dialogues are drawn.
        seed: Seed of the draw.
        threads: How many strata are worked at a time; changes no number.

    Returns:
        Sums of shape (resamples, k).

    Example:
        >>> data = np.ones((20_000, 1))
        >>> stratified_sums(data, 2, np.random.SeedSequence(1)).tolist()
        [[20000.0], [20000.0]]
    """
    n = len(columns)
    starts = range(0, n, STRATUM)
    sizes = np.array([min(STRATUM, n - start) for start in starts])
    # Not by spawn(), which gives other children when it is called again.
    first, *seeds = (
        np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, number)) for number in range(1 + len(starts))
    )
    shares = np.random.Generator(np.random.PCG64(first)).multinomial(n, sizes / n, size=resamples)
    strata = [columns[start : start + STRATUM] for start in starts]
    sums = np.zeros((resamples, columns.shape[1]))
    with ThreadPoolExecutor(threads) as pool:
        for part in pool.map(_sums, strata, shares.T, seeds):
            sums += part
    return sums


def _sums(columns: Floats, shares: NDArray[np.int64], seed: np.random.SeedSequence) -> Floats:
    near = np.ascontiguousarray(columns)
    generator = np.random.Generator(np.random.PCG64(seed))
    weights = np.empty((ROWS, len(near)))
    sums = np.empty((len(shares), near.shape[1]))
    for first in range(0, len(shares), ROWS):
        some = shares[first : first + ROWS]
        if len(near) == STRATUM:
            count(generator.bit_generator, STRATUM_BITS, some, weights)
        else:
            _count_any(generator, some, weights)
        sums[first : first + ROWS] = product(weights[: len(some)], near)
    return sums


def _count_any(generator: np.random.Generator, shares: NDArray[np.int64], counts: Floats) -> None:
    """The last stratum, which is no power of two."""
    size = counts.shape[1]
    for row, share in zip(counts, shares.tolist(), strict=False):
        row[:] = np.bincount(generator.integers(size, size=share, dtype=np.uint32), minlength=size)
