"""Canonical slot names: from the spellings of published files to the names in rule sets or in the goals of MultiWOZ.

Also finds slots of one state that get the same canonical name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from ...errors import InputError, one_line
from ...model import Value

# Spelling in MultiWOZ-style files, in lower case without blanks and underscores → canonical name.
_ALIASES = {
    "leave": "leaveat",
    "leaveat": "leaveat",
    "leaveatorafter": "leaveat",
    "departtime": "leaveat",
    "arrive": "arriveby",
    "arriveby": "arriveby",
    "pricerange": "pricerange",
    "bookday": "day",
    "bookpeople": "people",
    "bookstay": "stay",
    "booktime": "time",
}
DOMAINS = frozenset(
    {"attraction", "booking", "bus", "general", "hospital", "hotel", "police", "restaurant", "taxi", "train"}
)

# Name in acts and in later versions of MultiWOZ, without blanks → name in goals.
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
_GAPS = re.compile(r"[\s_]+")


def canonical_slot(name: str) -> str:
    """Return the canonical name of a slot, without its domain.

    Example:
        >>> [canonical_slot(s) for s in ("leave at", "leaveAt", "book_day", "price range", "has_live_music")]
        ['leaveat', 'leaveat', 'day', 'pricerange', 'has_live_music']
    """
    return _ALIASES.get(_GAPS.sub("", name).lower(), name)


@lru_cache(maxsize=4096)
def slot_in(domain: str, written: str) -> str:
    """Return the name of a slot in MultiWOZ goals, in lower case. Slots of other corpora are unchanged.

    Example:
        >>> slot_in("train", "Leave"), slot_in("train", "Ticket"), slot_in("hotel", "book day"), slot_in("Hotels_1", "Price")
        ('leaveat', 'price', 'day', 'Price')
    """
    if domain not in DOMAINS:
        return written
    name = canonical_slot(written.strip().lower())
    bare = name.replace(" ", "").replace("_", "")
    goal_names = {**_NAMES, **_NAMES_IN.get(domain, {})}
    return goal_names.get(bare, bare if bare == "trainid" else name)


def slot_namer(names: str = "multiwoz") -> Callable[[str], str]:
    """Return a function that maps ``domain-slot`` as written to its name under a rule set. The function caches names.

    Args:
        names: ``multiwoz``, ``mwzeval`` or ``as-is``, as in a rule set.

    Example:
        >>> slot_namer()("hotel-book people"), slot_namer("mwzeval")("train-Leave At"), slot_namer("as-is")("a-Book day")
        ('hotel-people', 'train-leave', 'a-Book day')
    """
    if names == "as-is":
        return str
    rename = canonical_slot if names == "multiwoz" else _mwzeval_slot
    cache: dict[str, str] = {}

    def name_slot(written: str) -> str:
        name = cache.get(written)
        if name is None:
            domain, hyphen, slot = written.partition("-")
            name = cache[written] = f"{domain}-{rename(slot)}" if hyphen else rename(written)
        return name

    return name_slot


def _mwzeval_slot(name: str) -> str:
    """Return the name of a slot in MultiWOZ_Evaluation."""
    short = name.lower().replace(" ", "")
    return {"arriveby": "arrive", "leaveat": "leave"}.get(short, short)


def clashing(state: tuple[int, ...], slots: Sequence[int], held: Sequence[int]) -> dict[int, list[int]]:
    """Return the pairs of a state that get the same slot name but have different values, by slot.

    Args:
        state: the pair numbers.
        slots: slot number of each pair after renaming.
        held: value number of each pair; 0 means no value.
    """
    by_slot: dict[int, list[int]] = {}
    for pair in state:
        if held[pair]:
            by_slot.setdefault(slots[pair], []).append(pair)
    return {slot: pairs for slot, pairs in by_slot.items() if len({held[pair] for pair in pairs}) > 1}


def two_values(slot: str, one: Value, other: Value) -> InputError:
    """Return the error for a slot that has two values in one state."""
    shown = [repr(one_line(value if isinstance(value, str) else " | ".join(value), 40)) for value in (one, other)]
    return InputError(f"duplicate slot with two values, {shown[0]} and {shown[1]}", slot=slot)
