"""A dialogue prepared for scoring: acts by turn and service, in lower case, with canonical values and act types.

Behaviours use only the view of a system turn for one domain, :class:`SystemTurn`. It is computed once per turn and domain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import starmap
from typing import TypeAlias

from msgspec import Struct, field

from ..english import words_of_dialogue
from ..errors import InputError, one_line
from ..model import SYSTEM, USER, Act, Conversation, DomainGoal, Goal
from ..values.maps import ValueMap
from .behaviours import offered
from .canonical import Matcher
from .events import TABLES, Mentions, Remark, switched_on
from .goals import GoalUnits, constraint, goal_units, lower_value, request
from .profile import (
    BOOK,
    BOOKING_INTENT,
    INFORM,
    NO_BOOK,
    NO_OFFER,
    OFFERS,
    OWN_CONFIRM,
    OWN_INTENT,
    PLACEHOLDER,
    RAW,
    RECOMMEND,
    REQUEST,
    SLOT_VALUES,
    DomainTraits,
    Profile,
    classifier,
)
from .rules import UserRules

ActEntry: TypeAlias = tuple[int, str, str]
"""The types of an act as bits, its slot and one value. Slot and value are empty if there is none."""

_ENGLISH_READERS = ("rules", "town")
"""Readers of text that know only English words. A language model may know other languages."""

ByService: TypeAlias = dict[str, list[ActEntry]]


TurnActs: TypeAlias = tuple[ByService, int, bool, list[tuple[str, str]]]
"""The acts of a turn: by service, the types of all as bits, True for a taxi service, and codes and texts of remarks."""


class PreparedTurn(Struct, eq=False):
    """One turn. Only services with at least one act are in ``acts``."""

    number: int
    acts: ByService
    taxi: bool
    """True if the turn has taxi acts, or a word for taxi in its text."""
    no_book: bool = False
    understood: ByService | None = None
    by_domain: dict[str, SystemTurn] = field(default_factory=dict)


class PreparedDialogue(Struct, eq=False):
    """A dialogue prepared for scoring.

    Attributes:
        conversation: the dialogue, with the acts that were read from its text.
        turns: all turns in order; user turns are even.
        goal: the goal of the user, with domains named as in the profile.
        goal_units: domain → units of the goal.
        said: the constraints that the user says.
        asked: the requests that the user makes.
    """

    conversation: Conversation
    turns: list[PreparedTurn]
    goal: Goal
    goal_units: dict[str, GoalUnits]
    said: Mentions
    asked: Mentions
    remarks: list[Remark]
    setup: ScoringSetup

    @property
    def task(self) -> str:
        """The text of the task in lower case."""
        return self.conversation.task.lower()

    def system_turn(self, number: int, domain: str) -> SystemTurn:
        """Return the view of a system turn for a domain."""
        turn = self.turns[number]
        view = turn.by_domain.get(domain)
        if view is None:
            view = turn.by_domain[domain] = system_turn(turn, domain, self.setup)
        return view

    def between(self, after: int, before: int, domain: str) -> list[SystemTurn]:
        """Return the system turns between two user turns, newest first."""
        return [self.system_turn(number, domain) for number in range(before - 1, after, -2)]


class ScoringSetup:
    """Rules, profile and value matcher of a run, with caches. It prepares dialogues for scoring."""

    def __init__(self, rules: UserRules, profile: Profile, value_map: ValueMap | None) -> None:
        self.rules = rules
        self.profile = profile
        values = rules.values
        self.matcher = Matcher(
            value_map if values.map else None, threshold=values.threshold, fuzzy=values.fuzzy, kept=profile.kept_values
        )
        self.no_domains = frozenset([*profile.general, *([profile.booking] if profile.booking else [])])
        self.traits: Callable[[str], DomainTraits] = cache(profile.traits)
        """Returns the traits of a domain in the profile."""
        self.types_of: Callable[[str], int] = cache(classifier(profile.acts, rules.faults.nooffer_misspelt))
        """Returns the types of an act from its name, as bits."""
        self.tests = {family: switched_on(family, getattr(rules, table)) for family, table in TABLES.items()}
        """Family → behaviours that the rules turn on."""
        self._is_known: Callable[[str], bool] = cache(profile.knows)
        patterns = rules.values.no_answer
        self._no_answer = re.compile("|".join(f"(?:{each})" for each in patterns)) if patterns else None
        self._slots: dict[str, str] = {}
        self._lower = lower_value if rules.values.nfkc else str.lower

    def prepare(self, conversation: Conversation) -> PreparedDialogue:
        """Prepare a dialogue.

        Raises:
            InputError: the dialogue has no goal or no turns, or user and system do not alternate.
        """
        remarks: list[Remark] = []
        goal = self._rename_domains(_validated_goal(conversation), conversation, remarks)
        units = goal_units(goal, self.rules.faults.goal_slots_as_written, self._lower)
        self._check_goal(units, remarks)
        turns = []
        by_user: dict[Sequence[Act], TurnActs] = {}
        by_system: dict[Sequence[Act], TurnActs] = {}
        views: dict[tuple[int, int, bool], dict[str, SystemTurn]] = {}
        taxi_words = self.profile.taxi.words
        for number, move in enumerate(conversation.moves):
            is_system = number % 2 == 1
            acts, types, taxi, found = self._cached_acts(
                move.acts or (), units, by_system if is_system else by_user, is_system
            )
            remarks += [Remark(code, number, description) for code, description in found]
            if move.acts is None:
                remarks.append(Remark("no-acts", number))
            elif move.read_by:
                remarks.append(Remark("from-text", number, move.read_by))
            text = move.text
            turn = PreparedTurn(number, acts, taxi or any(word in text for word in taxi_words))
            if is_system:
                turn.no_book = bool(types & NO_BOOK)
                if move.understood is None:
                    remarks.append(Remark("no-understanding", number))
                else:
                    turn.understood = self._cached_acts(move.understood, units, by_user, False)[0]
                # Turns with the same acts share their views by domain.
                turn.by_domain = views.setdefault((id(turn.acts), id(turn.understood), turn.taxi), turn.by_domain)
            turns.append(turn)
        if any(move.read_by in _ENGLISH_READERS for move in conversation.moves):
            words = words_of_dialogue(conversation)
            remarks += [] if words.is_english else [Remark("not-english", None, str(words))]
        said, asked = _mentions(self._said(turns, remarks)), self._requests(conversation, turns)
        return PreparedDialogue(conversation, turns, goal, units, said, asked, remarks, self)

    def _rename_domains(self, goal: Goal, conversation: Conversation, remarks: list[Remark]) -> Goal:
        """Rename domains of a goal that differ only in letter case from the profile or from a service of the dialogue."""
        if all(map(self._is_known, goal)):
            return goal
        services = {act.service for move in conversation.moves for act in move.acts or ()}
        known = {name.lower(): name for name in sorted((*self.profile.domains, *filter(self._is_known, services)))}
        renamed: dict[str, DomainGoal] = {}
        for domain, domain_goal in goal.items():
            name = domain if self._is_known(domain) else known.get(domain.lower(), domain)
            if name in renamed or (name != domain and name in goal):
                raise InputError(
                    f"the goal has {domain} and {name}, which differ only in letter case", dialogue=conversation.id
                )
            if name != domain:
                remarks.append(Remark("domain-in-other-capitals", None, f"{domain} is read as {name}"))
            renamed[name] = domain_goal
        return renamed

    def _check_goal(self, units: Mapping[str, GoalUnits], remarks: list[Remark]) -> None:
        values = self.matcher.map
        for domain, domain_units in units.items():
            if not self._is_known(domain):
                remarks.append(Remark("unknown-domain", None, domain))
            if values is None:
                continue
            for slot, goal_values in domain_units.values.items():
                table = values.table(domain, slot)
                # A slot with normalisation steps has more values than its table lists.
                if table is not None and not table.steps:
                    remarks += [
                        Remark("goal-value-not-in-map", None, f"{domain}-{slot}={value}")
                        for value in goal_values
                        if value not in table.known
                    ]

    def _cached_acts(
        self, acts: Sequence[Act], units: Mapping[str, GoalUnits], cache: dict[Sequence[Act], TurnActs], is_system: bool
    ) -> TurnActs:
        """Return the acts of a turn. Turns of a dialogue with the same acts share the result."""
        turn_acts = cache.get(acts)
        if turn_acts is None:
            remarks: list[tuple[str, str]] = []
            by_service = self._by_service(acts, units, remarks)
            if is_system:
                self._mark_placeholders(by_service)
            types = 0
            for entries in by_service.values():
                for each, _, _ in entries:
                    types |= each
            taxi = any(self.traits(name).taxi for name in by_service)
            turn_acts = cache[acts] = by_service, types, taxi, remarks
        return turn_acts

    def _by_service(
        self,
        acts: Sequence[Act],
        units: Mapping[str, GoalUnits],
        remarks: list[tuple[str, str]],
        unchanged: Container[tuple[str, str, str]] = (),
    ) -> ByService:
        """Return the acts by service, with one entry for each value. Values with certain canonical forms are not changed."""
        by_service: ByService = {}
        types_of, slots, matcher, values = self.types_of, self._slots, self.matcher, self.matcher.map
        keeps_collisions = self.rules.values.collisions == "keep"
        forms: dict[tuple[str, str, str], set[str]] = {}
        for act in acts:
            name, service = act.name, act.service
            types = types_of(name)
            entries = by_service.get(service)
            if entries is None:
                entries = by_service[service] = []
                if not self._is_known(service):
                    remarks.append(("unknown-domain", service))
            if not types:
                remarks.append(("unknown-act", name))
            written = act.slot
            slot = slots.get(written)
            if slot is None:
                slot = slots[written] = written.lower()
            domain_units = units.get(service)
            if domain_units is None or not slot or types & RAW:
                entries += [(types, slot, self._lower(value)) for value in act.values] or [(types, slot, "")]
                continue
            goal_values = domain_units.values.get(slot, ())
            if not act.values:
                entries.append((types, slot, ""))
            for value in act.values:
                lower = self._lower(value)
                canonical = matcher(service, slot, lower, goal_values) if lower else lower
                if keeps_collisions and lower:
                    forms.setdefault((service, slot, canonical), set()).add(lower)
                    canonical = lower if (service, slot, canonical) in unchanged else canonical
                entries.append((types, slot, canonical))
            # The map has this slot only for other domains.
            if values and values.is_split(slot) and values.table(service, slot) is None:
                remarks.append(("slot-of-another-domain", f"{service}-{slot}"))
        # As in the published evaluator, values of a slot and turn that have the same canonical form are not changed.
        collisions = {key for key, written in forms.items() if len(written) > 1}
        return self._by_service(acts, units, [], collisions) if collisions and not unchanged else by_service

    def _mark_placeholders(self, acts: ByService) -> None:
        """Mark acts that give a placeholder instead of a value for a slot."""
        if self._no_answer is None:
            return
        for entries in acts.values():
            for index, (types, slot, value) in enumerate(entries):
                if value and slot and not types & REQUEST and self._no_answer.search(value):
                    entries[index] = (types | PLACEHOLDER, slot, value)

    def _said(self, turns: list[PreparedTurn], remarks: list[Remark]) -> Iterator[tuple[str, str, int]]:
        """Yield domain, constraint and turn of what the user says."""
        for turn in turns[::2]:
            for service, acts in turn.acts.items():
                for types, slot, value in acts if service not in self.profile.general else ():
                    if not types & INFORM or not slot:
                        continue
                    if service in self.no_domains:
                        remarks.append(Remark("said-in-booking", turn.number, slot))
                    elif not value:
                        remarks.append(Remark("act-without-value", turn.number, f"{service}-{slot}"))
                    else:
                        yield service, constraint(slot, value), turn.number

    def _requests(self, conversation: Conversation, turns: list[PreparedTurn]) -> Mentions:
        """Return the requests: from the lists of requested slots if the dialogue has any, else from the acts."""
        if all(move.requested is None for move in conversation.moves[::2]):
            return self.request_acts(turns)
        return _mentions(
            (service, request(service, slot), number)
            for number in range(0, len(turns), 2)
            for service, slots in (conversation.moves[number].requested or {}).items()
            for slot in (slots if service not in self.no_domains else ())
        )

    def request_acts(self, turns: list[PreparedTurn]) -> Mentions:
        """Return the requests of the user's acts."""
        return _mentions(
            (service, request(service, slot), turn.number)
            for turn in turns[::2]
            for service, acts in turn.acts.items()
            for types, slot, _ in (acts if service not in self.no_domains else ())
            if types & REQUEST and slot
        )


