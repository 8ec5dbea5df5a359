"""Finds dialogues: by event, domain, slot, score, shape of the goal, or name."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ...errors import DialmeterError, did_you_mean
from ...model import CONSTRAINT_PARTS, dialogue_key
from ..behaviours import names as event_names
from ..blame import PARTIES, REASONS, Loss
from ..events import Event
from ..outcome import COMBINED
from ..record import UserRow
from ..score_table import MEASURES

GOAL_PARTS = (*CONSTRAINT_PARTS, "requests")


class UserQuery(Struct, frozen=True, kw_only=True):
    """What a dialogue must have; what is not given is free.

    Attributes:
        events: classes, of which one must occur.
        domain: of the event; without events and slot, a domain that the goal has or the user strays into.
        slot: of the event; without events, of any event.
        measure: whose value ``low`` and ``high`` are about.
        low: the least value.
        high: the greatest value.
        goal: the domains of the goal, no more and no fewer.
        goal_has: parts that some domain of the goal must have, such as ``fail_info``.
        dialogue: the name of one dialogue.
        party: who must have lost a point, such as ``system``.
        why: the reason of a lost point, such as ``no_answer``.
    """

    events: tuple[str, ...] = ()
    domain: str = ""
    slot: str = ""
    measure: str = "I-GCDF1"
    low: float | None = None
    high: float | None = None
    goal: frozenset[str] = frozenset()
    goal_has: tuple[str, ...] = ()
    dialogue: str = ""
    party: str = ""
    why: str = ""

    def __post_init__(self) -> None:
        for event in self.events:
            _known("event", event, event_names())
        _known("measure", self.measure, list(MEASURES))
        if self.party:
            _known("party", self.party, PARTIES)
        if self.why:
            _known("reason", self.why, list(REASONS))
        for part in self.goal_has:
            _known("part of a goal", part, GOAL_PARTS)

    def found_in(self, row: UserRow) -> list[Event] | None:
        """Return the events of a dialogue that the query is about; None where it is not one that is looked for.

        Example:
            >>> row = UserRow(id="d1", goal={}, talk=(), inform={}, request={}, combined={"I": None, "R": None},
            ...               events=(Event("unmatched", "repetition", "hotel", "area=east", (0, 2)),))
            >>> [event.about for event in UserQuery(events=("unmatched",), domain="hotel").found_in(row)]
            ['area=east']
            >>> UserQuery(events=("unmatched",), slot="stars").found_in(row) is None
            True
        """
        if self.dialogue and dialogue_key(row.id) != dialogue_key(self.dialogue):
            return None
        if not (self._score_fits(row) and self._goal_fits(row)):
            return None
        if self.asks_blame and not self.losses_in(row):
            return None
        found = [event for event in row.events if self._about(event)]
        if self.asks_blame and not self.events:
            return []
        if self.events or self.slot:
            return found or None
        if self.domain and not (found or self.domain in row.goal or self.domain in row.inform):
            return None
        return found if self.domain else []

    @property
    def asks_blame(self) -> bool:
        """Is the query about lost points?"""
        return bool(self.party or self.why)

    def losses_in(self, row: UserRow) -> list[Loss]:
        """Return the lost points of a dialogue that the query is about."""
        if not self.asks_blame or row.verdict is None:
            return []
        return [
            loss
            for loss in row.verdict.losses
            if self.party in ("", loss.party)
            and self.why in ("", loss.why)
            and self.domain in ("", loss.domain)
            and (not self.slot or self.slot.lower() in loss.about.lower())
        ]

    def _about(self, event: Event) -> bool:
        return (
            (not self.events or event.name in self.events)
            and self.domain in ("", event.domain)
            and self.slot.lower() in ("", event.slot.lower())
        )

    def _score_fits(self, row: UserRow) -> bool:
        if self.low is None and self.high is None:
            return True
        measured, part = MEASURES[self.measure]
        parts = row.score(measured, self.domain or COMBINED)
        if parts is None:
            return False
        value: float = getattr(parts, part)
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def _goal_fits(self, row: UserRow) -> bool:
        if self.goal and self.goal != frozenset(row.goal):
            return False
        return all(any(getattr(domain, part) for domain in row.goal.values()) for part in self.goal_has)


def _known(noun: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise DialmeterError(f"unknown {noun} {name!r}; {did_you_mean(name, known)}")
