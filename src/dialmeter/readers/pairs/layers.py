"""Caches for the states of a layout, and splitting of unparsed states into members that are already cached.

A member is a pair of an object, the beginning of a domain or section, or a text of a list. It is looked up by its bytes, so no
string is created. The member that followed last time is tried first. A member is parsed only when it occurs for the first
time. The JSON parser handles states with a duplicate key, or with values other than objects, strings and lists of strings.

This file is plain Python. ``layers.pxd`` adds C types if dialmeter is built with a compiler.
"""

from __future__ import annotations

from typing import Any, Protocol

from ...errors import InputError, one_line
from ..strict_json import REFUSALS, decode_json
from .state_layouts import StateLayout

SHAPES = {"flat": 0, "nested": 1, "sections": 2, "glued": 3, "any": 4}
_SECTIONS, _GLUED, _ANY = SHAPES["sections"], SHAPES["glued"], SHAPES["any"]
_LEVELS = {"nested": 1, "sections": 2}
"""Number of levels of objects above the pairs."""
_SECTION_NAMES = ("semi", "book")
_QUOTE, _COMMA, _COLON, _OPEN, _CLOSE, _OPEN_LIST, _CLOSE_LIST = b'",:{}[]'
_BLANK, _LINE_BREAK = b" \n"
_INVALID = (*REFUSALS, InputError)


class Layer:
    """Pair numbers by slot and value, for flat states of a layout, or for one domain (and section) of other states."""

    def __init__(self, layout: StateLayout, domain: str = "", section: str = "", levels: int | None = None) -> None:
        self.layout = layout
        self.shape = SHAPES[layout.shape]
        self.lists = layout.lists
        self.domain = domain
        self.section = section
        self.levels = _LEVELS.get(layout.shape, 0) if levels is None else levels
        self.opening, self.closing = (_OPEN_LIST, _CLOSE_LIST) if self.shape == _GLUED else (_OPEN, _CLOSE)
        self.below: dict[str, Layer] = {}
        self.slots: dict[str, Slot] = {}
        self.members: dict[bytes, Member] = {}
        self.start = Member(b"", Slot())
        # Number of objects that were split.
        self.stamp = 0

    def inside(self, key: str) -> Layer:
        """Return the layer of a domain, or of a section of this domain.

        Raises:
            InputError: there is no such section.
        """
        below = self.below.get(key)
        if below is None:
            place = (key, "")
            if self.shape == _SECTIONS and self.levels == 1:
                place = (self.domain, key)
                if key not in _SECTION_NAMES:
                    raise InputError(f"a domain holds semi and book, found {one_line(key)!r}")
            below = self.below[key] = Layer(self.layout, *place, self.levels - 1)
        return below


class Slot:
    """The pair numbers of the values of one slot. The most recent value is stored separately for fast access."""

    def __init__(self) -> None:
        self.values: dict[Any, int] = {}
        self.last = ""
        self.number: Any = None
        self.stamp = 0
        """The last object that contained the slot."""


class Member:
    """The bytes of a pair, including the quotation marks, of a text in a list, or of a key up to the brace after it."""

    def __init__(
        self, text: bytes, slot: Slot, strings: int = 0, number: Any = None, layer: Layer | None = None
    ) -> None:
        self.text = text
        self.slot = slot
        self.strings = strings
        self.number = number
        """The number of the pair; None if its value is absent."""
        self.layer = layer
        # The last two members that followed this one. There are two because gold and predictions have different orders.
        self.next: Member | None = None
        self.other: Member | None = None


class _Numbering(Protocol):
    def number_new(self, slot: str, value: Any, layer: Layer) -> int | None: ...


