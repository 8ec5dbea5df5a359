"""Validation of values that readers find, assembly of dialogues, and helpers for detection."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from itertools import pairwise
from operator import attrgetter
from typing import Any, Generic, TypeVar

import msgspec

from ..errors import InputError, one_line, placing
from ..model import Dialogue, State, Turn, Value, dialogue_key
from .strict_json import REFUSALS, DuplicateKey, count_written_strings, kind_of

Decoded = TypeVar("Decoded")
TURN_DIGITS = 6
LATEST_TURN = 10**TURN_DIGITS
"""Turn numbers are smaller than this."""


class Role(Enum):
    """The role of a file. If a turn has one state, the role decides whether it is gold or predicted."""

    BOTH = "both"
    GOLD = "gold"
    PRED = "pred"


def as_mapping(value: Any, what: str) -> Mapping[str, Any]:
    """Return a JSON object. Raise InputError if the value is of another type or has a duplicate key.

    Example:
        >>> as_mapping([], "a state")
        Traceback (most recent call last):
        dialmeter.errors.InputError: a state must be an object, found a list
    """
    if type(value) is dict:
        return value
    if isinstance(value, DuplicateKey):
        raise InputError(f"duplicate key {one_line(value.key)!r} in {what}")
    raise InputError(f"{what} must be an object, found {kind_of(value)}")


def as_list(value: Any, what: str) -> list[Any]:
    """Return a JSON list. Raise InputError if the value is of another type."""
    if not isinstance(value, list):
        raise InputError(f"{what} must be a list, found {kind_of(value)}")
    return value


def as_text(value: Any, what: str) -> str:
    """Return a string; ``null`` becomes an empty string. Raise InputError if the value is of another type."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{what} must be a string, found {kind_of(value)}")
    return value


def as_value(value: Any) -> Value | None:
    """Convert a JSON value to a slot value.

    A number becomes a string, and a list of one element becomes that element. A list of several elements holds
    alternatives. null is absent. A list of one text that contains ``|`` stays a list: the bar is part of the value.

    Example:
        >>> as_value(3), as_value(["east"]), as_value(["6 pm", "18:00"]), as_value(["a|b"]), as_value([]), as_value(None)
        ('3', 'east', ('6 pm', '18:00'), ('a|b',), (), None)
    """
    if isinstance(value, str):
        return value
    if value is None:
        return None
    if isinstance(value, list | tuple):
        values = tuple(_scalar_text(each) for each in value)
        return values[0] if len(values) == 1 and "|" not in values[0] else values
    return _scalar_text(value)


def _scalar_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise InputError(f"a value must be a string, a number or a list of them, found {kind_of(value)}")


def value_text(value: str | int | float | bool) -> str:
    """Return a plain value as text: true is yes, and false is no.

    Example:
        >>> value_text(True), value_text(4), value_text("east")
        ('yes', '4', 'east')
    """
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def turn_number(key: Any) -> int:
    """Parse the number of a turn, given as an integer or as digits.

    Example:
        >>> turn_number("12"), turn_number(3)
        (12, 3)
    """
    if type(key) is int and 0 <= key < LATEST_TURN:
        return key
    if type(key) is str and key.isdecimal() and len(key) <= TURN_DIGITS:
        return int(key)
    is_whole = isinstance(key, int) and not isinstance(key, bool) and key >= 0
    if not is_whole and not (isinstance(key, str) and key.strip().isdecimal()):
        raise InputError(f"turn number must be an integer, found {one_line(str(key), 40)!r}")
    if len(str(key)) > TURN_DIGITS:
        raise InputError(f"turn number has at most {TURN_DIGITS} digits, found {one_line(str(key), 40)!r}")
    return int(key)


def turn_with_state(role: Role, number: int, state: State | None, user: str = "", system: str = "") -> Turn:
    """Make a turn of a file with one state per turn. The role of the file decides whether it is gold or predicted."""
    gold, pred = (None, state) if role is Role.PRED else (state, None)
    return Turn(number, gold=gold, pred=pred, user=user, system=system)


