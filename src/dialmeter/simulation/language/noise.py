"""A channel that makes mistakes: of what was understood, some acts get another slot, another value, another intent, or are lost."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random

from ...model import Act
from ..world.database import town
from ..world.schema import DOMAINS
from ..world.value_map import goal_values
from .grammar import ASKED, BOOKING, GENERAL, act, intent_of, value_of

# What an act is taken for; all others are lost when they are not understood.
_TAKEN_FOR = {"inform": "request", "request": "inform", "recommend": "inform", "nooffer": "inform"}
_BOOKED = ("hotel", "restaurant")


def noisy(acts: Iterable[Act], rate: float, rng: Random) -> tuple[Act, ...]:
    """The acts with mistakes.

    Args:
        acts: what was said.
        rate: how many of the acts come out wrong, from 0 to 1.
        rng: makes the mistakes.

    Example:
        >>> said = [act("hotel", "inform", "area", "east"), act("hotel", "inform", "stars", "4")]
        >>> noisy(said, 0.0, Random(1)) == tuple(said)
        True
        >>> [(found.slot, found.values) for found in noisy(said, 1.0, Random(3))]
        [('stars', ('1',))]
    """
    found: list[Act] = []
    for each in acts:
        if rng.random() >= rate:
            found.append(each)
        else:
            wrong = _mistaken(each, rng)
            found += [wrong] if wrong is not None else []
    return tuple(found)


def _mistaken(found: Act, rng: Random) -> Act | None:
    kind = rng.choice(("slot", "value", "act"))
    if found.service == GENERAL or not found.slot or kind == "act":
        return _other_intent(found, rng)
    return _other_slot(found, rng) if kind == "slot" else _other_value(found, rng)


def _other_intent(found: Act, rng: Random) -> Act | None:
    intent = _TAKEN_FOR.get(intent_of(found.name))
    if intent is None or not found.slot or found.service == BOOKING or rng.random() < 0.5:
        return None
    if intent == "request":
        return act(found.service, intent, found.slot)
    value = value_of(found)
    return None if value == ASKED else act(found.service, intent, found.slot, value)


def _other_slot(found: Act, rng: Random) -> Act | None:
    """The same intent with another slot of its domain, and a value that this slot can have."""
    value, intent = value_of(found), intent_of(found.name)
    slots = [slot for slot in _slots(found.service, value == ASKED) if slot != found.slot]
    if not slots:
        return None
    slot = rng.choice(slots)
    if value == ASKED:
        return act(found.service, intent, slot)
    values = _values(found.service, slot)
    return act(found.service, intent, slot, value if value in values else rng.choice(values)) if values else None


def _other_value(found: Act, rng: Random) -> Act | None:
    values = [value for value in _values(found.service, found.slot) if value != value_of(found)]
    if value_of(found) == ASKED or not values:
        return _other_slot(found, rng)
    return act(found.service, intent_of(found.name), found.slot, rng.choice(values))


@cache
def _slots(service: str, asked: bool) -> tuple[str, ...]:
    if service == BOOKING:
        return tuple(dict.fromkeys(slot for domain in _BOOKED for slot in DOMAINS[domain].book))
    return tuple(dict.fromkeys((*DOMAINS[service].informable, *(DOMAINS[service].request if asked else ()))))


@cache
def _values(service: str, slot: str) -> tuple[str, ...]:
    """The values that a slot can be taken to have."""
    if service == BOOKING:
        return next((_values(domain, slot) for domain in _BOOKED if slot in DOMAINS[domain].book), ())
    return goal_values(service, slot) if slot in DOMAINS[service].informable else town().values(service, slot)
