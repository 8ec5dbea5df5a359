"""The measures of trackers."""

from typing import ClassVar, Literal

from ...measure import Measure, Vector


class ShareMeasure(Measure, frozen=True, kw_only=True):
    """Precision, recall or F1 of what both sides hold, over the sums of a corpus."""

    pooled = True
    share: ClassVar[Literal["precision", "recall", "F1"]]

    def vector(self, both: float, gold: float, pred: float) -> Vector:
        """Return the vector of a unit from the number of members on both sides, in gold, and in the prediction."""
        if self.share == "F1":
            return (2 * both, gold + pred)
        return (both, pred if self.share == "precision" else gold)
