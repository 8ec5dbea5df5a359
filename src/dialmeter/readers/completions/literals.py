"""Python literals as they are printed into text: read as data, never run."""

from __future__ import annotations

import ast
import json
import warnings
from typing import Any, NoReturn

from ...errors import InputError, one_line
from ..strict_json import Doubled

LONGEST = 20_000
"""Longer text is no printed state, and the parser's memory grows with it."""
_DEEPEST = 50
"""Python's parser refuses deep nesting, so text with more brackets is left to it."""

_JSON_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


def python_literal(text: str) -> Any:
    """Dicts with string keys, lists, tuples (as lists), strings, numbers, True, False and None.

    ``{{}}`` is an empty dict, as the FGA sheets print it. The JSON spellings of True, False and None are understood.

    Raises:
        InputError: anything else.

    Example:
        >>> python_literal("{'hotel': {'stars': 4, 'parking': true}}"), python_literal("{{}}")
        ({'hotel': {'stars': 4, 'parking': True}}, {})
        >>> python_literal("open('x')")
        Traceback (most recent call last):
        dialmeter.errors.InputError: a Python literal such as {'hotel': {'area': 'east'}} is expected, found "open('x')"
    """
    try:
        if len(text) > LONGEST:
            raise ValueError
        text = text.strip()
        try:
            return _as_json(text)
        except ValueError:
            pass
        with warnings.catch_warnings():
            # A lone backslash in a value is the value's own affair.
            warnings.simplefilter("ignore")
            found = _plain(ast.parse(text, mode="eval").body)
            if "\\" in text:
                json.dumps(found, ensure_ascii=False).encode()  # refuses half a character that is written as an escape
            return found
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        found = one_line(text.strip(), 40)
        raise InputError(
            f"a Python literal such as {{'hotel': {{'area': 'east'}}}} is expected, found {found!r}"
        ) from None


def _as_json(text: str) -> Any:
    """Reads a literal that is JSON but for its quotes: many times faster than Python's parser.

    Raises:
        ValueError: it is another literal or none, or JSON and Python may differ about it.
    """
    if '"' in text or "\\" in text or text.count("{") + text.count("[") > _DEEPEST:
        raise ValueError
    # Python refuses half a character, and JSON does not.
    text.encode()
    return _DECODER.decode(text.replace("'", '"'))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise ValueError
    return mapping


def _short_number(digits: str) -> int:
    number = int(digits)
    if number.bit_length() > 64:
        raise ValueError
    return number


def refuse_constant(word: str) -> NoReturn:
    """Refuses NaN and Infinity, which Python's JSON reads."""
    raise ValueError


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_short_number, parse_constant=refuse_constant)


def _plain(node: ast.expr) -> Any:
    match node:
        case ast.Dict():
            return _mapping(node)
        case ast.Set(elts=[ast.Dict(keys=[])]):
            return {}
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_plain(each) for each in elements]
        case ast.Constant(value=int() as number) if number.bit_length() > 64:
            pass  # Python refuses to print the longest of them
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float()) as operand):
            return -_plain(operand)
        case ast.Name(id=word) if word in _JSON_WORDS:
            return _JSON_WORDS[word]
    raise ValueError


def _mapping(node: ast.Dict) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    twice = None
    for key, value in zip(node.keys, node.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            raise ValueError
        if key.value in mapping:
            twice = key.value
        mapping[key.value] = _plain(value)
    if twice is None:
        return mapping
    doubled = Doubled(mapping)
    doubled.twice = twice
    return doubled