def _mentions(said: Iterable[tuple[str, str, int]]) -> Mentions:
    mentions: Mentions = {}
    for domain, unit, turn in said:
        turns = mentions.setdefault(domain, {}).setdefault(unit, [])
        if not turns or turns[-1] != turn:
            turns.append(turn)
    return mentions


def _validated_goal(conversation: Conversation) -> Goal:
    """Return the goal of a dialogue, after checking that the dialogue can be scored."""
    if not conversation.moves:
        raise InputError("a dialogue without turns", dialogue=conversation.id)
    if conversation.goal is None:
        raise InputError("no goal; scores need the goal of the user", dialogue=conversation.id)
    if not conversation.goal:
        raise InputError("the goal is empty", dialogue=conversation.id)
    for number, move in enumerate(conversation.moves):
        if move.speaker == (SYSTEM if number % 2 else USER):
            continue
        if move.speaker not in (USER, SYSTEM):
            raise InputError(
                f"speaker must be user or system, found {one_line(move.speaker)!r}",
                dialogue=conversation.id,
                turn=number,
            )
        error = f"two {move.speaker} turns in a row" if number else "the system speaks first"
        raise InputError(f"{error}; user and system take turns, the user first", dialogue=conversation.id, turn=number)
    return conversation.goal


class SystemTurn(Struct, eq=False, gc=False):
    """A system turn as seen from one domain.

    Attributes:
        services: the services with acts.
        taxi: True if the turn is about a taxi.
        no_book: True if a booking failed, in any service.
        requests: the slots of the domain or of a booking that the system asks for.
        offers: the slots of the domain or of a booking that the system informs about, recommends or books.
        informs: the slots that the system informs about in the domain itself.
        placeholders: the slots of the domain or of a booking that have a placeholder instead of a value.
        recommends: True if the system recommends or offers a selection in the domain.
        no_offer: True if the system says that it found nothing in the domain.
        choice: True if the system mentions a choice in the domain.
        booking_intent: True if the system proposes to book.
        reference: True if the system gives a reference number.
        entity_or_booking: True if the system names an entity or proposes to book.
        understood: the constraints that the system understood in the domain; None if not known.
        understood_requests: the requests that the system understood in the domain; None if not known.
    """

    services: frozenset[str]
    taxi: bool
    no_book: bool
    requests: frozenset[str]
    offers: frozenset[str]
    informs: frozenset[str]
    placeholders: frozenset[str]
    recommends: bool
    no_offer: bool
    choice: bool
    booking_intent: bool
    reference: bool
    entity_or_booking: bool
    understood: frozenset[str] | None
    understood_requests: frozenset[str] | None

    @property
    def made(self) -> bool:
        """True if the search or the booking succeeded."""
        return self.reference or self.entity_or_booking


