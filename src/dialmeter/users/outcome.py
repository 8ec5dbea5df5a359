"""The outcome of one dialogue: precision, recall and F1 of multisets, and the events that explain them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from ..model import Goal
from .events import Event, Remark

Measured: TypeAlias = Literal["I", "R"]
"""Informed constraints, or requests."""

COMBINED = "combined"
"""All domains together."""


class DomainOutcome(Struct, frozen=True):
    """One domain of one measure: two sorted multisets and their score, which is None if both are empty."""

    wanted: tuple[str, ...]
    counted: tuple[str, ...]
    score: Parts | None


class DialogueOutcome(Struct, frozen=True, kw_only=True):
    """A scored dialogue.

    Attributes:
        id: the id of the dialogue.
        turns: number of turns.
        cut: True if the dialogue ended at a limit of turns.
        goal: the goal of the user, with domains named as in the profile.
        goal_digest: digest of what the rules see of the goal.
        domains: the domains of the goal.
        inform: I-GCDF1 by domain, including domains outside the goal.
        request: R-GCDF1 by domain, including domains outside the goal.
        combined: the scores of all domains together, by measure; None if nothing is wanted or counted.
        events: the events, sorted by turn.
        said: domain → constraint → user turns in which it was said.
        asked: domain → request → user turns in which it was made.
        request_acts: the same from the acts alone, if the dialogue also lists requests separately from its acts.
        dropped: domain → constraints and requests that were removed from the goal because a search ended without an entity.
        remarks: defects in the data.
    """

    id: str
    turns: int
    cut: bool
    goal: Goal
    goal_digest: bytes
    domains: tuple[str, ...]
    inform: Mapping[str, DomainOutcome]
    request: Mapping[str, DomainOutcome]
    combined: Mapping[Measured, Parts | None]
    events: tuple[Event, ...]
    said: Mapping[str, Mapping[str, tuple[int, ...]]]
    asked: Mapping[str, Mapping[str, tuple[int, ...]]]
    request_acts: Mapping[str, Mapping[str, tuple[int, ...]]]
    dropped: Mapping[str, tuple[str, ...]]
    remarks: tuple[Remark, ...]

    def score(self, measured: Measured, domain: str = COMBINED) -> Parts | None:
        """Return the score of a domain, or of all domains together, or None if there is none."""
        if domain == COMBINED:
            return self.combined[measured]
        outcome = (self.inform if measured == "I" else self.request).get(domain)
        return outcome.score if outcome else None


class Counts(Struct):
    """The two multisets of a domain that are compared: wanted units and counted units."""

    wanted: list[str]
    counted: list[str]


class DialogueCounts(Struct):
    """The counts of the constraints or of the requests of a dialogue.

    Attributes:
        domains: the counts by domain, including domains outside the goal.
        events: the events.
        dropped: domain → units that were removed from the goal because the search ended without an entity.
    """

    domains: dict[str, Counts]
    events: list[Event]
    dropped: dict[str, tuple[str, ...]]


class Parts(Struct, frozen=True):
    """Precision, recall and F1 of a comparison."""

    precision: float
    recall: float
    f1: float


def compare(wanted: Sequence[str], counted: Sequence[str]) -> Parts | None:
    """Compare wanted units with counted units. Return None if there are neither.

    Example:
        >>> compare(["a", "b"], ["a", "a"])
        Parts(precision=0.5, recall=0.5, f1=0.5)
        >>> compare(["a"], [])
        Parts(precision=1.0, recall=0.0, f1=0.0)
    """
    if not wanted and not counted:
        return None
    true_positives = _overlap(wanted, counted)
    precision = true_positives / len(counted) if counted else 1.0
    recall = true_positives / len(wanted) if wanted else 1.0
    total = precision + recall
    return Parts(precision, recall, 2 * precision * recall / total if total else 0.0)


def _overlap(wanted: Sequence[str], counted: Sequence[str]) -> int:
    """Return the size of the intersection of two multisets. Plain dictionaries are faster here than ``Counter``."""
    if not wanted or not counted:
        return 0
    remaining: dict[str, int] = {}
    for each in wanted:
        remaining[each] = remaining.get(each, 0) + 1
    size = 0
    for each in counted:
        count = remaining.get(each, 0)
        if count:
            remaining[each] = count - 1
            size += 1
    return size


def pooled(domains: Mapping[str, Counts], with_domain: bool) -> Parts | None:
    """Compare all domains at once.

    Args:
        domains: the counts by domain.
        with_domain: True if a constraint counts only in its own domain, False if it also counts in a wrong domain.

    Example:
        >>> domains = {"hotel": Counts(["area=east"], []), "restaurant": Counts([], ["area=east"])}
        >>> pooled(domains, with_domain=True).f1, pooled(domains, with_domain=False).f1
        (0.0, 1.0)
    """
    prefixes = {domain: f"{domain}-" if with_domain else "" for domain in domains}
    return compare(
        [prefixes[domain] + each for domain, counts in domains.items() for each in counts.wanted],
        [prefixes[domain] + each for domain, counts in domains.items() for each in counts.counted],
    )
