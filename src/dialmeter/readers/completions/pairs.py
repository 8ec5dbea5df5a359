"""Parsing of single pairs of slot and value in completions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeAlias

from ...model import DELETED, State, Value
from ..parts import value_text

Pair: TypeAlias = tuple[str, Value | None]
"""A slot and its value; None means that the slot is absent."""

_STATE = """
    state belief_state dialogue_state dialog_state slot_values slots values belief answer final_answer final_state
    output result response prediction predictions
"""
_REMARK = """
    reasoning reason explanation thought thoughts analysis rationale note notes comment comments remark confidence
    error warning user system assistant bot agent customer question input turn
"""
_OTHER = """
    json python dict sure here example final updated update updates current new summary domain domains a q ai model
    dst update_state set_state
"""
STATE_WORDS = frozenset(_STATE.split())
"""Keys and labels that announce a state."""
REMARK_WORDS = frozenset(_REMARK.split())
"""Keys and labels of remarks about a state, and of utterances."""
PART_WORDS = frozenset(("slot", "slot_name", "value"))
"""Names of the parts of a pair. Alone they are neither slots nor remarks."""
NO_DOMAIN = STATE_WORDS | REMARK_WORDS | frozenset(_OTHER.split())
"""Words before slots that are not domains."""

CACHE_SIZE = 10_000
"""Size of the caches for keys, names, values and pairs. A file repeats few of them many times."""
_BLANKS = re.compile(r"[\s-]+")
_HYPHEN = re.compile(r"(?<!\s)\s+-\s*|-\s*")
_ABSENT = frozenset(("null", "not mentioned"))
_BARE_WORDS: dict[str, str | None] = {
    "true": "yes",
    "True": "yes",
    "false": "no",
    "False": "no",
    "None": None,
}
_LONGEST_VALUE = 300
_LONGEST_PLAIN_VALUE = 100

_NAME = r"[^\W\d][\w .&/'-]{0,59}?"
_NAME_ONLY = re.compile(_NAME)
# A colon between digits belongs to a time.
_PAIR = re.compile(rf"({_NAME})[\"'*`]{{0,4}}\s{{0,4}}(?:(?<!\d):|:(?!\d)|=|->|→)[*`]{{0,3}}(.*)", re.DOTALL)
_GLUED = re.compile(r"([^\W\d]\w*)-([^\W\d][\w ]*)-(.+)")
_DOTTED = re.compile(r"([^\W\d]\w*)\.([^\W\d][\w ]*)")
_WRAPPING = "\"'*` \t"
_NEXT = re.compile("[:=,;|]")
_SECOND_PAIR = re.compile(r"(?<!\d):|:(?!\d)|=")


class NotAState(Exception):
    """The input is not a state, or cannot be read without guessing."""


def state_of_pairs(pairs: Iterable[Pair]) -> State:
    """Make a state of pairs.

    Raises:
        NotAState: a slot with two values, or an invalid pair.
    """
    state: dict[str, Value] = {}
    for slot, value in pairs:
        if value is not None and state.setdefault(slot, value) != value:
            raise NotAState
    return state


@lru_cache(CACHE_SIZE)
def key_word(written: str) -> str:
    """Normalise a key for comparison with the word lists.

    Example:
        >>> key_word("Belief State")
        'belief_state'
    """
    return _BLANKS.sub("_", written.strip().lower())


@lru_cache(CACHE_SIZE)
def slot_of(written: str, domain: str = "") -> str:
    """Return the name of a slot, with its domain as prefix if known.

    Example:
        >>> slot_of("hotel.area"), slot_of("area", "hotel"), slot_of("hotel-area", "hotel"), slot_of("area")
        ('hotel-area', 'hotel-area', 'hotel-area', 'area')
    """
    name = _HYPHEN.sub("-", written.strip(_WRAPPING))
    if not _NAME_ONLY.fullmatch(name):
        raise NotAState
    dotted = _DOTTED.fullmatch(name)
    if dotted:
        name = f"{dotted[1]}-{dotted[2]}"
    domain = domain.strip(_WRAPPING)
    if not domain or name.startswith(f"{domain}-"):
        return name
    if "-" in name and not name.startswith("book-"):
        # The slot already has another domain, so the given domain is not a domain.
        raise NotAState
    return f"{domain}-{name}"


def value_of(thing: Any) -> Value | None:
    """Convert a value in a parsed object to a slot value.

    Example:
        >>> value_of(True), value_of(4), value_of(["6 pm", "18:00"]), value_of("Not mentioned"), value_of("[delete]")
        ('yes', '4', ('6 pm', '18:00'), None, '[DELETE]')
    """
    if isinstance(thing, str):
        return _text_value(thing)
    if isinstance(thing, int | float):
        return value_text(thing)
    if isinstance(thing, list):
        values = [value for each in thing if (value := value_of(each)) is not None]
        if not all(isinstance(value, str) for value in values):
            raise NotAState
        texts = tuple(str(value) for value in values)
        return texts if len(texts) > 1 or "|" in "".join(texts) else next(iter(texts), None)
    if thing is None:
        return None
    raise NotAState


@lru_cache(CACHE_SIZE)
def _text_value(text: str) -> str | None:
    if len(text) > _LONGEST_VALUE:
        raise NotAState
    text = text.strip()
    if text.lower() in _ABSENT:
        return None
    return DELETED if text.upper() == DELETED else text


@lru_cache(CACHE_SIZE)
def pair_in(text: str, domain: str = "") -> Pair | None:
    """Parse a pair: ``hotel-area: east``, ``hotel-area = east`` or ``hotel-area-east``. Return None for prose.

    Words such as true and None without quotes have their meaning in JSON and Python. In quotes they are text.

    Raises:
        NotAState: it looks like several pairs that cannot be separated.

    Example:
        >>> pair_in("**hotel-area**: 'east',"), pair_in("taxi-leaveat-17:15"), pair_in("hotel-parking = true")
        (('hotel-area', 'east'), ('taxi-leaveat', '17:15'), ('hotel-parking', 'yes'))
        >>> pair_in("all is said")
    """
    text = text.strip().lstrip(_WRAPPING).rstrip(",; \t")
    match = _PAIR.match(text)
    if not match:
        glued = _GLUED.fullmatch(text.rstrip(_WRAPPING))
        return (slot_of(f"{glued[1]}-{glued[2]}", domain), value_of(glued[3])) if glued else None
    value = match[2].strip().strip("*` \t")
    if len(value) > _LONGEST_PLAIN_VALUE or not _is_short(match[1]):
        return None
    return slot_of(match[1], domain), _plain_value(value)


def _is_short(name: str) -> bool:
    """Return True if a name has few words, like a slot. More words are the beginning of a sentence."""
    domain, hyphen, slot = name.partition("-")
    return len(domain.split()) <= (2 if hyphen else 3) and len(slot.split()) <= 4


def _plain_value(text: str) -> Value | None:
    if text[:1] in ('"', "'"):
        inner = text[1:-1]
        if text[-1] != text[0] or (text[0] in inner and _NEXT.search(inner)):
            raise NotAState
        return value_of(inner)
    if text in _BARE_WORDS:
        return _BARE_WORDS[text]
    if _SECOND_PAIR.search(text):
        raise NotAState
    return value_of(text) if text else None
