"""Wilson's interval of a share."""

from math import sqrt

from dialmeter.stats.tails import check_confidence


def wilson_interval(count: int, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of a share that stays within 0 and 1 and is not empty at its ends.

    Wilson (1927), Probable Inference, the Law of Succession, and Statistical Inference, Journal of the American
    Statistical Association 22(158), 209-212.

    Args:
        count: How many units have the property.
        n: How many units there are.
        confidence: Coverage of the interval.

    Raises:
        ValueError: If the count does not lie between 0 and n, or n is 0.

    Example:
        >>> [round(limit, 4) for limit in wilson_interval(84, 100)]
        [0.7558, 0.899]
    """
    check_confidence(confidence)
    if not 0 <= count <= n or not n:
        raise ValueError(f"a share needs a count between 0 and n, and these are {count} and {n}")
    from scipy.special import ndtri

    z = float(ndtri((1 + confidence) / 2))
    share = count / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At the ends the limit is exact, and rounding must not move it.
    return 0.0 if count == 0 else centre - half, 1.0 if count == n else centre + half
