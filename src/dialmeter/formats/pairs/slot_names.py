"""One name per slot: the spellings of published files, brought together on reading."""

from __future__ import annotations

import re
from collections.abc import Callable

# The spellings that MultiWOZ-style files use for one slot, without case, blanks and underscores.
_ALIASES = {
    "leave": "leaveat",
    "leaveat": "leaveat",
    "arrive": "arriveby",
    "arriveby": "arriveby",
    "pricerange": "pricerange",
    "bookday": "day",
    "bookpeople": "people",
    "bookstay": "stay",
    "booktime": "time",
}
_GAPS = re.compile(r"[\s_]+")


def canonical_slot(name: str) -> str:
    """The name of a slot inside its domain.

    Example:
        >>> [canonical_slot(s) for s in ("leave at", "leaveAt", "book_day", "price range", "has_live_music")]
        ['leaveat', 'leaveat', 'day', 'pricerange', 'has_live_music']
    """
    return _ALIASES.get(_GAPS.sub("", name).lower(), name)


def slot_namer() -> Callable[[str], str]:
    """A function from ``domain-slot`` as written to the name used in states, with a memory of its own.

    Example:
        >>> slot_namer()("hotel-book people")
        'hotel-people'
    """
    known: dict[str, str] = {}

    def name_of(written: str) -> str:
        name = known.get(written)
        if name is None:
            domain, hyphen, slot = written.partition("-")
            name = known[written] = f"{domain}-{canonical_slot(slot)}" if hyphen else canonical_slot(written)
        return name

    return name_of