_NOTHING: list[ActEntry] = []


def system_turn(turn: PreparedTurn, domain: str, setup: ScoringSetup) -> SystemTurn:
    """Create the view of a system turn for a domain."""
    profile, traits = setup.profile, setup.traits(domain)
    own = turn.acts.get(domain, _NOTHING)
    booking = turn.acts.get(profile.booking, _NOTHING) if profile.booking else _NOTHING
    both = own + booking if booking else own
    # A domain with bookings in its own service ignores the acts of the booking service here.
    booking_acts = own if traits.own_booking else both
    own_types = _all_types(own)
    intent = bool(_all_types(booking_acts) & (OWN_INTENT if traits.own_booking else BOOKING_INTENT))
    reference_types = INFORM | (OWN_CONFIRM if traits.own_booking else BOOK)
    requests, offers, informs = _slots(both, REQUEST), _slots(both, OFFERS), _slots(own, INFORM)
    recommends = bool(own_types & RECOMMEND)
    if not traits.entity_slots:
        entity_or_booking = False
    elif traits.own_booking:
        entity_or_booking = intent or not traits.entity_slots.isdisjoint(informs)
    else:
        entity_or_booking = (
            recommends
            or (traits.transactional and intent and not turn.no_book)
            or any(offered(slot, offers, setup) for slot in traits.entity_slots)
        )
    understood_acts = None if turn.understood is None else turn.understood.get(domain, _NOTHING)
    return SystemTurn(
        services=frozenset(turn.acts),
        taxi=turn.taxi,
        no_book=turn.no_book,
        requests=requests,
        offers=offers,
        informs=informs,
        placeholders=frozenset([slot for types, slot, _ in both if types & PLACEHOLDER]),
        recommends=recommends,
        no_offer=bool(own_types & NO_OFFER),
        choice=any(slot in profile.choice_slots for _, slot, _ in own),
        booking_intent=intent,
        reference=not _slots(booking_acts, reference_types).isdisjoint(profile.reference_slots),
        entity_or_booking=entity_or_booking,
        understood=None
        if understood_acts is None
        else frozenset([constraint(slot, value) for types, slot, value in understood_acts if types & INFORM]),
        understood_requests=None if understood_acts is None else _slots(understood_acts, REQUEST),
    )


