"""Which part of a completion is the state."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, NamedTuple

from ...errors import InputError
from ...garbage import paused_garbage_collection
from ...model import State
from ..strict_json import count_strings
from .lines import state_in_lines
from .literals import python_literal, refuse_constant
from .objects import state_from
from .pairs import NO_DOMAIN, REMEMBERED, NotAState, key_word

_REASONING_END = re.compile(r"</(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_REASONING_START = re.compile(r"<(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
# A bracket that does not open a list of objects or strings is prose, or a value such as [DELETE].
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
_OF_THE_PAST = re.compile(r"(?<![a-z])(?:previous|prior|earlier|initial|original|old|last)(?![a-z])", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{[\w .|/-]*\}")


class _StateObjects(NamedTuple):
    """Adjacent objects and the state in them; ``broken`` where one cannot be parsed."""

    start: int
    bracket: int
    end: int
    state: State | None
    broken: bool


class _Object(NamedTuple):
    """An object or list from its label, or from its bracket where it has no label."""

    start: int
    bracket: int
    end: int
    thing: Any
    broken: bool


def state_in(text: str) -> State | None:
    """The state in a completion, or None where there is none that can be read without guessing.

    Reasoning in ``<think>`` tags is passed over. Objects come first: the one after the last words such as "Final state:"
    or "State:"; without such words the last in a code fence; else the last that is a state. Objects side by side are one
    state. Without objects, lines are read. An object that is cut off or malformed where the state should be is not repaired,
    and nothing else is taken for it.

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
        # All words in front of the only state lead to it, save those that are its label.
        only = objects[0]
        if only.start == only.bracket and not _marker_between(text, only.end, len(text), len(text)):
            state = state_from(only.thing)
            if state is not None:
                return state
    found = _side_by_side(text, objects)
    marker = _last_marker(text, found)
    if not found:
        regions = [text[marker:], *(text[start:end] for start, end in _fences(text)[-1:]), *([text] if marker else [])]
        return next((state for region in regions if (state := state_in_lines(region)) is not None), None)
    likely = [each for each in found if each.state is not None or each.broken]
    if marker:
        after = [each for each in likely if each.start >= marker]
        if after:
            return after[0].state
        told = state_in_lines(text[marker:])
        if told is not None:
            return told
    fences = _fences(text)
    fenced = [each for each in likely if any(start <= each.start < end for start, end in fences)]
    chosen = fenced or likely
    return chosen[-1].state if chosen else None


def _fences(text: str) -> list[tuple[int, int]]:
    return [fence.span() for fence in _FENCE.finditer(text)] if "```" in text else []


def _without_reasoning(text: str) -> str:
    if "<" not in text:
        return text
    ends = [end.end() for end in _REASONING_END.finditer(text)]
    text = text[ends[-1] :] if ends else text
    unfinished = _REASONING_START.search(text)
    return text[: unfinished.start()] if unfinished else text


def _last_marker(text: str, found: list[_StateObjects]) -> int:
    """Where the last words end that announce the state, outside the objects; 0 without such words."""
    marker = position = 0
    for each in found:
        marker = _marker_between(text, position, each.bracket, each.start) or marker
        position = each.end
    return _marker_between(text, position, len(text), len(text)) or marker


def _marker_between(text: str, start: int, end: int, latest: int) -> int:
    """Where the last such words end that begin at ``latest`` at the latest; 0 without such words."""
    between = text[start:end]
    if not (":" in between or "=" in between):
        return 0
    lowered = between.lower()
    if between.isascii() and not any(map(lowered.__contains__, _MARKER_WORDS)):
        return 0
    marker = 0
    for match in _MARKER.finditer(text, start, end):
        if match.start() <= latest and not _is_of_the_past(match[1]):
            marker = match.end()
    return marker


@lru_cache(REMEMBERED)
def _is_of_the_past(words: str) -> bool:
    return _OF_THE_PAST.search(words) is not None


def _objects(text: str) -> list[_Object]:
    """The outermost objects and lists.

    Raises:
        NotAState: one is cut off.
    """
    objects: list[_Object] = []
    position = 0
    while opening := _OPENING.search(text, position):
        start = opening.start()
        thing, position, broken = _parsed(text, start)
        if not (broken and _PLACEHOLDER.fullmatch(text, start, position)):
            found = _Object(start, start, position, thing, broken)
            objects.append(_labelled(text, found) if start and text[start - 1] != "\n" else found)
    return objects


def _parsed(text: str, start: int) -> tuple[Any, int, bool]:
    try:
        if text.startswith("'", start + 1):
            raise ValueError
        with paused_garbage_collection():
            thing, end = _DECODER.raw_decode(text, start)
        written = text[start:end]
        if "\\" in written or written.count('"') != 2 * count_strings(thing):
            # Perhaps a key is a duplicate.
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


def _labelled(text: str, found: _Object) -> _Object:
    """``hotel: {"area": "east"}``: an object of slots without domain under a label is that domain's."""
    line = text.rfind("\n", 0, found.start) + 1
    label = _LABEL.fullmatch(text, line, found.start) if found.start - line <= 80 else None
    if not label or key_word(label[1]) in NO_DOMAIN or not _is_of_one_domain(found.thing):
        return found
    return found._replace(start=line, thing={label[1]: found.thing})


def _is_of_one_domain(thing: Any) -> bool:
    return isinstance(thing, dict) and not any("-" in key or isinstance(value, dict) for key, value in thing.items())


def _side_by_side(text: str, objects: list[_Object]) -> list[_StateObjects]:
    """Objects with nothing but blanks and commas between them, taken together."""
    groups: list[list[_Object]] = []
    for each in objects:
        if groups and _BETWEEN.fullmatch(text, groups[-1][-1].end, each.start):
            groups[-1].append(each)
        else:
            groups.append([each])
    return [_together(group) for group in groups]


def _together(group: list[_Object]) -> _StateObjects:
    broken = any(each.broken for each in group)
    things = [each.thing for each in group]
    state = None if broken else state_from(things[0] if len(things) == 1 else things)
    return _StateObjects(group[0].start, group[0].bracket, group[-1].end, state, broken)
