"""Parse the first items of a JSON document from its head."""

from __future__ import annotations

import json
import re
from typing import Any

from ..garbage import paused_garbage_collection

_SAMPLE_ITEMS = 20
_OPENING = re.compile(r"\s*([{\[])\s*")
_COLON = re.compile(r"\s*:\s*")
_AFTER = re.compile(r"\s*([,}\]])\s*")


def first_items(text: str) -> tuple[Any, bool]:
    """Return the first complete items of a JSON object or list, and True if the parsed part of the text is valid.

    Example:
        >>> first_items('{"a": [1, 2], "b": {"c": 3}, "d": "cut o')
        ({'a': [1, 2], 'b': {'c': 3}}, False)
    """
    decoder = json.JSONDecoder()

    def decode(text: str, at: int) -> tuple[Any, int]:
        with paused_garbage_collection():
            return decoder.raw_decode(text, at)

    opening = _OPENING.match(text)
    members: dict[str, Any] = {}
    elements: list[Any] = []
    if not opening:
        return elements, False
    in_object = opening[1] == "{"
    at = opening.end()
    sign = ","
    try:
        while sign == "," and len(members) + len(elements) < _SAMPLE_ITEMS:
            key = ""
            if in_object:
                key, at = decode(text, at)
                if not isinstance(key, str):
                    raise TypeError
                at = _COLON.match(text, at).end()  # type: ignore[union-attr]
            item, at = decode(text, at)
            after = _AFTER.match(text, at)
            sign, at = after[1], after.end()  # type: ignore[index, union-attr]
            if in_object:
                members[key] = item
            else:
                elements.append(item)
    except (ValueError, RecursionError, TypeError, AttributeError):
        return members if in_object else elements, False
    return members if in_object else elements, True
