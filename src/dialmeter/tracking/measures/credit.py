"""Partial credit for values that are almost right: both papers on GCA name its lack as an open limitation.

A wrong change whose value has similarity s to gold counts s as correct and 1 - s as wrong. Then C + W, P and G stay as they
are, only values earn, labels do not; s = 0 for every wrong value gives plain GCA back, and s = 1 makes it correct.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ...errors import DialmeterError
from ...model import Value


def similarity(kind: str, gold: Value, pred: Value) -> float:
    """How near a wrong value comes, from 0 to 1; the best over gold's alternatives.

    Example:
        >>> similarity("fuzzy", "cheap", "cheep"), similarity("fuzzy", ("north", "south"), "southern")
        (0.8, 0.7692307692307692)
    """
    wanted = (gold,) if isinstance(gold, str) else gold
    found = pred if isinstance(pred, str) else "|".join(pred)
    return max((_SIMILARITIES[kind](each, found) for each in wanted), default=0.0)


def _fuzzy(gold: str, pred: str) -> float:
    from rapidfuzz import fuzz

    return float(fuzz.ratio(gold, pred)) / 100


@lru_cache(maxsize=100_000)
def _embedding(gold: str, pred: str) -> float:
    from ...embedding import cosine

    return max(0.0, cosine(gold, pred))


_SIMILARITIES: dict[str, Callable[[str, str], float]] = {"fuzzy": _fuzzy, "embedding": _embedding}


def check_match(match: str) -> None:
    """Raises DialmeterError where the rule set already forgives near values: they would earn twice."""
    if match != "exact":
        raise DialmeterError("GCA(credit=...) needs match=exact; the rule set already takes near values for equal")
