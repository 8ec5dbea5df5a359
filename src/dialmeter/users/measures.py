"""The six measures of users: names, descriptions, formulas and references."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from ..errors import DialmeterError, did_you_mean, one_line
from .events import COMBINED, Measured

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


def described(name: str) -> UserMeasure | None:
    """Return a measure by name, or None if it is none of users. Letter case is ignored.

    Example:
        >>> described("r-recall").title, described("JGA")
        ('Recall of requests', None)
    """
    return ABOUT.get(_BY_LOWER.get(name.lower(), ""))


_BY_LOWER = {name.lower(): name for name in ABOUT}
