"""Find the words in which two texts differ."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from .words import tokens

_MOST_PAIRS = 250_000
"""The largest number of token pairs to compare. In longer texts, everything from the first to the last change is one span."""


def changed_spans(old: str, new: str) -> tuple[tuple[int, int], ...]:
    """The parts of the new text that are not in the old, as (start, end); an empty span for a deletion.

    Example:
        >>> changed_spans("it is good.", "it is not good.")
        ((6, 9),)
        >>> changed_spans("Yes, it is.", "Yes, it is")
        ((10, 10),)
        >>> changed_spans("same", "same")
        ()
    """
    before, after = tokens(old), tokens(new)
    spans = []
    for first, last in _changes([token for _, token in before], [token for _, token in after]):
        if first == last:
            place = after[first - 1][0] + len(after[first - 1][1]) if first else 0
            spans.append((place, place))
        else:
            spans.append((after[first][0], after[last - 1][0] + len(after[last - 1][1])))
    return tuple(spans)


def _changes(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """The ranges of new tokens in the second text, as (first, last)."""
    if len(before) * len(after) <= _MOST_PAIRS:
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        return [(first, last) for operation, _, _, first, last in matcher.get_opcodes() if operation != "equal"]
    if before == after:
        return []
    start = _common_prefix(before, after)
    end = _common_prefix(before[start:][::-1], after[start:][::-1])
    return [(start, len(after) - end)]


def _common_prefix(one: Sequence[str], other: Sequence[str]) -> int:
    """Number of tokens in the common prefix of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (first, second) in pairs if first != second), min(len(one), len(other)))
