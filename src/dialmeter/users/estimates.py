"""Means over dialogues, with intervals by resampling dialogues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, TypeAlias

from ..core.comparison import Resampling
from ..model import dialogue_key
from .outcome import Measured
from .score_table import Row

if TYPE_CHECKING:
    import numpy as np

    from ..stats import Interval

    FloatArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

MEASURES: dict[str, tuple[Measured, str]] = {
    "I-GCDF1": ("I", "f1"),
    "I-precision": ("I", "precision"),
    "I-recall": ("I", "recall"),
    "R-GCDF1": ("R", "f1"),
    "R-precision": ("R", "precision"),
    "R-recall": ("R", "recall"),
}
"""The measures of users: informed constraints or requests, and which of the three numbers."""

Key: TypeAlias = tuple[str, str]
"""A measure and a domain."""


def column(rows: Mapping[str, Row], measure: str, domain: str) -> dict[str, float]:
    """The value of each dialogue that has one.

    Args:
        rows: dialogue → scores.
        measure: its name.
        domain: a domain, or ``combined``.
    """
    measured, part = MEASURES[measure]
    key = (measured, domain)
    return {name: getattr(score, part) for name, row in rows.items() if (score := row.get(key)) is not None}


def mean(values: Sequence[float]) -> float | None:
    """The mean, exact in any order; None of nothing.

    Example:
        >>> mean([0.25, 0.75]), mean([])
        (0.5, None)
    """
    return fsum(values) / len(values) if values else None


def intervals(
    rows: Mapping[str, Row], columns: Mapping[Key, Mapping[str, float]], how: Resampling
) -> dict[Key, Interval]:
    """Intervals of all means from one draw of dialogues; none where there are fewer than two dialogues.

    Args:
        rows: dialogue → scores.
        columns: the values to take the mean of, by measure and domain.
        how: confidence, resamples and seed.
    """
    import numpy as np

    from ..stats import bootstrap, ratio

    if len(rows) < 2 or not columns:
        return {}
    order = {name: place for place, name in enumerate(sorted(rows, key=lambda name: (dialogue_key(name), name)))}
    matrix: FloatArray = np.zeros((len(rows), 2 * len(columns)))
    for place, values in enumerate(columns.values()):
        for name, value in values.items():
            matrix[order[name], 2 * place : 2 * place + 2] = value, 1
    formulas = {f"{place}": ratio(2 * place, 2 * place + 1) for place in range(len(columns))}
    found = bootstrap(matrix, formulas, confidence=how.confidence, resamples=how.resamples, seed=how.seed)
    return dict(zip(columns, found.values(), strict=True))
