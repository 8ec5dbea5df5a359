"""A rule-based system: it tracks the state, searches, and says what it finds. dialmeter has three of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Annotated

from msgspec import Meta, Struct

from ...model import SYSTEM, Act, Goal, Move
from ..grammar import BOOKING, GENERAL, act, informed, intent_of
from ..world import DONTCARE, REFERENCE, TIMES, Row, World, reference
from . import Kind, Share

_MOST_AGAIN = 2
_FACTS = ("address", "phone", "postcode", "entrance fee", "duration", "price", "colour")


class SystemDials(Struct, frozen=True):
    """The settings of a system."""

    eagerness: Share = 0.0
    """The chance to tell facts of an offer that the user did not ask for."""
    failures: Share = 0.0
    """The chance not to answer a question, or to refuse a booking without a reason."""
    stubbornness: Share = 0.0
    """The chance to ask again for a value that the user gave; at most twice in a domain, and once for a slot."""
    questions: Annotated[int, Meta(ge=0)] = 1
    """Number of questions for constraints in a domain before it makes an offer."""
    few: Annotated[int, Meta(ge=1)] = 3
    """Up to this number of results, it makes an offer without a question."""
    choice: Share = 0.5
    """The chance to let the user choose if there are two results."""


class RuleSystem:
    """A rule-based system; it can have several dialogues, one after the other."""

    def __init__(self, dials: SystemDials, world: World, rng: Random) -> None:
        self._dials = dials
        self._world, self._domains = world, world.domains
        self._rng = rng
        self.start(None)

    def start(self, goal: Goal | None) -> None:
        self._state: dict[str, dict[str, str]] = {domain: {} for domain in self._domains}
        self._found: dict[str, Row] = {}
        self._booked: dict[str, str] = {}
        self._asked: dict[str, list[str]] = {domain: [] for domain in self._domains}
        self._asked_again: dict[str, list[str]] = {domain: [] for domain in self._domains}
        self._waiting: dict[str, set[str]] = {}
        self._over = False

    def done(self) -> bool:
        return self._over

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        changes = self._update_state(acts)
        said: list[Act] = []
        for domain, slots in changes.items():
            said += self._react(domain, slots)
        for each in acts:
            if intent_of(each.name) == "request" and each.service in self._domains:
                said += self._answer(each.service, each.slot, said)
        self._over = any(intent_of(each.name) == "bye" for each in acts)
        if self._over:
            said = [act(GENERAL, "bye")]
        return Move(SYSTEM, acts=tuple(dict.fromkeys(said)) or (act(GENERAL, "reqmore"),))

    def _update_state(self, acts: Sequence[Act]) -> dict[str, set[str]]:
        """Update the state, and return the new or changed slots of each domain that the user spoke of."""
        changes: dict[str, set[str]] = {}
        for domain, slot, value in informed(acts, self._world):
            changed = changes.setdefault(domain, set())
            if slot in self._domains[domain].informable:
                if self._state[domain].get(slot) != value:
                    changed.add(slot)
                self._state[domain][slot] = value
        return changes

    def _react(self, domain: str, changed: set[str]) -> Iterator[Act]:
        """React to new constraints. If the user repeats known constraints, the user missed the offer, and it is repeated."""
        changed |= self._waiting.pop(domain, set())
        again = self._ask_again(domain, changed)
        if again:
            self._waiting[domain] = changed
            yield act(domain, "request", again)
            return
        if changed & set(self._domains[domain].search) or domain not in self._found:
            yield from self._offer(domain)
        if domain in self._found:
            booking = list(self._book(domain))
            yield from booking if changed or booking else self._offer(domain)

    def _ask_again(self, domain: str, changed: set[str]) -> str | None:
        asked = self._asked_again[domain]
        for slot in sorted(changed - set(asked)):
            if len(asked) < _MOST_AGAIN and self._rng.random() < self._dials.stubbornness:
                asked.append(slot)
                return slot
        return None

    def _offer(self, domain: str) -> Iterator[Act]:
        state = self._state[domain]
        missing = [slot for slot in self._domains[domain].needed if slot not in state]
        if missing:
            yield act(domain, "request", missing[0])
            return
        if self._domains[domain].is_granted:
            yield from self._grant(domain, state)
            return
        constraints = {slot: state[slot] for slot in self._domains[domain].search if slot in state}
        rows = self._world.search(domain, constraints)
        question = self._question(domain, rows)
        if not rows:
            self._found.pop(domain, None)
            self._booked.pop(domain, None)
            unmet = {slot: value for slot, value in constraints.items() if value != DONTCARE}
            yield from (act(domain, "nooffer", slot, value) for slot, value in unmet.items())
        elif question:
            self._asked[domain].append(question)
            yield act(domain, "inform", "choice", str(len(rows)))
            yield act(domain, "request", question)
        else:
            yield from self._present(domain, rows, constraints)

    def _question(self, domain: str, rows: Sequence[Row]) -> str | None:
        """Return a slot to ask for if there are many results."""
        asked, state = self._asked[domain], self._state[domain]
        if len(rows) <= self._dials.few or len(asked) >= self._dials.questions or domain in self._found:
            return None
        if self._domains[domain].has_times:
            return None if any(slot in state for slot in TIMES) or asked else "leaveat"
        known = (self._domains[domain].entity, *state, *asked)
        slots = [slot for slot in self._domains[domain].search if slot not in known]
        useful = [slot for slot in slots if len({row.get(slot) for row in rows}) > 1]
        return self._rng.choice(useful) if useful else None

    def _present(self, domain: str, rows: Sequence[Row], constraints: dict[str, str]) -> Iterator[Act]:
        before = self._found.get(domain)
        row = before if before is not None and before in rows else rows[0]
        entity = self._domains[domain].entity
        if (
            before is None
            and len(rows) == 2
            and entity in self._domains[domain].search
            and self._rng.random() < self._dials.choice
        ):
            yield from (act(domain, "select", entity, each[entity]) for each in rows)
            return
        if row is not before:
            self._booked.pop(domain, None)
        self._found[domain] = row
        if self._domains[domain].has_times:
            time = "arriveby" if "arriveby" in constraints else "leaveat"
            yield act(domain, "inform", entity, row[entity])
            yield act(domain, "inform", time, row[time])
        else:
            slots = [slot for slot in constraints if slot != entity and slot in row and constraints[slot] != DONTCARE]
            yield act(domain, "recommend", entity, row[entity])
            echoed = sorted(self._rng.sample(slots, min(2, len(slots))), key=slots.index)
            yield from (act(domain, "recommend", slot, row[slot]) for slot in echoed)
        yield from self._volunteer(domain, row)
        if not any(slot in self._state[domain] for slot in self._domains[domain].book) and self._domains[domain].book:
            has_times = self._domains[domain].has_times
            yield act(domain, "offerbook") if has_times else act(BOOKING, "inform")

    def _volunteer(self, domain: str, row: Row) -> Iterator[Act]:
        if self._dials.eagerness and self._rng.random() < self._dials.eagerness:
            facts = [slot for slot in _FACTS if slot in row]
            for slot in sorted(self._rng.sample(facts, min(2, len(facts))), key=facts.index):
                yield act(domain, "inform", slot, row[slot])

    def _grant(self, domain: str, state: dict[str, str]) -> Iterator[Act]:
        if any(slot in self._domains[domain].search for slot in TIMES) and not any(slot in state for slot in TIMES):
            yield act(domain, "request", TIMES[0])
            return
        row = self._world.grant(domain, {slot: value for slot, value in state.items() if value != DONTCARE})
        self._found[domain] = row
        entity = self._domains[domain].entity
        yield act(domain, "inform", entity, row[entity])
        yield from self._volunteer(domain, row)

    def _book(self, domain: str) -> Iterator[Act]:
        """Book if all details are known; otherwise ask for missing details, two at a time."""
        needed = self._domains[domain].book
        details = {slot: self._state[domain][slot] for slot in needed if slot in self._state[domain]}
        if not details:
            return
        service = domain if self._domains[domain].has_times else BOOKING
        missing = [slot for slot in needed if slot not in details]
        if missing:
            yield from (act(service, "request", slot) for slot in missing[:2])
            return
        row = self._found[domain]
        code = reference(domain, row[self._domains[domain].entity], details)
        if self._booked.get(domain) == code:
            return
        wrong = self._world.failing_slots(domain, row, details)
        if wrong:
            yield from (act(BOOKING, "nobook", slot, details[slot]) for slot in wrong)
        elif self._rng.random() < self._dials.failures:
            yield act(BOOKING, "nobook")
        else:
            self._booked[domain] = code
            yield act(service, "offerbooked" if self._domains[domain].has_times else "book", REFERENCE, code)

    def _answer(self, domain: str, slot: str, said: list[Act]) -> Iterator[Act]:
        if domain not in self._found:
            # There is no result to answer about: search first, if this turn has not searched yet.
            if not any(each.service == domain for each in said):
                yield from self._offer(domain)
            if domain not in self._found:
                return
        if self._rng.random() < self._dials.failures:
            return
        row = self._found[domain]
        if slot in row:
            yield act(domain, "inform", slot, row[slot])
        elif slot == REFERENCE and domain in self._booked:
            yield act(domain, "inform", slot, self._booked[domain])


RULE = Kind("system", "searches, offers, answers and books, by rules", SystemDials(), RuleSystem)
EAGER = Kind("system", "gives information before the user asks for it", SystemDials(eagerness=0.8), RuleSystem)
STUBBORN = Kind("system", "asks again for values that the user gave", SystemDials(stubbornness=0.5), RuleSystem)
