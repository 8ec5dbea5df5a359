"""Single pairs of slot and value in completions, and states in plain lines: bullets, tables, YAML-like blocks, calls, queries.

Also finds phrases for an empty state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias

from ...model import DELETED, State, Value
from ..parts import value_text

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


def state_of_pairs(pairs: Iterable[Pair]) -> State:
    """Make a state of pairs.

    Raises:
        NotAState: a slot with two values, or an invalid pair.
    """
    state: dict[str, Value] = {}
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


def value_of(thing: Any) -> Value | None:
    """Convert a value in a parsed object to a slot value.

    Example:
        >>> value_of(True), value_of(4), value_of(["6 pm", "18:00"]), value_of("Not mentioned"), value_of("[delete]")
        ('yes', '4', ('6 pm', '18:00'), None, '[DELETE]')
    """
    if isinstance(thing, str):
        return _text_value(thing)
    if isinstance(thing, int | float):
        return value_text(thing)
    if isinstance(thing, list):
        values = [value for each in thing if (value := value_of(each)) is not None]
        if not all(isinstance(value, str) for value in values):
            raise NotAState
        texts = tuple(str(value) for value in values)
        return texts if len(texts) > 1 or "|" in "".join(texts) else next(iter(texts), None)
    if thing is None:
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
