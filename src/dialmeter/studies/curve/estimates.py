"""Numbers that vary with the seed of training and with the dialogues of the test set: one interval for each."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np

    from ...stats import Formula

    FloatArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

Limits: TypeAlias = tuple[float, float]


class Estimate(Struct, frozen=True):
    """A mean over files, or a slope through them.

    ``seeds`` is Student's interval over the files as they are, ``dialogues`` the bootstrap interval over the dialogues of
    the test set, where the same dialogues are drawn for every file. ``n`` counts files, ``left_out`` those without value.
    """

    value: float | None
    seeds: Limits | None = None
    dialogues: Limits | None = None
    n: int = 0
    left_out: int = 0
    reason: str = ""

    @property
    def sign(self) -> int:
        """1 or -1 where every interval there is lies on that side of zero, otherwise 0."""
        limits = [each for each in (self.seeds, self.dialogues) if each]
        if limits and all(low > 0 for low, _ in limits):
            return 1
        return -1 if limits and all(high < 0 for _, high in limits) else 0


def mean(
    values: Sequence[float | None],
    samples: FloatArray | None = None,
    *,
    confidence: float = 0.95,
    dialogues: int = 0,
    formula: Formula | None = None,
    columns: FloatArray | None = None,
) -> Estimate:
    """The mean over files.

    Args:
        values: one per file; None is unscored.
        samples: the same under resampled dialogues, one row per file; without it no interval over dialogues.
        confidence: coverage of the intervals; 0 for none.
        dialogues: how many there are.
        formula: the measure, for its range; None for a mean of something else, such as a difference.
        columns: what was resampled of a file.

    Example:
        >>> found = mean([0.5, 0.7, 0.6, 0.8, None])
        >>> round(found.value, 3), [round(limit, 4) for limit in found.seeds], found.n, found.left_out
        (0.65, [0.4446, 0.8554], 4, 1)
    """
    from ...stats import student_interval

    scored = [place for place, value in enumerate(values) if value is not None]
    known = [value for value in values if value is not None]
    left_out = len(values) - len(known)
    if not known:
        return Estimate(None, left_out=left_out, reason="no file has a value")
    if not confidence:
        return Estimate(fsum(known) / len(known), n=len(known), left_out=left_out)
    found = student_interval(known, confidence=confidence)
    drawn = None if samples is None else samples[scored].mean(axis=0)
    over, why = _limits(drawn, confidence, dialogues, formula, columns)
    alone = "" if found.low is not None else "one seed only" if len(known) < 2 else "all seeds have the same value"
    reason = "; ".join(filter(None, (alone, why)))
    return Estimate(found.value, _both(found.low, found.high), over, len(known), left_out, reason)


def slope(
    places: Sequence[float],
    values: Sequence[float | None],
    samples: FloatArray | None = None,
    *,
    confidence: float = 0.95,
    dialogues: int = 0,
) -> Estimate:
    """The least-squares slope through files; ``seeds`` is the usual t interval from the scatter around the line.

    A curve that is no line scatters too, so that the interval is then wider than seeds alone would make it.

    Args:
        places: where each file stands.
        values: one per file; None is unscored.
        samples: the same under resampled dialogues, one row per file.
        confidence: coverage of the intervals; 0 for none.
        dialogues: how many there are.

    Example:
        >>> found = slope([0, 1, 2, 3], [1.0, 2.1, 2.9, 4.0])
        >>> round(found.value, 2), [round(limit, 3) for limit in found.seeds]
        (0.98, [0.797, 1.163])
        >>> slope([1, 1], [0.5, 0.6]).reason
        'a trend needs two different shares of training data'
    """
    import numpy as np

    from ...stats.intervals import student_quantile
    from ...stats.resampling import TIE

    scored = [place for place, value in enumerate(values) if value is not None]
    x = np.array([places[place] for place in scored], dtype=np.float64)
    y = [value for value in values if value is not None]
    n, left_out = len(y), len(values) - len(y)
    if len(set(x.tolist())) < 2:
        return Estimate(None, n=n, left_out=left_out, reason="a trend needs two different shares of training data")
    centred = x - fsum(x.tolist()) / n
    spread = fsum((centred**2).tolist())
    weights = centred / spread
    value = fsum(w * v for w, v in zip(weights.tolist(), y, strict=True))
    if not confidence:
        return Estimate(value, n=n, left_out=left_out)
    over, why = _limits(None if samples is None else weights @ samples[scored], confidence, dialogues)
    if n < 3:
        return Estimate(value, None, over, n, left_out, "an interval of a slope needs three files")
    level = fsum(y) / n
    scatter = fsum((v - level - value * c) ** 2 for c, v in zip(centred.tolist(), y, strict=True))
    half = student_quantile(confidence, n - 2) * sqrt(scatter / (n - 2) / spread)
    if half <= TIE:
        return Estimate(value, None, over, n, left_out, "; ".join(filter(None, ("all files lie on one line", why))))
    return Estimate(value, (value - half, value + half), over, n, left_out, why)


def _limits(
    samples: FloatArray | None,
    confidence: float,
    dialogues: int,
    formula: Formula | None = None,
    columns: FloatArray | None = None,
) -> tuple[Limits | None, str]:
    """The bootstrap interval of resampled values, if there are any, and why there is none where they are all equal."""
    from ...stats.resampling import limits

    if samples is None or dialogues < 2:
        return None, ""
    found = limits(samples, confidence, dialogues, formula, columns)
    return _both(found.low, found.high), found.reason or ""


def _both(low: float | None, high: float | None) -> Limits | None:
    return None if low is None or high is None else (low, high)
