"""What scoring one dialogue comes to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from .events import Event, Remark
from .score import Parts

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
        domains: the goal's domains.
        inform: I-GCDF1 by domain, those outside the goal included.
        request: R-GCDF1 likewise.
        combined: the scores of all domains together, by measure; no score where nothing is wanted or counted.
        events: what happened, by turn.
        said: domain → constraint → user turns, as it was said.
        asked: domain → request → user turns.
        dropped: constraints and requests that left the goal because a search ended without an entity, by domain.
        remarks: what is not as it should be in the data.
    """

    id: str
    turns: int
    cut: bool
    domains: tuple[str, ...]
    inform: Mapping[str, DomainOutcome]
    request: Mapping[str, DomainOutcome]
    combined: Mapping[Measured, Parts | None]
    events: tuple[Event, ...]
    said: Mapping[str, Mapping[str, tuple[int, ...]]]
    asked: Mapping[str, Mapping[str, tuple[int, ...]]]
    dropped: Mapping[str, tuple[str, ...]]
    remarks: tuple[Remark, ...]

    def score(self, measured: Measured, domain: str = COMBINED) -> Parts | None:
        """The score of a domain, or of all together; None where there is none."""
        if domain == COMBINED:
            return self.combined[measured]
        found = (self.inform if measured == "I" else self.request).get(domain)
        return found.score if found else None
