"""What one system turn does, as seen from one domain. Looked up once; behaviours ask nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from .goals import constraint
from .kinds import (
    BOOK,
    BOOKING_INTENT,
    INFORM,
    NO_OFFER,
    OFFERS,
    OWN_CONFIRM,
    OWN_INTENT,
    RECOMMEND,
    REQUEST,
)

if TYPE_CHECKING:
    from .profile import Traits
    from .scene import Said, Stage, Turn


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
    recommends = any([parts & RECOMMEND for parts, _, _ in own])
    offers = frozenset([slot for parts, slot, _ in both if parts & OFFERS])
    informs = frozenset([slot for parts, slot, _ in own if parts & INFORM])
    own_way = own if traits.own_booking else both
    intent = any([parts & (OWN_INTENT if traits.own_booking else BOOKING_INTENT) for parts, _, _ in own_way])
    giving = INFORM | (OWN_CONFIRM if traits.own_booking else BOOK)
    understood = turn.understood
    heard = None if understood is None else understood.get(domain, _NOTHING)
    return Glance(
        number=turn.number,
        services=frozenset(turn.acts),
        taxi=turn.taxi,
        no_book=turn.no_book,
        asks=any([parts & REQUEST for parts, _, _ in both]),
        requests=frozenset([slot for parts, slot, _ in both if parts & REQUEST]),
        offers=offers,
        informs=informs,
        recommends=recommends,
        no_offer=any([parts & NO_OFFER for parts, _, _ in own]),
        choice=any([slot in profile.choice_slots for _, slot, _ in own]),
        booking_intent=intent,
        reference=any([parts & giving and slot in profile.reference_slots for parts, slot, _ in own_way]),
        entity_or_booking=_entity_or_booking(turn, traits, informs, offers, recommends, intent, stage),
        understood=None
        if heard is None
        else frozenset([constraint(slot, value) for parts, slot, value in heard if parts & INFORM]),
        understood_requests=None if heard is None else frozenset([slot for parts, slot, _ in heard if parts & REQUEST]),
    )


def _entity_or_booking(
    turn: Turn,
    traits: Traits,
    informs: frozenset[str],
    offers: frozenset[str],
    recommends: bool,
    intent: bool,
    stage: Stage,
) -> bool:
    if not traits.entity_slots:
        return False
    if traits.own_booking:
        return intent or not traits.entity_slots.isdisjoint(informs)
    if recommends or any([offered(slot, offers, stage) for slot in traits.entity_slots]):
        return True
    return traits.transactional and intent and not turn.no_book


def offered(slot: str, offers: frozenset[str], stage: Stage) -> bool:
    """Is a slot among those offered? The published evaluator takes any slot whose name holds this one's."""
    if slot in offers:
        return True
    return stage.rules.faults.offers_by_substring and any([slot in each for each in offers])
