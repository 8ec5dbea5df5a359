"""Granular Change Accuracy, and the four shares that it is made of: values and labels, precision and recall, over changes.

Partial credit for values that are almost right: both papers on GCA name its lack as an open limitation. A wrong change whose
value has similarity s to gold counts s as correct and 1 - s as wrong. Then C + W, P and G do not change, and only values
earn credit, not labels; s = 0 for every wrong value gives plain GCA, and s = 1 makes the value correct.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Literal

from ...errors import DialmeterError
from ...measure import Measure, Reads, Vector
from ...model import Value
from ..tally import Alternatives, Deletions, Tally, TallyVariant


class GCA(Measure, frozen=True, kw_only=True):
    """How well changes of the state are predicted: a mistake counts at the turn where it is made, and only there.

    Gold that goes from ``x|y`` to ``x`` has not changed (``alternatives=overlap``): a prediction that stays at ``y`` is wrong
    for JGA, but no change is counted, so that GCA can be 1. With ``alternatives=strict`` gold has changed, and the change is
    wrong.
    """

    title = "Granular Change Accuracy"
    formula = (
        "(P + G) / ((P² + G²) · (alpha / C + (1 - alpha) / (C + W))), P = C + W + O, G = C + W + M over missed, wrong, over "
        "and correct changes; 0 if C = 0"
    )
    cite = ("aksu-2024",)
    why_unscored = "no state ever changed"
    pooled = True

    alpha: float = 10 / 11
    """The weight of values against labels."""
    deletions: Deletions = "ignore"
    """What of a slot that leaves the state: ``ignore`` as in the papers, ``count`` it like a value, or as published
    ``code`` counts it."""
    alternatives: Alternatives = "overlap"
    """Gold goes to another value that shares an alternative with the one before: no change (``overlap``), or a change
    (``strict``). With ``deletions=code`` it is always a change."""
    unchanged: Literal["skip", "zero"] = "skip"
    """What a dialogue without any change is worth where dialogues are averaged."""
    credit: Literal["none", "fuzzy", "embedding"] = "none"
    """What a wrong value earns: nothing, or its similarity to gold by letters (``fuzzy``) or by meaning (``embedding``)."""

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise ValueError("alpha lies between 0 and 1")
        if self.credit != "none" and self.deletions == "code":
            raise ValueError("credit is not defined with deletions=code")

    def reads(self) -> Reads:
        return "tally" if self.credit == "none" else "changes"

    def tally_variant(self) -> TallyVariant:
        return TallyVariant(deletions=self.deletions, alternatives=self.alternatives)

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.missed, tally.wrong, tally.over, tally.correct)

    def from_changes(self, tally: Tally, wrong: Iterable[tuple[Value, Value]]) -> Vector:
        """The four counts, where a wrong value of similarity s counts s as correct and 1 - s as wrong."""
        earned = math.fsum(credit_of(self.credit, wanted, found) for wanted, found in wrong)
        return (tally.missed, tally.wrong - earned, tally.over, tally.correct + earned)

    def value(self, sums: Sequence[float]) -> float | None:
        missed, wrong, over, correct = sums
        predicted, expected = correct + wrong + over, correct + wrong + missed
        if not predicted + expected:
            return 0.0 if self.unchanged == "zero" else None
        if not correct:
            return 0.0
        # The weights P and G are needed for the published figures; the formula of the second paper leaves them out. Written
        # without inner fractions, so that a perfect prediction is 1 to the last bit.
        squares = predicted**2 + expected**2
        return (predicted + expected) * correct * (correct + wrong) / (squares * (correct + self.alpha * wrong))


class _Changes(Measure, frozen=True, kw_only=True):
    cite = ("aksu-2024",)
    pooled = True
    deletions: Deletions = "ignore"
    """What of a slot that leaves the state, as in GCA."""
    alternatives: Alternatives = "overlap"
    """Is it a change when gold goes to a value that shares an alternative with the one before, as in GCA."""

    def tally_variant(self) -> TallyVariant:
        return TallyVariant(deletions=self.deletions, alternatives=self.alternatives)


class VP(_Changes, frozen=True, kw_only=True):
    """Of the changes that the tracker made, how many have the right value."""

    title = "Value precision of changes"
    formula = "C / (C + W + O)"
    why_unscored = "the tracker changed nothing"

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.correct, tally.correct + tally.wrong + tally.over)


class VR(_Changes, frozen=True, kw_only=True):
    """Of the changes that gold makes, how many were made with the right value."""

    title = "Value recall of changes"
    formula = "C / (C + W + M)"
    why_unscored = "gold changes nothing"

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.correct, tally.correct + tally.wrong + tally.missed)


class LP(_Changes, frozen=True, kw_only=True):
    """Of the changes that the tracker made, how many concern a slot that gold holds."""

    title = "Label precision of changes"
    formula = "(C + W) / (C + W + O)"
    why_unscored = "the tracker changed nothing"

    def from_tally(self, tally: Tally) -> Vector:
        right = tally.correct + tally.wrong
        return (right, right + tally.over)


class LR(_Changes, frozen=True, kw_only=True):
    """Of the changes that gold makes, how many concern a slot that the tracker holds."""

    title = "Label recall of changes"
    formula = "(C + W) / (C + W + M)"
    why_unscored = "gold changes nothing"

    def from_tally(self, tally: Tally) -> Vector:
        right = tally.correct + tally.wrong
        return (right, right + tally.missed)


def credit_of(kind: str, gold: Value, pred: Value) -> float:
    """The credit of a wrong value: its similarity to gold from 0 to 1, the best over gold's alternatives.

    Example:
        >>> credit_of("fuzzy", "cheap", "cheep"), credit_of("fuzzy", ("north", "south"), "southern")
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
