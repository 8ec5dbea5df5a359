"""Which dialogues a correlation is taken over: all, those with a mistake, or those that the published study kept."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]

Filter: TypeAlias = Literal["none", "published", "mistakes"]
FILTERS: tuple[Filter, ...] = get_args(Filter)
FILTER_WORDS: dict[str, str] = {
    "none": "all dialogues",
    "published": "published filter",
    "mistakes": "dialogues with a mistake",
}


def published(first: Floats, second: Floats) -> Mask:
    """The dialogues that the published study kept for two measures.

    Dialogues with 100 under both measures go, as percent with two decimals. The rest gets z-scores (sample standard
    deviation) rounded to two decimals, and dialogues whose two z-scores differ by less than 0.1 go too. That is:
    dialogues are chosen by the very measures that are compared, so that an interval after this filter is not one over
    a random sample. A dialogue that a measure leaves unscored goes; where a measure is constant there are no z-scores,
    and no dialogue stays.

    Args:
        first: one measure per dialogue, as fractions; nan where it is unscored.
        second: the other, same dialogues.

    Returns:
        True for every dialogue that stays.

    Example:
        >>> one, other = np.array([1.0, 1.0, 0.6, 0.2, 0.4]), np.array([1.0, 0.8, 0.4, 0.2, np.nan])
        >>> published(one, other).tolist()
        [False, False, True, True, False]
    """
    kept: Mask = np.isfinite(first) & np.isfinite(second)
    kept &= ~((_percent(first) == 100) & (_percent(second) == 100))
    if kept.sum() < 2 or min(np.ptp(first[kept]), np.ptp(second[kept])) <= SAME:
        return np.zeros(len(first), dtype=np.bool_)
    # In whole hundredths: the published code subtracts floats, where 0.30 - 0.20 is a little below 0.1.
    apart = np.abs(_hundredths(first[kept]) - _hundredths(second[kept])) >= 10
    kept[kept] = apart
    return kept


SAME = 1e-9
"""Values that differ by no more are the same: a perfect GCA is 1 only up to the last bits."""


def _percent(values: Floats) -> Floats:
    return np.round(100 * values, 2)


def _hundredths(values: Floats) -> Floats:
    z: Floats = (values - values.mean()) / values.std(ddof=1)
    return np.round(100 * z)
