"""Strict JSON parsing for all readers: UTF-8, no duplicate keys, no NaN, and every document parsed once.

msgspec parses the text. Of two equal keys in an object it keeps the last one. To detect this, the strings in the parsed
value are counted and compared with the strings in the text. The text is parsed again, slowly, only if the counts differ
or msgspec fails; the second parse finds the error.

This file is plain Python. ``strict_json.pxd`` adds C types if dialmeter is built with a compiler.
"""

from __future__ import annotations

import gc
import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn, TypeVar

import msgspec

from ..errors import InputError, one_line
from ..garbage import paused_garbage_collection
from .unrecognised_input import not_utf8

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
REFUSALS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError)
"""Errors that ``decode_json`` raises for invalid text; ``parse_json`` reports the reason."""
_DECODER = msgspec.json.Decoder()

Head = TypeVar("Head")
Parsed = TypeVar("Parsed")
_IS_PLAIN = __file__.endswith(".py")
"""True if this module is interpreted, not compiled."""


class DuplicateKey(dict[str, Any]):
    """A JSON object with a duplicate key. Readers reject it with its dialogue and turn."""

    key: str


def decode_json(data: bytes | str | msgspec.Raw) -> Any:
    """Parse one JSON value; of two equal keys the last one counts. Raise one of ``REFUSALS`` if the text is invalid."""
    if not gc.isenabled():
        return _DECODER.decode(data)
    with paused_garbage_collection():
        return _DECODER.decode(data)


def parse_json(data: bytes, name: str | None, doubled: list[DuplicateKey], line: int | None = None) -> Any:
    """Parse one JSON value strictly. Objects with a duplicate key are appended to ``doubled``.

    Args:
        data: the text.
        name: the name of the file, for messages; None if the caller adds it.
        doubled: the list that objects with a duplicate key are appended to.
        line: the line of the value in a JSON lines file.

    Raises:
        InputError: invalid JSON, with line and column. If the error is at the end of the text, the message says that
            the file seems to be cut off.
    """
    try:
        found = decode_json(data)
    except REFUSALS:
        return _parse_slowly(data, name, doubled, line)
    if count_strings(found) == count_written_strings(data):
        return found
    return _parse_slowly(data, name, doubled, line)


def parse_unique(data: bytes, name: str | None, line: int | None = None) -> Any:
    """Parse one JSON value in which no object has a duplicate key; see ``parse_json``.

    Raises:
        InputError: not valid JSON, or a duplicate key.

    Example:
        >>> parse_unique(b'{"a": 1, "\\\\u0061": 2}', "case.json", 3)
        Traceback (most recent call last):
        dialmeter.errors.InputError: case.json: line 3: duplicate key 'a'
    """
    doubled: list[DuplicateKey] = []
    found = parse_json(data, name, doubled, line)
    if doubled:
        raise duplicate_key(doubled[0]).at(file=name, line=line)
    return found


def parse_as(data: bytes, kind: type[Parsed], name: str, line: int | None = None, *, what: str) -> Parsed:
    """Parse one JSON value of a given type; see ``parse_unique``.

    Args:
        data: the text.
        kind: the type.
        name: the name of the file.
        line: the line in the file.
        what: a description of the expected value, for the message.

    Raises:
        InputError: not valid JSON, a duplicate key, or another type.

    Example:
        >>> parse_as(b'{"a": "x"}', dict[str, float], "scores.jsonl", 2, what="a line of scores")
        Traceback (most recent call last):
        dialmeter.errors.InputError: scores.jsonl: line 2: not a line of scores: Expected float, got str - at $[...]
    """
    try:
        return msgspec.convert(parse_unique(data, name, line), kind)
    except msgspec.ValidationError as error:
        raise InputError(f"not {what}: {str(error).replace('`', '')}", file=name, line=line) from None


def duplicate_key(found: DuplicateKey) -> InputError:
    """Return the error for an object with a duplicate key; the caller may add the place."""
    return InputError(f"duplicate key {one_line(found.key)!r}")


