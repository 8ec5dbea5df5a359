"""The state in the output of a language model: single pairs, plain lines, parsed objects, and the part of a text that is the state.

Plain lines are bullets, tables, YAML-like blocks, calls and queries. Objects may be nested, flat, wrapped, or lists of
pairs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from ..errors import InputError
from ..garbage import paused_garbage_collection
from ..model import DELETED, State, Value
from .literals import python_literal, refuse_constant
from .strict_json import REFUSALS, DuplicateKey, count_strings, decode_json, parse_unique
from .validation import value_text

Pair: TypeAlias = tuple[str, Value | None]
"""A slot and its value; None means that the slot is absent."""

_STATE = """
    state belief_state dialogue_state dialog_state slot_values slots values belief answer final_answer final_state
    output result response prediction predictions
"""
_REMARK = """
    reasoning reason explanation thought thoughts analysis rationale note notes comment comments remark confidence
    error warning user system assistant bot agent customer question input turn
"""
_OTHER = """
    json python dict sure here example final updated update updates current new summary domain domains a q ai model
    dst update_state set_state
"""
STATE_WORDS = frozenset(_STATE.split())
"""Keys and labels that announce a state."""
REMARK_WORDS = frozenset(_REMARK.split())
"""Keys and labels of remarks about a state, and of utterances."""
PART_WORDS = frozenset(("slot", "slot_name", "value"))
"""Names of the parts of a pair. Alone they are neither slots nor remarks."""
NO_DOMAIN = STATE_WORDS | REMARK_WORDS | frozenset(_OTHER.split())
"""Words before slots that are not domains."""

CACHE_SIZE = 10_000
"""Size of the caches for keys, names, values and pairs. A file repeats few of them many times."""
_BLANKS = re.compile(r"[\s-]+")
_HYPHEN = re.compile(r"(?<!\s)\s+-\s*|-\s*")
_ABSENT = frozenset(("null", "not mentioned"))
_BARE_WORDS: dict[str, str | None] = {
    "true": "yes",
    "True": "yes",
    "false": "no",
    "False": "no",
    "None": None,
}
_LONGEST_VALUE = 300
_LONGEST_PLAIN_VALUE = 100

_NAME = r"[^\W\d][\w .&/'-]{0,59}?"
_NAME_ONLY = re.compile(_NAME)
# A colon between digits belongs to a time.
_PAIR = re.compile(rf"({_NAME})[\"'*`]{{0,4}}\s{{0,4}}(?:(?<!\d):|:(?!\d)|=|->|→)[*`]{{0,3}}(.*)", re.DOTALL)
_GLUED = re.compile(r"([^\W\d]\w*)-([^\W\d][\w ]*)-(.+)")
_DOTTED = re.compile(r"([^\W\d]\w*)\.([^\W\d][\w ]*)")
_WRAPPING = "\"'*` \t"
_NEXT = re.compile("[:=,;|]")
_SECOND_PAIR = re.compile(r"(?<!\d):|:(?!\d)|=")


class NotAState(Exception):
    """The input is not a state, or cannot be read without guessing."""


def state_of_pairs(found: Iterable[Pair]) -> State:
    """Make a state of pairs.

    Raises:
        NotAState: a slot with two values, or an invalid pair.
    """
    pairs = list(found)
    state: dict[str, Any] = dict(pairs)
    if len(state) == len(pairs) and None not in state.values():
        return state
    state = {}
    for slot, value in pairs:
        if value is not None and state.setdefault(slot, value) != value:
            raise NotAState
    return state


@lru_cache(CACHE_SIZE)
def key_word(written: str) -> str:
    """Normalise a key for comparison with the word lists.

    Example:
        >>> key_word("Belief State")
        'belief_state'
    """
    return _BLANKS.sub("_", written.strip().lower())


@lru_cache(CACHE_SIZE)
def slot_of(written: str, domain: str = "") -> str:
    """Return the name of a slot, with its domain as prefix if known.

    Example:
        >>> slot_of("hotel.area"), slot_of("area", "hotel"), slot_of("hotel-area", "hotel"), slot_of("area")
        ('hotel-area', 'hotel-area', 'hotel-area', 'area')
    """
    name = _HYPHEN.sub("-", written.strip(_WRAPPING))
    if not _NAME_ONLY.fullmatch(name):
        raise NotAState
    dotted = _DOTTED.fullmatch(name)
    if dotted:
        name = f"{dotted[1]}-{dotted[2]}"
    domain = domain.strip(_WRAPPING)
    if not domain or name.startswith(f"{domain}-"):
        return name
    if "-" in name and not name.startswith("book-"):
        # The slot already has another domain, so the given domain is not a domain.
        raise NotAState
    return f"{domain}-{name}"


def value_of(written: Any) -> Value | None:
    """Convert a value in a parsed object to a slot value.

    Example:
        >>> value_of(True), value_of(4), value_of(["6 pm", "18:00"]), value_of("Not mentioned"), value_of("[delete]")
        ('yes', '4', ('6 pm', '18:00'), None, '[DELETE]')
    """
    if isinstance(written, str):
        return _text_value(written)
    if isinstance(written, int | float):
        return value_text(written)
    if isinstance(written, list):
        values = [value for each in written if (value := value_of(each)) is not None]
        if not all(isinstance(value, str) for value in values):
            raise NotAState
        texts = tuple(str(value) for value in values)
        return texts if len(texts) > 1 or "|" in "".join(texts) else next(iter(texts), None)
    if written is None:
        return None
    raise NotAState


@lru_cache(CACHE_SIZE)
def _text_value(text: str) -> str | None:
    if len(text) > _LONGEST_VALUE:
        raise NotAState
    text = text.strip()
    if text.lower() in _ABSENT:
        return None
    return DELETED if text.upper() == DELETED else text


@lru_cache(CACHE_SIZE)
def pair_in(text: str, domain: str = "") -> Pair | None:
    """Parse a pair: ``hotel-area: east``, ``hotel-area = east`` or ``hotel-area-east``. Return None for prose.

    Words such as true and None without quotes have their meaning in JSON and Python. In quotes they are text.

    Raises:
        NotAState: it looks like several pairs that cannot be separated.

    Example:
        >>> pair_in("**hotel-area**: 'east',"), pair_in("taxi-leaveat-17:15"), pair_in("hotel-parking = true")
        (('hotel-area', 'east'), ('taxi-leaveat', '17:15'), ('hotel-parking', 'yes'))
        >>> pair_in("all is said")
    """
    text = text.strip().lstrip(_WRAPPING).rstrip(",; \t")
    match = _PAIR.match(text)
    if not match:
        glued = _GLUED.fullmatch(text.rstrip(_WRAPPING))
        return (slot_of(f"{glued[1]}-{glued[2]}", domain), value_of(glued[3])) if glued else None
    value = match[2].strip().strip("*` \t")
    if len(value) > _LONGEST_PLAIN_VALUE or not _is_short(match[1]):
        return None
    return slot_of(match[1], domain), _plain_value(value)


def _is_short(name: str) -> bool:
    """Return True if a name has few words, like a slot. More words are the beginning of a sentence."""
    domain, hyphen, slot = name.partition("-")
    return len(domain.split()) <= (2 if hyphen else 3) and len(slot.split()) <= 4


def _plain_value(text: str) -> Value | None:
    if text[:1] in ('"', "'"):
        inner = text[1:-1]
        if text[-1] != text[0] or (text[0] in inner and _NEXT.search(inner)):
            raise NotAState
        return value_of(inner)
    if text in _BARE_WORDS:
        return _BARE_WORDS[text]
    if _SECOND_PAIR.search(text):
        raise NotAState
    return value_of(text) if text else None


_BULLET = re.compile(r"[-+•]\s*|(?:\*|\d{1,3}[.)])\s+")
_DECORATION = "-=*_~`|:+# \t"
_HEADING = re.compile(r"(?:#{1,6}\s*)?[*_`]{0,3}([^\W\d][^:=\n]{0,79}?)[*_`]{0,3}:[*_`]{0,3}")
_TITLE = re.compile(r"(?:#{1,6}\s*[*_`]{0,3}|\*\*)([^\W\d][^:=\n]{0,79}?)[*_`]{0,3}")
_DOMAIN = re.compile(r"[^\W\d]\w*")
_NEXT_PAIR = re.compile(r"[;,|]\s{0,8}(?=[\"'*`]{0,4}[^\W\d][\w .&/-]{0,40}[\"'*`]{0,4}\s{0,4}(?:[:=]|->|→))")
_DOMAIN_GROUP = re.compile(r"([^\W\d]\w*)\s*:\s*([^:=]{1,60}=.*)")
_CALL = re.compile(r"(?<!\w)([^\W\d]\w*)\(([^()]*)\)")
_QUERY = re.compile(r"select\s+\*\s+from\s+(\w+)(?:\s+where\s+(.+))?", re.IGNORECASE)
_AND = re.compile(r"(?<!\s)\s+and\s+", re.IGNORECASE)
_CELL_NAMES = frozenset(("domain", "service", "slot", "slot_name", "name", "value"))

_NO_SLOTS = r"no slots?(?: values?)?(?: (?:are|were|have been))?(?: (?:mentioned|filled|found|set|specified))?"
_EMPTY = re.compile(
    r"(?:(?:the |current |updated |final )*(?:belief |dialogue |dialog )?(?:state|slots|slot values)(?: is| are| =|:)? )?"
    rf"(?:still |currently )?(?:none|null|nothing|empty(?: state| dict(?:ionary)?| object)?|{_NO_SLOTS})(?: yet| so far)?"
)
_ENDS_EMPTY = re.compile(
    r"\b(?:the |belief |dialogue |dialog )(?:state|slots) (?:is|are|remains?) (?:still |currently )?empty$"
)


def says_empty(text: str) -> bool:
    """Return True if the text only says that the state is empty.

    Example:
        >>> says_empty("No slots mentioned yet."), says_empty("east")
        (True, False)
    """
    return len(text) <= 200 and _EMPTY.fullmatch(_words(text)) is not None


def _words(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .!*`\"'()")


def state_in_lines(text: str) -> State | None:
    """Return the state in plain lines, or None.

    Lines of prose are skipped. The result is None if a line looks like a pair but cannot be parsed. It is also None if
    a line such as ``area: east`` (no domain, no bullet) occurs among prose, because it may be a remark.

    Example:
        >>> state_in_lines("Here is the state:\\n- hotel-area: east\\n- **hotel-stars**: 4")
        {'hotel-area': 'east', 'hotel-stars': '4'}
        >>> state_in_lines("hotel(area=east, stars=4)"), state_in_lines("hotel:\\n  area: east"), state_in_lines("none")
        ({'hotel-area': 'east', 'hotel-stars': '4'}, {'hotel-area': 'east'}, {})
        >>> state_in_lines("I would like a hotel.")
    """
    if says_empty(text):
        return {}
    reader = _LineReader()
    try:
        for line in text.splitlines():
            reader.add(line.strip())
        state = reader.state()
    except NotAState:
        return None
    return {} if state is None and not reader.has_pairs and _ENDS_EMPTY.search(_words(text[-200:])) else state


class _LineReader:
    """Collects pairs line by line, and stores the last heading as their domain."""

    def __init__(self) -> None:
        self._pairs: list[Pair] = []
        self._domain = ""
        self.has_pairs = False
        self._has_prose = False
        self._is_doubtful = False

    def state(self) -> State | None:
        if not self.has_pairs or (self._has_prose and self._is_doubtful):
            return None
        return state_of_pairs(self._pairs)

    def add(self, line: str) -> None:
        if line.startswith("```") or not line.strip(_DECORATION):
            return
        bullet = _BULLET.match(line)
        text = line[bullet.end() :] if bullet else line
        heading = (":" in text and _HEADING.fullmatch(text)) or (text[:1] in ("#", "*") and _TITLE.fullmatch(text))
        if heading:
            word = heading[1].strip()
            self._domain = word if _DOMAIN.fullmatch(word) and key_word(word) not in NO_DOMAIN else ""
            return
        label, _, rest = text.partition(":")
        word = key_word(label.strip("*_`\"' "))
        if word in REMARK_WORDS:
            return
        if word in PART_WORDS:
            raise NotAState
        if word in ("domain", "service") and _DOMAIN.fullmatch(rest.strip()):
            self._domain = rest.strip()
            return
        if word in STATE_WORDS:
            text = "" if says_empty(rest) else rest.strip()
        for read in (_table_row, _calls, _query, _group):
            pairs = read(text)
            if pairs is not None:
                break
        else:
            pairs = self._list_pairs(text, bool(bullet))
        if pairs is not None:
            self._pairs.extend(pairs)
            self.has_pairs = True
        elif word in STATE_WORDS:
            raise NotAState
        else:
            self._has_prose = True

    def _list_pairs(self, text: str, has_bullet: bool) -> list[Pair] | None:
        """Return the pairs in a line, or None if it is prose."""
        if text[:1] == "[" and text[-1:] == "]":
            text = text[1:-1]
        pairs = [pair_in(piece) for piece in _pieces(text)]
        parsed = [(slot_of(slot, "" if "-" in slot else self._domain), value) for slot, value in filter(None, pairs)]
        if not parsed:
            return None if text else []
        if len(parsed) < len(pairs):
            raise NotAState
        is_explicit = "=" in text or (":" in text and all("-" in slot for slot, _ in parsed))
        self._is_doubtful |= not (has_bullet or is_explicit)
        return parsed


@lru_cache(CACHE_SIZE)
def _pieces(text: str) -> list[str]:
    pieces = _NEXT_PAIR.split(text)
    if len(pieces) > 1 or ":" in text or "=" in text:
        return pieces
    glued = [piece for piece in re.split(r"[,;|]", text) if piece.strip()]
    return glued if all(piece.count("-") > 1 for piece in glued) else pieces


def _table_row(text: str) -> list[Pair] | None:
    """Parse a row of a Markdown table with two or three columns."""
    if not (text.startswith("|") and text.endswith("|")):
        return None
    cells = [cell.strip("*` ") for cell in text[1:-1].split("|")]
    if len(cells) not in (2, 3):
        raise NotAState
    if all(key_word(cell) in _CELL_NAMES for cell in cells):
        return []
    return [(slot_of(cells[-2], cells[0] if len(cells) == 3 else ""), value_of(cells[-1]))]


def _calls(text: str) -> list[Pair] | None:
    """Parse one or more calls such as ``hotel(area=east, stars=4)``."""
    calls = _CALL.findall(text) if "(" in text else None
    if not calls or _CALL.sub("", text).strip(" ,;`"):
        return None
    return [pair for name, arguments in calls for pair in _of_domain(name, _NEXT_PAIR.split(arguments))]


def _query(text: str) -> list[Pair] | None:
    """Parse a query such as ``SELECT * FROM hotel WHERE area = 'east' AND stars = 4``."""
    text = text.strip("` ;")
    if text[:7].lower() != "select ":
        return None
    query = _QUERY.fullmatch(text)
    if not query:
        raise NotAState
    return list(_of_domain(query[1], _AND.split(query[2] or "")))


def _group(text: str) -> list[Pair] | None:
    """Parse a group such as ``hotel: area=east, stars=4``."""
    group = _DOMAIN_GROUP.fullmatch(text) if ":" in text and "=" in text else None
    if not group:
        return None
    return list(_of_domain(group[1], _NEXT_PAIR.split(group[2])))


def _of_domain(domain: str, pieces: list[str]) -> Iterator[Pair]:
    known_domain = "" if key_word(domain) in NO_DOMAIN else domain
    for piece in pieces:
        if not piece.strip():
            continue
        pair = pair_in(piece, known_domain)
        if pair is None:
            raise NotAState
        yield pair


_SLOT_KEYS = ("slot", "slot_name", "name")
_DOMAIN_KEYS = ("domain", "service")
_FUNCTION_KEYS = ("function", "name", "tool", "function_name")
_ARGUMENT_KEYS = ("arguments", "parameters")
_CALL_KEYS = frozenset(("function", *_ARGUMENT_KEYS))
_SECTIONS = frozenset(("book", "semi"))
"""The two sections of a domain in the files of MultiWOZ."""
_RESERVED_WORDS = STATE_WORDS | REMARK_WORDS | PART_WORDS | {*_SLOT_KEYS, *_DOMAIN_KEYS}
"""Keys that may be neither slots nor domains."""


def state_from(value: Any) -> State | None:
    """Return the state in a parsed object, or None.

    Example:
        >>> state_from({"belief_state": {"hotel": {"area": "east", "stars": None}}, "reasoning": "..."})
        {'hotel-area': 'east'}
        >>> state_from([{"domain": "hotel", "slot": "area", "value": "east"}]), state_from(["hotel-area-east"])
        ({'hotel-area': 'east'}, {'hotel-area': 'east'})
        >>> state_from([1, 2])
    """
    try:
        return state_of_pairs(_pairs(value))
    except (NotAState, RecursionError):
        return None


def _pairs(value: Any) -> list[Pair]:
    if isinstance(value, dict) and not isinstance(value, DuplicateKey):
        return _mapping_pairs(value)
    if isinstance(value, list):
        return _list_pairs(value)
    raise NotAState


def call_pairs(name: str, arguments: Any) -> list[Pair]:
    """Return the pairs that a function call sets. The function is the domain, and its arguments are slots.

    If arguments are grouped by domain, or have the domain in their names, they are a state themselves. A text is parsed
    as JSON.

    Raises:
        NotAState: the arguments are not a JSON object.

    Example:
        >>> call_pairs("hotel", '{"area": "north", "book_stay": 2, "stars": null}')
        [('hotel-area', 'north'), ('hotel-book_stay', '2'), ('hotel-stars', None)]
        >>> call_pairs("update_state", {"hotel": {"area": "north"}})
        [('hotel-area', 'north')]
    """
    if isinstance(arguments, str):
        try:
            arguments = parse_unique(arguments.encode(), None)
        except InputError:
            raise NotAState from None
    if type(arguments) is not dict:
        raise NotAState
    if any(isinstance(value, dict) for value in arguments.values()) or key_word(name) in NO_DOMAIN:
        return _pairs(arguments)
    if arguments and all("-" in key for key in arguments):
        return _entries_pairs(arguments)
    pairs = [(slot_of(key, name), value_of(value)) for key, value in arguments.items()]
    return [(slot, None if value == "" else value) for slot, value in pairs]


def _call_object_pairs(mapping: Mapping[str, Any]) -> list[Pair] | None:
    """Return the pairs of ``{"function": "hotel", "arguments": {..}}`` and similar objects; None for anything else."""
    inner = mapping.get("function")
    if isinstance(inner, dict) and "arguments" in inner:
        mapping = inner
    name = next((mapping[key] for key in _FUNCTION_KEYS if isinstance(mapping.get(key), str)), None)
    arguments = next((mapping[key] for key in _ARGUMENT_KEYS if isinstance(mapping.get(key), str | dict)), None)
    return None if name is None or arguments is None else call_pairs(name, arguments)


def _mapping_pairs(mapping: Mapping[str, Any]) -> list[Pair]:
    if not _CALL_KEYS.isdisjoint(mapping):
        pairs = _call_object_pairs(mapping)
        if pairs is not None:
            return pairs
    if _RESERVED_WORDS.isdisjoint(map(key_word, mapping)):
        return _entries_pairs(mapping)
    known = {word: value for key, value in mapping.items() if (word := key_word(key)) not in REMARK_WORDS}
    if mapping and not known:
        raise NotAState
    domain = next((known[key] for key in _DOMAIN_KEYS if isinstance(known.get(key), str)), "")
    slot = next((known[key] for key in _SLOT_KEYS if isinstance(known.get(key), str)), "")
    if slot and "value" in known:
        return [(slot_of(slot, domain), value_of(known["value"]))]
    if known.keys() & PART_WORDS:
        raise NotAState
    wrapped = [value for key, value in known.items() if key in STATE_WORDS and (len(known) == 1 or _is_object(value))]
    if len(wrapped) > 1:
        raise NotAState
    if wrapped:
        return [(slot_of(name, domain), value) for name, value in _unwrap(wrapped[0])]
    if domain and len(known) == 1:
        raise NotAState
    skipped = REMARK_WORDS.union(_DOMAIN_KEYS) if domain else REMARK_WORDS
    return _entries_pairs({key: value for key, value in mapping.items() if key_word(key) not in skipped}, domain)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict | list)


def _unwrap(value: Any) -> Iterable[Pair]:
    if value is None:
        return []
    state = state_in_lines(value) if isinstance(value, str) else None
    return _pairs(value) if state is None else state.items()


def _entries_pairs(mapping: Mapping[str, Any], outer: str = "") -> list[Pair]:
    """Return the pairs of a mapping of slots to values, or of domains to slots."""
    pairs: list[Pair] = []
    for key, value in mapping.items():
        if isinstance(value, dict):
            if "-" in key or isinstance(value, DuplicateKey):
                raise NotAState
            for slot, inner in value.items() if _SECTIONS.isdisjoint(value) else _flatten_sections(value):
                pairs.append((_text_pair if type(inner) is str else _pair)(slot, inner, key, outer))
        elif isinstance(value, list) and any(map(_is_object, value)):
            pairs += [(slot_of(slot_of(name, key), outer), inner) for name, inner in _list_pairs(value)]
        else:
            pairs.append((_text_pair if type(value) is str else _pair)(key, value, "", outer))
    return pairs


def _flatten_sections(slots: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for slot, value in slots.items():
        if slot in _SECTIONS and isinstance(value, dict):
            yield from value.items()
        else:
            yield slot, value


def _pair(slot: str, value: Any, domain: str, outer: str) -> Pair:
    return slot_of(slot_of(slot, domain), outer), value_of(value)


_text_pair = lru_cache(CACHE_SIZE)(_pair)
"""Cached ``_pair`` for texts. Other values are not cached, because 1, 1.0 and true are equal as keys."""


def _list_pairs(values: list[Any]) -> list[Pair]:
    if all(isinstance(each, dict) for each in values):
        return [pair for each in values for pair in _pairs(each)]
    if not all(isinstance(each, str) for each in values):
        return [_row_pair(each) for each in values]
    if len(values) == 1 and says_empty(values[0]):
        return []
    pairs = [pair for each in values if (pair := pair_in(each)) is not None]
    if len(pairs) < len(values):
        raise NotAState
    return pairs


def _row_pair(row: Any) -> Pair:
    """Parse ``["hotel-area", "east"]`` or ``["hotel", "area", "east"]``."""
    if not isinstance(row, list) or len(row) not in (2, 3) or not all(isinstance(each, str) for each in row[:-1]):
        raise NotAState
    return slot_of(row[-2], row[0] if len(row) == 3 else ""), value_of(row[-1])


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


class _Object(NamedTuple):
    """An object or list, or several adjacent ones and the state in them.

    Attributes:
        start: the offset of its label, or of its bracket if it has no label.
        broken: True if it cannot be parsed.
    """

    start: int
    bracket: int
    end: int
    value: Any
    broken: bool


def state_in(text: str) -> State | None:
    """Return the state in a model output, or None if no state can be read without guessing.

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
            state = state_from(only.value)
            if state is not None:
                return state
    groups = _group_adjacent(text, objects)
    marker = _last_marker(text, groups)
    if not groups:
        regions = [text[marker:], *(text[start:end] for start, end in _fences(text)[-1:]), *([text] if marker else [])]
        return next((state for region in regions if (state := state_in_lines(region)) is not None), None)
    likely = [each for each in groups if each.value is not None or each.broken]
    selected = [each for each in likely if marker and each.start >= marker][:1]
    if not selected:
        state = state_in_lines(text[marker:]) if marker else None
        if state is not None:
            return state
        fences = _fences(text)
        fenced = [each for each in likely if any(start <= each.start < end for start, end in fences)]
        selected = (fenced or likely)[-1:]
    return next((each.value for each in selected), None)


