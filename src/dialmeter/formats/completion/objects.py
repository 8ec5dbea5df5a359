"""States in objects that a model wrote, once they are parsed: nested, flat, wrapped, or lists of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...model import State
from ..strict_json import Doubled
from .lines import says_empty, state_in_lines
from .pairs import (
    PART_WORDS,
    REMARK_WORDS,
    STATE_WORDS,
    NotAState,
    Pair,
    key_word,
    pair_in,
    slot_of,
    state_of_pairs,
    value_of,
)

_SLOT_KEYS = ("slot", "slot_name", "name")
_DOMAIN_KEYS = ("domain", "service")
_LAYERS = ("book", "semi")
"""The two halves of a domain in MultiWOZ's own files."""


def state_from(thing: Any) -> State | None:
    """The state that an object is, or None.

    Example:
        >>> state_from({"belief_state": {"hotel": {"area": "east", "stars": None}}, "reasoning": "..."})
        {'hotel-area': 'east'}
        >>> state_from([{"domain": "hotel", "slot": "area", "value": "east"}]), state_from(["hotel-area-east"])
        ({'hotel-area': 'east'}, {'hotel-area': 'east'})
        >>> state_from([1, 2])
    """
    try:
        return state_of_pairs(_pairs(thing))
    except (NotAState, RecursionError):
        return None


def _pairs(thing: Any) -> Iterator[Pair]:
    if isinstance(thing, dict) and not isinstance(thing, Doubled):
        yield from _mapping_pairs(thing)
    elif isinstance(thing, list):
        yield from _list_pairs(thing)
    else:
        raise NotAState


def _mapping_pairs(mapping: Mapping[str, Any]) -> Iterator[Pair]:
    known = {word: value for key, value in mapping.items() if (word := key_word(key)) not in REMARK_WORDS}
    if mapping and not known:
        raise NotAState
    domain = next((known[key] for key in _DOMAIN_KEYS if isinstance(known.get(key), str)), "")
    slot = next((known[key] for key in _SLOT_KEYS if isinstance(known.get(key), str)), "")
    if slot and "value" in known:
        yield slot_of(slot, domain), value_of(known["value"])
        return
    if known.keys() & PART_WORDS:
        raise NotAState
    wrapped = [value for key, value in known.items() if key in STATE_WORDS and (len(known) == 1 or _is_object(value))]
    if len(wrapped) > 1:
        raise NotAState
    if wrapped:
        yield from ((slot_of(name, domain), value) for name, value in _unwrapped(wrapped[0]))
        return
    if domain and len(known) == 1:
        raise NotAState
    for key, value in mapping.items():
        if key_word(key) in REMARK_WORDS or (domain and key_word(key) in _DOMAIN_KEYS):
            continue
        yield from ((slot_of(slot, domain), inner) for slot, inner in _entry_pairs(key, value))


def _is_object(thing: Any) -> bool:
    return isinstance(thing, dict | list)


def _unwrapped(thing: Any) -> Iterator[Pair]:
    if _is_object(thing):
        yield from _pairs(thing)
    elif isinstance(thing, str):
        state = state_in_lines(thing)
        if state is None:
            raise NotAState
        yield from state.items()
    elif thing is not None:
        raise NotAState


def _entry_pairs(key: str, value: Any) -> Iterator[Pair]:
    """A slot with its value, or a domain with its slots."""
    if isinstance(value, dict):
        yield from _domain_pairs(key, value)
    elif isinstance(value, list) and any(map(_is_object, value)):
        yield from ((slot_of(name, key), inner) for name, inner in _list_pairs(value))
    else:
        yield slot_of(key), value_of(value)


def _domain_pairs(domain: str, slots: Mapping[str, Any]) -> Iterator[Pair]:
    if "-" in domain or isinstance(slots, Doubled):
        raise NotAState
    for slot, value in slots.items():
        if slot in _LAYERS and isinstance(value, dict):
            yield from ((slot_of(name, domain), value_of(inner)) for name, inner in value.items())
        else:
            yield slot_of(slot, domain), value_of(value)


def _list_pairs(things: list[Any]) -> Iterator[Pair]:
    if all(isinstance(each, dict) for each in things):
        for each in things:
            yield from _pairs(each)
    elif all(isinstance(each, str) for each in things):
        if len(things) == 1 and says_empty(things[0]):
            return
        for each in things:
            pair = pair_in(each)
            if pair is None:
                raise NotAState
            yield pair
    else:
        for each in things:
            yield _row_pair(each)


def _row_pair(row: Any) -> Pair:
    """``["hotel-area", "east"]`` or ``["hotel", "area", "east"]``."""
    if not isinstance(row, list) or len(row) not in (2, 3) or not all(isinstance(each, str) for each in row[:-1]):
        raise NotAState
    return slot_of(row[-2], row[0] if len(row) == 3 else ""), value_of(row[-1])
