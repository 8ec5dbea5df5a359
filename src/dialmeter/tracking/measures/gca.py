"""Granular Change Accuracy, and the four shares that it is made of: values and labels, precision and recall, over changes."""

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from ...measure import Measure, Reads, Vector
from ...model import Value
from ..tally import Alternatives, Deletions, Lens, Tally
from .credit import similarity


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

    def lens(self) -> Lens:
        return Lens(deletions=self.deletions, alternatives=self.alternatives)

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.missed, tally.wrong, tally.over, tally.correct)

    def from_changes(self, tally: Tally, wrong: Iterable[tuple[Value, Value]]) -> Vector:
        """The four counts, where a wrong value of similarity s counts s as correct and 1 - s as wrong."""
        earned = math.fsum(similarity(self.credit, wanted, found) for wanted, found in wrong)
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

    def lens(self) -> Lens:
        return Lens(deletions=self.deletions, alternatives=self.alternatives)


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
