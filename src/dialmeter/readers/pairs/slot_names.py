"""One name per slot: the spellings of published files, as a rule set or the goals of MultiWOZ write them; and slots of one
state that get the same name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from ...errors import InputError, one_line
from ...model import Value

# The spellings that MultiWOZ-style files use for one slot, without case, blanks and underscores.
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

# The names in acts and later versions, without blanks → the names in goals.
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
    """The name of a slot inside its domain.

    Example:
        >>> [canonical_slot(s) for s in ("leave at", "leaveAt", "book_day", "price range", "has_live_music")]
        ['leaveat', 'leaveat', 'day', 'pricerange', 'has_live_music']
    """
    return _ALIASES.get(_GAPS.sub("", name).lower(), name)


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


def slot_namer(names: str = "multiwoz") -> Callable[[str], str]:
    """A function from ``domain-slot`` as written to the name that a rule set gives it; it caches names.

    Args:
        names: ``multiwoz``, ``mwzeval`` or ``as-is``, as in a rule set.

    Example:
        >>> slot_namer()("hotel-book people"), slot_namer("mwzeval")("train-Leave At"), slot_namer("as-is")("a-Book day")
        ('hotel-people', 'train-leave', 'a-Book day')
    """
    if names == "as-is":
        return str
    inner = canonical_slot if names == "multiwoz" else _mwzeval_slot
    known: dict[str, str] = {}

    def name_of(written: str) -> str:
        name = known.get(written)
        if name is None:
            domain, hyphen, slot = written.partition("-")
            name = known[written] = f"{domain}-{inner(slot)}" if hyphen else inner(written)
        return name

    return name_of


def _mwzeval_slot(name: str) -> str:
    """The name of a slot in MultiWOZ_Evaluation."""
    short = name.lower().replace(" ", "")
    return {"arriveby": "arrive", "leaveat": "leave"}.get(short, short)


def clashing(state: tuple[int, ...], slots: Sequence[int], held: Sequence[int]) -> dict[int, list[int]]:
    """The pairs of a state whose names become one slot with different values, by slot.

    Args:
        state: the pairs.
        slots: by pair, the slot that its name becomes.
        held: by pair, what it holds; 0 is nothing.
    """
    by_slot: dict[int, list[int]] = {}
    for pair in state:
        if held[pair]:
            by_slot.setdefault(slots[pair], []).append(pair)
    return {slot: pairs for slot, pairs in by_slot.items() if len({held[pair] for pair in pairs}) > 1}


def two_values(slot: str, one: Value, other: Value) -> InputError:
    """The error of a slot that has two values in one state."""
    shown = [repr(one_line(value if isinstance(value, str) else " | ".join(value), 40)) for value in (one, other)]
    return InputError(f"duplicate slot with two values, {shown[0]} and {shown[1]}", slot=slot)
