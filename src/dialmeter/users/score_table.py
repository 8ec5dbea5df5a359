"""What is kept of scored dialogues: their scores, the counts of events, the remarks. Parts of a corpus can be added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import asdict

from ..core.comparison import Resampling
from ..errors import InputError
from ..model import dialogue_key
from .events import Family, Remark
from .goals import goal_digest
from .outcome import COMBINED, DialogueOutcome, Measured, Parts

if TYPE_CHECKING:
    from ..stats import Interval

EventKey: TypeAlias = tuple[Family, str, str, str]
"""Family, class, domain and slot of an event."""

ScoreRow: TypeAlias = dict[tuple[Measured, str], Parts | None]
"""The scores of one dialogue, by measure and domain; None where nothing is wanted or counted."""


class ScoreTable:
    """The scored dialogues of one run or of a part of it.

    Attributes:
        rows: dialogue → its scores.
        events: how often, by family, class, domain and slot.
        turns: of all dialogues together.
        outcomes: everything about every dialogue, where it is kept.
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
        """Takes a dialogue."""
        name = outcome.id
        row: ScoreRow = {("I", COMBINED): outcome.combined["I"], ("R", COMBINED): outcome.combined["R"]}
        row.update({("I", domain): each.score for domain, each in outcome.inform.items()})
        row.update({("R", domain): each.score for domain, each in outcome.request.items()})
        self.rows[name] = row
        self.goals[name] = goal_digest(outcome.goal)
        self.turns += outcome.turns
        self.events.update([(event.family, event.name, event.domain, event.slot) for event in outcome.events])
        for remark in outcome.remarks:
            self.remarks.setdefault(remark.code, []).append((name, remark))
        if self._keep:
            self.outcomes[name] = outcome

    def merge(self, other: ScoreTable) -> None:
        """Takes the dialogues of another part of the corpus.

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
        for code, found in other.remarks.items():
            self.remarks.setdefault(code, []).extend(found)


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


def column(rows: Mapping[str, ScoreRow], measure: str, domain: str) -> dict[str, float]:
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
    rows: Mapping[str, ScoreRow], columns: Mapping[Key, Mapping[str, float]], how: Resampling
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
    matrix = np.zeros((len(rows), 2 * len(columns)))
    for place, values in enumerate(columns.values()):
        for name, value in values.items():
            matrix[order[name], 2 * place : 2 * place + 2] = value, 1
    formulas = {f"{place}": ratio(2 * place, 2 * place + 1) for place in range(len(columns))}
    found = bootstrap(matrix, formulas, **asdict(how))
    return dict(zip(columns, found.values(), strict=True))
