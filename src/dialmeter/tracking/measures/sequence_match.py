"""Are gold and prediction the same text?"""

from ...measure import Measure, Vector


class SequenceMatch(Measure, frozen=True, kw_only=True):
    """The share of turns whose predicted text is the gold text, blanks at both ends aside; the order of slots counts."""

    title = "Sequence match (ConvLab-3)"
    formula = "mean over turns of [text of G = text of P]"
    cite = ("zhu-2022",)

    def from_texts(self, gold: str, pred: str) -> Vector:
        return (gold.strip() == pred.strip(), 1)
