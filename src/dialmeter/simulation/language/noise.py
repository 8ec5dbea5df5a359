"""A noisy channel: some of the understood acts get another slot, another value or another intent, or are lost."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random

from ...model import Act
from ..world.database import DOMAINS, goal_values, town
from .grammar import ASKED, BOOKING, GENERAL, act, intent_of, value_of

# Intents that can be confused, and with which intent; acts with any other intent are lost instead.
_CONFUSED_WITH = {"inform": "request", "request": "inform", "recommend": "inform", "nooffer": "inform"}
_BOOKED = ("hotel", "restaurant")


def noisy(acts: Iterable[Act], rate: float, rng: Random) -> tuple[Act, ...]:
    """Return the acts with random mistakes.

    Args:
        acts: the acts.
        rate: the share of wrong acts, from 0 to 1.
        rng: the random generator.

    Example:
        >>> said = [act("hotel", "inform", "area", "east"), act("hotel", "inform", "stars", "4")]
        >>> noisy(said, 0.0, Random(1)) == tuple(said)
        True
        >>> [(each.slot, each.values) for each in noisy(said, 1.0, Random(3))]
        [('stars', ('1',))]
    """
    result: list[Act] = []
    for each in acts:
        if rng.random() >= rate:
            result.append(each)
        else:
            wrong = _distort(each, rng)
            result += [wrong] if wrong is not None else []
    return tuple(result)


def _distort(original: Act, rng: Random) -> Act | None:
    kind = rng.choice(("slot", "value", "act"))
    if original.service == GENERAL or not original.slot or kind == "act":
        return _other_intent(original, rng)
    return _other_slot(original, rng) if kind == "slot" else _other_value(original, rng)


def _other_intent(original: Act, rng: Random) -> Act | None:
    intent = _CONFUSED_WITH.get(intent_of(original.name))
    if intent is None or not original.slot or original.service == BOOKING or rng.random() < 0.5:
        return None
    if intent == "request":
        return act(original.service, intent, original.slot)
    value = value_of(original)
    return None if value == ASKED else act(original.service, intent, original.slot, value)


def _other_slot(original: Act, rng: Random) -> Act | None:
    """Return an act with the same intent, another slot of the domain, and a value that this slot can have."""
    value, intent = value_of(original), intent_of(original.name)
    slots = [slot for slot in _slots(original.service, value == ASKED) if slot != original.slot]
    if not slots:
        return None
    slot = rng.choice(slots)
    if value == ASKED:
        return act(original.service, intent, slot)
    values = _values(original.service, slot)
    return act(original.service, intent, slot, value if value in values else rng.choice(values)) if values else None


def _other_value(original: Act, rng: Random) -> Act | None:
    values = [value for value in _values(original.service, original.slot) if value != value_of(original)]
    if value_of(original) == ASKED or not values:
        return _other_slot(original, rng)
    return act(original.service, intent_of(original.name), original.slot, rng.choice(values))


@cache
def _slots(service: str, is_request: bool) -> tuple[str, ...]:
    if service == BOOKING:
        return tuple(dict.fromkeys(slot for domain in _BOOKED for slot in DOMAINS[domain].book))
    return tuple(dict.fromkeys((*DOMAINS[service].informable, *(DOMAINS[service].request if is_request else ()))))


@cache
def _values(service: str, slot: str) -> tuple[str, ...]:
    """Return the values that a slot can have."""
    if service == BOOKING:
        return next((_values(domain, slot) for domain in _BOOKED if slot in DOMAINS[domain].book), ())
    return goal_values(service, slot) if slot in DOMAINS[service].informable else town().values(service, slot)
