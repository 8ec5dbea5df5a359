"""The agenda of a user, a stack of what is still to be said; its wishes in each domain; and flaws that measures should find.

Schatzmann, Thomson, Weilhammer, Ye and Young (2007), Agenda-Based User Simulation for Bootstrapping a POMDP Dialogue System, NAACL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from ...model import DomainGoal
from ..world.schema import DOMAINS, DONTCARE
from ..world.value_map import goal_values

Stage: TypeAlias = Literal["search", "book", "ask", "close", "bye"]


class AgendaItem(NamedTuple):
    """One thing to do: tell a search constraint or a booking detail, ask for a slot, see whether a domain is done, or leave."""

    stage: Stage
    domain: str = ""
    slot: str = ""
    value: str = ""


class Agenda:
    """A stack; what is pushed last is said first.

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
        """What comes next."""
        return self._stack[-1]

    def push(self, items: Iterable[AgendaItem]) -> None:
        """Puts items on top, the first of them uppermost; an item that is further down is moved up."""
        new = list(dict.fromkeys(items))
        self._stack = [item for item in self._stack if item not in new] + new[::-1]

    def pop(self, most: int) -> list[AgendaItem]:
        """Takes items from the top that can be said together: one stage of one domain, and no slot twice."""
        first = self._stack.pop()
        found = [first]
        while len(found) < most and self._stack and self.top[:2] == first[:2]:
            if self.top.slot in [item.slot for item in found]:
                break
            found.append(self._stack.pop())
        return found

    def drop(self, unwanted: Callable[[AgendaItem], bool]) -> None:
        """Removes items that need not be said any more."""
        self._stack = [item for item in self._stack if not unwanted(item)]


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
        """Constraints that an offer does not meet, by the facts that the system gave."""
        return {
            slot: self.search[slot]
            for slot, value in told.items()
            if slot in self.search and not _meets(self.domain, slot, value, self.search[slot])
        }

    def misheard(self, echoed: Mapping[str, str]) -> dict[str, str]:
        """Corrections of what the system misunderstood."""
        known = {**self.search, **self.book}
        return {slot: known.get(slot, DONTCARE) for slot, value in echoed.items() if known.get(slot, DONTCARE) != value}

    def search_failed(self) -> dict[str, str]:
        """What to say when nothing is found: the second wish, or the invented constraints are withdrawn; empty if neither helps."""
        if self._search_may_fail:
            self._search_may_fail = False
            old = self.search
            self.search = {**self.goal.info, **{slot: old[slot] for slot in self.invented if slot in old}}
            for slot in self.forgotten:
                self.search.pop(slot, None)
            return _changes(old, self.search)
        taken_back = dict.fromkeys(sorted(self.invented), DONTCARE)
        self.invented.clear()
        for slot in taken_back:
            self.search.pop(slot, None)
        return taken_back

    def booking_failed(self) -> dict[str, str]:
        """What to say when a booking is refused: the second wish; empty if there is none."""
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


MOST_LOOPS = 4  # per dialogue, so that it ends
MOST_INVENTED = 2


def forget(wish: Wish, chance: float, rng: Random) -> None:
    """Forgets constraints, but never all of a domain, and half as many requests; a question reminds of a constraint."""
    slots = list(wish.search)
    forgotten = [slot for slot in slots if rng.random() < chance]
    if len(forgotten) == len(slots):
        forgotten = forgotten[1:]
    for slot in forgotten:
        wish.forgotten[slot] = wish.goal.info.get(slot, wish.search[slot])
        del wish.search[slot]
    wish.requests = [slot for slot in wish.requests if rng.random() >= chance / 2]


def invent(wish: Wish, chance: float, rng: Random) -> list[AgendaItem]:
    """Makes up constraints: for slots that the goal leaves free, else a wrong value before the right one.

    Returns:
        Wrong values, to be said before all else; those for free slots are part of the wish from now on.
    """
    slots = [slot for slot in DOMAINS[wish.domain].search if slot != "name"]
    free = [
        slot for slot in slots if slot not in wish.search and slot not in wish.goal.info and slot not in wish.forgotten
    ]
    if "name" in wish.search or wish.domain == "taxi":
        # A place that is known by name has no further wishes, and a taxi's ends are found on the way.
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
            taken = [item.slot for item in items]
            told = [slot for slot in wish.search if slot not in taken and slot not in wish.invented]
            if not told:
                break
            slot = rng.choice(told)
            known = (wish.search[slot], wish.goal.info.get(slot))
            wrong = [value for value in goal_values(wish.domain, slot) if value not in known]
            items.append(AgendaItem("search", wish.domain, slot, rng.choice(wrong)))
    return items


def loop(wish: Wish, chance: float, rng: Random) -> list[AgendaItem]:
    """What is said once more after an answer."""
    if rng.random() >= chance:
        return []
    said = [AgendaItem("search", wish.domain, slot, value) for slot, value in wish.said.items() if slot in wish.search]
    return rng.sample(said, min(len(said), 2))
