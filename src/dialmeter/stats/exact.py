"""Columns whose sums are exact in float64, whatever the order, the block size or the linear algebra library.

A float64 holds every multiple of 2**-q below 2**(53 - q) in magnitude. So if all entries of a column are multiples of
2**-q, and n times the largest entry stays below that limit, then every product of an entry with a resampling count and
every partial sum of a resample is exact, and addition may be reordered at will.
"""

from math import frexp

import numpy as np
from numpy.typing import ArrayLike

from dialmeter.stats.formulas import Floats

FRACTION_BITS = 30
FLOAT_BITS = 53


def as_columns(columns: ArrayLike) -> Floats:
    """Check a matrix with one row per dialogue.

    Args:
        columns: Numbers of shape (n, k), or (n,) for a single column.

    Returns:
        The same as float64 of shape (n, k).

    Raises:
        ValueError: If there are fewer than two dialogues, or an entry is not finite.

    Example:
        >>> as_columns([1, 2, 3]).shape
        (3, 1)
    """
    matrix = np.asarray(columns, dtype=np.float64)
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2:
        raise ValueError(
            f"columns must be a matrix with one row per dialogue, not an array of {matrix.ndim} dimensions"
        )
    if len(matrix) < 2:
        raise ValueError(
            f"at least two dialogues are needed to resample, and there {'is one' if len(matrix) else 'are none'}"
        )
    finite = np.isfinite(matrix)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise ValueError(f"column {column} of row {row} is not a finite number")
    return matrix


def exact(columns: ArrayLike) -> Floats:
    """Round each column so that all its resampled sums are exact.

    The step is 2**-30, or 2**-30 of the next lower power of two if the largest entry is below one. An entry moves by
    at most half a step (4.7e-10), a sum over n dialogues by at most n half steps, a mean over dialogues by half a step.
    Whole numbers do not move at all. Where n times the largest entry m reaches 2**22 the step is doubled until the sums
    are exact again; it stays below n * m * 2**-51, so a mean moves by less than n * m * 2**-52
    (for 100,000 dialogues 2.2e-11 of the largest entry).

    Args:
        columns: One row per dialogue.

    Returns:
        The rounded columns.

    Example:
        >>> exact([[0.1, 7], [0.2, 8]]).tolist() == [[0.1, 7], [0.2, 8]]
        False
        >>> bool(abs(exact([[0.1], [0.2]]) - [[0.1], [0.2]]).max() <= 2**-31)
        True
    """
    matrix = as_columns(columns)
    largest = np.abs(matrix).max(axis=0)
    bits = np.array([_fraction_bits(float(entry), len(matrix)) for entry in largest], dtype=np.intc)
    # By powers of two, which is exact; in two steps, because the whole of it may be more than a float holds.
    one, other = np.ldexp(1.0, bits // 2), np.ldexp(1.0, bits - bits // 2)
    rounded: Floats = matrix * one
    rounded *= other
    np.rint(rounded, out=rounded)
    rounded /= one
    rounded /= other
    return rounded


def exact_pair(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """Round the columns of two systems to the same steps, so that their differences are exact too.

    Args:
        first: Columns of the first system.
        second: Columns of the second system, the same dialogues in the same order.

    Returns:
        Both, rounded.

    Raises:
        ValueError: If the shapes differ.

    Example:
        >>> a, b = exact_pair([[1, 2], [3, 4]], [[0, 2], [3, 4]])
        >>> (a - b).sum()
        np.float64(1.0)
    """
    one, two = as_columns(first), as_columns(second)
    if one.shape != two.shape:
        raise ValueError(
            f"paired systems need the same dialogues and columns, and these have {one.shape} and {two.shape}"
        )
    # 2n rows leave room for one more bit, which is what a difference of two entries needs.
    both = exact(np.vstack([one, two]))
    return both[: len(one)], both[len(one) :]


def _fraction_bits(largest: float, n: int) -> int:
    if largest == 0:
        return FRACTION_BITS
    wanted = FRACTION_BITS - min(0, frexp(largest)[1] - 1)
    # One bit to spare, because rounding may lift the largest entry by half a step.
    affordable = FLOAT_BITS - frexp(n * largest)[1] - 1
    return min(wanted, affordable)
