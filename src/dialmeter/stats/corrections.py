"""Corrections of p values for many comparisons. Missing p values stay missing and do not count."""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction: keeps the chance of any false alarm in the family below the level.

    Holm (1979), A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6(2),
    65-70.

    Args:
        p_values: One p value per comparison, or None where there is none.

    Returns:
        Adjusted p values in the order given.

    Raises:
        ValueError: If a p value is not between 0 and 1.

    Example:
        >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03, 0.005])]
        [0.03, 0.06, 0.06, 0.02]
    """
    order, count = _ascending(p_values)
    adjusted: list[float | None] = [None] * len(p_values)
    running = 0.0
    for rank, (p, index) in enumerate(order):
        running = max(running, min(1.0, (count - rank) * p))
        adjusted[index] = running
    return adjusted


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Hochberg's step-up correction: keeps the expected share of false alarms among the findings.

    For tests that are independent or positively dependent. Benjamini and Hochberg (1995), Controlling the False
    Discovery Rate, Journal of the Royal Statistical Society B 57(1), 289-300.

    Args:
        p_values: One p value per comparison, or None where there is none.

    Returns:
        Adjusted p values in the order given.

    Raises:
        ValueError: If a p value is not between 0 and 1.

    Example:
        >>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03, 0.005])]
        [0.02, 0.04, 0.04, 0.02]
    """
    order, count = _ascending(p_values)
    adjusted: list[float | None] = [None] * len(p_values)
    running = 1.0
    for rank in range(count - 1, -1, -1):
        p, index = order[rank]
        running = min(running, p * count / (rank + 1))
        adjusted[index] = running
    return adjusted


def _ascending(p_values: Sequence[float | None]) -> tuple[list[tuple[float, int]], int]:
    present = sorted((float(p), index) for index, p in enumerate(p_values) if p is not None)
    for p, index in present:
        if not 0 <= p <= 1:
            raise ValueError(f"a p value lies between 0 and 1, and number {index} is {p:g}")
    return present, len(present)
