"""The agenda of a user (a stack of things to say), its wishes in each domain, and flaws that measures should detect.

Schatzmann, Thomson, Weilhammer, Ye and Young (2007), Agenda-Based User Simulation for Bootstrapping a POMDP Dialogue System, NAACL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from ...model import DomainGoal
from ..world.database import DOMAINS, DONTCARE, goal_values

Stage: TypeAlias = Literal["search", "book", "ask", "close", "bye"]


class AgendaItem(NamedTuple):
    """One step: give a search constraint or a booking detail, ask for a slot, check whether a domain is finished, or leave."""

    stage: Stage
    domain: str = ""
    slot: str = ""
    value: str = ""


class Agenda:
    """A stack of items; the item that was pushed last is said first.

    Example:
        >>> agenda = Agenda([AgendaItem("bye"), AgendaItem("ask", "hotel", "phone")])
        >>> agenda.push([AgendaItem("search", "hotel", "area", "east")])
        >>> [item.stage for item in agenda.pop(3)], [item.stage for item in agenda.pop(1)]
        (['search'], ['ask'])
    """

    def __init__(self, items: Iterable[AgendaItem] = ()) -> None:
        self._stack = list(items)

    @property
    def top(self) -> AgendaItem:
        """The next item."""
        return self._stack[-1]

    def push(self, items: Iterable[AgendaItem]) -> None:
        """Put items on top, with the first item uppermost. An item that is already in the stack moves up."""
        new = list(dict.fromkeys(items))
        self._stack = [item for item in self._stack if item not in new] + new[::-1]

    def pop(self, most: int) -> list[AgendaItem]:
        """Take items from the top that can be said together: one stage of one domain, without duplicate slots."""
        first = self._stack.pop()
        items = [first]
        while len(items) < most and self._stack and self.top[:2] == first[:2]:
            if self.top.slot in [item.slot for item in items]:
                break
            items.append(self._stack.pop())
        return items

    def drop(self, is_obsolete: Callable[[AgendaItem], bool]) -> None:
        """Remove items that are not needed any more."""
        self._stack = [item for item in self._stack if not is_obsolete(item)]


_TIMES = ("leaveat", "arriveby")


class Wish:
    """The current wish of the user in one domain of the goal: the first wish, or the second one after a failure.

    Attributes:
        search: constraints for an offer.
        book: details of the booking.
        requests: slots to ask for.
        offered: the offer of the system that the user has accepted.
        answered: answered requests, each with the offer that the answer is about.
        tries: number of times that the system did not help.
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
        """Requests without an answer for the current offer."""
        return [
            slot for slot in self.requests if slot not in self.answered or self.answered[slot] != (self.offered or "")
        ]

    def answer(self, slot: str) -> dict[str, str]:
        """Return the answer to a question of the system for a slot: its value, or that any value is fine.

        Example:
            >>> wish = Wish("train", DomainGoal(info={"arriveby": "12:15"}))
            >>> wish.answer("leaveat"), wish.answer("day")
            ({'arriveby': '12:15'}, {'day': 'dontcare'})
        """
        if slot in self.forgotten:
            self.search[slot] = self.forgotten.pop(slot)
        values = {**self.search, **self.book}
        if slot in values:
            return {slot: values[slot]}
        partner = next((each for each in _TIMES if slot in _TIMES and each in values), None)
        if partner:
            return {partner: values[partner]}
        return {slot: DONTCARE} if slot in DOMAINS[self.domain].informable else {}

    def mismatches(self, facts: Mapping[str, str]) -> dict[str, str]:
        """Return the constraints that an offer does not meet, according to the facts that the system gave."""
        return {
            slot: self.search[slot]
            for slot, value in facts.items()
            if slot in self.search and not _meets(self.domain, slot, value, self.search[slot])
        }

    def misheard(self, echoed: Mapping[str, str]) -> dict[str, str]:
        """Return corrections for values that the system misunderstood."""
        values = {**self.search, **self.book}
        return {
            slot: values.get(slot, DONTCARE) for slot, value in echoed.items() if values.get(slot, DONTCARE) != value
        }

    def search_failed(self) -> dict[str, str]:
        """Return what to say if nothing is found.

        This is the second wish, or the invented constraints are withdrawn; empty if there is neither.
        """
        if self._search_may_fail:
            self._search_may_fail = False
            old = self.search
            self.search = {**self.goal.info, **{slot: old[slot] for slot in self.invented if slot in old}}
            for slot in self.forgotten:
                self.search.pop(slot, None)
            return _changes(old, self.search)
        withdrawn = dict.fromkeys(sorted(self.invented), DONTCARE)
        self.invented.clear()
        for slot in withdrawn:
            self.search.pop(slot, None)
        return withdrawn

    def booking_failed(self) -> dict[str, str]:
        """Return what to say if a booking is refused: the second wish; empty if there is none."""
        if not self._booking_may_fail:
            return {}
        self._booking_may_fail = False
        old, self.book = self.book, dict(self.goal.book)
        return _changes(old, self.book)


