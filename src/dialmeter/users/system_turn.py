"""What the system does and says about a domain, by the acts of the domain and by booking acts, which name no domain.

Behaviours look at :class:`SystemTurn` and at nothing else of a system turn; it is computed once per turn and domain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from .goals import constraint
from .profile import (
    BOOK,
    BOOKING_INTENT,
    INFORM,
    NO_OFFER,
    OFFERS,
    OWN_CONFIRM,
    OWN_INTENT,
    PLACEHOLDER,
    RECOMMEND,
    REQUEST,
    SLOT_VALUES,
)

if TYPE_CHECKING:
    from .prepared_dialogue import ActEntry, PreparedDialogue, PreparedTurn, ScoringSetup


class SystemTurn(Struct, eq=False, gc=False):
    """What a system turn does, as seen from one domain.

    Attributes:
        services: those with acts.
        taxi: is it about a taxi?
        no_book: a booking failed, in any service.
        asks: does it ask for anything in the domain or for a booking?
        requests: the slots that it asks for there.
        offers: the slots that it tells, recommends or books there.
        informs: the slots that it tells in the domain itself.
        placeholders: the slots of the domain or of a booking that it names with a placeholder instead of a value.
        recommends: does it recommend or let select in the domain?
        no_offer: does it say that nothing was found in the domain?
        choice: does it tell of a choice in the domain?
        booking_intent: does it propose to book?
        reference: does it give a reference number?
        entity_or_booking: does it name an entity or propose to book?
        understood: the constraints that the system understood in the domain; None where that is not known.
        understood_requests: the requests that it understood there.
    """

    services: frozenset[str]
    taxi: bool
    no_book: bool
    asks: bool
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
        """Did the search or the booking succeed?"""
        return self.reference or self.entity_or_booking


_NOTHING: list[ActEntry] = []


def system_turn(turn: PreparedTurn, domain: str, setup: ScoringSetup) -> SystemTurn:
    """Looks at a system turn from a domain."""
    profile, traits = setup.profile, setup.traits(domain)
    own = turn.acts.get(domain, _NOTHING)
    booking = turn.acts.get(profile.booking, _NOTHING) if profile.booking else _NOTHING
    both = own + booking if booking else own
    # A domain that is booked in its own service does not listen to the service of bookings there.
    own_way = own if traits.own_booking else both
    own_parts = _all_parts(own)
    intent = bool(_all_parts(own_way) & (OWN_INTENT if traits.own_booking else BOOKING_INTENT))
    giving = INFORM | (OWN_CONFIRM if traits.own_booking else BOOK)
    requests, offers, informs = _slots(both, REQUEST), _slots(both, OFFERS), _slots(own, INFORM)
    recommends = bool(own_parts & RECOMMEND)
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
    heard = None if turn.understood is None else turn.understood.get(domain, _NOTHING)
    return SystemTurn(
        services=frozenset(turn.acts),
        taxi=turn.taxi,
        no_book=turn.no_book,
        asks=bool(requests),
        requests=requests,
        offers=offers,
        informs=informs,
        placeholders=frozenset([slot for parts, slot, _ in both if parts & PLACEHOLDER]),
        recommends=recommends,
        no_offer=bool(own_parts & NO_OFFER),
        choice=any(slot in profile.choice_slots for _, slot, _ in own),
        booking_intent=intent,
        reference=not _slots(own_way, giving).isdisjoint(profile.reference_slots),
        entity_or_booking=entity_or_booking,
        understood=None
        if heard is None
        else frozenset([constraint(slot, value) for parts, slot, value in heard if parts & INFORM]),
        understood_requests=None if heard is None else _slots(heard, REQUEST),
    )


def _all_parts(acts: list[ActEntry]) -> int:
    found = 0
    for parts, _, _ in acts:
        found |= parts
    return found


def _slots(acts: list[ActEntry], parts: int) -> frozenset[str]:
    return frozenset([slot for each, slot, _ in acts if each & parts and not each & PLACEHOLDER])


def offered(slot: str, offers: frozenset[str], setup: ScoringSetup) -> bool:
    """Is a slot among those offered? The published evaluator takes any slot whose name holds this one's."""
    if slot in offers:
        return True
    return setup.rules.faults.offers_by_substring and any(slot in each for each in offers)


def told(dialogue: PreparedDialogue, domain: str, wanted: str) -> tuple[int, ...]:
    """The system turns that state a constraint of a domain."""
    return tuple(
        [
            turn.number
            for turn in dialogue.turns[1::2]
            for service in _services(dialogue, turn.number, domain)
            if any(
                parts & SLOT_VALUES and not parts & PLACEHOLDER and constraint(slot, value) == wanted
                for parts, slot, value in turn.acts[service]
            )
        ]
    )


def told_slots(dialogue: PreparedDialogue, domain: str) -> dict[str, int]:
    """The slots of a domain that the system gives values for, each with the first turn."""
    found: dict[str, int] = {}
    for turn in dialogue.turns[1::2]:
        for service in _services(dialogue, turn.number, domain):
            for parts, slot, _ in turn.acts[service]:
                if parts & SLOT_VALUES and not parts & PLACEHOLDER and slot:
                    found.setdefault(slot, turn.number)
    return found


def _services(dialogue: PreparedDialogue, number: int, domain: str) -> list[str]:
    """The services of a turn that speak for a domain."""
    acts, setup = dialogue.turns[number].acts, dialogue.setup
    found = [domain] if domain in acts else []
    booking = setup.profile.booking
    if booking in acts and (setup.rules.faults.booking_is_every_domain or booked_domain(dialogue, number) == domain):
        found.append(booking)
    return found


def booked_domain(dialogue: PreparedDialogue, number: int) -> str | None:
    """The domain that a booking act is about: the bookable one that was spoken of last.

    Where two were spoken of at the same turn it is the one of these that was spoken of later before that turn, and
    if that does not decide, the first by name: one booking is never counted twice.
    """
    setup = dialogue.setup
    left: set[str] = set()
    for turn in reversed(dialogue.turns[: number + 1]):
        here = {service for service in turn.acts if setup.traits(service).transactional}
        if left and here & left:
            left &= here
        elif not left:
            left = here
        if len(left) == 1:
            break
    return min(left) if left else None
