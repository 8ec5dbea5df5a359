"""Quantiles and tail probabilities of the normal and Student distributions, and the step from one to the other."""

from math import sqrt
from statistics import NormalDist

NORMAL = NormalDist()
MANY = 2**16
"""Up to so many degrees of freedom Student's distribution is not yet the normal one with a small correction."""


def check_confidence(confidence: float) -> float:
    """Refuse a confidence that is not strictly between 0 and 1 (95 instead of 0.95, say).

    Example:
        >>> check_confidence(0.95)
        0.95
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1 (0.95 for 95 %), not {confidence:g}")
    return confidence


def normal_quantile(confidence: float) -> float:
    """Half width of the central part of the normal distribution.

    Example:
        >>> round(normal_quantile(0.95), 4)
        1.96
    """
    return NORMAL.inv_cdf((1 + check_confidence(confidence)) / 2)


def student_quantile(confidence: float, degrees: int) -> float:
    """Half width of the central part of the Student distribution.

    With very many degrees of freedom by its expansion around the normal quantile, which is exact to the last digits there
    and spares loading scipy: Abramowitz and Stegun (1964), Handbook of Mathematical Functions, 26.7.5.

    Example:
        >>> round(student_quantile(0.95, 19), 4), round(student_quantile(0.95, 100_000), 6)
        (2.093, 1.959988)
    """
    if degrees > MANY:
        x = normal_quantile(confidence)
        first, second = (x**3 + x) / 4, (5 * x**5 + 16 * x**3 + 3 * x) / 96
        third = (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384
        return x + first / degrees + second / degrees**2 + third / degrees**3
    from scipy import special

    return float(special.stdtrit(degrees, (1 + check_confidence(confidence)) / 2))


def student_p(t: float, degrees: int) -> float:
    """Two-sided p value of a t statistic.

    Example:
        >>> round(student_p(2.093, 19), 3)
        0.05
    """
    from scipy import special

    return float(min(1.0, 2 * special.stdtr(degrees, -abs(t))))


def expanded_tail(confidence: float, n: int) -> float:
    """Tail probability at which a percentile interval over n units has the width of a Student interval.

    A bootstrap over n units is too narrow by sqrt((n - 1) / n), and its tails are normal where Student's are due.
    Reading the percentiles a little further out mends both to first order: the "expanded percentile" interval of
    Hesterberg (2015), What Teachers Should Know About the Bootstrap, The American Statistician 69(4), 371-386.

    Example:
        >>> round(expanded_tail(0.95, 20), 4), round(expanded_tail(0.95, 1000), 4)
        (0.0159, 0.0248)
    """
    return NORMAL.cdf(-student_quantile(confidence, n - 1) * sqrt(n / (n - 1)))


def expanded_p(p: float, n: int) -> float:
    """The same correction for a two-sided p value: the normal quantile of p, read as a Student quantile.

    Example:
        >>> round(expanded_p(0.05, 20), 4), round(expanded_p(0.05, 1000), 4)
        (0.0713, 0.0504)
    """
    z = -NORMAL.inv_cdf(p / 2)
    return student_p(z * sqrt((n - 1) / n), n - 1)
