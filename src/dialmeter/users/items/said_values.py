"""Values that can be checked in user messages: ids, addresses, dates, places, amounts of money, and words that tools take.

A value can be recognised without understanding the sentence. Other claims of a user are not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...model import Trajectory
from ..text.numbers import MONTHS
from .goal_items import kind_of_value, leaves

_MONTH = "|".join(MONTHS)
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,20}){1,4}")),
    ("user id", re.compile(r"(?<![\w@])[a-z]{2,30}_[a-z]{2,30}_\d{3,6}(?![\w@])")),
    ("payment id", re.compile(r"(?<!\w)(?:credit_card|gift_card|certificate|paypal)_\d{3,9}(?!\w)")),
    ("order id", re.compile(r"#w\d{5,9}(?!\w)")),
    ("reservation id", re.compile(r"(?<![\w@#])(?=[a-z]{0,5}\d)(?=\d{0,5}[a-z])(?![a-z]{3}\d{3})[a-z0-9]{6}(?![\w@])")),
    ("date", re.compile(rf"(?<!\w)(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\w|:)")),
    ("date", re.compile(rf"(?<!\w)\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})(?!\w)")),
    ("date", re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])")),
    (
        "day",
        re.compile(
            r"\bthe\s+\d{1,2}(?:st|nd|rd|th)(?!\s+\w*(?:option|flight|one|passenger|leg|item|choice|time|order|bag))\b"
        ),
    ),
    ("amount", re.compile(r"\$\s?\d[\d,]{0,12}(?:\.\d\d)?")),
    ("number", re.compile(r"(?<![\w$#.:/-])\d{5,12}(?!\w|[.,:/-]\d)")),
)
_NUMBER = re.compile(r"\d+")
_SHORT = {"san francisco": ("sf",), "new york": ("ny", "nyc"), "los angeles": ("la",), "washington": ("dc",)}
"""Short names of cities."""
_MIN_VALUES, _MAX_VALUES = 2, 30
"""Smallest and largest number of values in a log of a slot that counts as a list of words, such as cabins."""


class SaidValue(NamedTuple):
    """A value in a text: its kind, its words, and a key that is equal for forms of the same value."""

    kind: str
    words: str
    key: str


def said_values(text: str, places: Mapping[str, str]) -> Iterator[SaidValue]:
    """Yield the values of a text.

    Args:
        text: the text, in any letter case.
        places: airport code → city.

    Example:
        >>> [tuple(each) for each in said_values("I am mia_li_3668 and fly to Seattle on May 20th.", {"SEA": "Seattle"})]
        [('user id', 'mia_li_3668', 'mia_li_3668'), ('date', 'may 20th', '5-20'), ('place', 'seattle', 'SEA')]
    """
    lower = text.lower()
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(lower):
            if key := _key(kind, match[0]):
                yield SaidValue(kind, match[0], key)
    for code, city in places.items():
        for form in (code.lower(), city.lower(), *_SHORT.get(city.lower(), ())):
            # Codes such as MSP must be in capitals. A city may have any letter case.
            target, haystack = (code, text) if form == code.lower() else (form, lower)
            if re.search(rf"(?<!\w){re.escape(target)}(?!\w)", haystack):
                yield SaidValue("place", form, code)
                break


def _key(kind: str, words: str) -> str:
    """Return the key of a value, or an empty string if the words are not a valid value."""
    if kind in ("date", "day"):
        numbers = [int(number) for number in _NUMBER.findall(words)]
        if kind == "day":
            return f"day {numbers[0]}" if 1 <= numbers[0] <= 31 else ""
        if len(numbers) == 3:
            return f"{numbers[1]}-{numbers[2]}"
        month = next(number for number, name in enumerate(MONTHS, 1) if name in words)
        return f"{month}-{numbers[0]}" if 1 <= numbers[0] <= 31 else ""
    if kind in ("amount", "number"):
        return words.strip("$ ").replace(",", "").removesuffix(".00")
    return words


def same_key(one: SaidValue, other: SaidValue) -> bool:
    """Return True if two values agree. A day agrees with every date with this day, an amount with every equal number.

    Example:
        >>> same_key(SaidValue("day", "the 5th", "day 5"), SaidValue("date", "may 5", "5-5"))
        True
    """
    if "day" in (one.kind, other.kind) and one.kind != other.kind:
        day, date = (one, other) if one.kind == "day" else (other, one)
        return date.kind == "date" and date.key.partition("-")[2] == day.key.partition(" ")[2]
    return one.key == other.key


def next_day(one: SaidValue, other: SaidValue) -> bool:
    """Return True if two values are dates of one month that are one day apart.

    Example:
        >>> next_day(SaidValue("date", "may 24", "5-24"), SaidValue("date", "may 23", "5-23"))
        True
    """
    if one.kind != "date" or other.kind != "date":
        return False
    (month, day), (other_month, other_day) = (map(int, each.key.split("-")) for each in (one, other))
    return month == other_month and abs(day - other_day) == 1


def slot_words(trajectories: Iterable[Trajectory], places: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return path in a call → words, for arguments whose values in a log are words of a short list, such as the cabin.

    Example:
        >>> from dialmeter.model import ExpectedAction, TaskGoal
        >>> goals = [TaskGoal(actions=(ExpectedAction("book", {"cabin": cabin}),)) for cabin in ("economy", "business")]
        >>> {slot: sorted(words) for slot, words in slot_words([Trajectory(id="", task="", goal=goal) for goal in goals], {}).items()}
        {'book.cabin': ['business', 'economy']}
    """
    words: dict[str, set[str]] = {}
    for trajectory in trajectories:
        calls = [call for step in trajectory.steps for call in step.calls]
        expected = trajectory.goal.actions if trajectory.goal else ()
        for name, arguments in ((each.name, each.arguments) for group in (expected, calls) for each in group):
            for path, value in leaves(name, arguments):
                if isinstance(value, str) and kind_of_value(path, value, places) == "text" and len(value) < 30:
                    words.setdefault(path, set()).add(value.lower().replace("_", " "))
    return {path: frozenset(values) for path, values in words.items() if _MIN_VALUES <= len(values) <= _MAX_VALUES}
