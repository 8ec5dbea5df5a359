"""Position of errors in a dialogue: tail-orientedness and non-uniformity, in both published versions.

A fair measure should not depend on it, because the same mistakes at other turns are the same mistakes. ``dialmeter tracker
bias`` computes how much each measure depends on it. Aksu and Chen (2024), and the first version of the same study.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...tracking.vectors.tally_table import TallyTable


class Trait(NamedTuple):
    """A number per dialogue that depends only on the number of mistakes at each turn."""

    title: str
    formula: str
    of: Callable[[Sequence[int]], float]


def tail_orientedness(mistakes: Sequence[int]) -> float:
    """Return TO: the distance of the mean turn of mistakes from the middle turn, as a share of the dialogue's turns.

    Args:
        mistakes: missed, wrong and over changes per turn, in order.

    Returns:
        Between -1/2 (all at the first turn of a long dialogue) and 1/2; 0 without mistakes.

    Example:
        >>> tail_orientedness([4, 0, 0, 0]), tail_orientedness([0, 0, 0])
        (-0.375, 0.0)
    """
    total = sum(mistakes)
    return _signed_distance(mistakes) / (2 * total * len(mistakes)) if total else 0.0


def non_uniformity(mistakes: Sequence[int]) -> float:
    """Return NU: the sum of the turns' distances from the mean number of mistakes, as a multiple of that mean.

    Args:
        mistakes: missed, wrong and over changes per turn, in order.

    Returns:
        The sum; 0 if all turns have the same number of mistakes, or none.

    Example:
        >>> non_uniformity([4, 0, 0, 0]), non_uniformity([2, 2, 2, 2])
        (6.0, 0.0)
    """
    total, turns = sum(mistakes), len(mistakes)
    return sum(abs(count * turns - total) for count in mistakes) / total if total else 0.0


def summed_tail_orientedness(mistakes: Sequence[int]) -> float:
    """Return TO1, the first version: the sum of signed distances of mistakes from the middle turn, divided by the number of turns.

    Args:
        mistakes: missed, wrong and over changes per turn, in order.

    Example:
        >>> summed_tail_orientedness([4, 0, 0, 0]), summed_tail_orientedness([1, 0, 0, 0])
        (-1.5, -0.375)
    """
    return _signed_distance(mistakes) / (2 * len(mistakes)) if mistakes else 0.0


def squared_non_uniformity(mistakes: Sequence[int]) -> float:
    """Return NU1, the first version: the sum of squared distances of the turns from the mean number of mistakes.

    Args:
        mistakes: missed, wrong and over changes per turn, in order.

    Example:
        >>> squared_non_uniformity([4, 0, 0, 0]), squared_non_uniformity([0, 1, 1, 0])
        (12.0, 1.0)
    """
    total, turns = sum(mistakes), len(mistakes)
    return (turns * sum(count * count for count in mistakes) - total * total) / turns if turns else 0.0


def _signed_distance(mistakes: Sequence[int]) -> int:
    """Return twice the sum of signed distances from the middle turn. It is an integer, so only the later division rounds."""
    return 2 * sum(turn * count for turn, count in enumerate(mistakes)) - sum(mistakes) * (len(mistakes) - 1)


TRAITS: Mapping[str, Trait] = {
    "TO": Trait("tail-orientedness", "(Σ t·m_t / m − (n−1)/2) / n", tail_orientedness),
    "NU": Trait("non-uniformity", "Σ |m_t − m/n| / (m/n)", non_uniformity),
    "TO1": Trait("tail-orientedness, first version", "Σ m_t·(t − (n−1)/2) / n", summed_tail_orientedness),
    "NU1": Trait("non-uniformity, first version", "Σ (m_t − m/n)²", squared_non_uniformity),
}


def traits_of(mistakes: Sequence[int]) -> dict[str, float]:
    """Return all traits of one dialogue.

    Example:
        >>> traits_of([0, 1, 1, 0])
        {'TO': 0.0, 'NU': 4.0, 'TO1': 0.0, 'NU1': 1.0}
    """
    return {name: trait.of(mistakes) for name, trait in TRAITS.items()}


def mistakes_per_turn(tally_table: TallyTable) -> list[tuple[int, ...]]:
    """Return the number of missed, wrong and over changes of every turn, by dialogue in the order of the tally table."""
    counts = [tally.missed + tally.wrong + tally.over for tally in tally_table.table]
    return [
        tuple(counts[row] for row in tally_table.rows_of(position)) for position in range(len(tally_table.dialogues))
    ]
