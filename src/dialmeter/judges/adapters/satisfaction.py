"""From five classes to a score."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import DialmeterError

CLASSES = 5
READINGS = ("weighted", "argmax")


def check_reading(reading: str) -> None:
    """Refuses what is not a way to read classes.

    Raises:
        DialmeterError: it is none.
    """
    if reading not in READINGS:
        raise DialmeterError(f"reading is weighted or argmax, not {reading!r}")


def rating(logits: Sequence[float], reading: str = "weighted") -> float:
    """A rating from 1 to 5: the mean under the classes' probabilities, or the likeliest class.

    Example:
        >>> round(rating([0.1, 0.2, 2.0, 0.3, -1.0]), 9), rating([0.1, 0.2, 2.0, 0.3, -1.0], "argmax")
        (2.88226366, 3.0)
    """
    if reading == "argmax":
        return 1.0 + max(range(len(logits)), key=lambda each: logits[each])
    import numpy as np

    # In single precision, as networks compute and as the published figures were made.
    single = np.asarray(logits, dtype=np.float32)
    weights = np.exp((single - single.max()).astype(np.float64)).astype(np.float32)
    return float((weights / weights.sum() * np.arange(1, len(single) + 1, dtype=np.float32)).sum())
