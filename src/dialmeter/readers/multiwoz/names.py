"""One name per slot for MultiWOZ, whose goals, acts and versions each have names of their own."""

from __future__ import annotations

from functools import lru_cache

from ..pairs.slot_names import canonical_slot

DOMAINS = frozenset(
    {"attraction", "booking", "bus", "general", "hospital", "hotel", "police", "restaurant", "taxi", "train"}
)

# What acts and later versions write, without blanks → what goals write.
_NAMES = {
    "addr": "address",
    "car": "car type",
    "cartype": "car type",
    "depart": "departure",
    "dest": "destination",
    "entrancefee": "entrance fee",
    "fee": "entrance fee",
    "id": "trainid",
    "none": "",
    "open": "open hours",
    "openhours": "open hours",
    "post": "postcode",
    "reference": "ref",
}
_NAMES_IN = {
    "attraction": {"price": "entrance fee"},
    "hotel": {"price": "pricerange"},
    "restaurant": {"price": "pricerange"},
    "taxi": {"type": "car type"},
    "train": {"ticket": "price", "time": "duration"},
}


@lru_cache(maxsize=4096)
def slot_in(domain: str, written: str) -> str:
    """The name of a slot as goals have it, in small letters; slots of other corpora's domains stay as they are written.

    Example:
        >>> slot_in("train", "Leave"), slot_in("train", "Ticket"), slot_in("hotel", "book day"), slot_in("Hotels_1", "Price")
        ('leaveat', 'price', 'day', 'Price')
    """
    if domain not in DOMAINS:
        return written
    name = canonical_slot(written.strip().lower())
    bare = name.replace(" ", "").replace("_", "")
    known = {**_NAMES, **_NAMES_IN.get(domain, {})}
    return known.get(bare, bare if bare == "trainid" else name)
