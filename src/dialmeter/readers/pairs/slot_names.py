"""One name per slot: the spellings of published files, brought together as a rule set says."""

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


def slot_namer(names: str = "multiwoz") -> Callable[[str], str]:
    """A function from ``domain-slot`` as written to the name that a rule set gives it, with a memory of its own.

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
