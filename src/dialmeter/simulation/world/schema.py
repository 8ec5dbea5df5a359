"""The five domains of the town and their slots, named as in MultiWOZ, in lower case."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

DONTCARE = "dontcare"
"""The value of a slot for which anything will do."""

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class Domain(Struct, frozen=True):
    """What can be said in one domain.

    Attributes:
        search: slots that a user searches with.
        book: slots that a booking needs; empty where nothing is booked.
        request: slots that a user may ask for.
        entity: the slot that names what was found; empty where it has no name.
        needed: search slots without which a system cannot search.
    """

    search: tuple[str, ...]
    book: tuple[str, ...]
    request: tuple[str, ...]
    entity: str
    needed: tuple[str, ...] = ()

    @property
    def informable(self) -> tuple[str, ...]:
        """All slots that a user gives values for."""
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
"""The slot of a booking's reference."""
