"""What one system turn does, as seen from one domain. Looked up once; behaviours ask nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from .act_types import BOOK, BOOKING_INTENT, INFORM, NO_OFFER, OFFERS, OWN_CONFIRM, OWN_INTENT, RECOMMEND, REQUEST
from .goals import constraint

if TYPE_CHECKING:
    from .prepared_dialogue import Said, Stage, Turn


class Glance(Struct, eq=False, gc=False):
    """A system turn and a domain.

    Attributes:
        number: of the turn.
        services: those with acts.
        taxi: is it about a taxi?
        no_book: a booking failed, in any service.
        asks: does it ask for anything in the domain or for a booking?
        requests: the slots that it asks for there.
        offers: the slots that it tells, recommends or books there.
        informs: the slots that it tells in the domain itself.
        recommends: does it recommend or let select in the domain?
        no_offer: does it say that nothing was found in the domain?
        choice: does it tell of a choice in the domain?
        booking_intent: does it propose to book?
        reference: does it give a reference number?
        entity_or_booking: does it name an entity or propose to book?
        understood: the constraints that the system understood in the domain; None where that is not known.
        understood_requests: the requests that it understood there.
    """

    number: int
    services: frozenset[str]
    taxi: bool
    no_book: bool
    asks: bool
    requests: frozenset[str]
    offers: frozenset[str]
    informs: frozenset[str]
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
        """Has the search or the booking come to something?"""
        return self.reference or self.entity_or_booking


_NOTHING: list[Said] = []


def glance(turn: Turn, domain: str, stage: Stage) -> Glance:
    """Looks at a system turn from a domain."""
    profile, traits = stage.profile, stage.traits(domain)
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
            or any(offered(slot, offers, stage) for slot in traits.entity_slots)
        )
    heard = None if turn.understood is None else turn.understood.get(domain, _NOTHING)
    return Glance(
        number=turn.number,
        services=frozenset(turn.acts),
        taxi=turn.taxi,
        no_book=turn.no_book,
        asks=bool(requests),
        requests=requests,
        offers=offers,
        informs=informs,
        recommends=recommends,
        no_offer=bool(own_parts & NO_OFFER),
        choice=any(slot in profile.choice_slots for _, slot, _ in own),
        booking_intent=intent,
        reference=not _slots(own_way, giving).isdisjoint(profile.reference_slots),
        entity_or_booking=entity_or_booking,
        understood=None if heard is None else _constraints(heard),
        understood_requests=None if heard is None else _slots(heard, REQUEST),
    )


def _all_parts(acts: list[Said]) -> int:
    found = 0
    for parts, _, _ in acts:
        found |= parts
    return found


def _slots(acts: list[Said], parts: int) -> frozenset[str]:
    return frozenset([slot for each, slot, _ in acts if each & parts])


def _constraints(acts: list[Said]) -> frozenset[str]:
    return frozenset([constraint(slot, value) for parts, slot, value in acts if parts & INFORM])


def offered(slot: str, offers: frozenset[str], stage: Stage) -> bool:
    """Is a slot among those offered? The published evaluator takes any slot whose name holds this one's."""
    if slot in offers:
        return True
    return stage.rules.faults.offers_by_substring and any(slot in each for each in offers)
