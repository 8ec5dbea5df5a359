"""Decodes the state in a cell of any form, and tells columns with states from others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from math import isnan
from typing import Any

from ...errors import InputError
from ...model import State, Value
from ..completions import PART_WORDS, NotAState, call_pairs, says_empty, state_from, state_in, state_of_pairs
from ..literals import python_literal
from ..strict_json import parse_unique
from ..validation import value_text
from .names import WRAPPERS

ABSENT = frozenset(
    ("[none]", "n/a", "nan", "none", "not given", "not mentioned", "not_mentioned", "null", "undefined", "")
)
"""Values that say that a slot has none."""
_MESSAGE = frozenset(("role", "speaker", "content", "text", "utterance", "message"))
_ANSWERS = ("completion", "generated_text", "output_text", "text", "content", "output", "response", "answer")
"""Keys of the answer in an object with what else is known of a call of a model."""
_REMARKS = frozenset(("analysis", "confidence", "explanation", "rationale", "reasoning", "thought", "thoughts"))
"""Keys of what a model says beside the state."""
_ABOUT_A_VALUE = frozenset(("confidence", "end", "evidence", "origin", "source", "span", "start", "status", "turn"))
"""Keys beside the value of a slot."""
_PART_NAMES = frozenset(("domain", "service", "name", "intent", "function"))
"""Keys that tell the parts of one state apart."""
_CALL_KEYS = ("arguments", "args", "input", "parameters")
_PACKING = (
    "choices", "candidates", "generations", "outputs", "output", "result", "response", "body", "message", "content", "parts"
)  # fmt: skip
"""Keys of lists and objects that endpoints and batches put around an answer."""
_ANSWER = frozenset(("function_call", "role", "tool_calls"))
_CALL_BLOCKS = frozenset(("function_call", "tool_call", "tool_use"))
_THOUGHT_BLOCKS = frozenset(("reasoning", "redacted_thinking", "thinking"))
_DOMAIN_END = re.compile(r"(?<=\w)[.:/](?=\w)")
_OTHER_SEPARATORS = frozenset(".:/")
"""Marks between domain and slot that are read as a hyphen."""
_DEEPEST = 3
_NO_SENTENCE = ".?!。？！"
_FULL_WIDTH = str.maketrans("；，：＝｜", ";,:=|")
_WORDS = re.compile(r"([^\W\d]\w*) (book \w+|[^\W\d]\w*) (\w.*)")


class NoState(Exception):
    """The cell holds something else."""


class Decoder:
    """Decodes states.

    Attributes:
        functions: the names of the functions that answers of models call. Their slots have the name of the function as
            domain if the file has several.
        absent: the written values that were read as no value.
        remarks: the keys that were read as remarks beside a state.
    """

    def __init__(self, functions: Iterable[str] = ()) -> None:
        self.functions = set(functions)
        self.absent: set[str] = set()
        self.remarks: set[str] = set()

    def decode(self, value: Any) -> State:
        """Return the state in a cell; empty if there is none.

        Raises:
            NoState: the cell holds something else.

        Example:
            >>> Decoder().decode("hotel-area=north; hotel-stars=4"), Decoder().decode([["hotel", "area", "none"]])
            ({'hotel-area': 'north', 'hotel-stars': '4'}, {})
        """
        return {slot: each for slot, each in self._written(value).items() if not self._is_absent(each)}

    def is_filled(self, value: Any) -> bool:
        """Does the cell hold anything?"""
        if isinstance(value, str):
            return value.strip().lower() not in ABSENT
        return not (isinstance(value, float) and isnan(value)) and value not in (None, {}, [])

    def _is_absent(self, value: Any) -> bool:
        is_absent = isinstance(value, str) and value.strip().lower() in ABSENT
        if is_absent and value.strip():
            self.absent.add(value.strip())
        return is_absent

    def _written(self, value: Any) -> State:
        value = unpacked(value)
        if not self.is_filled(value):
            return {}
        calls = self._calls(value)
        if calls is not None:
            return calls
        if isinstance(value, dict | list):
            return self._structured(value)
        if not isinstance(value, str):
            raise NoState
        text = value.strip()
        found = {} if says_empty(text) else state_in(text)
        if text[-1:] in _NO_SENTENCE and text[:1] not in "{[(":
            raise NoState
        if found is None and (plain := text.translate(_FULL_WIDTH)) != text:
            found = state_in(plain)
        found = _state_in_words(text) if found is None else found
        if found is None:
            raise NoState
        return found

    def _structured(self, value: Any) -> State:
        if isinstance(value, Mapping):
            return self._object(value)
        if any(isinstance(each, Mapping) and len(_MESSAGE & each.keys()) > 1 for each in value) or is_n_best(value):
            raise NoState
        try:
            found = state_from(value)
        except InputError:
            raise NoState from None
        if found is not None:
            return found
        if len(value) == 1 and isinstance(value[0], str | list):
            return self._written(value[0])  # a list of answers with one answer
        raise NoState

    def without_remarks(self, value: Any) -> Any:
        """Return an object without the keys of remarks; any other value as it is.

        Example:
            >>> Decoder().without_remarks({"hotel-area": "east", "confidence": 0.9})
            {'hotel-area': 'east'}
        """
        if type(value) is not dict or _REMARKS.isdisjoint(value):
            return value
        self.remarks.update(_REMARKS & value.keys())
        return {key: each for key, each in value.items() if key not in _REMARKS}

    def _object(self, value: Mapping[str, Any]) -> State:
        if len(_MESSAGE & value.keys()) > 1:
            raise NoState
        wrapped = [key for key in value if key in WRAPPERS and isinstance(value[key], dict | list)]
        if len(wrapped) == 1:
            return self._written(value[wrapped[0]])
        answer = next((value[key] for key in _ANSWERS if isinstance(value.get(key), str | dict)), None)
        if answer is not None:
            return self._written(parsed_cell(answer))
        value = self.without_remarks(value)
        domains = {domain: each for domain, each in value.items() if isinstance(each, Mapping)}
        parts = [each[part] for each in domains.values() for part in ("semi", "book") if part in each]
        has_parts = all("semi" in each or "book" in each for each in domains.values())
        if parts and has_parts and all(isinstance(each, Mapping | None) for each in parts):
            value = {domain: _metadata(each) for domain, each in domains.items()}
        try:
            return state_of_pairs(_pairs(value, ""))
        except NotAState:
            raise NoState from None

    def _calls(self, value: Any) -> State | None:
        """Return the state of an answer with calls; None if the value is no answer of a model."""
        calls = calls_in(value)
        if calls is None:
            return None
        self.functions.update(name for name, _ in calls)
        prefix = len(self.functions) > 1
        return state_of_pairs(
            pair for name, arguments in calls for pair in call_pairs(name if prefix else "", arguments)
        )


def parsed_cell(cell: Any) -> Any:
    """Return the JSON or Python value in a cell with text; other cells, and texts that hold more or nothing of it, as they are.

    Raises:
        InputError: an object in the text has a duplicate key.

    Example:
        >>> parsed_cell('{"hotel-area": "east"}'), parsed_cell("['a']"), parsed_cell(" "), parsed_cell("so: {}")
        ({'hotel-area': 'east'}, ['a'], None, 'so: {}')
    """
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if not text:
        return None
    if text[0] not in "{[":
        return cell
    try:
        return parse_unique(text.encode(), None)
    except InputError as error:
        if "duplicate" in error.message:
            raise InputError(error.message) from None
    try:
        return python_literal(text)
    except InputError as error:
        if "duplicate" in error.message:
            raise
        return cell


def is_plain_state(value: Any, *, has_hyphens: bool = True) -> bool:
    """True for a flat state, a state nested by domain, and a list of ``domain-slot-value``.

    With ``has_hyphens`` a slot such as ``hotel.area`` is none of a plain state, because its point means a hyphen.

    Example:
        >>> is_plain_state({"hotel": {"area": "east"}}), is_plain_state({"slots": {"area": "east"}})
        (True, False)
    """
    if isinstance(value, list):
        return all(isinstance(each, str) and each.count("-") > 1 for each in value)
    if (
        type(value) is not dict
        or (len(value) == 1 and not WRAPPERS.isdisjoint(value))
        or len(_MESSAGE & value.keys()) > 1
    ):
        return False
    for key, each in value.items():
        if has_hyphens and not _OTHER_SEPARATORS.isdisjoint(key):
            return False
        if type(each) is dict and (
            "-" in key or "value" in each or any(type(inner) is dict for inner in each.values())
        ):
            return False
    return True


def unwrapped(value: Any) -> Any:
    """Return the state in an object such as ``{"slots": {…}}``, as it is found in answers, and any other value as it is."""
    if isinstance(value, Mapping) and len(value) == 1 and WRAPPERS.issuperset(value):
        return unwrapped(next(iter(value.values())))
    return value


def calls_in(value: Any) -> list[tuple[str, Any]] | None:
    """Return the name and the arguments of each call in an answer of a model; None if the value is none."""
    if isinstance(value, Mapping) and ("tool_calls" in value or isinstance(value.get("function_call"), Mapping)):
        listed = value.get("tool_calls") or ([value["function_call"]] if value.get("function_call") else [])
        return calls_in(listed) if isinstance(listed, list) else None
    if not isinstance(value, list):
        return None
    found = []
    for each in value:
        call = each.get("function", each) if isinstance(each, Mapping) else each
        key = next((key for key in _CALL_KEYS if isinstance(call, Mapping) and key in call), None)
        if key is None or not isinstance(call.get("name"), str):
            return None
        arguments = call[key]
        if isinstance(arguments, str):
            try:
                arguments = parse_unique(arguments.encode(), None)
            except InputError:
                raise NoState from None
        found.append((call["name"], arguments))
    return found


def unpacked(value: Any) -> Any:
    """Return the answer of a model without what endpoints and batches put around it; other values as they are.

    Example:
        >>> unpacked({"message": {"role": "assistant", "content": [{"type": "text", "text": "hotel-area=east"}]}})
        'hotel-area=east'
    """
    if isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        blocks = [each for each in value if each.get("type") not in _THOUGHT_BLOCKS]
        if calls := [each for each in blocks if each.get("type") in _CALL_BLOCKS]:
            return calls
        if messages := [each for each in blocks if each.get("type") == "message"]:
            return unpacked(messages[-1])
        texts = [each.get("text") for each in blocks]
        is_text = all(isinstance(each, str) for each in texts) and (
            len(texts) == 1 or all("type" in each for each in blocks)
        )
        return "".join(map(str, texts)) if texts and is_text and PART_WORDS.isdisjoint(blocks[0]) else value
    if not isinstance(value, Mapping) or value.get("role") not in (None, "assistant", "model") or "tool_calls" in value:
        return value
    inner = next((each for key in _PACKING if isinstance(each := value.get(key), dict | list) and each), None)
    if inner is None:
        return value["content"] if "role" in value and isinstance(value.get("content"), str) else value
    found = unpacked(inner)
    if found is inner and isinstance(inner, list):
        inner = inner[0]
        found = unpacked(inner)
    is_answer = isinstance(found, Mapping) and not _ANSWER.isdisjoint(found)
    return value if found is inner and not is_answer else found


def _state_in_words(text: str) -> State | None:
    """Return the state in a text such as ``hotel area east, hotel book day sunday``; None for other texts."""
    matches = [_WORDS.fullmatch(part.strip()) for part in re.split("[,;|\n]", text)]
    found = {f"{match[1]}-{match[2]}": match[3] for match in matches if match}
    return found if len(found) == len(matches) else None


def is_n_best(values: Any) -> bool:
    """True for a list of several whole states, of which at most one is the prediction."""
    return isinstance(values, list) and len(values) > 1 and all(map(_is_hypothesis, values))


def _is_hypothesis(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return isinstance(value, str) and value.lstrip()[:1] == "{"
    if not _PART_NAMES.isdisjoint(value):
        return False
    is_answer = isinstance(value.get("text"), str) and "type" not in value and value["text"].lstrip()[:1] == "{"
    return is_answer or any(key in WRAPPERS and isinstance(inner, Mapping) for key, inner in value.items())


def _metadata(domain: Mapping[str, Any]) -> dict[str, Any]:
    book = domain.get("book") or {}
    return {**(domain.get("semi") or {}), **{f"book {slot}": each for slot, each in book.items() if slot != "booked"}}


def _pairs(value: Mapping[str, Any], outer: str, depth: int = 1) -> Iterator[tuple[str, Value]]:
    """Yield the slots of an object, which may be nested by domain.

    Raises:
        NoState: it holds something else than values.

    Example:
        >>> dict(_pairs({"hotel": {"area": "east", "stars": {"value": 4, "confidence": 0.9}}, "taxi.to": ["a", "b"]}, ""))
        {'hotel-area': 'east', 'hotel-stars': '4', 'taxi-to': ('a', 'b')}
    """
    for key, written in value.items():
        slot = f"{outer}-{key}" if outer else _DOMAIN_END.sub("-", key, count=1)
        each = _without_confidence(written)
        if isinstance(each, Mapping):
            if depth == _DEEPEST:
                raise NoState
            yield from _pairs(each, slot, depth + 1)
        elif isinstance(each, list):
            if not all(isinstance(one, str | int | float) for one in each):
                raise NoState
            values = tuple(value_text(one) for one in each)
            if values:
                yield slot, values[0] if len(values) == 1 else values
        elif each is not None:
            yield slot, value_text(each)


def _without_confidence(value: Any) -> Any:
    """Return the value of ``{"value": …, "confidence": …, "source": …}``, and any other value as it is."""
    if not isinstance(value, Mapping) or "value" not in value or isinstance(value["value"], dict):
        return value
    others = [(key, each) for key, each in value.items() if key != "value"]
    is_pair = all(isinstance(each, int | float) or key in _ABOUT_A_VALUE for key, each in others)
    return value["value"] if others and is_pair else value