def _fences(text: str) -> list[tuple[int, int]]:
    return [fence.span() for fence in _FENCE.finditer(text)] if "```" in text else []


def _without_reasoning(text: str) -> str:
    if "<" not in text:
        return text
    ends = [end.end() for end in _REASONING_END.finditer(text)]
    text = text[ends[-1] :] if ends else text
    unfinished = _REASONING_START.search(text)
    return text[: unfinished.start()] if unfinished else text


def _last_marker(text: str, groups: list[_Object]) -> int:
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
        value, position, broken = _parse_object(text, start, not objects)
        if not (broken and _PLACEHOLDER.fullmatch(text, start, position)):
            each = _Object(start, start, position, value, broken)
            objects.append(_add_label(text, each) if start and text[start - 1] != "\n" else each)
    return objects


def _decode_last(text: str, start: int) -> tuple[Any, int]:
    """Fast path: decode an object that ends at the last brace of the text, as most do. Return 0 as its end if it does not."""
    end = text.rfind("}") + 1
    try:
        return decode_json(text[start:end]), end
    except REFUSALS:
        return None, 0


def _parse_object(text: str, start: int, is_first: bool) -> tuple[Any, int, bool]:
    try:
        if text.startswith("'", start + 1):
            raise ValueError
        value, end = _decode_last(text, start) if is_first else (None, 0)
        if not end:
            with paused_garbage_collection():
                value, end = _DECODER.raw_decode(text, start)
        written = text[start:end]
        if "\\" in written or written.count('"') != 2 * count_strings(value):
            # There may be a duplicate key.
            with paused_garbage_collection():
                value, end = _STRICT_DECODER.raw_decode(text, start)
        return value, end, False
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
    if not label or key_word(label[1]) in NO_DOMAIN or not _is_of_one_domain(each.value):
        return each
    return each._replace(start=line, value={label[1]: each.value})


def _is_of_one_domain(written: Any) -> bool:
    return isinstance(written, dict) and not any(
        "-" in key or isinstance(value, dict) for key, value in written.items()
    )


def _group_adjacent(text: str, objects: list[_Object]) -> list[_Object]:
    """Join the objects that have only blanks, commas and semicolons between them. Their value is their state."""
    groups: list[list[_Object]] = []
    for each in objects:
        if groups and _BETWEEN.fullmatch(text, groups[-1][-1].end, each.start):
            groups[-1].append(each)
        else:
            groups.append([each])
    return [_merge_group(group) for group in groups]


def _merge_group(group: list[_Object]) -> _Object:
    broken = any(each.broken for each in group)
    values = [each.value for each in group]
    state = None if broken else state_from(values[0] if len(values) == 1 else values)
    return _Object(group[0].start, group[0].bracket, group[-1].end, state, broken)
