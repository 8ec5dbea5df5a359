"""The town: its domains and slots, its database for search and booking, and the spellings of values.

Some bookings fail: hotels are full, restaurants are closed, trains have few seats.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, TypeAlias
from zlib import crc32

import msgspec
from msgspec import Struct

DONTCARE = "dontcare"
"""The value of a slot for which any value is fine."""

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class Domain(Struct, frozen=True):
    """The slots of one domain.

    Attributes:
        book: slots that a booking needs; empty if the domain has no bookings.
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


def read_data(name: str) -> bytes:
    """Return the content of a data file of the simulation."""
    return files(__package__).joinpath("data", name).read_bytes()


DOMAINS: Mapping[str, Domain] = MappingProxyType(msgspec.toml.decode(read_data("domains.toml"), type=dict[str, Domain]))

TIMES = ("leaveat", "arriveby")
"""The slots with the times of a train or a taxi, which need not be in the tables."""

REFERENCE = "ref"
"""The slot with the reference of a booking."""


Row: TypeAlias = Mapping[str, str]
"""One place, train or car: slot → value, and the values that decide about bookings."""


class _Table(Struct):
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class World:
    """The tables of a town.

    Example:
        >>> rows = town().search("hotel", {"area": "harbour", "stars": "5", "parking": "dontcare"})
        >>> {(row["area"], row["stars"]) for row in rows}
        {('harbour', '5')}
    """

    def __init__(self, tables: Mapping[str, Iterable[Row]]) -> None:
        self.tables = {domain: tuple(rows) for domain, rows in tables.items()}
        self._cache: dict[tuple[str, frozenset[tuple[str, str]]], tuple[Row, ...]] = {}

    def search(self, domain: str, constraints: Mapping[str, str]) -> tuple[Row, ...]:
        """Return the rows that meet all constraints, best first. Constraints that are not columns of the table are ignored.

        Trains that leave after a time are sorted earliest first; trains that arrive by a time, latest first.
        """
        key = (domain, frozenset(constraints.items()))
        rows = self._cache.get(key)
        if rows is None:
            rows = self._cache[key] = self._search(domain, constraints)
        return rows

    def _search(self, domain: str, constraints: Mapping[str, str]) -> tuple[Row, ...]:
        rows = self.tables[domain]
        equal = {slot: value for slot, value in constraints.items() if slot in rows[0] and value != DONTCARE}
        times = {slot: equal.pop(slot) for slot in TIMES if slot in equal}
        if not times:
            results = [row for row in rows if all(row[slot] == value for slot, value in equal.items())]
            return tuple(sorted(results, key=lambda row: row["leaveat"]) if domain == "train" else results)
        # The search without times is cached, because times differ between searches and the rest rarely does.
        results = [
            row
            for row in self.search(domain, equal)
            if row["leaveat"] >= times.get("leaveat", "") and row["arriveby"] <= times.get("arriveby", "24:00")
        ]
        return tuple(results if "leaveat" in times else reversed(results))

    def entity(self, domain: str, name: str) -> Row | None:
        """Return the place or train with a name."""
        rows = self.search(domain, {"trainid" if domain == "train" else "name": name})
        return rows[0] if rows else None

    def car(self, details: Mapping[str, str]) -> Row:
        """Return the taxi for a ride; it is the same for the same ride.

        Example:
            >>> ride = {"departure": "saltmere station", "destination": "otter house", "leaveat": "09:15"}
            >>> town().car(ride) == town().car(dict(reversed(ride.items())))
            True
        """
        cars = self.tables["taxi"]
        return cars[crc32(_booking_key("taxi", "", details)) % len(cars)]

    def values(self, domain: str, slot: str) -> tuple[str, ...]:
        """Return the sorted values of a slot in the table."""
        return tuple(sorted({row[slot] for row in self.tables.get(domain, ()) if slot in row}))


def _booking_key(domain: str, name: str, details: Mapping[str, str]) -> bytes:
    return "|".join([domain, name, *(f"{slot}={details[slot]}" for slot in sorted(details))]).encode()


def reference(domain: str, name: str, details: Mapping[str, str]) -> str:
    """Return the reference of a booking. It is a hash of the booking, so no table of bookings is needed.

    Example:
        >>> reference("hotel", "otter house", {"day": "friday", "people": "2", "stay": "3"})
        'pcvp7wsg'
    """
    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    number = crc32(_booking_key(domain, name, details)) << 8 | crc32(name.encode()) & 0xFF
    code = ""
    for _ in range(8):
        number, digit = divmod(number, len(letters))
        code += letters[digit]
    return code


@cache
def town() -> World:
    """Load the town of dialmeter."""
    tables = msgspec.json.decode(read_data("town.json"), type=dict[str, _Table])
    return World(
        {domain: [dict(zip(table.columns, row, strict=True)) for row in table.rows] for domain, table in tables.items()}
    )


