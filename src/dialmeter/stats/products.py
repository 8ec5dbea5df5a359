"""Matrix products in small pieces.

A linear algebra library works a large product with threads of its own, which wait for each other by spinning: on a machine
that is busy this takes a hundred times as long as one thread. Small products stay in one thread, and in the cache.
"""

import numpy as np

from dialmeter.stats.formulas import Floats

ROWS = 32
ENTRIES = 2**18
"""Products of so many multiplications are still worked in one thread."""


def product(weights: Floats, columns: Floats) -> Floats:
    """The same as `weights @ columns` where sums are exact.

    Example:
        >>> product(np.array([[1.0, 2.0, 3.0]]), np.array([[3.0], [4.0], [5.0]]))
        array([[26.]])
    """
    return np.vstack([_in_pieces(weights[row : row + ROWS], columns) for row in range(0, len(weights), ROWS)])


def _in_pieces(weights: Floats, columns: Floats) -> Floats:
    (rows, n), width = weights.shape, columns.shape[1]
    length = max(1, ENTRIES // (ROWS * width))
    pieces = n // length
    whole = pieces * length
    left = weights[:, :whole].reshape(rows, pieces, length).transpose(1, 0, 2)
    right = columns[:whole].reshape(pieces, length, width)
    found: Floats = np.matmul(left, right).sum(axis=0) + weights[:, whole:] @ columns[whole:]
    return found