def _changes(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    dropped = {slot: DONTCARE for slot in old if slot not in new}
    return {slot: value for slot, value in new.items() if old.get(slot) != value} | dropped


def _meets(domain: str, slot: str, value: str, constraint: str) -> bool:
    if constraint == DONTCARE:
        return True
    if domain == "train" and slot in _TIMES:
        return value >= constraint if slot == "leaveat" else value <= constraint
    return value == constraint


MOST_LOOPS = 4  # per dialogue, so that it ends
MOST_INVENTED = 2


def forget(wish: Wish, chance: float, rng: Random) -> None:
    """Forget constraints, but never all of a domain, and requests with half the chance.

    A question of the system reminds the user of a constraint.
    """
    slots = list(wish.search)
    forgotten = [slot for slot in slots if rng.random() < chance]
    if len(forgotten) == len(slots):
        forgotten = forgotten[1:]
    for slot in forgotten:
        wish.forgotten[slot] = wish.goal.info.get(slot, wish.search[slot])
        del wish.search[slot]
    wish.requests = [slot for slot in wish.requests if rng.random() >= chance / 2]


def invent(wish: Wish, chance: float, rng: Random) -> list[AgendaItem]:
    """Invent constraints for slots that the goal leaves free; if there are none, a wrong value to say before the right one.

    Returns:
        The wrong values, which are said first. Values for free slots become part of the wish.
    """
    slots = [slot for slot in DOMAINS[wish.domain].search if slot != "name"]
    free = [
        slot for slot in slots if slot not in wish.search and slot not in wish.goal.info and slot not in wish.forgotten
    ]
    if "name" in wish.search or wish.domain == "taxi":
        # A search by name has no other constraints, and the ends of a taxi ride are found during the dialogue.
        free = []
    items: list[AgendaItem] = []
    for _ in range(MOST_INVENTED):
        if rng.random() >= chance:
            continue
        if free:
            slot = free.pop(rng.randrange(len(free)))
            wish.search[slot] = rng.choice(goal_values(wish.domain, slot))
            wish.invented.add(slot)
        else:
            used = [item.slot for item in items]
            candidates = [slot for slot in wish.search if slot not in used and slot not in wish.invented]
            if not candidates:
                break
            slot = rng.choice(candidates)
            right = (wish.search[slot], wish.goal.info.get(slot))
            wrong = [value for value in goal_values(wish.domain, slot) if value not in right]
            items.append(AgendaItem("search", wish.domain, slot, rng.choice(wrong)))
    return items


def loop(wish: Wish, chance: float, rng: Random) -> list[AgendaItem]:
    """Return items to repeat after an answer."""
    if rng.random() >= chance:
        return []
    said = [AgendaItem("search", wish.domain, slot, value) for slot, value in wish.said.items() if slot in wish.search]
    return rng.sample(said, min(len(said), 2))
