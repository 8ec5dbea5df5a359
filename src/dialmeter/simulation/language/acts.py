"""Acts by their parts: intent and domain, written as in MultiWOZ (``Hotel-Inform``, ``Booking-Book``, ``general-bye``)."""

from __future__ import annotations

from functools import lru_cache

from ...model import Act

BOOKING = "booking"
GENERAL = "general"
ASKED = "?"
"""What stands for the value in a request."""

# As MultiWOZ writes them; other words get a capital.
_INTENTS = {
    "nooffer": "NoOffer",
    "nobook": "NoBook",
    "offerbook": "OfferBook",
    "offerbooked": "OfferBooked",
}


def act(service: str, intent: str, slot: str = "", value: str = "") -> Act:
    """An act by service and intent.

    Example:
        >>> act("hotel", "inform", "area", "east")
        Act(name='Hotel-Inform', service='hotel', slot='area', values=('east',))
        >>> act("general", "bye").name, act("train", "offerbooked").name, act("hotel", "request", "phone").values
        ('general-bye', 'Train-OfferBooked', ('?',))
    """
    if intent == "request" and not value:
        value = ASKED
    return Act(_name(service, intent), service, slot, (value,) if value else ())


@lru_cache(maxsize=512)
def _name(service: str, intent: str) -> str:
    if service == GENERAL:
        return f"general-{intent}"
    return f"{service.capitalize()}-{_INTENTS.get(intent, intent.capitalize())}"


@lru_cache(maxsize=512)
def intent_of(name: str) -> str:
    """The intent in an act's name, in small letters.

    Example:
        >>> intent_of("Booking-NoBook"), intent_of("general-bye")
        ('nobook', 'bye')
    """
    return name.rpartition("-")[2].lower()


def value_of(found: Act) -> str:
    """The value of an act, empty where it has none."""
    return found.values[0] if found.values else ""
