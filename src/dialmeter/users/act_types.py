"""Which parts an act plays, found by the patterns of the profile in its name, as bits."""

from __future__ import annotations

import re
from collections.abc import Callable

from .profile import Acts

INFORM = 1
REQUEST = 2
RECOMMEND = 4
NO_OFFER = 8
BOOK = 16
NO_BOOK = 32
BOOKING_INTENT = 64
OWN_CONFIRM = 128
OWN_INTENT = 256
RAW = 512
"""Its values stay as they are."""

SLOT_VALUES = INFORM | RECOMMEND | OWN_CONFIRM | BOOK | NO_OFFER
"""Acts that tell slots with values."""
OFFERS = INFORM | RECOMMEND | BOOK
OTHER = 1024
"""Known, and without a part."""

_FIELDS = {
    "inform": INFORM,
    "request": REQUEST,
    "recommend": RECOMMEND,
    "no_offer": NO_OFFER,
    "book": BOOK,
    "no_book": NO_BOOK,
    "booking_intent": BOOKING_INTENT,
    "own_booking_confirm": OWN_CONFIRM,
    "own_booking_intent": OWN_INTENT,
    "raw": RAW,
    "other": OTHER,
}


def classifier(acts: Acts, nooffer_misspelt: bool = False) -> Callable[[str], int]:
    """A function from the name of an act to its parts.

    Args:
        acts: the patterns of a profile.
        nooffer_misspelt: look for ``noofer``, as the published evaluator does.

    Example:
        >>> from .profile import named
        >>> parts = classifier(named("multiwoz").acts)
        >>> parts("Booking-Inform") == INFORM | BOOKING_INTENT, parts("Train-OfferBook") == OWN_INTENT, parts("Booking-Wait")
        (True, True, 0)
    """
    patterns = [(re.compile(pattern), bit) for name, bit in _FIELDS.items() if (pattern := getattr(acts, name))]
    if nooffer_misspelt:
        misspelt = acts.no_offer.replace("nooffer", "noofer")
        patterns = [(re.compile(misspelt) if bit == NO_OFFER else pattern, bit) for pattern, bit in patterns]

    def parts(name: str) -> int:
        return sum(bit for pattern, bit in patterns if pattern.search(name))

    return parts
