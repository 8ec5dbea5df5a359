"""What a user still wants in one domain, and what has come of it so far."""

from __future__ import annotations

from collections.abc import Mapping

from ...model import DomainGoal
from ..world.schema import DOMAINS, DONTCARE

_TIMES = ("leaveat", "arriveby")


class Wish:
    """A domain of the goal as the user sees it now: the first wish, or after a failure the second.

    Attributes:
        search: constraints that an offer has to meet.
        book: details of the booking.
        requests: slots to ask for.
        offered: what the system has found and the user has accepted.
        answered: requests that were answered, each with what it was answered for.
        tries: how often the system did not help.
    """

    def __init__(self, domain: str, goal: DomainGoal) -> None:
        self.domain = domain
        self.goal = goal
        self.search = dict(goal.fail_info or goal.info)
        self.book = dict(goal.fail_book or goal.book)
        self.requests = list(goal.requests)
        self.forgotten: dict[str, str] = {}
        self.invented: set[str] = set()
        self.said: dict[str, str] = {}
        self.asked: set[str] = set()
        self.answered: dict[str, str] = {}
        self.offered: str | None = None
        self.booked = False
        self.tries = 0
        self.given_up = False
        self._search_may_fail = bool(goal.fail_info)
        self._booking_may_fail = bool(goal.fail_book)

    @property
    def wants_booking(self) -> bool:
        return bool(self.book) and not self.booked

    @property
    def unanswered(self) -> list[str]:
        """Requests without an answer for what is offered now."""
        return [
            slot for slot in self.requests if slot not in self.answered or self.answered[slot] != (self.offered or "")
        ]

    def asked_for(self, slot: str) -> dict[str, str]:
        """The answer when the system asks for a slot: its value, or that anything will do.

        Example:
            >>> wish = Wish("train", DomainGoal(info={"arriveby": "12:15"}))
            >>> wish.asked_for("leaveat"), wish.asked_for("day")
            ({'arriveby': '12:15'}, {'day': 'dontcare'})
        """
        if slot in self.forgotten:
            self.search[slot] = self.forgotten.pop(slot)
        known = {**self.search, **self.book}
        if slot in known:
            return {slot: known[slot]}
        partner = next((each for each in _TIMES if slot in _TIMES and each in known), None)
        if partner:
            return {partner: known[partner]}
        return {slot: DONTCARE} if slot in DOMAINS[self.domain].informable else {}

    def mismatches(self, told: Mapping[str, str]) -> dict[str, str]:
        """Constraints that an offer does not meet, by what the system has told of it."""
        return {
            slot: self.search[slot]
            for slot, value in told.items()
            if slot in self.search and not _meets(self.domain, slot, value, self.search[slot])
        }

    def misheard(self, echoed: Mapping[str, str]) -> dict[str, str]:
        """Corrections of what the system takes the user to have said."""
        known = {**self.search, **self.book}
        return {slot: known.get(slot, DONTCARE) for slot, value in echoed.items() if known.get(slot, DONTCARE) != value}

    def search_failed(self) -> dict[str, str]:
        """What to say when nothing is there: the second wish, or what was made up is taken back; empty when at a loss."""
        if self._search_may_fail:
            self._search_may_fail = False
            old, self.search = (
                self.search,
                {
                    **dict(self.goal.info),
                    **{slot: self.search[slot] for slot in self.invented if slot in self.search},
                },
            )
            for slot in self.forgotten:
                self.search.pop(slot, None)
            return _changes(old, self.search)
        taken_back = dict.fromkeys(sorted(self.invented), DONTCARE)
        self.invented.clear()
        for slot in taken_back:
            self.search.pop(slot, None)
        return taken_back

    def booking_failed(self) -> dict[str, str]:
        """What to say when a booking is refused: the second wish; empty when at a loss."""
        if not self._booking_may_fail:
            return {}
        self._booking_may_fail = False
        old, self.book = self.book, dict(self.goal.book)
        return _changes(old, self.book)


def _changes(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    dropped = {slot: DONTCARE for slot in old if slot not in new}
    return {slot: value for slot, value in new.items() if old.get(slot) != value} | dropped


def _meets(domain: str, slot: str, value: str, wanted: str) -> bool:
    if wanted == DONTCARE:
        return True
    if domain == "train" and slot in _TIMES:
        return value >= wanted if slot == "leaveat" else value <= wanted
    return value == wanted
