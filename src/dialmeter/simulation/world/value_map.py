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
"""Value → the ways to say it, the value itself first."""


@cache
def published() -> dict[str, Any]:
    """The value map of the town in the published format, as ``--map`` reads it."""
    data = files(__package__).joinpath("data", "values.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, Any])


@cache
def forms(domain: str, slot: str) -> Forms:
    """The values of a slot that a user may name, with their forms.

    Example:
        >>> forms("hotel", "area")["harbour"]
        ('harbour', 'harbour district', 'docks', 'waterfront')
        >>> sorted(forms("hotel", "type"))
        ['guesthouse', 'hostel', 'hotel']
    """
    # The map has one entry for the types and names of all domains; a domain's own are those in its table.
    own = set(town().values(domain, slot)) if slot in ("type", "name") else None
    return {
        value: tuple(each)
        for value, each in _entry(domain, slot).items()
        if value != "special_keys" and (own is None or value in own)
    }


def _entry(domain: str, slot: str) -> dict[str, Any]:
    found: dict[str, Any] = published().get(slot, {})
    return found.get(domain, {}) if slot in _BY_DOMAIN else found


@cache
def canonical_forms(domain: str, slot: str) -> dict[str, str]:
    """Form → value, for one slot of one domain."""
    special = _entry(domain, slot).get("special_keys", {}).get("not_in_goal", {})
    rarely = {form: value for value, each in special.items() if value != DONTCARE for form in each}
    return rarely | {form: value for value, each in forms(domain, slot).items() for form in each}


def canonical(domain: str, slot: str, form: str) -> str:
    """The value of a form, or the form itself in lower case if the town does not know it.

    Example:
        >>> canonical("hotel", "area", "Docks"), canonical("train", "leaveat", "5:15 pm"), canonical("hotel", "area", "Moon")
        ('harbour', '17:15', 'moon')
    """
    lower = form.lower()
    return canonical_forms(domain, slot).get(lower, lower)


def goal_values(domain: str, slot: str) -> tuple[str, ...]:
    """Every value that a user may want for a slot, sorted.

    Example:
        >>> goal_values("restaurant", "pricerange")
        ('cheap', 'expensive', 'moderate')
    """
    assert slot in DOMAINS[domain].informable
    return tuple(sorted(forms(domain, slot)))
