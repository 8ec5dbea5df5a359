"""What readers share: checked mappings, states from the three ways to write one, dialogues in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from ..errors import InputError, one_line
from ..model import Dialogue, State, Turn, Value, dialogue_key
from . import Role
from .slot_names import slot_namer
from .source import Doubled

_slot_name = slot_namer()
_DIGITS = 6


def as_mapping(thing: Any, what: str) -> Mapping[str, Any]:
    """A JSON object, or an error that says what was found instead.

    Example:
        >>> as_mapping([], "a state")
        Traceback (most recent call last):
        dialmeter.errors.InputError: a state must be an object, found a list
    """
    if isinstance(thing, Doubled):
        raise InputError(f"{one_line(thing.twice)!r} stands twice in {what}")
    if not isinstance(thing, dict):
        raise InputError(f"{what} must be an object, found {kind_of(thing)}")
    return thing


def as_list(thing: Any, what: str) -> list[Any]:
    """A JSON list, or an error that says what was found instead."""
    if not isinstance(thing, list):
        raise InputError(f"{what} must be a list, found {kind_of(thing)}")
    return thing


def as_text(thing: Any, what: str) -> str:
    """A string, or an error; ``null`` is no text."""
    if thing is None:
        return ""
    if not isinstance(thing, str):
        raise InputError(f"{what} must be a string, found {kind_of(thing)}")
    return thing


def kind_of(thing: Any) -> str:
    """The JSON kind of a thing, in words."""
    if thing is None:
        return "null"
    if isinstance(thing, bool):
        return "true" if thing else "false"
    return {dict: "an object", list: "a list", str: "a string", int: "a number", float: "a number"}.get(
        type(thing), type(thing).__name__
    )


def as_value(thing: Any) -> Value | None:
    """A slot's value: numbers and lists of one are values, lists of several are alternatives, null is absent.

    Example:
        >>> as_value(3), as_value(["east"]), as_value(["6 pm", "18:00"]), as_value(None)
        ('3', 'east', ('6 pm', '18:00'), None)
    """
    if isinstance(thing, str):
        return thing
    if thing is None:
        return None
    if isinstance(thing, list):
        values = tuple(_plain(each) for each in thing)
        return (values if len(values) > 1 else values[0]) if values else None
    return _plain(thing)


def _plain(thing: Any) -> str:
    if isinstance(thing, str):
        return thing
    if isinstance(thing, int | float) and not isinstance(thing, bool):
        return str(thing)
    raise InputError(f"a value must be a string, a number or a list of them, found {kind_of(thing)}")


def put(state: dict[str, Value], written: str, value: Value | None) -> None:
    """Adds one pair under the slot's name; two spellings of one slot with two values are an error."""
    if value is None:
        return
    slot = _slot_name(written)
    if state.setdefault(slot, value) != value:
        raise InputError(f"the slot stands twice with two values, {_show(state[slot])} and {_show(value)}", slot=slot)


def _show(value: Value) -> str:
    return repr(one_line(value if isinstance(value, str) else " | ".join(value), 40))


def flat_state(thing: Any) -> State:
    """``{"hotel-area": "east"}``"""
    state: dict[str, Value] = {}
    for slot, value in as_mapping(thing, "a state").items():
        try:
            put(state, slot, as_value(value))
        except InputError as error:
            raise error.at(slot=slot) from None
    return state


def nested_state(thing: Any) -> State:
    """``{"hotel": {"area": "east"}}``"""
    state: dict[str, Value] = {}
    for domain, slots in as_mapping(thing, "a state").items():
        if slots is None:
            continue
        try:
            for slot, value in as_mapping(slots, "a domain").items():
                try:
                    put(state, f"{domain}-{slot}", as_value(value))
                except InputError as error:
                    raise error.at(slot=f"{domain}-{slot}") from None
        except InputError as error:
            raise error.at(slot=domain) from None
    return state


