"""What the statistics return: small frozen records in which a missing number has a reason."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A number with its confidence interval.

    Attributes:
        value: The point value, or None if it is not defined.
        low: Lower limit, or None if there is no interval.
        high: Upper limit, or None if there is no interval.
        n: Units that took part (dialogues, scores, pairs).
        left_out: What had no value and was left out: resamples for a bootstrap, units elsewhere.
        reason: Why `value`, `low` or `high` is None; None when all three are there.
        p: Two-sided p value of "the value is zero" where the statistic has one.

    Example:
        >>> Interval(0.5, 0.4, 0.6, n=100)
        Interval(value=0.5, low=0.4, high=0.6, n=100, left_out=0, reason=None, p=None)
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    left_out: int = 0
    reason: str | None = None
    p: float | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on the same dialogues; the first one is the baseline.

    Attributes:
        first: Value of the baseline.
        second: Value of the other system.
        difference: `second - first`.
        low: Lower limit of the difference; None for tests that give no interval.
        high: Upper limit of the difference; None for tests that give no interval.
        p: Two-sided p value of "no difference".
        n: Number of dialogues.
        left_out: Resamples in which one of the systems had no value.
        reason: Why `difference`, the interval or `p` is None.

    Example:
        >>> Comparison(0.5, 0.6, 0.1, None, None, p=0.03, n=100).p
        0.03
    """

    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    left_out: int = 0
    reason: str | None = None
