"""What a call of a tool says: the values of its arguments with their paths, and whether the tool only reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from ..readers.strict_json import REFUSALS, decode_json

_READING = frozenset(
    [
        "calculate",
        "can",
        "check",
        "compute",
        "count",
        "describe",
        "escalate",
        "fetch",
        "find",
        "get",
        "has",
        "is",
        "list",
        "look",
        "lookup",
        "plan",
        "query",
        "read",
        "respond",
        "retrieve",
        "search",
        "show",
        "think",
        "transfer",
        "validate",
        "verify",
        "view",
        "wait",
    ]
)
"""First words of the names of tools that do not change the world."""
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def is_reading_name(name: str) -> bool:
    """Return True if the first word of the name of a tool says that it only reads.

    Example:
        >>> [is_reading_name(name) for name in ("get_user", "listFlights", "cancel_order", "issue", "isOpen")]
        [True, True, False, False, True]
    """
    words = _WORD.search(name)
    return words is not None and words[0].lower() in _READING


def leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the values inside lists, objects and JSON in strings, each with its path. The elements of a list share its path.

    Example:
        >>> list(leaves("call", {"a": [{"b": 1}, 2], "c": '{"d": "x"}'}))
        [('call.a.b', 1), ('call.a', 2), ('call.c.d', 'x')]
    """
    if isinstance(value, str) and value.startswith(("{", "[")):
        with suppress(*REFUSALS):
            value = decode_json(value)
    if isinstance(value, Mapping):
        for name, inside in value.items():
            yield from leaves(f"{path}.{name}" if path else str(name), inside)
    elif isinstance(value, list):
        for inside in value:
            yield from leaves(path, inside)
    else:
        yield path, value
