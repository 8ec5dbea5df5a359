"""Granular Change Accuracy and its four parts: precision and recall of values and of labels, over changes.

Both papers on GCA say that it has no partial credit for almost right values, and call this an open limitation. Here, with
``credit``, a wrong change whose value has similarity s to gold counts s as correct and 1 - s as wrong. C + W, P and G do not
change; only values get credit, not labels. s = 0 for every wrong value gives plain GCA, and s = 1 makes the value correct.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import ClassVar, Literal

from ...errors import DialmeterError
from ...measure import Measure, Reads, Vector
from ...model import Value
from ...numeric import np
from ...stats.changes import ALPHA, change_accuracy
from ...stats.formulas import Floats
from ...values.originals import similarity
from ..tally import Alternatives, Deletions, Tally, TallyVariant
from . import ShareMeasure


class GCA(Measure, frozen=True, kw_only=True):
    """The accuracy of changes of the state: a mistake counts only at the turn where it is made.

    If gold goes from ``x|y`` to ``x``, it has not changed (``alternatives=overlap``). A prediction that stays at ``y`` is then
    wrong for JGA, but no change is counted, so GCA can be 1. With ``alternatives=strict`` gold has changed, and the change is
    wrong.
    """

    title = "Granular Change Accuracy"
    formula = (
        "(P + G) / ((P² + G²) · (alpha / C + (1 - alpha) / (C + W))), P = C + W + O, G = C + W + M over missed, wrong, extra "
        "and correct changes; 0 if C = 0"
    )
    cite = ("aksu-2024",)
    reason_unscored = "no state ever changed"
    pooled = True

    alpha: float = ALPHA
    """The weight of values relative to labels."""
    deletions: Deletions = "ignore"
    """How a slot that is deleted from the state counts: ``ignore`` it as in the papers, ``count`` it like a value, or count it
    as the published ``code`` does."""
    alternatives: Alternatives = "overlap"
    """If the new gold value shares an alternative with the old one, gold has not changed (``overlap``) or has changed
    (``strict``). With ``deletions=code`` it is always a change."""
    unchanged: Literal["skip", "zero"] = "skip"
    """The value of a dialogue without any change, if dialogues are averaged."""
    credit: Literal["none", "fuzzy", "embedding"] = "none"
    """The credit of a wrong value: none, or its similarity to gold by letters (``fuzzy``) or by meaning (``embedding``)."""

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise ValueError("alpha must be between 0 and 1")
        if self.credit != "none" and self.deletions == "code":
            raise ValueError("credit is not defined with deletions=code")

    def reads(self) -> Reads:
        return "tally" if self.credit == "none" else "changes"

    def tally_variant(self) -> TallyVariant:
        return TallyVariant(deletions=self.deletions, alternatives=self.alternatives)

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.missed, tally.wrong, tally.extra, tally.correct)

    def from_changes(self, tally: Tally, wrong: Iterable[tuple[Value, Value]]) -> Vector:
        """Return the four counts; a wrong value of similarity s counts s as correct and 1 - s as wrong."""
        credit = math.fsum(credit_of(self.credit, gold, pred) for gold, pred in wrong)
        return (tally.missed, tally.wrong - credit, tally.extra, tally.correct + credit)

    def value(self, sums: Sequence[float]) -> float | None:
        missed, wrong, extra, correct = sums
        value = change_accuracy(missed, wrong, extra, correct, self.alpha)
        return 0.0 if value is None and self.unchanged == "zero" else value

    def values(self, sums: Floats) -> Floats:
        """Return ``value`` for many rows of sums; NaN where there is none."""
        missed, wrong, extra, correct = sums.T
        predicted, expected = correct + wrong + extra, correct + wrong + missed
        squares = predicted**2 + expected**2
        values = (predicted + expected) * correct * (correct + wrong) / (squares * (correct + self.alpha * wrong))
        nothing = 0.0 if self.unchanged == "zero" else np.nan
        return np.where(squares == 0, nothing, np.where(correct == 0, 0.0, values))


class _Changes(ShareMeasure, frozen=True, kw_only=True):
    cite = ("aksu-2024",)
    right: ClassVar[Literal["value", "label"]]
    """What must be right: the value of a slot, or only the slot."""
    deletions: Deletions = "ignore"
    """How a slot that is deleted from the state counts, as in GCA."""
    alternatives: Alternatives = "overlap"
    """Whether gold has changed if its new value shares an alternative with the old one, as in GCA."""

    def tally_variant(self) -> TallyVariant:
        return TallyVariant(deletions=self.deletions, alternatives=self.alternatives)

    def from_tally(self, tally: Tally) -> Vector:
        labels = tally.correct + tally.wrong
        both = tally.correct if self.right == "value" else labels
        return self.vector(both, labels + tally.missed, labels + tally.extra)


class VP(_Changes, frozen=True, kw_only=True):
    """The share of the tracker's changes that have the right value."""

    title = "Value precision of changes"
    formula = "C / (C + W + O)"
    reason_unscored = "the tracker changed nothing"
    right, share = "value", "precision"


class VR(_Changes, frozen=True, kw_only=True):
    """The share of gold changes that are predicted with the right value."""

    title = "Value recall of changes"
    formula = "C / (C + W + M)"
    reason_unscored = "gold changes nothing"
    right, share = "value", "recall"


class LP(_Changes, frozen=True, kw_only=True):
    """The share of the tracker's changes whose slot is in gold."""

    title = "Label precision of changes"
    formula = "(C + W) / (C + W + O)"
    reason_unscored = "the tracker changed nothing"
    right, share = "label", "precision"


class LR(_Changes, frozen=True, kw_only=True):
    """The share of gold changes whose slot is in the prediction."""

    title = "Label recall of changes"
    formula = "(C + W) / (C + W + M)"
    reason_unscored = "gold changes nothing"
    right, share = "label", "recall"


def credit_of(kind: str, gold: Value, pred: Value) -> float:
    """Return the credit of a wrong value: its best similarity to an alternative of gold, from 0 to 1.

    Example:
        >>> credit_of("fuzzy", "cheap", "cheep"), credit_of("fuzzy", ("north", "south"), "southern")
        (0.8, 0.7692307692307692)
    """
    alternatives = (gold,) if isinstance(gold, str) else gold
    predicted = pred if isinstance(pred, str) else "|".join(pred)
    return max((_SIMILARITIES[kind](each, predicted) for each in alternatives), default=0.0)


@lru_cache(maxsize=100_000)
def _embedding(gold: str, pred: str) -> float:
    from ...embedding import cosine

    return max(0.0, cosine(gold, pred))


_SIMILARITIES: dict[str, Callable[[str, str], float]] = {
    "fuzzy": lambda gold, pred: similarity("ratio")(gold, pred) / 100,
    "embedding": _embedding,
}


def check_match(match: str) -> None:
    """Raise DialmeterError if the rule set already accepts similar values, because they would get credit twice."""
    if match != "exact":
        raise DialmeterError("GCA(credit=...) needs match=exact; the rule set already accepts similar values as equal")
