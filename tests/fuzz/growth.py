"""Texts that make a regular expression slow, built from its own parts, and whether its time grows faster than the text."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

SIZES = (200, 800, 3_200)
"""Characters of the texts; one that takes longer than ``QUICK`` seconds is compared with its quarter."""
QUICK = 0.004
TOO_LONG = 0.2
FACTOR = 8.0
"""Four times the text takes four times as long where growth is linear and sixteen times where it is quadratic."""

_CATEGORIES = {
    op.CATEGORY_DIGIT: "1", op.CATEGORY_NOT_DIGIT: "a", op.CATEGORY_SPACE: " ", op.CATEGORY_NOT_SPACE: "a",
    op.CATEGORY_WORD: "a", op.CATEGORY_NOT_WORD: ".",
}  # fmt: skip
_COMMON = (" ", ".", "a", "1", '"', "'", "-", ",", "(", "{", "\n", "a ", "1.", ". ", " a", "a-", "a,", "A1", "a.")
_TAILS = ("\0", "a", "")
_LONGEST = 60


def grows(call: Callable[[str], Any], make: Callable[[int], str]) -> str:
    """Says how the time of a call grows where it grows faster than its text, and is empty otherwise.

    CPU time is taken, the least of three calls where one call looks slow; what takes no time at all passes, so that noise cannot
    fail a test.
    """
    for size in SIZES:
        once = _seconds(call, make(size), 1)
        if once > QUICK and once > FACTOR * _seconds(call, make(size // 4), 1):
            least = [_seconds(call, make(size // part), 3) for part in (4, 2, 1)]
            if least[2] > max(QUICK, FACTOR * least[0]) and (
                least[2] > TOO_LONG or _seconds(call, make(4 * size), 1) > FACTOR * least[2]
            ):
                shown = ", ".join(f"{1000 * each:.2f}" for each in least)
                return f"{shown} ms for {size // 4}, {size // 2}, {size} characters"
    return ""


def _seconds(call: Callable[[str], Any], text: str, times: int) -> float:
    least = float("inf")
    for _ in range(times):
        start = time.process_time()
        call(text)
        least = min(least, time.process_time() - start)
    return least


def caller(pattern: re.Pattern[Any], method: str) -> Callable[[str], Any]:
    """A call of a pattern by one of its methods with one text."""
    encode = isinstance(pattern.pattern, bytes)

    def call(text: str) -> Any:
        given: Any = text.encode() if encode else text
        if method in ("sub", "subn"):
            return getattr(pattern, method)(lambda found: found[0], given)
        return sum(1 for _ in pattern.finditer(given)) if method == "finditer" else getattr(pattern, method)(given)

    return call


def texts(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """Beginnings, units to repeat and ends: what leads to a part of the pattern, that part many times, what cannot match."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    leads = list(dict.fromkeys(["", *(lead[-_LONGEST:] for lead in _leads(tree))]))[:8]
    units = list(dict.fromkeys([*_units(tree), *_COMMON]))[:28]
    for lead in leads:
        for unit in units:
            for tail in _TAILS:
                yield lead, unit, tail


def _leads(tree: Any) -> Iterator[str]:
    """What the pattern matches up to each of its parts, those inside groups and repeats too."""
    lead = ""
    for part in tree:
        for inner in _inside(part):
            yield from (lead + each for each in _leads(inner))
        lead += _example(part)
        yield lead


def _units(tree: Any) -> Iterator[str]:
    """Single characters and short texts that the parts of the pattern match."""
    for part in tree:
        code, given = part
        if code is op.IN:
            yield from dict.fromkeys(_members(given))
        else:
            yield _example(part)[:_LONGEST]
        for inner in _inside(part):
            yield "".join(map(_example, inner))[:_LONGEST]
            yield from _units(inner)


def _inside(part: tuple[Any, Any]) -> list[Any]:
    code, given = part
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return [given[2]]
    if code is op.SUBPATTERN:
        return [given[3]]
    if code is op.BRANCH:
        return list(given[1])
    if code is op.ATOMIC_GROUP:
        return [given]
    return [given[1]] if code in (op.ASSERT, op.ASSERT_NOT) else []


def _example(part: tuple[Any, Any]) -> str:
    """The shortest text that matches, with every repeat at least once."""
    code, given = part
    if code is op.LITERAL:
        return chr(given)
    if code in (op.ANY, op.NOT_LITERAL):
        return "x"
    if code is op.IN:
        return _members(given)[0]
    if code in (op.ASSERT, op.ASSERT_NOT, op.AT, op.GROUPREF, op.GROUPREF_EXISTS):
        return ""
    inner = _inside(part)
    text = "".join(map(_example, inner[0])) if inner else ""
    repeats = given[0] if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT) else 1
    return text * min(max(1, repeats), _LONGEST)


def _members(given: list[tuple[Any, Any]]) -> list[str]:
    """A few characters of a class; of a negated one, a few that it does not name."""
    found = []
    for code, each in given:
        if code is op.LITERAL:
            found.append(chr(each))
        elif code is op.RANGE:
            found.append(chr(each[0]))
        elif code is op.CATEGORY:
            found.append(_CATEGORIES[each])
    if given[0][0] is not op.NEGATE:
        return found[:6]
    return [sign for sign in "a 1.-," if not re.match(r"[\w\s]", sign) or sign not in found][:4] or ["a"]
