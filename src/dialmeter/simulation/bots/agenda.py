"""A user with an agenda: it says what its goal asks for, answers questions, and gives up if the system does not help.

dialmeter has five of them: one without a flaw, and four with one flaw each. Schatzmann, Thomson, Weilhammer, Ye and Young (2007),
Agenda-Based User Simulation for Bootstrapping a POMDP Dialogue System, NAACL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Annotated, Literal, NamedTuple, TypeAlias

from msgspec import Meta, Struct, field

from ...model import USER, Act, DomainGoal, Goal, Move
from ..grammar import BOOKING, GENERAL, act, intent_of, value_of
from ..world import DONTCARE, ENDS, REFERENCE, TIMES, World
from . import Kind, Share

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


class Wish:
    """The current wish of the user in one domain of the goal: the first wish, or the second one after a failure.

    Attributes:
        search: constraints for an offer.
        book: details of the booking.
        offered: the offer of the system that the user has accepted.
        answered: answered requests, each with the offer that the answer is about.
        tries: number of times that the system did not help.
    """

    def __init__(self, domain: str, goal: DomainGoal, world: World) -> None:
        self.domain = domain
        self.world = world
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
        return [slot for slot in self.requests if self.answered.get(slot) != (self.offered or "")]

    def answer(self, slot: str) -> dict[str, str]:
        """Return the answer to a question of the system for a slot: its value, or that any value is fine.

        Example:
            >>> from dialmeter.simulation.world import town
            >>> wish = Wish("train", DomainGoal(info={"arriveby": "12:15"}), town())
            >>> wish.answer("leaveat"), wish.answer("day")
            ({'arriveby': '12:15'}, {'day': 'dontcare'})
        """
        if slot in self.forgotten:
            self.search[slot] = self.forgotten.pop(slot)
        values = {**self.search, **self.book}
        if slot in values:
            return {slot: values[slot]}
        partner = next((each for each in TIMES if slot in TIMES and each in values), None)
        if partner:
            return {partner: values[partner]}
        return {slot: DONTCARE} if slot in self.world.domains[self.domain].informable else {}

    def mismatches(self, facts: Mapping[str, str]) -> dict[str, str]:
        """Return the constraints that an offer does not meet, according to the facts that the system gave."""
        return {
            slot: self.search[slot]
            for slot, value in facts.items()
            if slot in self.search
            and not _meets(slot, value, self.search[slot], self.world.domains[self.domain].has_times)
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


def _meets(slot: str, value: str, constraint: str, is_journey: bool) -> bool:
    if constraint == DONTCARE:
        return True
    if is_journey and slot in TIMES:
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
    domain = wish.world.domains[wish.domain]
    slots = [slot for slot in domain.search if slot != domain.entity]
    free = [
        slot
        for slot in slots
        if not {slot} & {*wish.search, *wish.goal.info, *wish.forgotten} and wish.world.goal_values(wish.domain, slot)
    ]
    if domain.entity in wish.search or domain.is_granted:
        # A search by name has no other constraints, and the ends of a taxi ride are found during the dialogue.
        free = []
    items: list[AgendaItem] = []
    for _ in range(MOST_INVENTED):
        if rng.random() >= chance:
            continue
        if free:
            slot = free.pop(rng.randrange(len(free)))
            wish.search[slot] = rng.choice(wish.world.goal_values(wish.domain, slot))
            wish.invented.add(slot)
        else:
            used = [item.slot for item in items]
            candidates = [slot for slot in wish.search if slot not in used and slot not in wish.invented]
            if not candidates:
                break
            slot = rng.choice(candidates)
            right = (wish.search[slot], wish.goal.info.get(slot))
            wrong = [value for value in wish.world.goal_values(wish.domain, slot) if value not in right]
            if not wrong:
                break
            items.append(AgendaItem("search", wish.domain, slot, rng.choice(wrong)))
    return items


def loop(wish: Wish, chance: float, rng: Random) -> list[AgendaItem]:
    """Return items to repeat after an answer."""
    if rng.random() >= chance:
        return []
    said = [AgendaItem("search", wish.domain, slot, value) for slot, value in wish.said.items() if slot in wish.search]
    return rng.sample(said, min(len(said), 2))


class UserDials(Struct, frozen=True):
    """The settings of a user."""

    patience: Annotated[int, Meta(ge=0)] = 3
    """Number of times that the system may fail to help in a domain before the user gives up the domain."""
    verbosity: Annotated[int, Meta(ge=1)] = 3
    """The maximum number of constraints in one turn."""
    repetition: Share = 0.0
    """The chance to repeat constraints and questions after an answer."""
    forgetting: Share = 0.0
    """The chance to forget a constraint until the system asks; requests are forgotten for good, with half this chance."""
    invention: Share = 0.0
    """The chance to invent a constraint; at most two per domain."""
    haste: Share = 0.0
    """The chance to leave at each turn."""


class AgendaUser:
    """A user with an agenda; it can have several dialogues, one after the other. It knows only what the system says."""

    def __init__(self, dials: UserDials, world: World, rng: Random) -> None:
        self._dials = dials
        self._world = world
        self._rng = rng
        self.start(None)

    def start(self, goal: Goal | None) -> None:
        self._left, self._turn, self._loops, self._domain = False, 0, 0, ""
        self._wishes: dict[str, Wish] = {
            domain: Wish(domain, each, self._world) for domain, each in (goal or {}).items()
        }
        self._agenda = Agenda([AgendaItem("bye")])
        for wish in reversed(self._wishes.values()):
            self._agenda.push(self._items(wish))

    def _items(self, wish: Wish) -> list[AgendaItem]:
        """Return the items of one domain: search constraints, then booking and questions in random order."""
        domain = self._world.domains[wish.domain]
        if domain.is_granted:
            # If the goal does not give an end of the ride, it has no value yet.
            open_ends = {slot: "" for slot in ENDS if slot in domain.search and slot not in wish.goal.info}
            wish.search = {**open_ends, **wish.search}
        if self._dials.forgetting:
            forget(wish, self._dials.forgetting, self._rng)
        wrong = invent(wish, self._dials.invention, self._rng) if self._dials.invention else []
        # Values that are given up after a failure come first. If they came last, a failure could be reported before they are said.
        first_tries = {slot for slot, value in wish.goal.fail_info.items() if value != wish.goal.info.get(slot)}
        slots = sorted(wish.search, key=lambda slot: (slot not in wish.invented, slot not in first_tries))
        searched = [AgendaItem("search", wish.domain, slot, wish.search[slot]) for slot in slots]
        later = [item for item in searched if item.slot in [each.slot for each in wrong]]
        searched = [*wrong, *(item for item in searched if item not in later), *later]
        booked = [AgendaItem("book", wish.domain, slot, value) for slot, value in wish.book.items()]
        asked = [AgendaItem("ask", wish.domain, slot) for slot in wish.requests]
        rest = [*booked, *asked] if self._rng.random() < 0.5 else [*asked, *booked]
        return [*searched, *rest, AgendaItem("close", wish.domain)]

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        if self._turn:
            for domain, news in interpret(acts, self._domain, self._world).items():
                if domain in self._wishes:
                    self._react(self._wishes[domain], news)
        self._turn += 1
        return Move(USER, acts=tuple(self._next()))

    def done(self) -> bool:
        return self._left

    def _react(self, wish: Wish, news: DomainNews) -> None:
        """Change the agenda of one domain after a move of the system. The items that are pushed last are said first."""
        if news.refused is not None:
            self._failed(wish, news.refused, "book")
        if news.nothing is not None:
            self._failed(wish, news.nothing, "search")
        elif news.offers:
            self._consider(wish, news)
        self._take_answers(wish, news)
        for slot in news.questions:
            self._tell(wish, wish.answer(slot))

    def _take_answers(self, wish: Wish, news: DomainNews) -> None:
        answered = {slot for slot in wish.requests if slot in news.facts}
        got_answer = bool(answered & wish.asked or news.reference)
        if news.reference:
            wish.booked = True
            self._agenda.drop(lambda item: (item.stage, item.domain) == ("book", wish.domain))
        wish.answered |= dict.fromkeys(answered, wish.offered or "")
        self._agenda.drop(lambda item: item.stage == "ask" and item.domain == wish.domain and item.slot in answered)
        if got_answer and self._dials.repetition and self._loops < MOST_LOOPS:
            again = loop(wish, self._dials.repetition, self._rng)
            self._loops += bool(again)
            self._agenda.push(again)
            if again and answered & wish.asked:
                self._agenda.push([AgendaItem("ask", wish.domain, min(answered & wish.asked))])
        wish.asked -= answered

    def _consider(self, wish: Wish, news: DomainNews) -> None:
        """Accept an offer if its known facts meet the constraints; otherwise repeat the constraints that it does not meet."""
        wrong = wish.mismatches(news.facts)
        if wrong:
            self._lost_patience(wish)
            self._tell(wish, wrong)
            return
        wish.offered = news.offers[0]
        if len(news.offers) > 1:
            self._tell(wish, {self._world.domains[wish.domain].entity: wish.offered})

    def _failed(self, wish: Wish, echoed: dict[str, str], stage: Stage) -> None:
        """Correct what the system misunderstood. Otherwise say the second wish, or the first one again."""
        corrections = wish.misheard(echoed)
        if stage == "book":
            if not wish.wants_booking:
                return
            corrections = {slot: value for slot, value in corrections.items() if slot in wish.book}
            self._agenda.drop(lambda item: (item.stage, item.domain) == ("book", wish.domain))
        pairs = corrections or (wish.booking_failed() if stage == "book" else wish.search_failed())
        if corrections or not pairs:
            self._lost_patience(wish)
        self._tell(wish, pairs or (wish.book if stage == "book" else wish.search))

    def _tell(self, wish: Wish, pairs: dict[str, str]) -> None:
        if wish.given_up:
            return
        bookable = self._world.domains[wish.domain].book
        items = [
            AgendaItem("book" if slot in bookable else "search", wish.domain, slot, value)
            for slot, value in pairs.items()
        ]
        # The new items replace older items for the same slots.
        replaced = {item[:3] for item in items}
        self._agenda.drop(lambda item: item[:3] in replaced)
        self._agenda.push(items)

    def _lost_patience(self, wish: Wish) -> None:
        wish.tries += 1
        if wish.tries > self._dials.patience:
            wish.given_up = True
            self._agenda.drop(lambda item: item.domain == wish.domain)

    def _next(self) -> Iterable[Act]:
        """Pop the items of this turn, and return their acts."""
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
        return self._acts(wish, items)

    def _unfinished(self, wish: Wish, item: AgendaItem) -> bool:
        """Push what must come before the next item: an offer to book or to ask about, answers, or a booking."""
        before = wish.tries
        if item.stage in ("ask", "book") and wish.offered is None and wish.search:
            self._lost_patience(wish)
            self._tell(wish, wish.search)
        elif item.stage == "close" and wish.unanswered:
            self._lost_patience(wish)
            if not wish.given_up:
                self._agenda.push(AgendaItem("ask", wish.domain, slot) for slot in wish.unanswered)
                wish.asked.clear()
        elif item.stage == "close" and wish.wants_booking and wish.offered is not None:
            self._lost_patience(wish)
            self._tell(wish, wish.book)
        return wish.tries > before

    def _acts(self, wish: Wish, items: list[AgendaItem]) -> list[Act]:
        if items[0].stage == "ask":
            wish.asked.update(item.slot for item in items)
            return [act(wish.domain, "request", item.slot) for item in items]
        informed = [item._replace(value=item.value or self._end(item.slot)) for item in items]
        for item in informed:
            if item.slot in wish.search and not wish.search[item.slot]:
                wish.search[item.slot] = item.value
            wish.said[item.slot] = item.value
        return [act(wish.domain, "inform", item.slot, item.value) for item in informed]

    def _end(self, slot: str) -> str:
        """Return an end of a linked taxi ride: a place that was found before, or else a landmark."""
        venues = [
            wish.offered
            for wish in self._wishes.values()
            if wish.offered and self._world.domains[wish.domain].has_places
        ]
        index = ENDS.index(slot)
        return venues[index] if len(venues) > 1 else self._world.landmarks[index]

    def _leave(self) -> list[Act]:
        self._left = True
        return [act(GENERAL, "thank"), act(GENERAL, "bye")]


_OFFERS = ("inform", "recommend", "select", "offerbook")


class DomainNews(Struct):
    """The user's interpretation of a system turn, in one domain.

    Attributes:
        questions: slots that the system asks for.
        nothing: constraints for which nothing was found; None if the system did not say so.
        refused: details that cannot be booked; None if no booking was refused.
    """

    offers: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    questions: list[str] = field(default_factory=list)
    nothing: dict[str, str] | None = None
    refused: dict[str, str] | None = None
    reference: str = ""


def interpret(acts: Iterable[Act], domain: str, world: World) -> dict[str, DomainNews]:
    """Interpret a system turn, by domain.

    Args:
        domain: the domain that the user spoke of; bookings belong to it.

    Example:
        >>> from dialmeter.simulation.world import town
        >>> from ..grammar import act
        >>> news = interpret([act("booking", "nobook", "day", "friday"), act("train", "request", "day")], "hotel", town())
        >>> news["hotel"].refused, news["train"].questions
        ({'day': 'friday'}, ['day'])
    """
    by_domain: dict[str, DomainNews] = {}
    for each in acts:
        act_domain = domain if each.service == BOOKING else each.service
        if act_domain == GENERAL:
            continue
        news = by_domain.setdefault(act_domain, DomainNews())
        intent, value = intent_of(each.name), value_of(each)
        pair = {each.slot: value} if each.slot else {}
        if intent == "request":
            news.questions += [each.slot] if each.slot else []
        elif intent == "nooffer":
            news.nothing = {**(news.nothing or {}), **pair}
        elif intent == "nobook":
            news.refused = {**(news.refused or {}), **pair}
        elif each.slot == REFERENCE:
            news.reference = value
        elif each.slot and _is_entity(each.slot, act_domain, world) and intent in _OFFERS:
            news.offers.append(value)
            news.facts |= pair if intent != "select" else {}
        elif each.slot and intent != "offerbook":
            news.facts |= pair
    return by_domain


def _is_entity(slot: str, domain: str, world: World) -> bool:
    return domain in world.domains and slot == world.domains[domain].entity


AGENDA = Kind("user", "says all that its goal asks for, from an agenda", UserDials(), AgendaUser)
FORGETFUL = Kind(
    "user", "forgets constraints until the system asks, and requests for good", UserDials(forgetting=0.7), AgendaUser
)
LOOPING = Kind(
    "user", "repeats constraints and questions after they were answered", UserDials(repetition=0.9), AgendaUser
)
INVENTIVE = Kind("user", "says things that are not in its goal", UserDials(invention=0.8), AgendaUser)
HASTY = Kind("user", "leaves before it has what it wants", UserDials(haste=0.12), AgendaUser)
