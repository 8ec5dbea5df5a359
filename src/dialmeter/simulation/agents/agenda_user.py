"""A user with an agenda: it says what its goal asks for, answers questions, and gives up in the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Annotated

from msgspec import Meta, Struct

from ...model import USER, Act, DomainGoal, Goal, Move
from ..language.acts import GENERAL, act
from ..world.database import World
from ..world.schema import DOMAINS
from .agenda import Agenda, Item
from .flaws import MOST_LOOPS, forget, invent, loop
from .hearing import Heard, heard
from .wish import Wish

_Share = Annotated[float, Meta(ge=0, le=1)]
_LANDMARKS = ("saltmere town hall", "saltmere station")


class UserDials(Struct, frozen=True):
    """How a user behaves."""

    patience: Annotated[int, Meta(ge=0)] = 3
    """How often the system may fail to help in a domain before the user gives it up."""
    verbosity: Annotated[int, Meta(ge=1)] = 3
    """The most constraints in one turn."""
    repetition: _Share = 0.0
    """How often constraints and questions are repeated after an answer."""
    forgetting: _Share = 0.0
    """The share of constraints that are forgotten until the system asks; of requests, half of it are forgotten for good."""
    invention: _Share = 0.0
    """How often something is made up; twice per domain at most."""
    haste: _Share = 0.0
    """The chance at every turn to leave at once."""


class AgendaUser:
    """A user in one dialogue after the other.

    Args:
        dials: how it behaves.
        world: not looked at; a user knows only what it is told.
        rng: all its chances.
    """

    def __init__(self, dials: UserDials, world: World, rng: Random) -> None:
        self._dials = dials
        self._rng = rng
        self._wishes: dict[str, Wish] = {}
        self._agenda = Agenda()
        self._domain = ""
        self._turn = 0
        self._loops = 0
        self._left = False

    def start(self, goal: Goal | None) -> None:
        self._left, self._turn, self._loops, self._domain = False, 0, 0, ""
        self._wishes = {domain: Wish(domain, each) for domain, each in (goal or {}).items()}
        self._agenda = Agenda([Item("bye")])
        for wish in reversed(self._wishes.values()):
            self._agenda.push(self._items(wish))

    def _items(self, wish: Wish) -> list[Item]:
        """A domain's part of the agenda: what to search with, then booking and questions in either order."""
        if wish.domain == "taxi":
            wish.search = {**_ends(wish.goal), **wish.search}
        if self._dials.forgetting:
            forget(wish, self._dials.forgetting, self._rng)
        wrong = invent(wish, self._dials.invention, self._rng) if self._dials.invention else []
        # First what will be given up after a failure: were it said last, a user who hears of the failure early would not say it.
        first_tries = {slot for slot, value in wish.goal.fail_info.items() if value != wish.goal.info.get(slot)}
        slots = sorted(wish.search, key=lambda slot: (slot not in wish.invented, slot not in first_tries))
        searched = [Item("search", wish.domain, slot, wish.search[slot]) for slot in slots]
        later = [item for item in searched if item.slot in [each.slot for each in wrong]]
        searched = [*wrong, *(item for item in searched if item not in later), *later]
        booked = [Item("book", wish.domain, slot, value) for slot, value in wish.book.items()]
        asked = [Item("ask", wish.domain, slot) for slot in wish.requests]
        rest = [*booked, *asked] if self._rng.random() < 0.5 else [*asked, *booked]
        return [*searched, *rest, Item("close", wish.domain)]

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        if self._turn:
            for domain, news in heard(acts, self._domain).items():
                if domain in self._wishes:
                    self._react(self._wishes[domain], news)
        self._turn += 1
        return Move(USER, acts=tuple(self._next()))

    def done(self) -> bool:
        return self._left

    def _react(self, wish: Wish, news: Heard) -> None:
        """Pushes and pops what the system's move changes in one domain; what is pushed last is said first."""
        if news.refused is not None:
            self._booking_refused(wish, news.refused)
        if news.nothing is not None:
            self._nothing_found(wish, news.nothing)
        elif news.offers:
            self._consider(wish, news)
        self._take_answers(wish, news)
        for slot in news.questions:
            self._tell(wish, wish.asked_for(slot))

    def _take_answers(self, wish: Wish, news: Heard) -> None:
        answered = {slot for slot in wish.requests if slot in news.facts}
        heeded = bool(answered & wish.asked or news.reference)
        if news.reference:
            wish.booked = True
            self._agenda.drop(lambda item: item.stage == "book" and item.domain == wish.domain)
        if wish.domain == "taxi" and "car type" in news.facts:
            wish.offered = news.facts["car type"]
        wish.answered |= dict.fromkeys(answered, wish.offered or "")
        self._agenda.drop(lambda item: item.stage == "ask" and item.domain == wish.domain and item.slot in answered)
        if heeded and self._dials.repetition and self._loops < MOST_LOOPS:
            again = loop(wish, self._dials.repetition, self._rng)
            self._loops += bool(again)
            self._agenda.push(again)
            if again and answered & wish.asked:
                self._agenda.push([Item("ask", wish.domain, min(answered & wish.asked))])
        wish.asked -= answered

    def _consider(self, wish: Wish, news: Heard) -> None:
        """Accepts an offer that meets the constraints as far as the system has told, or says what it does not meet."""
        wrong = wish.mismatches(news.facts)
        if wrong:
            self._lost_patience(wish)
            self._tell(wish, wrong)
            return
        wish.offered = news.offers[0]
        if len(news.offers) > 1:
            self._tell(wish, {DOMAINS[wish.domain].entity: wish.offered})

    def _nothing_found(self, wish: Wish, echoed: dict[str, str]) -> None:
        wrong = wish.misheard(echoed)
        told = wrong or wish.search_failed()
        if wrong or not told:
            self._lost_patience(wish)
        self._tell(wish, told or wish.search)

    def _booking_refused(self, wish: Wish, echoed: dict[str, str]) -> None:
        if not wish.wants_booking:
            return
        wrong = {slot: value for slot, value in wish.misheard(echoed).items() if slot in wish.book}
        told = wrong or wish.booking_failed()
        self._agenda.drop(lambda item: item.stage == "book" and item.domain == wish.domain)
        if wrong or not told:
            self._lost_patience(wish)
        self._tell(wish, told or wish.book)

    def _tell(self, wish: Wish, told: dict[str, str]) -> None:
        if wish.given_up:
            return
        bookable = DOMAINS[wish.domain].book
        items = [
            Item("book" if slot in bookable else "search", wish.domain, slot, value) for slot, value in told.items()
        ]
        # What was to be said of these slots before is not wanted any more.
        places = {item[:3] for item in items}
        self._agenda.drop(lambda item: item[:3] in places)
        self._agenda.push(items)

    def _lost_patience(self, wish: Wish) -> None:
        wish.tries += 1
        if wish.tries > self._dials.patience:
            wish.given_up = True
            self._agenda.drop(lambda item: item.domain == wish.domain)

    def _next(self) -> Iterable[Act]:
        """Pops what is said in this turn."""
        if self._turn > 1 and self._rng.random() < self._dials.haste:
            return self._leave()
        while True:
            item = self._agenda.top
            if item.stage == "bye":
                return self._leave()
            wish = self._wishes[item.domain]
            if item.stage == "search":
                break
            if self._unfinished(wish, item):
                continue
            if item.stage != "close":
                break
            self._agenda.pop(1)
        self._domain = item.domain
        items = self._agenda.pop(self._rng.randint(1, self._dials.verbosity))
        return self._said(wish, items)

    def _unfinished(self, wish: Wish, item: Item) -> bool:
        """Pushes what has to come before the next item: an offer to book or to ask about, answers, a booking."""
        before = wish.tries
        if item.stage in ("ask", "book") and wish.offered is None:
            self._lost_patience(wish)
            self._tell(wish, wish.search)
        elif item.stage == "close" and wish.unanswered:
            self._lost_patience(wish)
            if not wish.given_up:
                self._agenda.push(Item("ask", wish.domain, slot) for slot in wish.unanswered)
                wish.asked.clear()
        elif item.stage == "close" and wish.wants_booking and wish.offered is not None:
            self._lost_patience(wish)
            self._tell(wish, wish.book)
        return wish.tries > before

    def _said(self, wish: Wish, items: list[Item]) -> list[Act]:
        if items[0].stage == "ask":
            wish.asked.update(item.slot for item in items)
            return [act(wish.domain, "request", item.slot) for item in items]
        found = [item._replace(value=item.value or self._end(item.slot)) for item in items]
        for item in found:
            if item.slot in wish.search and not wish.search[item.slot]:
                wish.search[item.slot] = item.value
            wish.said[item.slot] = item.value
        return [act(wish.domain, "inform", item.slot, item.value) for item in found]

    def _end(self, slot: str) -> str:
        """Where a linked taxi ride begins or ends: at a place that was found before, else at a landmark."""
        found = [
            wish.offered
            for wish in self._wishes.values()
            if wish.offered and wish.domain in ("hotel", "restaurant", "attraction")
        ]
        place = 0 if slot == "departure" else 1
        return found[place] if len(found) > 1 else _LANDMARKS[place]

    def _leave(self) -> list[Act]:
        self._left = True
        return [act(GENERAL, "thank"), act(GENERAL, "bye")]


def _ends(goal: DomainGoal) -> dict[str, str]:
    """The ends of a ride that the goal leaves open, without a value as yet."""
    return {slot: "" for slot in ("departure", "destination") if slot not in goal.info}
