"""The six measures of users: what they are called, what they say, how they are computed, what to cite."""

from __future__ import annotations

from msgspec import Struct

from ..errors import DialmeterError, did_you_mean
from .score_table import MEASURES


class UserMeasure(Struct, frozen=True):
    """A measure of users. All six come from one pass; they have no parameters, what can be changed is in the rule set."""

    name: str
    title: str
    about: str
    formula: str
    why_unscored: str = "no goal wants anything of this kind, and no user says any"
    cite: tuple[str, ...] = ("coca-2021",)
    unit: str = "dialogue"


_INFORM = (
    "Does the user tell the system all that its goal wants, and nothing else? Units are constraints, slot=value in a "
    "domain. A constraint that is said again, or that the goal does not have, is forgiven where the system brought it "
    "about or where people do the same."
)
_REQUEST = (
    "Does the user ask for all that its goal wants to know, and for nothing else? Units are slots of a domain. Asking "
    "again is forgiven until there is an answer, and what the system gives unasked counts as asked."
)
_MET = "TP = sum over units of min(times counted, times wanted)"
_MEAN = "per dialogue, over all domains together; then the mean over dialogues"


def _three(letter: str, units: str, about: str, *, said: str, say: str) -> tuple[UserMeasure, ...]:
    """F1, precision and recall of one kind of units."""
    explained = about.partition("? ")[2]
    return (
        UserMeasure(
            f"{letter}-GCDF1",
            f"F1 of {units}, given goal and context",
            about,
            f"F1 = 2 P R / (P + R), 0 where P + R = 0; {_MEAN}",
        ),
        UserMeasure(
            f"{letter}-precision",
            f"Precision of {units}",
            f"How much of what the user {said} is wanted? {explained}",
            f"P = TP / |counted|, 1 where nothing counts; {_MET}; {_MEAN}",
        ),
        UserMeasure(
            f"{letter}-recall",
            f"Recall of {units}",
            f"How much of what is wanted does the user {say}? {explained}",
            f"R = TP / |wanted|, 1 where nothing is wanted; {_MET}; {_MEAN}",
        ),
    )


_ALL = (
    *_three("I", "informed constraints", _INFORM, said="says", say="say"),
    *_three("R", "requests", _REQUEST, said="asks for", say="ask for"),
)

ABOUT: dict[str, UserMeasure] = {each.name: each for each in _ALL}
"""Name → measure, in the order of tables."""


def known(name: str) -> bool:
    """Is this a measure of users, whatever its letter case?

    Example:
        >>> known("i-gcdf1"), known("JGA")
        (True, False)
    """
    return name.lower() in _BY_LOWER


def described(name: str) -> UserMeasure:
    """A measure by name.

    Raises:
        DialmeterError: no such measure.

    Example:
        >>> described("r-recall").title
        'Recall of requests'
    """
    if not known(name):
        raise DialmeterError(f"there is no measure {name!r}; {did_you_mean(name, MEASURES)}")
    return ABOUT[_BY_LOWER[name.lower()]]


_BY_LOWER = {name.lower(): name for name in ABOUT}