def semi_book_state(thing: Any, absent: tuple[str, ...] = ()) -> State:
    """``{"hotel": {"semi": {"area": "east"}, "book": {"people": "2", "booked": []}}}``; "booked" is no slot.

    Args:
        thing: the state.
        absent: what the layout writes where there is no value.

    Example:
        >>> semi_book_state({"hotel": {"semi": {"area": "", "stars": "4"}, "book": {"people": ["2", "3"]}}}, absent=("",))
        {'hotel-stars': '4', 'hotel-people': ('2', '3')}
    """
    state: dict[str, Value] = {}
    for domain, halves in as_mapping(thing, "a state").items():
        try:
            for half, slots in as_mapping(halves, "a domain").items():
                if half not in ("semi", "book"):
                    raise InputError(f"a domain holds semi and book, found {one_line(half)!r}")
                for slot, written in as_mapping(slots, half).items():
                    if (half, slot) == ("book", "booked"):
                        continue
                    try:
                        value = as_value(written)
                        put(state, f"{domain}-{slot}", None if value in absent else value)
                    except InputError as error:
                        raise error.at(slot=f"{domain}-{slot}") from None
        except InputError as error:
            raise error.at(slot=domain) from None
    return state


def any_state(thing: Any) -> State:
    """A state that may be flat or nested, told by its first value."""
    mapping = as_mapping(thing, "a state")
    return nested_state(thing) if any(isinstance(value, dict) for value in mapping.values()) else flat_state(thing)


def glued_state(thing: Any) -> State:
    """``["hotel-area-east"]``, split at the first two hyphens.

    Example:
        >>> glued_state(["hotel-name-a-and-b", "hotel-book day-sunday"])
        {'hotel-name': 'a-and-b', 'hotel-day': 'sunday'}
    """
    state: dict[str, Value] = {}
    for pair in as_list(thing, "a state"):
        parts = as_text(pair, "a pair").split("-", 2)
        if len(parts) < 3:
            raise InputError(f"a pair reads domain-slot-value, found {one_line(str(pair), 40)!r}")
        put(state, f"{parts[0]}-{parts[1]}", parts[2])
    return state


def turn_number(key: Any) -> int:
    """A turn's number, given as a number or as digits.

    Example:
        >>> turn_number("12"), turn_number(3)
        (12, 3)
    """
    whole = isinstance(key, int) and not isinstance(key, bool) and key >= 0
    if not whole and not (isinstance(key, str) and key.strip().isdecimal()):
        raise InputError(f"a turn's number must be a whole number, found {one_line(str(key), 40)!r}")
    if len(str(key)) > _DIGITS:
        raise InputError(f"a turn's number has at most {_DIGITS} digits, found {one_line(str(key), 40)!r}")
    return int(key)


def sided(role: Role, number: int, state: State | None, user: str = "", system: str = "") -> Turn:
    """A turn of a file that holds one state per turn: the role of the file says whose it is."""
    gold, pred = (None, state) if role is Role.PRED else (state, None)
    return Turn(number, gold=gold, pred=pred, user=user, system=system)


def dialogue(dialogue_id: str, turns: Iterable[Turn]) -> Dialogue:
    """A dialogue with its turns in order.

    Raises:
        InputError: a turn stands twice, or there is none.
    """
    ordered = sorted(turns, key=lambda turn: turn.number)
    for before, turn in pairwise(ordered):
        if before.number == turn.number:
            raise InputError("the turn stands twice", dialogue=dialogue_id, turn=turn.number)
    if not ordered:
        raise InputError("a dialogue without turns", dialogue=dialogue_id)
    return Dialogue(dialogue_id, tuple(ordered))


class Once:
    """Remembers the dialogues seen and refuses one that comes back."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def check(self, dialogue_id: str) -> None:
        """Raises InputError if the dialogue was there before."""
        key = dialogue_key(dialogue_id)
        if key in self._seen:
            raise InputError("the dialogue stands twice", dialogue=dialogue_id)
        self._seen.add(key)
