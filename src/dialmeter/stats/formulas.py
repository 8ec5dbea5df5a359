"""A measure as resampling sees it: a formula over the sums of a few columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Value = Callable[[Floats], Floats | float | None]


@dataclass(frozen=True, slots=True)
class Formula:
    """A value over sums, the columns that it reads, and the range of its values.

    Attributes:
        value: Takes sums of shape (m, k) and returns m values; nan or infinity where a denominator is zero.
        take: Which columns of the shared matrix are the k columns of this measure; None for all.
        low: The lowest value that there can be.
        high: The highest value that there can be; infinite where there is none.

    Example:
        >>> jga = Formula(lambda sums: sums[..., 0] / sums[..., 1], take=slice(0, 2))
        >>> evaluate(jga, np.array([[3.0, 4.0, 9.0], [0.0, 0.0, 9.0]]))
        array([0.75,  nan])
    """

    value: Value
    take: slice | Sequence[int] | None = None
    low: float = 0.0
    high: float = 1.0


def ratio(numerator: int = 0, denominator: int = 1) -> Formula:
    """The most common formula: one sum divided by another.

    Args:
        numerator: Column of the numerator.
        denominator: Column of the denominator.

    Returns:
        The formula over those two columns.

    Example:
        >>> evaluate(ratio(), np.array([[1.0, 4.0]]))
        array([0.25])
    """
    return Formula(lambda sums: sums[..., 0] / sums[..., 1], take=(numerator, denominator))


def rowwise(value: Callable[[Floats], float | None]) -> Value:
    """Make a formula for one row of sums work on many (slower than a formula in numpy terms).

    Args:
        value: Takes sums of shape (k,), returns a number or None.

    Returns:
        The same formula for sums of shape (m, k), with nan for None.

    Example:
        >>> share = rowwise(lambda sums: sums[0] / sums[1] if sums[1] else None)
        >>> share(np.array([[1.0, 2.0], [0.0, 0.0]]))
        array([0.5, nan])
    """

    def many(sums: Floats) -> Floats:
        return np.array([_or_nan(value(row)) for row in sums], dtype=np.float64)

    return many


def evaluate(formula: Formula, sums: Floats) -> Floats:
    """Values of a formula, with nan wherever it has none.

    Args:
        formula: The formula.
        sums: Sums of all columns, shape (m, K).

    Returns:
        m values; infinite ones become nan, because they come from a zero denominator too.

    Raises:
        ValueError: If the formula does not return one value per row.

    Example:
        >>> evaluate(ratio(), np.array([[1.0, 0.0]]))
        array([nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        result = formula.value(taken(formula, sums))
    if result is None or isinstance(result, (int, float)):
        result = np.array([_or_nan(result)])
    values = np.array(result, dtype=np.float64)
    if values.shape != sums.shape[:1]:
        raise ValueError("a formula must return one value per row of sums; wrap one for a single row in rowwise()")
    values[~np.isfinite(values)] = np.nan
    return values


def point(formula: Formula, columns: Floats) -> float | None:
    """The value over all dialogues, from correctly rounded sums, so that their order does not matter.

    Args:
        formula: The formula.
        columns: One row per dialogue.

    Returns:
        The value, or None where the formula has none.

    Example:
        >>> point(ratio(), np.array([[1.0, 2.0], [2.0, 2.0]]))
        0.75
    """
    sums = np.array([[fsum(column) for column in taken(formula, columns).T.tolist()]])
    value = float(evaluate(Formula(formula.value), sums)[0])
    return None if np.isnan(value) else value


def taken(formula: Formula, columns: Floats) -> Floats:
    """The columns that a formula reads.

    Example:
        >>> taken(ratio(2, 0), np.array([[1.0, 2.0, 3.0]]))
        array([[3., 1.]])
    """
    if formula.take is None:
        return columns
    return columns[:, formula.take if isinstance(formula.take, slice) else list(formula.take)]


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else float(value)
