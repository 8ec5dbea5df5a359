"""Parts of readers: checked mappings and values, dialogues with their turns in order, and looks at samples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import pairwise
from typing import Any, Generic, TypeVar

import msgspec

from ..errors import InputError, one_line, placing
from ..model import Dialogue, State, Turn, Value, dialogue_key
from .strict_json import REFUSALS, Doubled, count_written_strings, kind_of

Thing = TypeVar("Thing")
TURN_DIGITS = 6
LATEST_TURN = 10**TURN_DIGITS
"""The numbers of turns are below this one."""


class Role(Enum):
    """What a file is read for: where a turn has one state, the role decides if it is gold or predicted."""

    BOTH = "both"
    GOLD = "gold"
    PRED = "pred"


def as_mapping(thing: Any, what: str) -> Mapping[str, Any]:
    """A JSON object, or an error with what was found instead.

    Example:
        >>> as_mapping([], "a state")
        Traceback (most recent call last):
        dialmeter.errors.InputError: a state must be an object, found a list
    """
    if type(thing) is dict:
        return thing
    if isinstance(thing, Doubled):
        raise InputError(f"duplicate key {one_line(thing.twice)!r} in {what}")
    raise InputError(f"{what} must be an object, found {kind_of(thing)}")


def as_list(thing: Any, what: str) -> list[Any]:
    """A JSON list, or an error with what was found instead."""
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
    """A turn of a file with one state per turn: the role of the file decides if it is gold or predicted."""
    gold, pred = (None, state) if role is Role.PRED else (state, None)
    return Turn(number, gold=gold, pred=pred, user=user, system=system)


def dialogue(dialogue_id: str, turns: Iterable[Turn]) -> Dialogue:
    """A dialogue with its turns in order.

    Raises:
        InputError: a duplicate turn, or none.
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
            raise InputError("duplicate turn", dialogue=dialogue_id, turn=turn.number)
    return ordered


def read_dialogues(items: Iterable[tuple[str, Any]], read_turns: Callable[[Any], Iterable[Turn]]) -> Iterator[Dialogue]:
    """A dialogue for each id with what the file has under it.

    Raises:
        InputError: a dialogue is not as it should be, with its id.
    """
    for dialogue_id, thing in items:
        with placing(dialogue=dialogue_id):
            yield dialogue(dialogue_id, read_turns(thing))


def turns_by_id(elements: Iterable[Any], id_key: str, turns_key: str) -> Iterator[tuple[str, Any]]:
    """The id of each dialogue of a list, and what it has under the key of its turns.

    Raises:
        InputError: an element is no object, or has no id.
    """
    for position, thing in enumerate(elements):
        entry = as_mapping(thing, f"entry {position}")
        dialogue_id = entry.get(id_key)
        if not isinstance(dialogue_id, str):
            raise InputError(f"entry {position}: {id_key} must be a string")
        yield dialogue_id, entry.get(turns_key)


def read_turns(turns: Iterable[tuple[Any, Any]], read: Callable[[Any, Any], Turn]) -> Iterator[Turn]:
    """A turn for each number with what the file has under it.

    Raises:
        InputError: a turn is not as it should be, with its number.
    """
    for number, thing in turns:
        try:
            yield read(number, thing)
        except InputError as error:
            raise error.at(turn=number) from None


def first_value(thing: Any) -> Any:
    """The first value of an object, for detection; None for anything else."""
    return next(iter(thing.values()), None) if isinstance(thing, dict) else None


def first_mapping(thing: Any) -> Mapping[str, Any]:
    """The first element of a list if it is an object, for detection; empty otherwise."""
    first = thing[0] if isinstance(thing, list) and thing else None
    return first if isinstance(first, dict) else {}


_KINDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_EXPECTED = re.compile(r"Expected `([^`]*)`, got `([^`]*)`(?: - at `(?:key in )?\$\.?([^`]*)`)?")
_MISSING = re.compile(r"Object missing required field `([^`]*)`(?: - at `\$\.?([^`]*)`)?")


def in_plain_words(message: str) -> str:
    """A message of the JSON parser, in the words of all other messages.

    Example:
        >>> in_plain_words("Expected `array | null`, got `int` - at `$.turns[0].frames`")
        'turns[0].frames must be a list or null, found a whole number'
        >>> in_plain_words("Object missing required field `speaker` - at `$.turns[0]`")
        'turns[0] has no speaker'
    """
    if found := _EXPECTED.fullmatch(message):
        kinds = [_KINDS.get(kind, kind) for kind in found[1].split(" | ")]
        wanted = " or ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds)
        return f"{found[3] or 'the dialogue'} must be {wanted}, found {_KINDS.get(found[2], found[2])}"
    if found := _MISSING.fullmatch(message):
        return f"{found[2] or 'the dialogue'} has no {found[1]}"
    return message.replace("`", "")


class DialogueType(Generic[Thing]):
    """Decodes dialogues of a type.

    Args:
        kind: the type; it, and the types in it, omit defaults when they are encoded.
        turns: the key of its list of turns, for messages.
    """

    def __init__(self, kind: type[Thing], turns: str) -> None:
        self._kind = kind
        self._turns = turns
        self._decode = msgspec.json.Decoder(kind).decode
        self._encode = msgspec.json.Encoder().encode

    def decode(self, data: bytes) -> Thing | None:
        """Fast path for common input: None where the text has a duplicate key, a key that the type has not, or an error.

        A decoded dialogue has as many strings as its text, unless a key is duplicate, unknown, or has its default.
        """
        try:
            found = self._decode(data)
        except REFUSALS:
            return None
        return found if count_written_strings(self._encode(found)) == count_written_strings(data) else None

    def convert(self, entry: Mapping[str, Any]) -> Thing:
        """A dialogue from parsed JSON.

        Raises:
            InputError: it is of another type, with the dialogue and the place of the turn.
        """
        try:
            return msgspec.convert(entry, self._kind)
        except msgspec.ValidationError as error:
            message = str(error)
            name = entry.get("dialogue_id")
            place = message.partition(f"$.{self._turns}[")[2].partition("]")[0]
            raise InputError(
                in_plain_words(message),
                dialogue=name if isinstance(name, str) else None,
                turn=place if place.isdecimal() else None,
            ) from None


class UniqueIds:
    """Rejects duplicate ids of dialogues."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def check(self, dialogue_id: str) -> None:
        """Raises InputError if the id was there before."""
        key = dialogue_key(dialogue_id)
        if key in self._seen:
            raise InputError("duplicate dialogue id", dialogue=dialogue_id)
        self._seen.add(key)

    def merge(self, other: UniqueIds) -> None:
        """Also remembers the dialogues of another part of the corpus."""
        self._seen |= other._seen
