"""How often each of 2**bits dialogues is drawn, where nothing could be compiled: the same numbers as by `counting.pyx`."""

import numpy as np
from numpy.typing import NDArray

from dialmeter.stats.formulas import Floats


def count(bit_generator: np.random.BitGenerator, bits: int, shares: NDArray[np.int64], counts: Floats) -> None:
    """Draws as often as shares say, a row for each: four numbers from every 64 random bits, the lowest ones first.

    Example:
        >>> counts = np.empty((2, 4))
        >>> count(np.random.PCG64(1), 2, np.array([9, 5]), counts)
        >>> counts.sum(axis=1).tolist()
        [9.0, 5.0]
    """
    for row, share in zip(counts, shares.tolist(), strict=False):
        raw = bit_generator.random_raw(-(-share // 4)).astype("<u8", copy=False)
        row[:] = np.bincount(raw.view("<u2")[:share] >> np.uint16(16 - bits), minlength=1 << bits)