def _all_types(acts: list[ActEntry]) -> int:
    all_types = 0
    for types, _, _ in acts:
        all_types |= types
    return all_types


def _slots(acts: list[ActEntry], types: int) -> frozenset[str]:
    return frozenset([slot for each, slot, _ in acts if each & types and not each & PLACEHOLDER])


def _stated(dialogue: PreparedDialogue, domain: str) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Yield the slots and values that the system states, by turn and service, in the services that are about a domain."""
    setup = dialogue.setup
    booking, every_domain = setup.profile.booking, setup.rules.faults.booking_is_every_domain
    for turn in dialogue.turns[1::2]:
        is_booked = booking in turn.acts and (every_domain or booked_domain(dialogue, turn.number) == domain)
        for service in (domain, booking) if is_booked else (domain,):
            if acts := turn.acts.get(service):
                stating = [each for each in acts if each[0] & SLOT_VALUES and not each[0] & PLACEHOLDER]
                yield turn.number, [(slot, value) for _, slot, value in stating if slot]


def stating_turns(dialogue: PreparedDialogue, domain: str, wanted: str) -> tuple[int, ...]:
    """Return the system turns that state a constraint in a domain."""
    return tuple([turn for turn, stated in _stated(dialogue, domain) if wanted in starmap(constraint, stated)])


def stated_slots(dialogue: PreparedDialogue, domain: str) -> dict[str, int]:
    """Return slot → first system turn that gives a value for it, for the slots of a domain."""
    first_turn: dict[str, int] = {}
    for turn, stated in _stated(dialogue, domain):
        for slot, _ in stated:
            first_turn.setdefault(slot, turn)
    return first_turn


def booked_domain(dialogue: PreparedDialogue, number: int) -> str | None:
    """Return the domain of a booking act: the bookable domain with the most recent acts.

    If several domains have acts in the same turn, earlier turns decide between them in the same way. If these do not
    decide, it is the first domain by name. So one booking is never counted twice.
    """
    setup = dialogue.setup
    candidates: set[str] = set()
    for turn in reversed(dialogue.turns[: number + 1]):
        here = {service for service in turn.acts if setup.traits(service).transactional}
        if candidates and here & candidates:
            candidates &= here
        elif not candidates:
            candidates = here
        if len(candidates) == 1:
            break
    return min(candidates) if candidates else None
