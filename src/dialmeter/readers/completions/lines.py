"""States in plain lines: bullets, tables, YAML-like blocks, calls, queries, and phrases for an empty state."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...model import State
from .pairs import (
    NO_DOMAIN,
    PART_WORDS,
    REMARK_WORDS,
    STATE_WORDS,
    NotAState,
    Pair,
    key_word,
    pair_in,
    slot_of,
    state_of_pairs,
    value_of,
)

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
