"""The five domains of the town and their slots, named as in MultiWOZ, in lower case."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

DONTCARE = "dontcare"
"""The value of a slot for which any value is fine."""

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class Domain(Struct, frozen=True):
    """The slots of one domain.

    Attributes:
        search: slots for search constraints.
        book: slots that a booking needs; empty if the domain has no bookings.
        request: slots that a user can ask for.
        entity: the slot with the name of a search result; empty if results have no name.
        needed: search slots that a search requires.
    """

    search: tuple[str, ...]
    book: tuple[str, ...]
    request: tuple[str, ...]
    entity: str
    needed: tuple[str, ...] = ()

    @property
    def informable(self) -> tuple[str, ...]:
        """All slots that a user can give values for."""
        return (*self.search, *self.book)


DOMAINS: Mapping[str, Domain] = MappingProxyType(
    {
        "hotel": Domain(
            ("area", "pricerange", "stars", "type", "internet", "parking", "name"),
            ("day", "people", "stay"),
            ("address", "phone", "postcode", "area", "pricerange", "stars", "type", "internet", "parking"),
            "name",
        ),
        "restaurant": Domain(
            ("food", "area", "pricerange", "name"),
            ("day", "people", "time"),
            ("address", "phone", "postcode", "area", "pricerange", "food"),
            "name",
        ),
        "attraction": Domain(
            ("type", "area", "name"),
            (),
            ("address", "phone", "postcode", "entrance fee", "area", "type"),
            "name",
        ),
        "train": Domain(
            ("departure", "destination", "day", "leaveat", "arriveby"),
            ("people",),
            ("trainid", "duration", "price", "leaveat", "arriveby"),
            "trainid",
            ("departure", "destination", "day"),
        ),
        "taxi": Domain(
            ("departure", "destination", "leaveat", "arriveby"),
            (),
            ("car type", "colour", "phone"),
            "",
            ("departure", "destination"),
        ),
    }
)

REFERENCE = "ref"
"""The slot with the reference of a booking."""
