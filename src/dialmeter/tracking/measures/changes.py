"""The four shares that GCA is made of: values and labels, precision and recall, over changes."""

from ...measure import Measure, Vector
from ..tally import Alternatives, Deletions, Lens, Tally


class _Changes(Measure, frozen=True, kw_only=True):
    cite = ("aksu-2024",)
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
    pooled = True

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.correct, tally.correct + tally.wrong + tally.over)


class VR(_Changes, frozen=True, kw_only=True):
    """Of the changes that gold makes, how many were made with the right value."""

    title = "Value recall of changes"
    formula = "C / (C + W + M)"
    why_unscored = "gold changes nothing"
    pooled = True

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.correct, tally.correct + tally.wrong + tally.missed)


class LP(_Changes, frozen=True, kw_only=True):
    """Of the changes that the tracker made, how many concern a slot that gold holds."""

    title = "Label precision of changes"
    formula = "(C + W) / (C + W + O)"
    why_unscored = "the tracker changed nothing"
    pooled = True

    def from_tally(self, tally: Tally) -> Vector:
        right = tally.correct + tally.wrong
        return (right, right + tally.over)


class LR(_Changes, frozen=True, kw_only=True):
    """Of the changes that gold makes, how many concern a slot that the tracker holds."""

    title = "Label recall of changes"
    formula = "(C + W) / (C + W + M)"
    why_unscored = "gold changes nothing"
    pooled = True

    def from_tally(self, tally: Tally) -> Vector:
        right = tally.correct + tally.wrong
        return (right, right + tally.missed)
