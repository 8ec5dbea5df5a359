"""The compact letter display: systems that share a letter do not differ significantly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_letters


def letter_display(names: Sequence[str], differing: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Letters of systems: two systems have a letter in common exactly if no test tells them apart.

    The insert-and-absorb algorithm of Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise
    Comparisons, Journal of Computational and Graphical Statistics 13(2), 456-466.

    Args:
        names: the systems, the best first; the first letters go to the first systems.
        differing: pairs of systems that differ significantly.

    Returns:
        The letters of each system. From the 53rd group on, a group has its number in parentheses.

    Raises:
        ValueError: If a pair names a system that is not in names, or the same system twice.

    Example:
        >>> letter_display(["x", "y", "z"], [("x", "z")])
        {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    places = {name: place for place, name in enumerate(names)}
    groups = [frozenset(places.values())] if places else []
    for one, other in differing:
        if one == other or one not in places or other not in places:
            raise ValueError(f"{one!r} and {other!r} are not two of the systems")
        pair = {places[one], places[other]}
        split = [group - {place} if pair <= group else group for group in groups for place in sorted(pair)]
        distinct = set(split)
        groups = [group for group in distinct if not any(group < larger for larger in distinct)]
    ordered = sorted(groups, key=sorted)
    marks = [
        ascii_letters[number] if number < len(ascii_letters) else f"({number + 1})" for number in range(len(ordered))
    ]
    return {
        name: "".join(mark for mark, group in zip(marks, ordered, strict=True) if place in group)
        for name, place in places.items()
    }
