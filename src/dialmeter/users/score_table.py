"""What is kept of scored dialogues: their scores, the counts of events, the remarks. Parts of a corpus can be added up."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

from ..errors import InputError
from ..model import Goal
from .events import Family, Remark
from .goals import goal_digest
from .outcome import COMBINED, DialogueOutcome, Measured
from .score import Parts

EventKey: TypeAlias = tuple[Family, str, str, str]
"""Family, class, domain and slot of an event."""

Row: TypeAlias = dict[tuple[Measured, str], Parts | None]
"""The scores of one dialogue, by measure and domain; None where nothing is wanted or counted."""


class Book:
    """The scored dialogues of one run or of a part of it.

    Attributes:
        rows: dialogue → its scores.
        events: how often, by family, class, domain and slot.
        turns: of all dialogues together.
        outcomes: everything about every dialogue, where it is kept.
    """

    def __init__(self, keep: bool = False) -> None:
        self._keep = keep
        self.rows: dict[str, Row] = {}
        self.events: Counter[EventKey] = Counter()
        self.goals: dict[str, bytes] = {}
        self.remarks: dict[str, list[tuple[str, Remark]]] = {}
        self.turns = 0
        self.outcomes: dict[str, DialogueOutcome] = {}

    def add(self, outcome: DialogueOutcome, goal: Goal) -> None:
        """Takes a dialogue."""
        name = outcome.id
        row: Row = {("I", COMBINED): outcome.combined["I"], ("R", COMBINED): outcome.combined["R"]}
        row.update({("I", domain): each.score for domain, each in outcome.inform.items()})
        row.update({("R", domain): each.score for domain, each in outcome.request.items()})
        self.rows[name] = row
        self.goals[name] = goal_digest(goal)
        self.turns += outcome.turns
        self.events.update([(event.family, event.name, event.domain, event.slot) for event in outcome.events])
        for remark in outcome.remarks:
            self.remarks.setdefault(remark.code, []).append((name, remark))
        if self._keep:
            self.outcomes[name] = outcome

    def merge(self, other: Book) -> None:
        """Takes the dialogues of another part of the corpus.

        Raises:
            InputError: a dialogue stands in both.
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
