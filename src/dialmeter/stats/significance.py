"""McNemar's test of two systems that are right or wrong on the same units, corrections of p values, and letters of groups.

Missing p values stay missing and are not counted as tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import comb, erfc, sqrt
from string import ascii_letters
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXACT_LIMIT = 1000
"""Maximum number of differing units for which McNemar's p value is exact."""


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct p values by Holm's step-down method. It limits the probability of any false positive in the family to the level.

    Holm (1979), A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6(2),
    65-70.

    Raises:
        ValueError: If a p value is not between 0 and 1.

    Example:
        >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03, 0.005])]
        [0.03, 0.06, 0.06, 0.02]
    """

    def adjust(ascending: list[float]) -> list[float]:
        count = len(ascending)
        steps = (min(1.0, (count - rank) * p) for rank, p in enumerate(ascending))
        return list(accumulate(steps, max))

    return _adjust_in_order(p_values, adjust)


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct p values by Benjamini and Hochberg's step-up method. It limits the expected proportion of false discoveries.

    For tests that are independent or positively dependent. Benjamini and Hochberg (1995), Controlling the False
    Discovery Rate, Journal of the Royal Statistical Society B 57(1), 289-300.

    Arguments, result and errors are those of `holm`.

    Example:
        >>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03, 0.005])]
        [0.02, 0.04, 0.04, 0.02]
    """
    from scipy.stats import false_discovery_control

    return _adjust_in_order(
        p_values, lambda ascending: false_discovery_control(ascending).tolist() if ascending else []
    )


def _adjust_in_order(
    p_values: Sequence[float | None], adjust: Callable[[list[float]], list[float]]
) -> list[float | None]:
    present = sorted((float(p), index) for index, p in enumerate(p_values) if p is not None)
    for p, index in present:
        if not 0 <= p <= 1:
            raise ValueError(f"a p value must be between 0 and 1, but number {index} is {p:g}")
    adjusted: list[float | None] = [None] * len(p_values)
    for (_, index), value in zip(present, adjust([p for p, _ in present]), strict=True):
        adjusted[index] = value
    return adjusted


@dataclass(frozen=True, slots=True)
class McNemar:
    """Outcome of McNemar's test.

    Attributes:
        p: Two-sided p value.
        only_first: Units that only the first system has right.
        only_second: Units that only the second system has right.
        n: All units, or None if only the two counts were given.
        exact: True if p is the exact binomial p value.

    Example:
        >>> McNemar(p=0.5, only_first=1, only_second=3, n=10, exact=True).exact
        True
    """

    p: float
    only_first: int
    only_second: int
    n: int | None
    exact: bool


def mcnemar(first: Sequence[bool] | NDArray[np.bool_], second: Sequence[bool] | NDArray[np.bool_]) -> McNemar:
    """Run McNemar's test on two vectors of right and wrong.

    Units are assumed to be independent. Turns of one dialogue are not, so give one entry per dialogue (for example, all
    turns right) and test means over turns with `paired_randomisation`.

    Raises:
        ValueError: If the vectors differ in length, are empty, or contain anything except truth values.

    Example:
        >>> mcnemar([True, True, False, False], [True, False, True, True])
        McNemar(p=1.0, only_first=1, only_second=2, n=4, exact=True)
    """
    import numpy as np

    one, two = np.asarray(first), np.asarray(second)
    if one.shape != two.shape or one.ndim != 1:
        raise ValueError(
            f"both systems need one truth value per unit, but their shapes are {one.shape} and {two.shape}"
        )
    if not one.size:
        raise ValueError("there are no units to compare")
    if not (np.isin(one, (0, 1)).all() and np.isin(two, (0, 1)).all()):
        raise ValueError("right and wrong must be given as true and false, or 1 and 0")
    right_one, right_two = one.astype(bool), two.astype(bool)
    b, c = int((right_one & ~right_two).sum()), int((right_two & ~right_one).sum())
    return mcnemar_counts(b, c, n=one.size)


def mcnemar_counts(only_first: int, only_second: int, *, n: int | None = None) -> McNemar:
    """Run McNemar's test on the two off-diagonal counts of a 2 × 2 table. The diagonal does not matter.

    If the systems differ on up to 1000 units, p is exact: twice the smaller binomial tail with probability one half, at most
    1, computed with integers. For more units, it is the chi-squared test with the continuity correction of Edwards (1948),
    which then agrees to three digits. McNemar (1947), Note on the Sampling Error of the Difference Between
    Correlated Proportions or Percentages, Psychometrika 12(2), 153-157.

    p is 1 if the systems never differ. The number of all units is only copied to the result.

    Raises:
        ValueError: If a count is negative or n is smaller than the two counts.

    Example:
        >>> round(mcnemar_counts(2, 10).p, 5)
        0.03857
    """
    if min(only_first, only_second) < 0:
        raise ValueError(f"counts cannot be negative, but they are {only_first} and {only_second}")
    differing = only_first + only_second
    if n is not None and n < differing:
        raise ValueError(f"the systems differ on {differing} units, which is more than all {n}")
    if differing <= EXACT_LIMIT:
        tail = sum(comb(differing, k) for k in range(min(only_first, only_second) + 1))
        return McNemar(min(1.0, 2 * tail / 2**differing), only_first, only_second, n, exact=True)
    distance = max(0, abs(only_first - only_second) - 1)
    return McNemar(erfc(distance / sqrt(2 * differing)), only_first, only_second, n, exact=False)


def letter_display(names: Sequence[str], differing: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the letters of systems. Two systems share a letter if and only if they do not differ significantly.

    The insert-and-absorb algorithm of Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise
    Comparisons, Journal of Computational and Graphical Statistics 13(2), 456-466.

    Args:
        names: the systems, the best first; the first systems get the first letters. From the 53rd group on, a group has its
            number in parentheses.
        differing: pairs of systems that differ significantly.

    Raises:
        ValueError: If a pair names a system that is not in names, or the same system twice.

    Example:
        >>> letter_display(["x", "y", "z"], [("x", "z")])
        {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    indices = {name: index for index, name in enumerate(names)}
    groups = [frozenset(indices.values())] if indices else []
    for one, other in differing:
        if one == other or one not in indices or other not in indices:
            raise ValueError(f"{one!r} and {other!r} are not two of the systems")
        pair = {indices[one], indices[other]}
        split = [group - {index} if pair <= group else group for group in groups for index in sorted(pair)]
        distinct = set(split)
        groups = [group for group in distinct if not any(group < larger for larger in distinct)]
    ordered = sorted(groups, key=sorted)
    letters = [
        ascii_letters[number] if number < len(ascii_letters) else f"({number + 1})" for number in range(len(ordered))
    ]
    return {
        name: "".join(letter for letter, group in zip(letters, ordered, strict=True) if index in group)
        for name, index in indices.items()
    }