class StateSplitter:
    """Splits unparsed states into the numbers of their pairs, with the vocabulary that numbers new pairs.

    Attributes:
        found: the pair numbers of the last state.
        strings: the number of its strings.
    """

    def __init__(self, words: _Numbering) -> None:
        self._words = words
        self.found: list[int] = []
        self.strings = 0

    def split(self, data: bytes, layer: Layer) -> bool:
        """Split a JSON value, given the layer of its layout. Return False if it must be parsed."""
        size = len(data)
        self.found, self.strings = [], 0
        if layer.shape == _ANY or size < 2 or data[0] != layer.opening or data[size - 1] != layer.closing:
            return False
        # A byte that ends every search makes tests of the size unnecessary.
        return self._split(data + b"\0", 1, layer) == size

    def _split(self, data: bytes, at: int, layer: Layer) -> int:
        """Split an object or list, given the offset after its opening bracket. Return the offset after its closing bracket."""
        layer.stamp += 1
        before = layer.start
        at = _skip_blanks(data, at)
        while data[at] != layer.closing:
            if before is not layer.start:
                if data[at] != _COMMA:
                    return -1
                at = _skip_blanks(data, at + 1)
            member = before.next
            if member is None or not data.startswith(member.text, at):
                member = before.other
                if member is None or not data.startswith(member.text, at):
                    member = self._find(data, at, layer)
                    if member is None:
                        return -1
                before.next, before.other = member, before.next
            if layer.shape != _GLUED:
                if member.slot.stamp == layer.stamp:
                    return -1
                member.slot.stamp = layer.stamp
            self.strings += member.strings
            at += len(member.text)
            if member.layer is not None:
                at = self._split(data, at, member.layer)
                if at < 0:
                    return -1
            elif member.number is not None:
                self.found.append(member.number)
            at = _skip_blanks(data, at)
            before = member
        return at + 1

    def _find(self, data: bytes, at: int, layer: Layer) -> Member | None:
        """Return the member at an offset; None if it must be parsed in another way."""
        end = _end_of_text(data, at)
        if end and layer.shape != _GLUED:
            end = _end_of_value(data, end, layer.levels > 0)
        if not end:
            return None
        view = data
        text = view[at:end]
        member = layer.members.get(text)
        if member is None:
            member = self._parse(text, layer)
            if member is not None:
                layer.members[text] = member
        return member

    def _parse(self, text: bytes, layer: Layer) -> Member | None:
        """Parse a member that occurs for the first time. Return None if it is invalid; the parser reports it with its place."""
        try:
            if layer.shape == _GLUED:
                return Member(text, Slot(), 1, self._words.number_new("", decode_json(text), layer))
            ((key, value),) = decode_json(b"{" + text + (b"}}" if layer.levels else b"}")).items()
            number = None if layer.levels else self._words.number_new(key, value, layer)
            below = layer.inside(key) if layer.levels else None
        except _INVALID:
            return None
        slot = layer.slots.setdefault(key, Slot())
        return Member(text, slot, 1 if below else 1 + (len(value) if type(value) is list else 1), number, below)


def _skip_blanks(data: bytes, at: int) -> int:
    while data[at] == _BLANK or data[at] == _LINE_BREAK:
        at += 1
    return at


def _end_of_text(data: bytes, at: int) -> int:
    """Return the offset after a string; 0 if there is none."""
    if data[at] == _QUOTE:
        for place in range(at + 1, len(data)):
            if data[place] == _QUOTE:
                return place + 1
    return 0


def _end_of_value(data: bytes, at: int, is_object: bool) -> int:
    """Return the offset after the value of a key: after a string, a list of strings, or the opening brace of an object."""
    if data[at] != _COLON:
        return 0
    at = _skip_blanks(data, at + 1)
    if is_object:
        return at + 1 if data[at] == _OPEN else 0
    if data[at] != _OPEN_LIST:
        return _end_of_text(data, at)
    at = _skip_blanks(data, at + 1)
    while data[at] != _CLOSE_LIST:
        at = _end_of_text(data, at)
        if not at:
            return 0
        at = _skip_blanks(data, at)
        if data[at] == _COMMA:
            at = _skip_blanks(data, at + 1)
    return at + 1
