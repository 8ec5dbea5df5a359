"""The accuracy of changes, from counts of missed, wrong, extra and correct ones: of a state, or of what calls change in the world."""

ALPHA = 10 / 11
"""The weight of values relative to labels in the papers on GCA."""


def change_accuracy(missed: float, wrong: float, extra: float, correct: float, alpha: float = ALPHA) -> float | None:
    """Return Granular Change Accuracy; None if nothing is expected and nothing is made, and 0 if nothing is correct.

    Example:
        >>> change_accuracy(0, 1, 0, 1), change_accuracy(2, 0, 0, 0), change_accuracy(0, 0, 0, 0)
        (0.5238095238095238, 0.0, None)
    """
    made, expected = correct + wrong + extra, correct + wrong + missed
    if not made + expected:
        return None
    if not correct:
        return 0.0
    # The weights P and G are needed for the published figures, although the formula of the second paper omits them. There
    # are no inner fractions, so that a perfect prediction is exactly 1.
    squares = made**2 + expected**2
    return (made + expected) * correct * (correct + wrong) / (squares * (correct + alpha * wrong))