def kind_of(value: Any) -> str:
    """Return the JSON type of a value, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return {dict: "an object", list: "a list", str: "a string", int: "a number", float: "a number"}.get(
        type(value), type(value).__name__
    )


def count_written_strings(data: bytes) -> int:
    r"""Count the strings in a JSON text, including keys.

    Example:
        >>> count_written_strings(rb'{"a": ["b", "c \" d \\"]}')
        3
    """
    if _IS_PLAIN:
        single = data.replace(b"\\\\", b"")
        return (single.count(b'"') - single.count(b'\\"')) // 2
    # Compiled, these loops are much faster than bytes.count for such a frequent byte.
    count = escaped = 0
    if b"\\" in data:
        for byte in data:
            count += (byte == 34) & (1 - escaped)
            escaped = (byte == 92) & (1 - escaped)
    else:
        for byte in data:
            count += byte == 34
    return count // 2


def count_strings(value: Any) -> int:
    """Count the strings in a parsed JSON value, including keys.

    Example:
        >>> count_strings({"a": ["b", 1, None, {"c": "d"}]})
        4
    """
    if type(value) is str:
        return 1
    count = 0
    if type(value) is dict:
        count = len(value)
        value = list(value.values())
    if type(value) is list:
        for inner in value:
            if type(inner) is str:
                count += 1
            elif inner is not None:
                count += count_strings(inner)
    return count


class JsonParts:
    """The members of a JSON object or the elements of a list, each parsed on request.

    Args:
        data: the document.
        name: the name of the file, for messages.
        doubled: the list that objects with a duplicate key are appended to.
    """

    def __init__(self, data: bytes, name: str, doubled: list[DuplicateKey]) -> None:
        self._data = data
        self._name = name
        self._doubled = doubled
        self._unread = count_written_strings(data)
        self.keys: list[str] | None = None
        self.whole: Any = None
        """The parsed document, if it could not be split."""
        self._parts: list[Any] = []
        self._split()

    def _split(self) -> None:
        try:
            if self._data.lstrip()[:1] == b"{":
                members = msgspec.json.decode(self._data, type=dict[str, msgspec.Raw])
                self.keys, self._parts = list(members), list(members.values())
                self._unread -= len(members)
            else:
                self._parts = msgspec.json.decode(self._data, type=list[msgspec.Raw])
        except REFUSALS:
            self._parse_whole()

    def _parse_whole(self) -> None:
        """Parse the whole document at once, which reports an error with its place."""
        whole = parse_json(self._data, self._name, self._doubled)
        if isinstance(whole, DuplicateKey):
            raise InputError(f"duplicate key {one_line(whole.key)!r} in the file", file=self._name)
        self.whole = whole
        self.keys = list(whole) if isinstance(whole, dict) else None
        self._parts = list(whole.values()) if isinstance(whole, dict) else whole if isinstance(whole, list) else []
        self._unread = 0

    def __len__(self) -> int:
        return len(self._parts)

    def heads(self, kind: type[Head]) -> Iterator[Head | Any]:
        """Yield a few fields of each part without parsing the rest; yield the whole part if the type does not match."""
        decode = msgspec.json.Decoder(kind).decode
        for place, part in enumerate(self._parts):
            try:
                yield decode(part) if type(part) is msgspec.Raw else msgspec.convert(part, kind)
            except REFUSALS:
                yield self.parse(place)

    def parse(self, place: int) -> Any:
        """Parse the part at a position.

        Raises:
            InputError: the file is not valid JSON.
        """
        part = self._parts[place]
        if type(part) is not msgspec.Raw:
            return part
        data = bytes(part)
        try:
            found = decode_json(data)
        except REFUSALS:
            self._parse_whole()
            return self._parts[place]
        written = count_written_strings(data)
        self._unread -= written
        return found if count_strings(found) == written else _parse_slowly(data, self._name, self._doubled, None)

    def raw(self, place: int) -> bytes | None:
        """Return the bytes of a part for readers that parse it themselves; None if the document was parsed as a whole."""
        part = self._parts[place]
        return bytes(part) if type(part) is msgspec.Raw else None

    def skip(self, place: int) -> None:
        """Mark a part as completely parsed by the reader."""
        self._unread -= count_written_strings(bytes(self._parts[place]))

    def finish(self) -> None:
        """Raise InputError if the document itself has a duplicate key. Call this when all parts are parsed."""
        if self._unread:
            self._parse_whole()


def _parse_slowly(data: bytes, name: str | None, doubled: list[DuplicateKey], line: int | None) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(pairs)
        if len(mapping) == len(pairs):
            return mapping
        marked = DuplicateKey(pairs)
        marked.key = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        doubled.append(marked)
        return marked

    def finite(written: str) -> float:
        if math.isinf(number := float(written)):
            raise InputError(f"{one_line(written, 40)} is too large a number", file=name, line=line)
        return number

    if not data.strip():
        raise InputError("the file is empty", file=name)
    try:
        text = data.decode()
        with paused_garbage_collection():
            found = json.loads(text, object_pairs_hook=unique, parse_constant=_refuse, parse_float=finite)
        if _SURROGATE.search(text):
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except json.JSONDecodeError as error:
        at_end = error.pos >= len(error.doc.rstrip()) - 1 or error.msg.startswith("Unterminated string")
        cut = "; the file seems to be cut off" if at_end else ""
        message = f"not valid JSON: {error.msg} (column {error.colno}){cut}"
        raise InputError(message, file=name, line=line or error.lineno) from None
    except UnicodeDecodeError as error:
        raise InputError(not_utf8(error), file=name, line=line) from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise InputError(f"{half} is half of a character, without the other half", file=name, line=line) from None
    except RecursionError:
        raise InputError("JSON nested too deeply", file=name, line=line) from None
    except ValueError as error:
        raise InputError(f"not valid JSON: {error}", file=name, line=line) from None


def _refuse(word: str) -> NoReturn:
    raise json.JSONDecodeError(f"{word} is not a JSON value", word, 0)
