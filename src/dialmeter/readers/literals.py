"""Parsing of Python literals in text. They are read as data and never executed."""

from __future__ import annotations

import ast
import json
import warnings
from typing import Any, NoReturn

from ..errors import InputError, one_line
from .strict_json import DuplicateKey

LONGEST = 20_000
"""Maximum length of a literal. Longer text is not a printed state, and it would need much memory to parse."""
_MAX_BRACKETS = 50
"""Maximum number of opening brackets for the fast path. Python's own parser rejects deep nesting."""

_JSON_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


def python_literal(text: str) -> Any:
    """Parse a Python literal: dicts with string keys, lists, tuples (as lists), strings, numbers, True, False and None.

    ``{{}}`` is an empty dict, as in the FGA sheets. The JSON spellings of True, False and None are accepted.

    Raises:
        InputError: the text is anything else.

    Example:
        >>> python_literal("{'hotel': {'stars': 4, 'parking': true}}"), python_literal("{{}}")
        ({'hotel': {'stars': 4, 'parking': True}}, {})
        >>> python_literal("open('x')")
        Traceback (most recent call last):
        dialmeter.errors.InputError: expected a Python literal such as {'hotel': {'area': 'east'}}, found "open('x')"
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
            # Python warns about invalid escapes. A lone backslash in a value is accepted.
            warnings.simplefilter("ignore")
            value = _evaluate(ast.parse(text, mode="eval").body)
            if "\\" in text:
                json.dumps(value, ensure_ascii=False).encode()  # rejects an escaped lone surrogate
            return value
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        excerpt = one_line(text.strip(), 40)
        raise InputError(
            f"expected a Python literal such as {{'hotel': {{'area': 'east'}}}}, found {excerpt!r}"
        ) from None


def _as_json(text: str) -> Any:
    """Parse a literal that differs from JSON only in its quotes. This is many times faster than Python's parser.

    Raises:
        ValueError: not such a literal, or JSON and Python may parse it differently.
    """
    if '"' in text or "\\" in text or text.count("{") + text.count("[") > _MAX_BRACKETS:
        raise ValueError
    # Python rejects lone surrogates, but JSON does not.
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
    """Reject NaN and Infinity, which Python's JSON module accepts."""
    raise ValueError


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_short_number, parse_constant=refuse_constant)


def _evaluate(node: ast.expr) -> Any:
    match node:
        case ast.Dict():
            return _evaluate_dict(node)
        case ast.Set(elts=[ast.Dict(keys=[])]):
            return {}
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_evaluate(each) for each in elements]
        case ast.Constant(value=int() as number) if number.bit_length() > 64:
            pass  # Python refuses to print very long integers
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float()) as operand):
            return -_evaluate(operand)
        case ast.Name(id=word) if word in _JSON_WORDS:
            return _JSON_WORDS[word]
    raise ValueError


def _evaluate_dict(node: ast.Dict) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    twice = None
    for key, value in zip(node.keys, node.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            raise ValueError
        if key.value in mapping:
            twice = key.value
        mapping[key.value] = _evaluate(value)
    if twice is None:
        return mapping
    doubled = DuplicateKey(mapping)
    doubled.key = twice
    return doubled
