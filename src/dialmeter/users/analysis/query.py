"""Queries for dialogues by event, domain, slot, score, shape of the goal, or name."""

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
    """The conditions that a dialogue must meet. Conditions that are not given do not apply.

    Attributes:
        events: classes of events. One of them must occur.
        domain: the domain of the event; without events and slot, a domain of the goal or another domain that the user speaks about.
        slot: the slot of the event; without events, of any event.
        measure: the measure for ``low`` and ``high``.
        low: the minimum value.
        high: the maximum value.
        goal: exactly the domains of the goal.
        goal_has: parts that some domain of the goal must have, such as ``fail_info``.
        dialogue: the name of one dialogue.
        party: the party to blame for a lost point, such as ``system``.
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
            _check_name("event", event, event_names())
        _check_name("measure", self.measure, list(MEASURES))
        if self.party:
            _check_name("party", self.party, PARTIES)
        if self.why:
            _check_name("reason", self.why, list(REASONS))
        for part in self.goal_has:
            _check_name("part of a goal", part, GOAL_PARTS)

    def found_in(self, row: UserRow) -> list[Event] | None:
        """Return the events of a dialogue that match the query, or None if the dialogue does not match.

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
        if not (self._score_matches(row) and self._goal_matches(row)):
            return None
        if self.asks_blame and not self.losses_in(row):
            return None
        events = [event for event in row.events if self._matches(event)]
        if self.asks_blame and not self.events:
            return []
        if self.events or self.slot:
            return events or None
        if self.domain and not (events or self.domain in row.goal or self.domain in row.inform):
            return None
        return events if self.domain else []

    @property
    def asks_blame(self) -> bool:
        """True if the query is about lost points."""
        return bool(self.party or self.why)

    def losses_in(self, row: UserRow) -> list[Loss]:
        """Return the lost points of a dialogue that match the query."""
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

    def _matches(self, event: Event) -> bool:
        return (
            (not self.events or event.name in self.events)
            and self.domain in ("", event.domain)
            and self.slot.lower() in ("", event.slot.lower())
        )

    def _score_matches(self, row: UserRow) -> bool:
        if self.low is None and self.high is None:
            return True
        measured, part = MEASURES[self.measure]
        parts = row.score(measured, self.domain or COMBINED)
        if parts is None:
            return False
        value: float = getattr(parts, part)
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def _goal_matches(self, row: UserRow) -> bool:
        if self.goal and self.goal != frozenset(row.goal):
            return False
        return all(any(getattr(domain, part) for domain in row.goal.values()) for part in self.goal_has)


def _check_name(noun: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise DialmeterError(f"unknown {noun} {name!r}; {did_you_mean(name, names)}")
