"""How well ratings are predicted."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from msgspec import Struct


class Quality(Struct, frozen=True):
    """Of predicted classes: accuracy, UAR, macro F1; of predicted ratings: Spearman's correlation with the given ones.

    UAR is the mean recall over the classes that occur. The correlation is None where all ratings are the same.
    """

    accuracy: float
    uar: float
    macro_f1: float
    spearman: float | None
    n: int


def quality(labels: Sequence[int], classes: Sequence[int], ratings: Sequence[float]) -> Quality:
    """The quality of predictions.

    Args:
        labels: the true classes.
        classes: the predicted ones.
        ratings: the predicted ratings.

    Example:
        >>> quality([2, 2, 3, 1], [2, 2, 3, 2], [3.0, 3.1, 3.9, 2.8])
        Quality(accuracy=0.75, uar=0.6666666666666666, macro_f1=0.6, spearman=0.9486832980505138, n=4)
    """
    from ...stats.correlation import spearman

    present = sorted(set(labels))
    hits = {each: sum(one == two == each for one, two in zip(labels, classes, strict=True)) for each in present}
    recalls = [hits[each] / labels.count(each) for each in present]
    f1 = [2 * hits[each] / (labels.count(each) + classes.count(each)) for each in present]
    constant = len(set(labels)) == 1 or len(set(ratings)) == 1
    return Quality(
        accuracy=fmean(one == two for one, two in zip(labels, classes, strict=True)),
        uar=fmean(recalls),
        macro_f1=fmean(f1),
        spearman=None if constant else spearman(labels, ratings).value,
        n=len(labels),
    )


def majority(labels: Sequence[int], training: Sequence[int]) -> Quality:
    """The quality of always saying the most frequent class of training."""
    most = max(sorted(set(training)), key=list(training).count)
    return quality(labels, [most] * len(labels), [float(most + 1)] * len(labels))
