"""Can it be booked? Hotels are full on some nights, restaurants close, trains run out of seats."""

from __future__ import annotations

from collections.abc import Mapping

from .database import Row
from .schema import DAYS, DOMAINS, DONTCARE


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