def dialogue(dialogue_id: str, turns: Iterable[Turn]) -> Dialogue:
    """Make a dialogue with its turns sorted by number.

    Raises:
        InputError: a duplicate turn, or no turns.
    """
    ordered = tuple(sorted(turns, key=attrgetter("number")))
    if not ordered:
        raise InputError("a dialogue without turns", dialogue=dialogue_id)
    for before, turn in pairwise(ordered):
        if before.number == turn.number:
            raise InputError("duplicate turn", dialogue=dialogue_id, turn=turn.number)
    return Dialogue(dialogue_id, ordered)


def read_dialogues(items: Iterable[tuple[str, Any]], read_turns: Callable[[Any], Iterable[Turn]]) -> Iterator[Dialogue]:
    """Yield a dialogue for each pair of an id and the undecoded dialogue.

    Raises:
        InputError: an invalid dialogue, with its id.
    """
    for dialogue_id, value in items:
        with placing(dialogue=dialogue_id):
            yield dialogue(dialogue_id, read_turns(value))


def turns_by_id(elements: Iterable[Any], id_key: str, turns_key: str) -> Iterator[tuple[str, Any]]:
    """Yield the id and the undecoded turns of each dialogue of a list.

    Raises:
        InputError: an element is not an object, or has no id.
    """
    for position, value in enumerate(elements):
        entry = as_mapping(value, f"entry {position}")
        dialogue_id = entry.get(id_key)
        if not isinstance(dialogue_id, str):
            raise InputError(f"entry {position}: {id_key} must be a string")
        yield dialogue_id, entry.get(turns_key)


def read_turns(turns: Iterable[tuple[Any, Any]], read: Callable[[Any, Any], Turn]) -> Iterator[Turn]:
    """Yield a turn for each pair of a number and the undecoded turn.

    Raises:
        InputError: an invalid turn, with its number.
    """
    for number, value in turns:
        with placing(turn=number):
            yield read(number, value)


def first_value(value: Any) -> Any:
    """Return the first value of an object, for detection; None for anything else."""
    return next(iter(value.values()), None) if isinstance(value, dict) else None


def first_mapping(value: Any) -> Mapping[str, Any]:
    """Return the first element of a list if it is an object, for detection; otherwise an empty mapping."""
    first = value[0] if isinstance(value, list) and value else None
    return first if isinstance(first, dict) else {}


_KINDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
_MISMATCH = re.compile(
    r"(?:Expected `([^`]*)`, got `([^`]*)`|Object missing required field `([^`]*)`)(?: - at `\$([^`]*)`)?"
)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]|\[\.\.\.\]")


def as_type(value: Any, kind: type[Decoded], what: str) -> Decoded:
    """Convert parsed JSON to a type. Raise InputError, with the place in the value, if it does not match the type.

    Example:
        >>> as_type({"hotel": {"area": 3}}, dict[str, dict[str, str]], "goal")
        Traceback (most recent call last):
        dialmeter.errors.InputError: goal.hotel.area must be a string, found a number
    """
    if isinstance(value, DuplicateKey):
        as_mapping(value, what)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InputError(explain_mismatch(str(error), value, what)) from None


def explain_mismatch(message: str, value: Any, what: str) -> str:
    """Rewrite an error message of msgspec in the style of all other messages. Optional types are not listed.

    Args:
        message: the message.
        value: the value that was converted. It has the keys that msgspec writes as ``...``.
        what: what the value is. A text with a blank, such as "a turn", is not a part of the path.

    Example:
        >>> turn = {"frames": [{"service": "hotel", "actions": 7}]}
        >>> explain_mismatch("Expected `array | null`, got `int` - at `$.frames[0].actions`", turn, "a turn")
        'frames[0].actions must be a list, found a number'
        >>> explain_mismatch("Object missing required field `speaker`", turn, "a turn")
        'a turn has no speaker'
    """
    match = _MISMATCH.fullmatch(message)
    if not match:
        return message.replace("`", "")
    expected, found, missing, written = match.groups()
    path, culprit = next(
        (path, inner)
        for path, inner in _paths(value, _STEP.findall(written or ""))
        if (missing not in inner if missing else _kind(inner) == found)
    )
    place = f"{what}{path}" if " " not in what else path.removeprefix(".") or what
    if missing:
        return f"{place} has no {missing}"
    kinds = [kind for kind in expected.split(" | ") if kind != "null" and not (kind == "int" and "float" in expected)]
    *most, last = (_KINDS.get(kind, kind) for kind in kinds)
    return f"{place} must be {', '.join(most)}{' or ' if most else ''}{last}, found {kind_of(culprit)}"


