"""Views of system turns for one domain, from the acts of the domain and from booking acts, which name no domain.

Behaviours use only :class:`SystemTurn`. It is computed once per turn and domain.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import starmap
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
    """A system turn as seen from one domain.

    Attributes:
        services: the services with acts.
        taxi: True if the turn is about a taxi.
        no_book: True if a booking failed, in any service.
        asks: True if the system asks for a slot of the domain or of a booking.
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
        asks=bool(requests),
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


def offered(slot: str, offers: frozenset[str], setup: ScoringSetup) -> bool:
    """Return True if a slot is offered. In the published evaluator, an offered slot may also contain its name as a substring."""
    if slot in offers:
        return True
    return setup.rules.faults.offers_by_substring and any(slot in each for each in offers)


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
