"""The tables of the town: searching, and what can be booked. Hotels are full on some nights, restaurants close, trains fill up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import TypeAlias
from zlib import crc32

import msgspec
from msgspec import Struct

from .schema import DAYS, DOMAINS, DONTCARE

Row: TypeAlias = Mapping[str, str]
"""One place, train or car: slot → value, and what a booking depends on."""


class _Table(Struct):
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class World:
    """The tables of a town.

    Args:
        tables: domain → rows, in the order in which a system looks at them.

    Example:
        >>> found = town().search("hotel", {"area": "harbour", "stars": "5", "parking": "dontcare"})
        >>> {(row["area"], row["stars"]) for row in found}
        {('harbour', '5')}
    """

    def __init__(self, tables: Mapping[str, Iterable[Row]]) -> None:
        self.tables = {domain: tuple(rows) for domain, rows in tables.items()}
        self._found: dict[tuple[str, frozenset[tuple[str, str]]], tuple[Row, ...]] = {}

    def search(self, domain: str, constraints: Mapping[str, str]) -> tuple[Row, ...]:
        """The rows that meet all constraints, best first; constraints on other than the columns of the table are ignored.

        Trains that leave after a time come soonest first, those that arrive by a time latest first.
        """
        key = (domain, frozenset(constraints.items()))
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._search(domain, constraints)
        return found

    def _search(self, domain: str, constraints: Mapping[str, str]) -> tuple[Row, ...]:
        rows = self.tables[domain]
        wanted = {slot: value for slot, value in constraints.items() if slot in rows[0] and value != DONTCARE}
        times = {slot: wanted.pop(slot) for slot in ("leaveat", "arriveby") if slot in wanted}
        if not times:
            found = [row for row in rows if all(row[slot] == value for slot, value in wanted.items())]
            return tuple(sorted(found, key=lambda row: row["leaveat"]) if domain == "train" else found)
        # Times differ from search to search, the rest seldom does.
        found = [
            row
            for row in self.search(domain, wanted)
            if row["leaveat"] >= times.get("leaveat", "") and row["arriveby"] <= times.get("arriveby", "24:00")
        ]
        return tuple(found if "leaveat" in times else reversed(found))

    def entity(self, domain: str, name: str) -> Row | None:
        """The place or train of that name."""
        found = self.search(domain, {"trainid" if domain == "train" else "name": name})
        return found[0] if found else None

    def car(self, details: Mapping[str, str]) -> Row:
        """The taxi that comes for a ride: the same for the same ride.

        Example:
            >>> ride = {"departure": "saltmere station", "destination": "otter house", "leaveat": "09:15"}
            >>> town().car(ride) == town().car(dict(reversed(ride.items())))
            True
        """
        cars = self.tables["taxi"]
        return cars[crc32(_told("taxi", "", details)) % len(cars)]

    def values(self, domain: str, slot: str) -> tuple[str, ...]:
        """The values that a slot has in the table, sorted."""
        return tuple(sorted({row[slot] for row in self.tables.get(domain, ()) if slot in row}))


def _told(domain: str, name: str, details: Mapping[str, str]) -> bytes:
    return "|".join([domain, name, *(f"{slot}={details[slot]}" for slot in sorted(details))]).encode()


def reference(domain: str, name: str, details: Mapping[str, str]) -> str:
    """The reference of a booking, which tells what was booked without a table of bookings.

    Example:
        >>> reference("hotel", "otter house", {"day": "friday", "people": "2", "stay": "3"})
        'pcvp7wsg'
    """
    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    number = crc32(_told(domain, name, details)) << 8 | crc32(name.encode()) & 0xFF
    code = ""
    for _ in range(8):
        number, place = divmod(number, len(letters))
        code += letters[place]
    return code


@cache
def town() -> World:
    """The town that comes with dialmeter."""
    data = files(__package__).joinpath("data", "town.json").read_bytes()
    tables = msgspec.json.decode(data, type=dict[str, _Table])
    return World(
        {domain: [dict(zip(table.columns, row, strict=True)) for row in table.rows] for domain, table in tables.items()}
    )


def matches(domain: str, search: Mapping[str, str], details: Mapping[str, str]) -> int:
    """How many places of the town meet constraints and can be booked with details; a taxi always comes.

    Example:
        >>> matches("hotel", {"area": "harbour", "stars": "5"}, {}) > 0, matches("hotel", {"name": "nowhere"}, {})
        (True, 0)
    """
    if domain not in town().tables or domain == "taxi":
        return 1
    return sum(not trouble(domain, row, details) for row in town().search(domain, search))


def trouble(domain: str, row: Row, details: Mapping[str, str]) -> tuple[str, ...]:
    """The slots for which a booking fails; none where it can be made.

    Example:
        >>> kitchen = {"closed": "monday", "opens": "12:00", "last": "20:00"}
        >>> trouble("restaurant", kitchen, {"day": "monday", "people": "2", "time": "21:15"})
        ('day', 'time')
        >>> trouble("restaurant", kitchen, {"day": "friday", "people": "2", "time": "19:00"})
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
    """The days at whose end a guest sleeps there.

    Example:
        >>> sorted(_nights("sunday", "2"))
        ['monday', 'sunday']
    """
    if day not in DAYS:
        return set()
    first, count = DAYS.index(day), min(int(stay), 7) if stay.isdecimal() else 1
    return {DAYS[(first + night) % 7] for night in range(count)}
