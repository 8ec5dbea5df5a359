"""Compact letter display: systems that share a letter do not differ significantly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_letters


def letter_display(names: Sequence[str], differing: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the letters of systems. Two systems share a letter if and only if they do not differ significantly.

    The insert-and-absorb algorithm of Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise
    Comparisons, Journal of Computational and Graphical Statistics 13(2), 456-466.

    Args:
        names: the systems, the best first; the first systems get the first letters.
        differing: pairs of systems that differ significantly.

    Returns:
        The letters of each system. From the 53rd group on, a group has its number in parentheses.

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
