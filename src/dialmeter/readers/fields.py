"""Column names given by the user: ``--fields pred=belief``, or as part of a format name, ``rows(pred=belief)``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..errors import DialmeterError, did_you_mean, one_line

_FORMAT = re.compile(r"([\w.-]*)\((.*)\)", re.DOTALL)
_NEXT_FIELD = re.compile(r",\s*+(?=[\w-][\w -]*+=)")
_ROW_KEYS = ("dialogue", "turn", "gold", "pred", "user", "system")
_COMPLETION_KEYS = ("completion", "custom_id")
_CALL = "()"


def parse_fields(texts: Iterable[str]) -> dict[str, str]:
    """Parse ``KEY=NAME`` texts into a mapping of keys to column names.

    Raises:
        DialmeterError: a text of another form, an unknown key, or a duplicate key.

    Example:
        >>> parse_fields(["pred=belief", "hotel=find_book_hotel()"])
        {'pred': 'belief', 'hotel': 'find_book_hotel()'}
        >>> parse_fields(["prd=belief"])
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: --fields: unknown key 'prd'; did you mean pred?
    """
    fields: dict[str, str] = {}
    for text in texts:
        key, equals, name = (part.strip() for part in text.partition("="))
        if not (key and equals and name):
            raise DialmeterError(f"--fields must be KEY=NAME, such as pred=belief, found {one_line(text)!r}")
        keys = (*_ROW_KEYS, *_COMPLETION_KEYS)
        if key not in keys and not name.endswith(_CALL):
            raise DialmeterError(f"--fields: unknown key {one_line(key)!r}; {did_you_mean(key, keys)}")
        if key in fields:
            raise DialmeterError(f"--fields: duplicate key {one_line(key)!r}")
        fields[key] = name
    return fields


def format_with_fields(format: str | None, texts: Iterable[str]) -> str | None:
    """Return the name of a format with the column names in it.

    If no format is given, it is ``llm`` if a field names a completion column or a function, otherwise ``rows``.

    Example:
        >>> format_with_fields(None, ["pred=belief"]), format_with_fields("llm", ["turn=step"]), format_with_fields("sgd", [])
        ('rows(pred=belief)', 'llm(turn=step)', 'sgd')
    """
    fields = parse_fields(texts)
    if not fields:
        return format
    is_llm = any(key in _COMPLETION_KEYS or name.endswith(_CALL) for key, name in fields.items())
    written = ", ".join(f"{key}={name}" for key, name in fields.items())
    return f"{format or ('llm' if is_llm else 'rows')}({written})"


def split_format(format: str) -> tuple[str, dict[str, str]]:
    """Split the name of a format from the column names in it.

    Example:
        >>> split_format("rows(pred=belief, turn=step)"), split_format("nested")
        (('rows', {'pred': 'belief', 'turn': 'step'}), ('nested', {}))
    """
    match = _FORMAT.fullmatch(format)
    return (match[1], parse_fields(_NEXT_FIELD.split(match[2]))) if match else (format, {})


def domains_by_function(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the domain of each function named in the fields.

    Example:
        >>> domains_by_function({"pred": "belief", "hotel": "find_book_hotel()"})
        {'find_book_hotel': 'hotel'}
    """
    return {name.removesuffix(_CALL): key for key, name in fields.items() if name.endswith(_CALL)}
