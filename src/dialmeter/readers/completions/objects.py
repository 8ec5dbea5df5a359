"""States in parsed objects that a model wrote: nested, flat, wrapped, or lists of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from ...errors import InputError
from ...model import State
from ..strict_json import Doubled, parse_unique
from .pairs import (
    CACHE_SIZE,
    NO_DOMAIN,
    PART_WORDS,
    REMARK_WORDS,
    STATE_WORDS,
    NotAState,
    Pair,
    key_word,
    pair_in,
    says_empty,
    slot_of,
    state_in_lines,
    state_of_pairs,
    value_of,
)

_SLOT_KEYS = ("slot", "slot_name", "name")
_DOMAIN_KEYS = ("domain", "service")
_FUNCTION_KEYS = ("function", "name", "tool", "function_name")
_ARGUMENT_KEYS = ("arguments", "parameters")
_CALL_KEYS = frozenset(("function", *_ARGUMENT_KEYS))
_SECTIONS = frozenset(("book", "semi"))
"""The two sections of a domain in the files of MultiWOZ."""
_RESERVED_WORDS = STATE_WORDS | REMARK_WORDS | PART_WORDS | {*_SLOT_KEYS, *_DOMAIN_KEYS}
"""Keys that may be neither slots nor domains."""


def state_from(thing: Any) -> State | None:
    """Return the state in a parsed object, or None.

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


def _pairs(thing: Any) -> list[Pair]:
    if isinstance(thing, dict) and not isinstance(thing, Doubled):
        return _mapping_pairs(thing)
    if isinstance(thing, list):
        return _list_pairs(thing)
    raise NotAState


def call_pairs(name: str, arguments: Any) -> list[Pair]:
    """Return the pairs that a function call sets. The function is the domain, and its arguments are slots.

    If arguments are grouped by domain, or have the domain in their names, they are a state themselves. A text is parsed
    as JSON.

    Raises:
        NotAState: the arguments are not a JSON object.

    Example:
        >>> call_pairs("hotel", '{"area": "north", "book_stay": 2, "stars": null}')
        [('hotel-area', 'north'), ('hotel-book_stay', '2'), ('hotel-stars', None)]
        >>> call_pairs("update_state", {"hotel": {"area": "north"}})
        [('hotel-area', 'north')]
    """
    if isinstance(arguments, str):
        try:
            arguments = parse_unique(arguments.encode(), None)
        except InputError:
            raise NotAState from None
    if type(arguments) is not dict:
        raise NotAState
    if any(isinstance(value, dict) for value in arguments.values()) or key_word(name) in NO_DOMAIN:
        return _pairs(arguments)
    if arguments and all("-" in key for key in arguments):
        return _entries_pairs(arguments)
    pairs = [(slot_of(key, name), value_of(value)) for key, value in arguments.items()]
    return [(slot, None if value == "" else value) for slot, value in pairs]


def _call_object_pairs(mapping: Mapping[str, Any]) -> list[Pair] | None:
    """Return the pairs of ``{"function": "hotel", "arguments": {..}}`` and similar objects; None for anything else."""
    inner = mapping.get("function")
    if isinstance(inner, dict) and "arguments" in inner:
        mapping = inner
    name = next((mapping[key] for key in _FUNCTION_KEYS if isinstance(mapping.get(key), str)), None)
    arguments = next((mapping[key] for key in _ARGUMENT_KEYS if isinstance(mapping.get(key), str | dict)), None)
    return None if name is None or arguments is None else call_pairs(name, arguments)


def _mapping_pairs(mapping: Mapping[str, Any]) -> list[Pair]:
    if not _CALL_KEYS.isdisjoint(mapping):
        pairs = _call_object_pairs(mapping)
        if pairs is not None:
            return pairs
    if _RESERVED_WORDS.isdisjoint(map(key_word, mapping)):
        return _entries_pairs(mapping)
    known = {word: value for key, value in mapping.items() if (word := key_word(key)) not in REMARK_WORDS}
    if mapping and not known:
        raise NotAState
    domain = next((known[key] for key in _DOMAIN_KEYS if isinstance(known.get(key), str)), "")
    slot = next((known[key] for key in _SLOT_KEYS if isinstance(known.get(key), str)), "")
    if slot and "value" in known:
        return [(slot_of(slot, domain), value_of(known["value"]))]
    if known.keys() & PART_WORDS:
        raise NotAState
    wrapped = [value for key, value in known.items() if key in STATE_WORDS and (len(known) == 1 or _is_object(value))]
    if len(wrapped) > 1:
        raise NotAState
    if wrapped:
        return [(slot_of(name, domain), value) for name, value in _unwrap(wrapped[0])]
    if domain and len(known) == 1:
        raise NotAState
    skipped = REMARK_WORDS.union(_DOMAIN_KEYS) if domain else REMARK_WORDS
    return _entries_pairs({key: value for key, value in mapping.items() if key_word(key) not in skipped}, domain)


def _is_object(thing: Any) -> bool:
    return isinstance(thing, dict | list)


def _unwrap(thing: Any) -> Iterable[Pair]:
    if thing is None:
        return []
    state = state_in_lines(thing) if isinstance(thing, str) else None
    return _pairs(thing) if state is None else state.items()


def _entries_pairs(mapping: Mapping[str, Any], outer: str = "") -> list[Pair]:
    """Return the pairs of a mapping of slots to values, or of domains to slots."""
    pairs: list[Pair] = []
    for key, value in mapping.items():
        if isinstance(value, dict):
            if "-" in key or isinstance(value, Doubled):
                raise NotAState
            for slot, inner in value.items() if _SECTIONS.isdisjoint(value) else _flatten_sections(value):
                pairs.append((_text_pair if type(inner) is str else _pair)(slot, inner, key, outer))
        elif isinstance(value, list) and any(map(_is_object, value)):
            pairs += [(slot_of(slot_of(name, key), outer), inner) for name, inner in _list_pairs(value)]
        else:
            pairs.append((_text_pair if type(value) is str else _pair)(key, value, "", outer))
    return pairs


def _flatten_sections(slots: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for slot, value in slots.items():
        if slot in _SECTIONS and isinstance(value, dict):
            yield from value.items()
        else:
            yield slot, value


def _pair(slot: str, value: Any, domain: str, outer: str) -> Pair:
    return slot_of(slot_of(slot, domain), outer), value_of(value)


_text_pair = lru_cache(CACHE_SIZE)(_pair)
"""Cached ``_pair`` for texts. Other values are not cached, because 1, 1.0 and true are equal as keys."""


def _list_pairs(things: list[Any]) -> list[Pair]:
    if all(isinstance(each, dict) for each in things):
        return [pair for each in things for pair in _pairs(each)]
    if not all(isinstance(each, str) for each in things):
        return [_row_pair(each) for each in things]
    if len(things) == 1 and says_empty(things[0]):
        return []
    pairs = [pair for each in things if (pair := pair_in(each)) is not None]
    if len(pairs) < len(things):
        raise NotAState
    return pairs


def _row_pair(row: Any) -> Pair:
    """Parse ``["hotel-area", "east"]`` or ``["hotel", "area", "east"]``."""
    if not isinstance(row, list) or len(row) not in (2, 3) or not all(isinstance(each, str) for each in row[:-1]):
        raise NotAState
    return slot_of(row[-2], row[0] if len(row) == 3 else ""), value_of(row[-1])
