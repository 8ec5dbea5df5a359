"""Paraphrases of the values of the town, in both directions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import msgspec

from .database import town
from .schema import DOMAINS, DONTCARE

_BY_DOMAIN = ("leaveat", "arriveby", "departure", "destination")

Forms: TypeAlias = Mapping[str, tuple[str, ...]]
"""Value → its forms; the value itself comes first."""


@cache
def published() -> dict[str, Any]:
    """Load the value map of the town in the published format, as ``--map`` reads it."""
    data = files(__package__).joinpath("data", "values.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, Any])


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
