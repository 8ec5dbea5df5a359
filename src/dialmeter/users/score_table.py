"""Table of scored dialogues: scores, counts of events, remarks. Tables of parts of a corpus can be merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import asdict

from ..core.comparison import Resampling
from ..errors import InputError
from ..model import dialogue_key
from .events import COMBINED, DialogueOutcome, Family, Measured, Parts, Remark

if TYPE_CHECKING:
    from ..stats import Interval

EventKey: TypeAlias = tuple[Family, str, str, str]
"""Family, class, domain and slot of an event."""

ScoreRow: TypeAlias = dict[tuple[Measured, str], Parts | None]
"""The scores of one dialogue, by measure and domain; None if nothing is wanted or counted."""


class ScoreTable:
    """The scored dialogues of a run, or of a part of a run.

    Attributes:
        rows: dialogue → its scores.
        events: number of events by family, class, domain and slot.
        turns: number of turns of all dialogues.
        outcomes: dialogue → its outcome; empty unless outcomes are kept.
    """

    def __init__(self, keep: bool = False) -> None:
        self._keep = keep
        self.rows: dict[str, ScoreRow] = {}
        self.events: Counter[EventKey] = Counter()
        self.goals: dict[str, bytes] = {}
        self.remarks: dict[str, list[tuple[str, Remark]]] = {}
        self.turns = 0
        self.outcomes: dict[str, DialogueOutcome] = {}

    def add(self, outcome: DialogueOutcome) -> None:
        """Add a scored dialogue."""
        name = outcome.id
        row: ScoreRow = {("I", COMBINED): outcome.combined["I"], ("R", COMBINED): outcome.combined["R"]}
        row.update({("I", domain): each.score for domain, each in outcome.inform.items()})
        row.update({("R", domain): each.score for domain, each in outcome.request.items()})
        self.rows[name] = row
        self.goals[name] = outcome.goal_digest
        self.turns += outcome.turns
        self.events.update([(event.family, event.name, event.domain, event.slot) for event in outcome.events])
        for remark in outcome.remarks:
            self.remarks.setdefault(remark.code, []).append((name, remark))
        if self._keep:
            self.outcomes[name] = outcome

    def merge(self, other: ScoreTable) -> None:
        """Add the dialogues of another part of the corpus.

        Raises:
            InputError: a dialogue is in both.
        """
        for name in filter(self.rows.__contains__, other.rows):
            raise InputError("duplicate dialogue id", dialogue=name)
        self.rows.update(other.rows)
        self.goals.update(other.goals)
        self.events.update(other.events)
        self.turns += other.turns
        self.outcomes.update(other.outcomes)
        for code, remarks in other.remarks.items():
            self.remarks.setdefault(code, []).extend(remarks)


MEASURES: dict[str, tuple[Measured, str]] = {
    "I-GCDF1": ("I", "f1"),
    "I-precision": ("I", "precision"),
    "I-recall": ("I", "recall"),
    "R-GCDF1": ("R", "f1"),
    "R-precision": ("R", "precision"),
    "R-recall": ("R", "recall"),
}
"""Measure → kind of units (informed constraints or requests) and field of ``Parts``."""

Key: TypeAlias = tuple[str, str]
"""A measure and a domain."""


def column(rows: Mapping[str, ScoreRow], measure: str, domain: str) -> dict[str, float]:
    """Return dialogue → value, for the dialogues that have a value.

    Args:
        rows: dialogue → scores.
        measure: the name of the measure.
        domain: a domain, or ``combined``.
    """
    measured, part = MEASURES[measure]
    key = (measured, domain)
    return {name: getattr(score, part) for name, row in rows.items() if (score := row.get(key)) is not None}


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, or None for no values. The sum is exact, so the order does not matter.

    Example:
        >>> mean([0.25, 0.75]), mean([])
        (0.5, None)
    """
    return fsum(values) / len(values) if values else None


def intervals(
    rows: Mapping[str, ScoreRow], columns: Mapping[Key, Mapping[str, float]], resampling: Resampling
) -> dict[Key, Interval]:
    """Return confidence intervals of means, all from the same resamples. Empty for fewer than two dialogues.

    Args:
        rows: dialogue → scores.
        columns: measure and domain → the values whose mean is taken.
        resampling: confidence, resamples and seed.
    """
    import numpy as np

    from ..stats import bootstrap, ratio

    if len(rows) < 2 or not columns:
        return {}
    row_of = {name: row for row, name in enumerate(sorted(rows, key=lambda name: (dialogue_key(name), name)))}
    matrix = np.zeros((len(rows), 2 * len(columns)))
    for index, values in enumerate(columns.values()):
        for name, value in values.items():
            matrix[row_of[name], 2 * index : 2 * index + 2] = value, 1
    formulas = {f"{index}": ratio(2 * index, 2 * index + 1) for index in range(len(columns))}
    results = bootstrap(matrix, formulas, **asdict(resampling))
    return dict(zip(columns, results.values(), strict=True))
