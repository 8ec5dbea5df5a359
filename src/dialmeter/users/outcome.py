"""The outcome of one dialogue: precision, recall and F1 of multisets, and the events behind them."""

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
    """One domain of one measure: two multisets, sorted, and how they compare; no score where both are empty."""

    wanted: tuple[str, ...]
    counted: tuple[str, ...]
    score: Parts | None


class DialogueOutcome(Struct, frozen=True, kw_only=True):
    """A scored dialogue.

    Attributes:
        id: of the dialogue.
        turns: how many it has.
        cut: did it end at a limit of turns?
        goal: what the user wants, with domains named as in the profile.
        domains: the goal's domains.
        inform: I-GCDF1 by domain, those outside the goal included.
        request: R-GCDF1 likewise.
        combined: the scores of all domains together, by measure; no score where nothing is wanted or counted.
        events: what happened, by turn.
        said: domain → constraint → user turns, as it was said.
        asked: domain → request → user turns.
        request_acts: the same by the acts alone, where the dialogue lists requests beside its acts.
        dropped: constraints and requests that left the goal because a search ended without an entity, by domain.
        remarks: defects in the data.
    """

    id: str
    turns: int
    cut: bool
    goal: Goal
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
        """The score of a domain, or of all together; None where there is none."""
        if domain == COMBINED:
            return self.combined[measured]
        found = (self.inform if measured == "I" else self.request).get(domain)
        return found.score if found else None


class Counts(Struct):
    """Two multisets of a domain, to be compared: what is wanted and what counts."""

    wanted: list[str]
    counted: list[str]


class DialogueCounts(Struct):
    """The counts of the constraints or of the requests of a dialogue.

    Attributes:
        domains: the counts by domain, those outside the goal included.
        events: what happened.
        dropped: what left the goal, by domain, because the search ended without an entity.
    """

    domains: dict[str, Counts]
    events: list[Event]
    dropped: dict[str, tuple[str, ...]]


class Parts(Struct, frozen=True):
    """The three numbers of a comparison."""

    precision: float
    recall: float
    f1: float


def compare(wanted: Sequence[str], counted: Sequence[str]) -> Parts | None:
    """Compares what is wanted with what counts; None where there is neither.

    Example:
        >>> compare(["a", "b"], ["a", "a"])
        Parts(precision=0.5, recall=0.5, f1=0.5)
        >>> compare(["a"], [])
        Parts(precision=1.0, recall=0.0, f1=0.0)
    """
    if not wanted and not counted:
        return None
    met = _met(wanted, counted)
    precision = met / len(counted) if counted else 1.0
    recall = met / len(wanted) if wanted else 1.0
    both = precision + recall
    return Parts(precision, recall, 2 * precision * recall / both if both else 0.0)


def _met(wanted: Sequence[str], counted: Sequence[str]) -> int:
    if not wanted or not counted:
        return 0
    left: dict[str, int] = {}
    for each in wanted:
        left[each] = left.get(each, 0) + 1
    met = 0
    for each in counted:
        more = left.get(each, 0)
        if more:
            left[each] = more - 1
            met += 1
    return met


def pooled(domains: Mapping[str, Counts], with_domain: bool) -> Parts | None:
    """Compares all domains at once.

    Args:
        domains: the counts by domain.
        with_domain: is a constraint met only in its own domain? Without it one that is said in the wrong place counts.

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
