"""Names of columns that the user gives: ``--fields pred=belief``, or as a part of a format, ``rows(pred=belief)``."""

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
    """What columns are called, from ``KEY=NAME`` texts.

    Raises:
        DialmeterError: another text, an unknown key, or a duplicate one.

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
            raise DialmeterError(f"--fields reads KEY=NAME, such as pred=belief, not {one_line(text)!r}")
        known = (*_ROW_KEYS, *_COMPLETION_KEYS)
        if key not in known and not name.endswith(_CALL):
            raise DialmeterError(f"--fields: unknown key {one_line(key)!r}; {did_you_mean(key, known)}")
        if key in fields:
            raise DialmeterError(f"--fields: duplicate key {one_line(key)!r}")
        fields[key] = name
    return fields


def format_with_fields(format: str | None, texts: Iterable[str]) -> str | None:
    """The name of a format with the names of columns in it.

    Without a format, columns of completions and functions name the format ``llm``, and other columns the format ``rows``.

    Example:
        >>> format_with_fields(None, ["pred=belief"]), format_with_fields("llm", ["turn=step"]), format_with_fields("sgd", [])
        ('rows(pred=belief)', 'llm(turn=step)', 'sgd')
    """
    fields = parse_fields(texts)
    if not fields:
        return format
    of_completions = any(key in _COMPLETION_KEYS or name.endswith(_CALL) for key, name in fields.items())
    written = ", ".join(f"{key}={name}" for key, name in fields.items())
    return f"{format or ('llm' if of_completions else 'rows')}({written})"


def split_format(format: str) -> tuple[str, dict[str, str]]:
    """The name of a format and the names of columns in it.

    Example:
        >>> split_format("rows(pred=belief, turn=step)"), split_format("nested")
        (('rows', {'pred': 'belief', 'turn': 'step'}), ('nested', {}))
    """
    found = _FORMAT.fullmatch(format)
    return (found[1], parse_fields(_NEXT_FIELD.split(found[2]))) if found else (format, {})


def domains_by_function(fields: Mapping[str, str]) -> dict[str, str]:
    """The domain that each named function is about.

    Example:
        >>> domains_by_function({"pred": "belief", "hotel": "find_book_hotel()"})
        {'find_book_hotel': 'hotel'}
    """
    return {name.removesuffix(_CALL): key for key, name in fields.items() if name.endswith(_CALL)}
