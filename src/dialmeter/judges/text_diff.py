"""Where two texts differ, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from .language.words import tokens

_MOST_PAIRS = 250_000
"""Pairs of tokens that are compared; in longer texts all between the first and the last change is one span."""


def changed_spans(old: str, new: str) -> tuple[tuple[int, int], ...]:
    """The parts of the new text that are not in the old, as (start, end); where only something is gone, an empty span.

    Example:
        >>> changed_spans("it is good.", "it is not good.")
        ((6, 9),)
        >>> changed_spans("Yes, it is.", "Yes, it is")
        ((10, 10),)
        >>> changed_spans("same", "same")
        ()
    """
    before, after = tokens(old), tokens(new)
    found = []
    for first, last in _changes([token for _, token in before], [token for _, token in after]):
        if first == last:
            place = after[first - 1][0] + len(after[first - 1][1]) if first else 0
            found.append((place, place))
        else:
            found.append((after[first][0], after[last - 1][0] + len(after[last - 1][1])))
    return tuple(found)


def _changes(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Which tokens of the second text are new, as (first, last)."""
    if len(before) * len(after) <= _MOST_PAIRS:
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        return [(first, last) for what, _, _, first, last in matcher.get_opcodes() if what != "equal"]
    if before == after:
        return []
    start = _shared(before, after)
    end = _shared(before[start:][::-1], after[start:][::-1])
    return [(start, len(after) - end)]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many tokens two texts begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (first, second) in pairs if first != second), min(len(one), len(other)))
