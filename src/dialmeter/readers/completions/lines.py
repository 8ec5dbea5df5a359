"""States in plain lines: pairs in bullets, tables and YAML-like blocks, simple calls and queries, and the words for none."""

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
_LAYOUT = "-=*_~`|:+# \t"
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
    """Is all that the text says that there is nothing?

    Example:
        >>> says_empty("No slots mentioned yet."), says_empty("east")
        (True, False)
    """
    return len(text) <= 200 and _EMPTY.fullmatch(_words(text)) is not None


def _words(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .!*`\"'()")


def state_in_lines(text: str) -> State | None:
    """The state that lines spell out, or None.

    Lines of prose are passed over. But a line that looks like a pair and cannot be read makes the whole unreadable, and so
    does one like ``area: east`` (no domain, no bullet) among prose, where it may be a remark.

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
            reader.take(line.strip())
        state = reader.state()
    except NotAState:
        return None
    return {} if state is None and not reader.recognised and _ENDS_EMPTY.search(_words(text[-200:])) else state


class _LineReader:
    """Takes line after line; knows under which heading they stand."""

    def __init__(self) -> None:
        self._pairs: list[Pair] = []
        self._domain = ""
        self.recognised = False
        self._prose = False
        self._doubtful = False

    def state(self) -> State | None:
        if not self.recognised or (self._prose and self._doubtful):
            return None
        return state_of_pairs(self._pairs)

    def take(self, line: str) -> None:
        if line.startswith("```") or not line.strip(_LAYOUT):
            return
        bulleted = _BULLET.match(line)
        text = line[bulleted.end() :] if bulleted else line
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
        for read in (_row, _calls, _query, _group):
            found = read(text)
            if found is not None:
                break
        else:
            found = self._listed(text, bool(bulleted))
        if found is not None:
            self._pairs.extend(found)
            self.recognised = True
        elif word in STATE_WORDS:
            raise NotAState
        else:
            self._prose = True

    def _listed(self, text: str, bulleted: bool) -> list[Pair] | None:
        """One pair or several in a line, or None if it is prose."""
        if text[:1] == "[" and text[-1:] == "]":
            text = text[1:-1]
        pairs = [pair_in(piece) for piece in _pieces(text)]
        kept = [(slot_of(slot, "" if "-" in slot else self._domain), value) for slot, value in filter(None, pairs)]
        if not kept:
            return None if text else []
        if len(kept) < len(pairs):
            raise NotAState
        spelled_out = "=" in text or (":" in text and all("-" in slot for slot, _ in kept))
        self._doubtful |= not (bulleted or spelled_out)
        return kept


def _pieces(text: str) -> list[str]:
    pieces = _NEXT_PAIR.split(text)
    if len(pieces) > 1 or ":" in text or "=" in text:
        return pieces
    glued = [piece for piece in re.split(r"[,;|]", text) if piece.strip()]
    return glued if all(piece.count("-") > 1 for piece in glued) else pieces


def _row(text: str) -> list[Pair] | None:
    """A row of a Markdown table with two columns or three."""
    if not (text.startswith("|") and text.endswith("|")):
        return None
    cells = [cell.strip("*` ") for cell in text[1:-1].split("|")]
    if len(cells) not in (2, 3):
        raise NotAState
    if all(key_word(cell) in _CELL_NAMES for cell in cells):
        return []
    return [(slot_of(cells[-2], cells[0] if len(cells) == 3 else ""), value_of(cells[-1]))]


def _calls(text: str) -> list[Pair] | None:
    """``hotel(area=east, stars=4)``, one or more in a line."""
    calls = _CALL.findall(text) if "(" in text else None
    if not calls or _CALL.sub("", text).strip(" ,;`"):
        return None
    return [pair for name, arguments in calls for pair in _of_domain(name, _NEXT_PAIR.split(arguments))]


def _query(text: str) -> list[Pair] | None:
    """``SELECT * FROM hotel WHERE area = 'east' AND stars = 4``"""
    text = text.strip("` ;")
    if text[:7].lower() != "select ":
        return None
    query = _QUERY.fullmatch(text)
    if not query:
        raise NotAState
    return list(_of_domain(query[1], _AND.split(query[2] or "")))


def _group(text: str) -> list[Pair] | None:
    """``hotel: area=east, stars=4``"""
    group = _DOMAIN_GROUP.fullmatch(text) if ":" in text and "=" in text else None
    if not group:
        return None
    return list(_of_domain(group[1], _NEXT_PAIR.split(group[2])))


def _of_domain(domain: str, pieces: list[str]) -> Iterator[Pair]:
    named = "" if key_word(domain) in NO_DOMAIN else domain
    for piece in pieces:
        if not piece.strip():
            continue
        pair = pair_in(piece, named)
        if pair is None:
            raise NotAState
        yield pair
