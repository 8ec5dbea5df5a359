"""The six measures of users (names, descriptions, formulas and references), and the table of scored dialogues.

The table has scores, counts of events, and remarks. Tables of parts of a corpus can be merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict

from ..core.comparison import Resampling
from ..errors import DialmeterError, InputError, did_you_mean, one_line
from ..model import dialogue_key
from .events import COMBINED, DialogueOutcome, Family, Measured, Parts, Remark

if TYPE_CHECKING:
    from ..stats.formulas import Floats
    from ..stats.intervals import Interval

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


_KINDS: tuple[Measured, ...] = ("I", "R")
_PARTS = {"GCDF1": "f1", "precision": "precision", "recall": "recall"}
MEASURES = {f"{kind}-{name}": (kind, part) for kind in _KINDS for name, part in _PARTS.items()}
"""Measure → kind of units (informed constraints or requests) and field of ``Parts``."""

Key: TypeAlias = tuple[str, str]
"""A measure and a domain, or ``combined`` for all domains together."""


def key_of(text: str) -> list[Key]:
    """Return the measures and domains that a text names: one, or six for ``all``. Letter case is ignored.

    Raises:
        DialmeterError: there is no such measure.

    Example:
        >>> key_of("i-gcdf1"), key_of("I-GCDF1[hotel]"), len(key_of("all[hotel]"))
        ([('I-GCDF1', 'combined')], [('I-GCDF1', 'hotel')], 6)
    """
    name, _, domain = text.strip().removesuffix("]").partition("[")
    key = name.strip().lower()
    if key != "all" and key not in _BY_LOWER:
        raise DialmeterError(f"there is no measure {one_line(name)!r} of users; {did_you_mean(name, MEASURES)}")
    return [(each, domain.strip() or COMBINED) for each in (MEASURES if key == "all" else (_BY_LOWER[key],))]


def name_of(key: Key) -> str:
    """Return the name of a measure, with its domain if it is that of one domain.

    Example:
        >>> name_of(("I-GCDF1", "hotel")), name_of(("I-GCDF1", "combined"))
        ('I-GCDF1[hotel]', 'I-GCDF1')
    """
    measure, domain = key
    return measure if domain == COMBINED else f"{measure}[{domain}]"


def column(rows: Mapping[str, ScoreRow], measure: str, domain: str) -> dict[str, float]:
    """Return dialogue → value in a domain or over all domains (``combined``), for the dialogues that have a value."""
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
    """Return confidence intervals of the means of columns, all from the same resamples. Empty for fewer than two dialogues."""
    from ..stats.formulas import ratio
    from ..stats.resampling import bootstrap

    if len(rows) < 2 or not columns:
        return {}
    order = sorted(rows, key=lambda name: (dialogue_key(name), name))
    formulas = {f"{index}": ratio(2 * index, 2 * index + 1) for index in range(len(columns))}
    results = bootstrap(value_matrix(order, columns.values()), formulas, **asdict(resampling))
    return dict(zip(columns, results.values(), strict=True))


def value_matrix(order: Sequence[str], columns: Collection[Mapping[str, float]]) -> Floats:
    """Return a matrix with one row per dialogue, and two columns per column of values: the value, and 1 if it exists."""
    import numpy as np

    matrix = np.zeros((len(order), 2 * len(columns)))
    for index, values in enumerate(columns):
        for row, name in enumerate(order):
            if name in values:
                matrix[row, 2 * index : 2 * index + 2] = values[name], 1
    return matrix


class UserMeasure(Struct, frozen=True):
    """A measure of users. All six are computed together. They have no parameters; the rule set has all options."""

    name: str
    title: str
    about: str
    formula: str
    reason_unscored: str = "no goal has units of this kind, and no user says any"
    cite: tuple[str, ...] = ("coca-2021",)
    unit: str = "dialogue"


_INFORM = (
    "Does the user tell the system all constraints of its goal, and nothing else? Units are constraints: slot=value in a "
    "domain. A constraint that is repeated, or that is not in the goal, is excused if the system caused it or if people "
    "do the same."
)
_REQUEST = (
    "Does the user ask for all requests of its goal, and for nothing else? Units are slots of a domain. Repeated "
    "requests are excused until there is an answer. Slots that the system gives without a request count as requested."
)
_TRUE_POSITIVES = "TP = sum over units of min(times counted, times wanted)"
_MEAN = "per dialogue, over all domains together; then the mean over dialogues"


def _f1_precision_recall(letter: str, units: str, about: str, *, said: str, say: str) -> tuple[UserMeasure, ...]:
    """Return F1, precision and recall of one kind of units."""
    explanation = about.partition("? ")[2]
    return (
        UserMeasure(
            f"{letter}-GCDF1",
            f"F1 of {units}, given goal and context",
            about,
            f"F1 = 2 P R / (P + R), 0 if P + R = 0; {_MEAN}",
        ),
        UserMeasure(
            f"{letter}-precision",
            f"Precision of {units}",
            f"How much of what the user {said} is wanted? {explanation}",
            f"P = TP / |counted|, 1 if nothing is counted; {_TRUE_POSITIVES}; {_MEAN}",
        ),
        UserMeasure(
            f"{letter}-recall",
            f"Recall of {units}",
            f"How much of what is wanted does the user {say}? {explanation}",
            f"R = TP / |wanted|, 1 if nothing is wanted; {_TRUE_POSITIVES}; {_MEAN}",
        ),
    )


_ALL = (
    *_f1_precision_recall("I", "informed constraints", _INFORM, said="says", say="say"),
    *_f1_precision_recall("R", "requests", _REQUEST, said="asks for", say="ask for"),
)

ABOUT: dict[str, UserMeasure] = {each.name: each for each in _ALL}
"""Name → measure, in the order in which tables show them."""


def known(name: str) -> bool:
    """Return True if this is the name of a measure of users. Letter case is ignored.

    Example:
        >>> known("i-gcdf1"), known("JGA")
        (True, False)
    """
    return name.lower() in _BY_LOWER


def described(name: str) -> UserMeasure:
    """Return a known measure by name.

    Example:
        >>> described("r-recall").title
        'Recall of requests'
    """
    return ABOUT[_BY_LOWER[name.lower()]]


_BY_LOWER = {name.lower(): name for name in ABOUT}
