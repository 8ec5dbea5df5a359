"""Selection of the part of a completion that is the state."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, NamedTuple

from ...errors import InputError
from ...garbage import paused_garbage_collection
from ...model import State
from ..strict_json import count_strings
from .literals import python_literal, refuse_constant
from .objects import state_from
from .pairs import CACHE_SIZE, NO_DOMAIN, NotAState, key_word, state_in_lines

_REASONING_END = re.compile(r"</(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_REASONING_START = re.compile(r"<(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
# Any other bracket, which does not open a list of objects or strings, is prose or a value such as [DELETE].
_OPENING = re.compile(r"\{|\[(?=\s{0,80}[\[({\"'\]])")
_INSIDE = re.compile(r"[\[\]{}\"'\\]")
_FENCE = re.compile(r"```.*?```", re.DOTALL)
_BETWEEN = re.compile(r"[\s,;]*")
_LABEL = re.compile(r"[\s\-*•+`\"'#]*([^\W\d]\w*)[`\"'*]*\s*[:=]\s*[`*]*")
_MARKER_WORDS = ("state", "answer", "output", "result", "slots", "final")
_MARKER = re.compile(
    r"(?<![\w-])((?:[a-z]{1,20}[ _]){0,4}?(?:state|answer|output|result|slots)|final)\b[^\n:={}\[\]]{0,40}[:=]",
    re.IGNORECASE,
)
_PREVIOUS = re.compile(r"(?<![a-z])(?:previous|prior|earlier|initial|original|old|last)(?![a-z])", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{[\w .|/-]*\}")


class _StateObjects(NamedTuple):
    """Adjacent objects and the state in them. ``broken`` is True if one of them cannot be parsed."""

    start: int
    bracket: int
    end: int
    state: State | None
    broken: bool


class _Object(NamedTuple):
    """An object or list. ``start`` is the offset of its label, or of its bracket if it has no label."""

    start: int
    bracket: int
    end: int
    thing: Any
    broken: bool


def state_in(text: str) -> State | None:
    """Return the state in a completion, or None if no state can be read without guessing.

    Reasoning in ``<think>`` tags is ignored. Objects have priority over plain lines. The selected object is the first
    one after the last marker such as "Final state:" or "State:". Without a marker, it is the last one in a code fence;
    without a code fence, the last one that is a state. Adjacent objects are one state. If there are no objects, plain
    lines are read. If the selected object is cut off or malformed, it is not repaired, and no other part is used
    instead.

    Example:
        >>> state_in('Before: {"hotel-area": "east"}. Final state: {"hotel-area": "west"} (was east)')
        {'hotel-area': 'west'}
        >>> state_in("The state is {'hotel': {'parking': True}}."), state_in("hotel-area = east"), state_in("{}")
        ({'hotel-parking': 'yes'}, {'hotel-area': 'east'}, {})
        >>> state_in('{"hotel": {"area": "east"}, "train": {"da')
    """
    text = _without_reasoning(text)
    try:
        objects = _objects(text)
    except NotAState:
        return None
    if len(objects) == 1:
        # Fast path: there is one object, without a label. A marker before it does not change the selection.
        only = objects[0]
        if only.start == only.bracket and not _marker_between(text, only.end, len(text), len(text)):
            state = state_from(only.thing)
            if state is not None:
                return state
    groups = _group_adjacent(text, objects)
    marker = _last_marker(text, groups)
    if not groups:
        regions = [text[marker:], *(text[start:end] for start, end in _fences(text)[-1:]), *([text] if marker else [])]
        return next((state for region in regions if (state := state_in_lines(region)) is not None), None)
    likely = [each for each in groups if each.state is not None or each.broken]
    if marker:
        after = [each for each in likely if each.start >= marker]
        if after:
            return after[0].state
        state = state_in_lines(text[marker:])
        if state is not None:
            return state
    fences = _fences(text)
    fenced = [each for each in likely if any(start <= each.start < end for start, end in fences)]
    candidates = fenced or likely
    return candidates[-1].state if candidates else None


def _fences(text: str) -> list[tuple[int, int]]:
    return [fence.span() for fence in _FENCE.finditer(text)] if "```" in text else []


def _without_reasoning(text: str) -> str:
    if "<" not in text:
        return text
    ends = [end.end() for end in _REASONING_END.finditer(text)]
    text = text[ends[-1] :] if ends else text
    unfinished = _REASONING_START.search(text)
    return text[: unfinished.start()] if unfinished else text


def _last_marker(text: str, groups: list[_StateObjects]) -> int:
    """Return the end of the last marker that announces the state, outside the objects; 0 if there is none."""
    marker = position = 0
    for each in groups:
        marker = _marker_between(text, position, each.bracket, each.start) or marker
        position = each.end
    return _marker_between(text, position, len(text), len(text)) or marker


def _marker_between(text: str, start: int, end: int, latest: int) -> int:
    """Return the end of the last marker that begins at or before ``latest``; 0 if there is none."""
    between = text[start:end]
    if not (":" in between or "=" in between):
        return 0
    lowered = between.lower()
    if between.isascii() and not any(map(lowered.__contains__, _MARKER_WORDS)):
        return 0
    marker = 0
    for match in _MARKER.finditer(text, start, end):
        if match.start() <= latest and not _is_previous(match[1]):
            marker = match.end()
    return marker


@lru_cache(CACHE_SIZE)
def _is_previous(words: str) -> bool:
    return _PREVIOUS.search(words) is not None


def _objects(text: str) -> list[_Object]:
    """Return the outermost objects and lists.

    Raises:
        NotAState: an object is cut off.
    """
    objects: list[_Object] = []
    position = 0
    while opening := _OPENING.search(text, position):
        start = opening.start()
        thing, position, broken = _parse_object(text, start)
        if not (broken and _PLACEHOLDER.fullmatch(text, start, position)):
            each = _Object(start, start, position, thing, broken)
            objects.append(_add_label(text, each) if start and text[start - 1] != "\n" else each)
    return objects


def _parse_object(text: str, start: int) -> tuple[Any, int, bool]:
    try:
        if text.startswith("'", start + 1):
            raise ValueError
        with paused_garbage_collection():
            thing, end = _DECODER.raw_decode(text, start)
        written = text[start:end]
        if "\\" in written or written.count('"') != 2 * count_strings(thing):
            # There may be a duplicate key.
            with paused_garbage_collection():
                thing, end = _STRICT_DECODER.raw_decode(text, start)
        return thing, end, False
    except (ValueError, RecursionError):
        pass
    end = _closing(text, start)
    try:
        return python_literal(text[start:end]), end, False
    except InputError:
        return None, end, True


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, value in pairs:
        if mapping.setdefault(key, value) != value:
            raise ValueError
    return mapping


_DECODER = json.JSONDecoder(parse_constant=refuse_constant, strict=False)
_STRICT_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=refuse_constant, strict=False)


def _closing(text: str, start: int) -> int:
    depth = 0
    quote = ""
    escaped = -1
    for mark in _INSIDE.finditer(text, start):
        sign = mark[0]
        if mark.start() == escaped:
            continue
        if sign == "\\":
            escaped = mark.end()
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        else:
            depth += 1 if sign in "{[" else -1
            if not depth:
                return mark.end()
    raise NotAState


def _add_label(text: str, each: _Object) -> _Object:
    """In ``hotel: {"area": "east"}``, use the label as the domain of the slots, if they have none."""
    line = text.rfind("\n", 0, each.start) + 1
    label = _LABEL.fullmatch(text, line, each.start) if each.start - line <= 80 else None
    if not label or key_word(label[1]) in NO_DOMAIN or not _is_of_one_domain(each.thing):
        return each
    return each._replace(start=line, thing={label[1]: each.thing})


def _is_of_one_domain(thing: Any) -> bool:
    return isinstance(thing, dict) and not any("-" in key or isinstance(value, dict) for key, value in thing.items())


def _group_adjacent(text: str, objects: list[_Object]) -> list[_StateObjects]:
    """Group the objects that have only blanks, commas and semicolons between them."""
    groups: list[list[_Object]] = []
    for each in objects:
        if groups and _BETWEEN.fullmatch(text, groups[-1][-1].end, each.start):
            groups[-1].append(each)
        else:
            groups.append([each])
    return [_merge_group(group) for group in groups]


def _merge_group(group: list[_Object]) -> _StateObjects:
    broken = any(each.broken for each in group)
    things = [each.thing for each in group]
    state = None if broken else state_from(things[0] if len(things) == 1 else things)
    return _StateObjects(group[0].start, group[0].bracket, group[-1].end, state, broken)