def _kind(value: Any) -> str:
    """Return the type of a value as msgspec names it."""
    names = {dict: "object", DuplicateKey: "object", list: "array", type(None): "null"}
    return names.get(type(value), type(value).__name__)


def _paths(value: Any, steps: list[tuple[str, str]], path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the places in a value that match the steps, each with its path. A step without a name matches every key."""
    if not steps:
        yield path, value
        return
    key, index = steps[0]
    if index:
        yield from _paths(value[int(index)], steps[1:], f"{path}[{index}]")
        return
    for name, inner in value.items() if isinstance(value, dict) else ():
        if not key or name == key:
            yield from _paths(inner, steps[1:], f"{path}.{one_line(name, 40)}")


class DialogueType(Generic[Decoded]):
    """Decoder of dialogues into a msgspec type.

    Args:
        kind: the type. It and its nested types must omit defaults when they are encoded.
        turns: the key of the list of turns, for messages.
    """

    def __init__(self, kind: type[Decoded], turns: str) -> None:
        self._kind = kind
        self._turns = turns
        self._decode = msgspec.json.Decoder(kind).decode
        self._encode = msgspec.json.Encoder().encode

    def decode(self, data: bytes) -> Decoded | None:
        """Fast path for common input. Return None if the text has a duplicate key, an unknown key or an error.

        A decoded dialogue has as many strings as its text, unless a key is duplicate, unknown, or holds its default.
        """
        try:
            dialogue = self._decode(data)
        except REFUSALS:
            return None
        return dialogue if count_written_strings(self._encode(dialogue)) == count_written_strings(data) else None

    def convert(self, entry: Mapping[str, Any]) -> Decoded:
        """Convert parsed JSON to a dialogue.

        Raises:
            InputError: the JSON does not match the type; with the dialogue and the position of the turn.
        """
        name = entry.get("dialogue_id")
        try:
            return as_type(entry, self._kind, "the dialogue")
        except InputError as error:
            place = error.message.partition(f"{self._turns}[")[2].partition("]")[0]
            raise error.at(dialogue=name if isinstance(name, str) else None, turn=place or None) from None


class UniqueIds:
    """Rejects duplicate dialogue ids."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def check(self, dialogue_id: str) -> None:
        """Raise InputError if the id was seen before."""
        key = dialogue_key(dialogue_id)
        if key in self._seen:
            raise InputError("duplicate dialogue id", dialogue=dialogue_id)
        self._seen.add(key)

    def merge(self, other: UniqueIds) -> None:
        """Add the ids of another part of the corpus."""
        self._seen |= other._seen


def refuse_tool_parts(content: Any) -> None:
    """Refuse tool calls and results that are parts of a content, as in messages of Anthropic. They would be read as text.

    Raises:
        InputError: there is such a part.

    Example:
        >>> refuse_tool_parts([{"type": "tool_use", "name": "book"}])
        Traceback (most recent call last):
        dialmeter.errors.InputError: content with a part tool_use is not supported; write calls as tool_calls, and results as role tool
    """
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(kind, str) and kind.endswith(("tool_use", "tool_result")):
            message = f"content with a part {one_line(kind)} is not supported"
            raise InputError(f"{message}; write calls as tool_calls, and results as role tool")
