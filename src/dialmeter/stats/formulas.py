"""Measures for resampling: a formula over the sums of a few columns, and columns whose sums are exact.

Sums must not depend on the order of dialogues, the block size or the linear algebra library. A float64 holds every
multiple of 2**-q below 2**(53 - q) in magnitude. So if all entries of a column are multiples of 2**-q, and n times the
largest entry stays below that limit, then every product of an entry with a resampling count and every partial sum of a
resample is exact, and the order of additions does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import frexp, fsum
from typing import TypeAlias

from msgspec import Struct

from ..numeric import ArrayLike, NDArray, np

Floats: TypeAlias = "NDArray[np.float64]"
Value = Callable[[Floats], Floats]
FRACTION_BITS = 30
FLOAT_BITS = 53


class Formula(Struct, frozen=True):
    """A function of sums, the columns that it reads, and the range of its values.

    Attributes:
        value: Takes sums of shape (m, k) and returns m values; nan or infinity if a denominator is zero.
        take: The k columns of the shared matrix that this measure reads; None for all.
        low: The lowest possible value.
        high: The highest possible value; infinite if there is no limit.

    Example:
        >>> jga = Formula(lambda sums: sums[..., 0] / sums[..., 1], take=slice(0, 2))
        >>> evaluate(jga, np.array([[3.0, 4.0, 9.0], [0.0, 0.0, 9.0]]))
        array([0.75,  nan])
    """

    value: Value
    take: slice | Sequence[int] | None = None
    low: float = 0.0
    high: float = 1.0


def ratio(numerator: int = 0, denominator: int = 1, high: float = 1.0) -> Formula:
    """Return the most common formula: the sum of one column divided by the sum of another; its highest possible value is 1 by default.

    Example:
        >>> evaluate(ratio(), np.array([[1.0, 4.0]]))
        array([0.25])
    """
    return Formula(lambda sums: sums[..., 0] / sums[..., 1], take=(numerator, denominator), high=high)


def rowwise(value: Callable[[Floats], float | None]) -> Value:
    """Convert a formula for one row of sums to one for many rows, with nan for None. A formula written with numpy is faster.

    Example:
        >>> share = rowwise(lambda sums: sums[0] / sums[1] if sums[1] else None)
        >>> share(np.array([[1.0, 2.0], [0.0, 0.0]]))
        array([0.5, nan])
    """

    def many(sums: Floats) -> Floats:
        return np.array([value(row) for row in sums], dtype=np.float64)

    return many


def evaluate(formula: Formula, sums: Floats) -> Floats:
    """Return the values of a formula for the rows of sums of all columns; nan if it has no value.

    Infinite values become nan, because they also come from a zero denominator.

    Raises:
        ValueError: If the formula does not return one value per row.

    Example:
        >>> evaluate(ratio(), np.array([[1.0, 0.0]]))
        array([nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        result = formula.value(taken(formula, sums))
    values = np.array(result, dtype=np.float64)
    if values.shape != sums.shape[:1]:
        raise ValueError("a formula must return one value per row of sums; use rowwise() for a formula for one row")
    values[~np.isfinite(values)] = np.nan
    return values


def point(formula: Formula, columns: Floats) -> float | None:
    """Return the value over all dialogues, if any. Sums are correctly rounded, so the order of dialogues does not matter.

    Example:
        >>> point(ratio(), np.array([[1.0, 2.0], [2.0, 2.0]]))
        0.75
    """
    sums = np.array([[fsum(column) for column in taken(formula, columns).T.tolist()]])
    value = float(evaluate(Formula(formula.value), sums)[0])
    return None if np.isnan(value) else value


def taken(formula: Formula, columns: Floats) -> Floats:
    """Return the columns that a formula reads.

    Example:
        >>> taken(ratio(2, 0), np.array([[1.0, 2.0, 3.0]]))
        array([[3., 1.]])
    """
    if formula.take is None:
        return columns
    return columns[:, formula.take if isinstance(formula.take, slice) else list(formula.take)]


def as_columns(columns: ArrayLike) -> Floats:
    """Return a matrix with one row per dialogue, or a single column, as a matrix of floats.

    Raises:
        ValueError: If there are fewer than two dialogues, or an entry is not finite.

    Example:
        >>> as_columns([1, 2, 3]).shape
        (3, 1)
    """
    matrix = np.asarray(columns, dtype=np.float64)
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    finite = np.isfinite(matrix)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise ValueError(f"column {column} of row {row} is not a finite number")
    if len(matrix) < 2:
        raise ValueError(
            f"resampling needs at least two dialogues, but there {'is one' if len(matrix) else 'are none'}"
        )
    return matrix


def exact(columns: ArrayLike, rows: int = 0) -> Floats:
    """Round each column so that all its resampled sums are exact.

    The step is 2**-30, or 2**-30 of the next lower power of two if the largest entry is below one. An entry moves by
    at most half a step (4.7e-10), a sum over n dialogues by at most n half steps, a mean over dialogues by half a step.
    Integers do not change. If n times the largest entry m reaches 2**22, the step is doubled until the sums are exact
    again; it stays below n * m * 2**-51, so a mean moves by less than n * m * 2**-52
    (for 100,000 dialogues 2.2e-11 of the largest entry).

    Args:
        columns: The columns of the dialogues.
        rows: Number of entries that are added up at most, if not one for each dialogue.

    Example:
        >>> exact([[0.1, 7], [0.2, 8]]).tolist() == [[0.1, 7], [0.2, 8]]
        False
        >>> bool(abs(exact([[0.1], [0.2]]) - [[0.1], [0.2]]).max() <= 2**-31)
        True
    """
    matrix = as_columns(columns)
    largest = np.abs(matrix).max(axis=0)
    bits = np.array([_fraction_bits(float(entry), rows or len(matrix)) for entry in largest], dtype=np.intc)
    # Scaling by powers of two is exact. It is done in two steps, because their product may overflow a float.
    one, other = np.ldexp(1.0, bits // 2), np.ldexp(1.0, bits - bits // 2)
    rounded: Floats = matrix * one
    rounded *= other
    np.rint(rounded, out=rounded)
    rounded /= one
    rounded /= other
    return rounded


def exact_together(systems: Sequence[ArrayLike]) -> list[Floats]:
    """Round the columns of several systems to the same steps, so that their differences are also exact.

    All have the same dialogues in the same order.

    Raises:
        ValueError: If the shapes differ.

    Example:
        >>> a, b = exact_together([[[1, 2], [3, 4]], [[0, 2], [3, 4]]])
        >>> (a - b).sum()
        np.float64(1.0)
    """
    matrices = [as_columns(each) for each in systems]
    shapes = list(dict.fromkeys(each.shape for each in matrices))
    if len(shapes) > 1:
        raise ValueError(
            f"paired systems need the same dialogues and columns, but their shapes are {shapes[0]} and {shapes[1]}"
        )
    # Twice as many entries reserve one more bit, which a difference of two entries needs.
    return np.split(exact(np.vstack(matrices), 2 * shapes[0][0]), len(matrices))


def _fraction_bits(largest: float, n: int) -> int:
    if largest == 0:
        return FRACTION_BITS
    desired = FRACTION_BITS - min(0, frexp(largest)[1] - 1)
    # One bit is reserved, because rounding may raise the largest entry by half a step.
    available = FLOAT_BITS - frexp(n * largest)[1] - 1
    return min(desired, available)
