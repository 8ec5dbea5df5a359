"""What a value says about success: numbers between 0 and 1, true and false, and words such as ``resolved``."""

from __future__ import annotations

from math import inf
from typing import Any

from ..csv_files import number_or_nan
from .names import word_of

CLOSE = 1e-6
"""Tolerance for rewards: a reward within this distance of 1 is a success."""
_REACHED_WORDS = """1 true yes y t c success successful succeeded pass passed passes resolved solved completed complete achieved
    correct fulfilled ok win won reached accomplished good goal_reached goal_achieved"""
_REACHED = frozenset(_REACHED_WORDS.split())
_MISSED_WORDS = """0 false no n f i failure failed fail fails unresolved unsolved not_resolved not_solved incomplete not_completed
    incorrect wrong unsuccessful missed lost not_achieved unachieved error crash crashed timeout aborted bad"""
_MISSED = frozenset(_MISSED_WORDS.split())


def share_of(value: Any) -> float | None:
    """Return an outcome between 0 and 1; None if the value is a word or a number that does not say it."""
    if isinstance(value, bool):
        return float(value)
    number = value if isinstance(value, int | float) else number_or_nan(str(value))
    if abs(number) < inf:  # not isfinite, which cannot take an integer of any size
        return float(number) if -CLOSE <= number <= 1 + CLOSE else None
    word = word_of(value)
    return 1.0 if word in _REACHED else 0.0 if word in _MISSED else None
