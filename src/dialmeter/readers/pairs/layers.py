"""Caches for the states of a layout, and splitting of unparsed states into members that are already cached.

A member of an object is a pair, or the beginning of a domain. It is looked up by its bytes, so no string is created.
The member that followed last time is tried first. A member is parsed only when it occurs for the first time. The JSON
parser handles states with a duplicate key, or with values other than objects and strings.

This file is plain Python. ``layers.pxd`` adds C types if dialmeter is built with a compiler.
"""

from __future__ import annotations

from typing import Any, Protocol

from ..strict_json import REFUSALS, decode_json
from .state_layouts import StateLayout

SHAPES = {"flat": 0, "nested": 1, "sections": 2, "glued": 3, "any": 4}
_FLAT, _NESTED = SHAPES["flat"], SHAPES["nested"]
_QUOTE, _COMMA, _COLON, _BLANK, _OPEN, _CLOSE = b'",: {}'


class Layer:
    """Pair numbers by slot and value, for flat states of a layout, or for one domain (and section) of other states."""

    def __init__(self, layout: StateLayout, domain: str = "", section: str = "") -> None:
        self.layout = layout
        self.shape = SHAPES[layout.shape]
        self.lists = layout.lists
        self.domain = domain
        self.section = section
        self.below: dict[str, Layer] = {}
        self.slots: dict[str, Slot] = {}
        self.texts: dict[str, int] = {}
        self.members: dict[bytes, Member] = {}
        self.start = Member(b"", Slot())
        # Number of objects that were split, and number of members of the last one.
        self.stamp = 0
        self.count = 0


class Slot:
    """The pair numbers of the values of one slot. The most recent value is stored separately for fast access."""

    def __init__(self) -> None:
        self.values: dict[Any, int] = {}
        self.last = ""
        self.number: Any = None
        self.stamp = 0
        """The last object that contained the slot."""


class Member:
    """The bytes of a pair, including the quotation marks, or of the beginning of a domain, up to its brace."""

    def __init__(self, text: bytes, slot: Slot, number: Any = None, layer: Layer | None = None) -> None:
        self.text = text
        self.slot = slot
        self.number = number
        self.layer = layer
        # The last two members that followed this one. There are two because gold and predictions have different orders.
        self.next: Member | None = None
        self.other: Member | None = None


class _Numbering(Protocol):
    def number_text(self, slot: str, value: str, layer: Layer) -> int: ...


def split_state(data: bytes, layer: Layer, found: list[int], words: _Numbering) -> int:
    """Append the pair numbers of a state and return its number of strings; a negative number if it must be parsed.

    Args:
        data: a JSON value.
        layer: the cache of its layout.
        found: the list that the numbers are appended to. Ignore them if the state must be parsed.
        words: numbers new pairs.
    """
    size = len(data)
    shape = layer.shape
    if shape > _NESTED or size < 2 or data[0] != _OPEN or data[size - 1] != _CLOSE:
        return -1
    if _split(data, 1, layer, shape == _FLAT, found, words) != size:
        return -1
    return 2 * len(found) + (layer.count if shape == _NESTED else 0)


def _split(data: bytes, at: int, layer: Layer, of_pairs: bool, found: list[int], words: _Numbering) -> int:  # noqa: PLR0917
    """Split an object, given the offset after its opening brace. Return the offset after its closing brace."""
    layer.stamp += 1
    layer.count = 0
    before = layer.start
    while data[at] != _CLOSE:
        if layer.count:
            if data[at] != _COMMA:
                return -1
            at += 1
            if data[at] == _BLANK:
                at += 1
        member = before.next
        if member is None or not data.startswith(member.text, at):
            member = before.other
            if member is None or not data.startswith(member.text, at):
                member = _find(data, at, layer, of_pairs, words)
                if member is None:
                    return -1
            before.next, before.other = member, before.next
        if member.slot.stamp == layer.stamp:
            return -1
        member.slot.stamp = layer.stamp
        layer.count += 1
        at += len(member.text)
        if member.layer is None:
            found.append(member.number)
        else:
            at = _split(data, at, member.layer, True, found, words)
            if at < 0 or at == len(data):
                return -1
        before = member
    return at + 1


def _find(data: bytes, at: int, layer: Layer, of_pairs: bool, words: _Numbering) -> Member | None:
    """Return the member at an offset; None if it is neither a pair of strings nor the beginning of a domain."""
    view = data
    if data[at] != _QUOTE:
        return None
    end = _find_mark(data, at + 1) + 1
    if end == len(data) or data[end] != _COLON:
        return None
    end += 1
    if data[end] == _BLANK:
        end += 1
    if data[end] != (_QUOTE if of_pairs else _OPEN):
        return None
    if of_pairs:
        end = _find_mark(data, end + 1)
    text = view[at : end + 1]
    member = layer.members.get(text)
    if member is None:
        member = _parse(text, layer, of_pairs, words)
        if member is not None:
            layer.members[text] = member
    return member


def _find_mark(data: bytes, at: int) -> int:
    """Return the offset of the next quotation mark; the last offset if there is none."""
    last = len(data) - 1
    while at < last and data[at] != _QUOTE:
        at += 1
    return at


def _parse(text: bytes, layer: Layer, of_pairs: bool, words: _Numbering) -> Member | None:
    """Parse a member that occurs for the first time."""
    try:
        ((key, value),) = decode_json(b"{" + text + (b"}" if of_pairs else b"}}")).items()
    except REFUSALS:
        return None
    if type(value) is str:
        number = words.number_text(key, value, layer)
        return Member(text, layer.slots[key], number)
    below = layer.below.get(key)
    if below is None:
        below = layer.below[key] = Layer(layer.layout, key)
    return Member(text, layer.slots.setdefault(key, Slot()), None, below)
