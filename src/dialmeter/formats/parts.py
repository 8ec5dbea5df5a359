"""What readers share: checked mappings and values, dialogues with their turns in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from itertools import pairwise
from typing import Any

from ..errors import InputError, one_line
from ..model import Dialogue, State, Turn, Value, dialogue_key
from ..readers.strict_json import Doubled, kind_of

TURN_DIGITS = 6
LATEST_TURN = 10**TURN_DIGITS
"""The numbers of turns are below this one."""


class Role(Enum):
    """What a file is read for. A file that holds one state per turn is told by it which one that is."""

    BOTH = "both"
    GOLD = "gold"
    PRED = "pred"


def as_mapping(thing: Any, what: str) -> Mapping[str, Any]:
    """A JSON object, or an error that says what was found instead.

    Example:
        >>> as_mapping([], "a state")
        Traceback (most recent call last):
        dialmeter.errors.InputError: a state must be an object, found a list
    """
    if type(thing) is dict:
        return thing
    if isinstance(thing, Doubled):
        raise InputError(f"{one_line(thing.twice)!r} stands twice in {what}")
    raise InputError(f"{what} must be an object, found {kind_of(thing)}")


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


def as_value(thing: Any) -> Value | None:
    """A slot's value: numbers and lists of one are values, lists of several are alternatives, null is absent.

    A list of one text with a bar in it stays a list: the bar is part of the value.

    Example:
        >>> as_value(3), as_value(["east"]), as_value(["6 pm", "18:00"]), as_value(["a|b"]), as_value([]), as_value(None)
        ('3', 'east', ('6 pm', '18:00'), ('a|b',), (), None)
    """
    if isinstance(thing, str):
        return thing
    if thing is None:
        return None
    if isinstance(thing, list | tuple):
        values = tuple(_plain(each) for each in thing)
        return values[0] if len(values) == 1 and "|" not in values[0] else values
    return _plain(thing)


def _plain(thing: Any) -> str:
    if isinstance(thing, str):
        return thing
    if isinstance(thing, int | float) and not isinstance(thing, bool):
        return str(thing)
    raise InputError(f"a value must be a string, a number or a list of them, found {kind_of(thing)}")


def turn_number(key: Any) -> int:
    """A turn's number, given as a number or as digits.

    Example:
        >>> turn_number("12"), turn_number(3)
        (12, 3)
    """
    if type(key) is int and 0 <= key < LATEST_TURN:
        return key
    if type(key) is str and key.isdecimal() and len(key) <= TURN_DIGITS:
        return int(key)
    whole = isinstance(key, int) and not isinstance(key, bool) and key >= 0
    if not whole and not (isinstance(key, str) and key.strip().isdecimal()):
        raise InputError(f"a turn's number must be a whole number, found {one_line(str(key), 40)!r}")
    if len(str(key)) > TURN_DIGITS:
        raise InputError(f"a turn's number has at most {TURN_DIGITS} digits, found {one_line(str(key), 40)!r}")
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
    ordered = tuple(turns)
    last = -1
    for turn in ordered:
        if turn.number <= last:
            return dialogue(dialogue_id, _in_order(dialogue_id, ordered))
        last = turn.number
    if not ordered:
        raise InputError("a dialogue without turns", dialogue=dialogue_id)
    return Dialogue(dialogue_id, ordered)


def _in_order(dialogue_id: str, turns: Sequence[Turn]) -> list[Turn]:
    ordered = sorted(turns, key=lambda turn: turn.number)
    for before, turn in pairwise(ordered):
        if before.number == turn.number:
            raise InputError("the turn stands twice", dialogue=dialogue_id, turn=turn.number)
    return ordered


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

    def merge(self, other: Once) -> None:
        """Also remembers the dialogues of another part of the corpus."""
        self._seen |= other._seen