def matches(domain: str, search: Mapping[str, str], details: Mapping[str, str]) -> int:
    """Count the places of the town that meet constraints and can be booked with details; a taxi is always available.

    Example:
        >>> matches("hotel", {"area": "harbour", "stars": "5"}, {}) > 0, matches("hotel", {"name": "nowhere"}, {})
        (True, 0)
    """
    if domain not in town().tables or domain == "taxi":
        return 1
    return sum(not failing_slots(domain, row, details) for row in town().search(domain, search))


def failing_slots(domain: str, row: Row, details: Mapping[str, str]) -> tuple[str, ...]:
    """Return the slots for which a booking fails; empty if it can be made.

    Example:
        >>> kitchen = {"closed": "monday", "opens": "12:00", "last": "20:00"}
        >>> failing_slots("restaurant", kitchen, {"day": "monday", "people": "2", "time": "21:15"})
        ('day', 'time')
        >>> failing_slots("restaurant", kitchen, {"day": "friday", "people": "2", "time": "19:00"})
        ()
    """
    return tuple(slot for slot in DOMAINS[domain].book if not _fits(domain, slot, row, details))


def _fits(domain: str, slot: str, row: Row, details: Mapping[str, str]) -> bool:
    value = details.get(slot, DONTCARE)
    if value == DONTCARE:
        return True
    if slot == "people":
        most = row.get("seats", row.get("beds"))
        return most is None or not value.isdecimal() or int(value) <= int(most)
    if domain == "restaurant" and slot == "time":
        return row["opens"] <= value <= row["last"]
    if domain == "restaurant":
        return value not in row["closed"].split()
    if slot == "day":
        return not row["full"] or not _nights(value, details.get("stay", "1")) & set(row["full"].split())
    return True


def _nights(day: str, stay: str) -> set[str]:
    """Return the days of the nights of a stay.

    Example:
        >>> sorted(_nights("sunday", "2"))
        ['monday', 'sunday']
    """
    if day not in DAYS:
        return set()
    first, count = DAYS.index(day), min(int(stay), 7) if stay.isdecimal() else 1
    return {DAYS[(first + night) % 7] for night in range(count)}


_BY_DOMAIN = (*TIMES, "departure", "destination")

Forms: TypeAlias = Mapping[str, tuple[str, ...]]
"""Value → its forms; the value itself comes first."""


@cache
def published() -> dict[str, Any]:
    """Load the value map of the town in the published format, as ``--map`` reads it."""
    return msgspec.json.decode(read_data("values.json"), type=dict[str, Any])


@cache
def forms(domain: str, slot: str) -> Forms:
    """Return the values of a slot that a user can say, with their forms.

    Example:
        >>> forms("hotel", "area")["harbour"]
        ('harbour', 'harbour district', 'docks', 'waterfront')
        >>> sorted(forms("hotel", "type"))
        ['guesthouse', 'hostel', 'hotel']
    """
    # The map has one entry for the types and names of all domains; only those in the table of the domain are used.
    in_table = set(town().values(domain, slot)) if slot in ("type", "name") else None
    return {
        value: tuple(each)
        for value, each in _entry(domain, slot).items()
        if value != "special_keys" and (in_table is None or value in in_table)
    }


def _entry(domain: str, slot: str) -> dict[str, Any]:
    entry: dict[str, Any] = published().get(slot, {})
    return entry.get(domain, {}) if slot in _BY_DOMAIN else entry


@cache
def canonical_forms(domain: str, slot: str) -> dict[str, str]:
    """Return the mapping from forms to values, for one slot of one domain."""
    special = _entry(domain, slot).get("special_keys", {}).get("not_in_goal", {})
    not_in_goal = {form: value for value, each in special.items() if value != DONTCARE for form in each}
    return not_in_goal | {form: value for value, each in forms(domain, slot).items() for form in each}


def canonical(domain: str, slot: str, form: str) -> str:
    """Return the value of a form, or the form itself in lower case if the town does not have it.

    Example:
        >>> canonical("hotel", "area", "Docks"), canonical("train", "leaveat", "5:15 pm"), canonical("hotel", "area", "Moon")
        ('harbour', '17:15', 'moon')
    """
    lower = form.lower()
    return canonical_forms(domain, slot).get(lower, lower)


def goal_values(domain: str, slot: str) -> tuple[str, ...]:
    """Return the sorted values that a goal can have for a slot.

    Example:
        >>> goal_values("restaurant", "pricerange")
        ('cheap', 'expensive', 'moderate')
    """
    assert slot in DOMAINS[domain].informable
    return tuple(sorted(forms(domain, slot)))
