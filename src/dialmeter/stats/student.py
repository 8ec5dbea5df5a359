"""Student interval of a mean over dialogues."""

from collections.abc import Sequence
from math import fsum, isnan, sqrt

import numpy as np
from numpy.typing import NDArray

from dialmeter.stats.results import Interval
from dialmeter.stats.tails import check_confidence, student_p, student_quantile

SAME_SCORES = "all scores are equal"


def student_interval(scores: Sequence[float | None] | NDArray[np.float64], *, confidence: float = 0.95) -> Interval:
    """Interval of a mean: mean ± t · s / √n with n - 1 degrees of freedom.

    For measures that are a mean of one score per dialogue (`average=dialogue`). A mean over turns is a ratio of two
    sums over dialogues, for which `bootstrap` is right.

    Args:
        scores: One score per dialogue; None and nan are unscored and left out, not zero.
        confidence: Coverage of the interval.

    Returns:
        The interval, with the number of scores left out and the p value of "the mean is zero". Scores that are all
        equal give no interval and no p value: how much others differ cannot be told from them.

    Example:
        >>> result = student_interval([0.5, 0.7, 0.6, 0.8, None])
        >>> round(result.low, 4), round(result.high, 4), result.n, result.left_out
        (0.4446, 0.8554, 4, 1)
        >>> student_interval([0.5]).reason
        'an interval of a mean needs at least two scores'
    """
    check_confidence(confidence)
    given = [float("nan") if score is None else float(score) for score in scores]
    scored = [score for score in given if not isnan(score)]
    n, left_out = len(scored), len(given) - len(scored)
    if not n:
        return Interval(None, None, None, n, left_out, "there are no scores")
    mean = fsum(scored) / n
    if n < 2:
        return Interval(mean, None, None, n, left_out, "an interval of a mean needs at least two scores")
    error = sqrt(fsum((score - mean) ** 2 for score in scored) / (n - 1) / n)
    if error == 0 or min(scored) == max(scored):
        return Interval(mean, None, None, n, left_out, SAME_SCORES)
    half = student_quantile(confidence, n - 1) * error
    return Interval(mean, mean - half, mean + half, n, left_out, None, student_p(mean / error, n - 1))
