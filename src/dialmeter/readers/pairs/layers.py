"""What is known of the states of a layout; and states that are still bytes, split into members that were met before.

A member of an object, which is a pair or the beginning of a domain, is found by its bytes, so that no text is made of it; the
one that followed last time is tried first. It is parsed when it is met for the first time. A state with other things
than objects and strings, or with a duplicate key, is left to the parser.

This file is plain Python; ``layers.pxd`` gives it C types where dialmeter is built with a compiler.
"""

from __future__ import annotations

from typing import Any, Protocol

from ..strict_json import REFUSALS, decode_json
from .state_layouts import StateLayout

SHAPES = {"flat": 0, "nested": 1, "sections": 2, "glued": 3, "any": 4}
_FLAT, _NESTED = SHAPES["flat"], SHAPES["nested"]
_QUOTE, _COMMA, _COLON, _BLANK, _OPEN, _CLOSE = b'",: {}'


class Layer:
    """What is known of one layout: numbers by slot and value, in flat states or in one domain (and section) of others."""

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
        # How many objects were split, and how many members the last of them has.
        self.stamp = 0
        self.count = 0


class Slot:
    """The numbers of one slot's values; the value that was met last is found without a look into the rest."""

    def __init__(self) -> None:
        self.values: dict[Any, int] = {}
        self.last = ""
        self.number: Any = None
        self.stamp = 0
        """The object in which the slot was met last."""


class Member:
    """A pair by its bytes, both strings with their marks; or the beginning of a domain, up to its brace."""

    def __init__(self, text: bytes, slot: Slot, number: Any = None, layer: Layer | None = None) -> None:
        self.text = text
        self.slot = slot
        self.number = number
        self.layer = layer
        # The one that followed it last, and the one before that: gold and prediction have orders of their own.
        self.next: Member | None = None
        self.other: Member | None = None


class _Numbering(Protocol):
    def number_text(self, slot: str, value: str, layer: Layer) -> int: ...


def split_state(data: bytes, layer: Layer, found: list[int], words: _Numbering) -> int:
    """Adds the numbers of a state's pairs and says how many strings it has; below 0 where it must be parsed.

    Args:
        data: a JSON value.
        layer: what is known of its layout.
        found: takes the numbers; they are of no use where the state must be parsed.
        words: numbers a pair that is new.
    """
    size = len(data)
    shape = layer.shape
    if shape > _NESTED or size < 2 or data[0] != _OPEN or data[size - 1] != _CLOSE:
        return -1
    if _split(data, 1, layer, shape == _FLAT, found, words) != size:
        return -1
    return 2 * len(found) + (layer.count if shape == _NESTED else 0)


def _split(data: bytes, at: int, layer: Layer, of_pairs: bool, found: list[int], words: _Numbering) -> int:  # noqa: PLR0917
    """Splits an object, given the place behind its opening brace, and gives the place behind its closing one."""
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
    """The member at a place; None where it is neither a pair of strings nor the beginning of a domain."""
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
    """The place of the next quotation mark; the last place where there is none."""
    last = len(data) - 1
    while at < last and data[at] != _QUOTE:
        at += 1
    return at


def _parse(text: bytes, layer: Layer, of_pairs: bool, words: _Numbering) -> Member | None:
    """What is written at the place of a member that was not met before."""
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
