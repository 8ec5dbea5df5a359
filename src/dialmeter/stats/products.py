"""Matrix products in small pieces.

A linear algebra library works a large product with threads of its own, which wait for each other by spinning: on a machine
that is busy this takes a hundred times as long as one thread. Small products stay in one thread, and in the cache.
"""

from dialmeter.stats.formulas import Floats

ROWS = 32
ENTRIES = 2**17


def add_product(weights: Floats, columns: Floats, sums: Floats) -> None:
    """Adds `weights @ columns` to sums, piece by piece; exact where `columns` are.

    Example:
        >>> import numpy as np
        >>> sums = np.ones((1, 1))
        >>> add_product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), sums)
        >>> sums
        array([[12.]])
    """
    step = max(1, ENTRIES // (ROWS * columns.shape[1]))
    for row in range(0, len(weights), ROWS):
        for start in range(0, len(columns), step):
            piece = slice(start, start + step)
            sums[row : row + ROWS] += weights[row : row + ROWS, piece] @ columns[piece]
