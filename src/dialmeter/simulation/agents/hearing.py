"""What a user makes of a system's move, domain by domain."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field

from ...model import Act
from ..language.acts import BOOKING, GENERAL, intent_of, value_of
from ..world.schema import DOMAINS, REFERENCE

_OFFERS = ("inform", "recommend", "select", "offerbook")


class Heard(Struct):
    """What was said of one domain.

    Attributes:
        offers: names of what was found.
        facts: what was told of it.
        questions: slots that the system asks for.
        nothing: constraints that nothing meets; None where something was found.
        refused: details that cannot be booked; None where no booking was refused.
        reference: of a booking.
    """

    offers: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    questions: list[str] = field(default_factory=list)
    nothing: dict[str, str] | None = None
    refused: dict[str, str] | None = None
    reference: str = ""


def heard(acts: Iterable[Act], domain: str) -> dict[str, Heard]:
    """The news by domain.

    Args:
        acts: what was understood.
        domain: the one that the user has spoken of, which bookings are for.

    Example:
        >>> from ..language.acts import act
        >>> news = heard([act("booking", "nobook", "day", "friday"), act("train", "request", "day")], "hotel")
        >>> news["hotel"].refused, news["train"].questions
        ({'day': 'friday'}, ['day'])
    """
    found: dict[str, Heard] = {}
    for each in acts:
        where = domain if each.service == BOOKING else each.service
        if where != GENERAL:
            _add(found.setdefault(where, Heard()), each, where)
    return found


def _add(news: Heard, found: Act, domain: str) -> None:
    intent, value = intent_of(found.name), value_of(found)
    pair = {found.slot: value} if found.slot else {}
    if intent == "request":
        news.questions += [found.slot] if found.slot else []
    elif intent == "nooffer":
        news.nothing = {**(news.nothing or {}), **pair}
    elif intent == "nobook":
        news.refused = {**(news.refused or {}), **pair}
    elif found.slot == REFERENCE:
        news.reference = value
    elif found.slot and domain in DOMAINS and found.slot == DOMAINS[domain].entity and intent in _OFFERS:
        news.offers.append(value)
        news.facts |= pair if intent != "select" else {}
    elif found.slot and intent != "offerbook":
        news.facts |= pair
