"""McNemar's test of two systems that are right or wrong on the same units, the correction of p values, and letters of groups.

Missing p values stay missing and are not counted as tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import comb, erfc, sqrt
from string import ascii_letters

EXACT_LIMIT = 1000
"""Maximum number of differing units for which McNemar's p value is exact."""


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct p values by Holm's step-down method. It limits the probability of any false positive in the family to the level.

    Holm (1979), A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6(2),
    65-70.

    Example:
        >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03, 0.005])]
        [0.03, 0.06, 0.06, 0.02]
    """

    present = sorted((float(p), index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    steps = (min(1.0, (len(present) - rank) * p) for rank, (p, _) in enumerate(present))
    for (_, index), value in zip(present, accumulate(steps, max), strict=True):
        adjusted[index] = value
    return adjusted


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Return the two-sided p value of McNemar's test, from the numbers of units that only one of two systems has right.

    Units are assumed to be independent. Turns of one dialogue are not, so count dialogues (for example, those with all turns
    right) and test means over turns with `PairedDraws.randomisation`.

    If the systems differ on up to 1000 units, p is exact: twice the smaller binomial tail with probability one half, at most
    1, computed with integers. For more units, it is the chi-squared test with the continuity correction of Edwards (1948),
    which then agrees to three digits. McNemar (1947), Note on the Sampling Error of the Difference Between
    Correlated Proportions or Percentages, Psychometrika 12(2), 153-157.

    Example:
        >>> round(mcnemar_p(2, 10), 5), mcnemar_p(0, 0)
        (0.03857, 1.0)
    """
    differing = only_first + only_second
    if differing <= EXACT_LIMIT:
        tail = sum(comb(differing, k) for k in range(min(only_first, only_second) + 1))
        return min(1.0, 2 * tail / (1 << differing))
    return erfc(max(0, abs(only_first - only_second) - 1) / sqrt(2 * differing))


def fisher_p(hits: int, n: int, other_hits: int, other_n: int) -> float:
    """Return the two-sided p value of Fisher's exact test of two shares: the probability of all tables at most as likely.

    Example:
        >>> round(fisher_p(8, 10, 1, 6), 6)
        0.034965
    """
    total = hits + other_hits
    ways = [comb(n, k) * comb(other_n, total - k) for k in range(max(0, total - other_n), min(n, total) + 1)]
    own = comb(n, hits) * comb(other_n, other_hits)
    return sum(each for each in ways if each <= own) / comb(n + other_n, total)


def letter_display(names: Sequence[str], differing: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the letters of systems. Two systems share a letter if and only if they do not differ significantly.

    The insert-and-absorb algorithm of Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise
    Comparisons, Journal of Computational and Graphical Statistics 13(2), 456-466.

    Args:
        names: the systems, the best first; the first systems get the first letters. From the 53rd group on, a group has its
            number in parentheses.
        differing: pairs of systems that differ significantly.

    Example:
        >>> letter_display(["x", "y", "z"], [("x", "z")])
        {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    indices = {name: index for index, name in enumerate(names)}
    groups = [frozenset(indices.values())] if indices else []
    for one, other in differing:
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
