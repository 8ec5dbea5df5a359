"""Values that can be checked in what a user says: ids, addresses, dates, places, sums of money, and words that tools take.

A value is what can be recognised without understanding the sentence. Nothing else that a user claims is looked at.
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
_FEWEST, _MOST = 2, 30
"""So many values a slot has in a log whose values are words of a list, as cabins are."""


class SaidValue(NamedTuple):
    """A value in a text: what it is, as it is written, and the form under which two are the same."""

    kind: str
    words: str
    key: str


def said_values(text: str, places: Mapping[str, str]) -> Iterator[SaidValue]:
    """Return the values of a text.

    Args:
        text: in any letter case.
        places: codes of airports with their cities.

    Example:
        >>> [tuple(each) for each in said_values("I am mia_li_3668 and fly to Seattle on May 20th.", {"SEA": "Seattle"})]
        [('user id', 'mia_li_3668', 'mia_li_3668'), ('date', 'may 20th', '5-20'), ('place', 'seattle', 'SEA')]
    """
    lower = text.lower()
    for kind, pattern in _PATTERNS:
        for hit in pattern.finditer(lower):
            if key := _key(kind, hit[0]):
                yield SaidValue(kind, hit[0], key)
    for code, city in places.items():
        for form in (code.lower(), city.lower(), *_SHORT.get(city.lower(), ())):
            # Codes such as MSP are written in capitals; a city may be written in any way.
            whole = text if form == code.lower() else lower
            wanted = code if form == code.lower() else form
            if re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", whole):
                yield SaidValue("place", form, code)
                break


def _key(kind: str, words: str) -> str:
    """What two forms of one value have in common; empty where the words are no such value."""
    if kind in ("date", "day"):
        numbers = [int(number) for number in _NUMBER.findall(words)]
        if kind == "day":
            return f"day {numbers[0]}" if 1 <= numbers[0] <= 31 else ""
        if len(numbers) == 3:
            return f"{numbers[1]}-{numbers[2]}"
        month = next(place for place, name in enumerate(MONTHS, 1) if name in words)
        return f"{month}-{numbers[0]}" if 1 <= numbers[0] <= 31 else ""
    if kind in ("amount", "number"):
        return words.strip("$ ").replace(",", "").removesuffix(".00")
    return words


def same_key(one: SaidValue, other: SaidValue) -> bool:
    """Do two values agree? A day agrees with every date that has it, an amount with every such number.

    Example:
        >>> same_key(SaidValue("day", "the 5th", "day 5"), SaidValue("date", "may 5", "5-5"))
        True
    """
    if "day" in (one.kind, other.kind) and one.kind != other.kind:
        day, date = (one, other) if one.kind == "day" else (other, one)
        return date.kind == "date" and date.key.partition("-")[2] == day.key.partition(" ")[2]
    return one.key == other.key


def next_day(one: SaidValue, other: SaidValue) -> bool:
    """Are these two dates a day apart?

    Example:
        >>> next_day(SaidValue("date", "may 24", "5-24"), SaidValue("date", "may 23", "5-23"))
        True
    """
    if one.kind != "date" or other.kind != "date":
        return False
    (month, day), (other_month, other_day) = (map(int, each.key.split("-")) for each in (one, other))
    return month == other_month and abs(day - other_day) == 1


def slot_words(found: Iterable[Trajectory], places: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Arguments of calls whose values are words of a short list in a log, such as the cabin, each with these words.

    Example:
        >>> from dialmeter.model import ExpectedAction, TaskGoal
        >>> goals = [TaskGoal(actions=(ExpectedAction("book", {"cabin": cabin}),)) for cabin in ("economy", "business")]
        >>> {slot: sorted(words) for slot, words in slot_words([Trajectory(id="", task="", goal=goal) for goal in goals], {}).items()}
        {'cabin': ['business', 'economy']}
    """
    words: dict[str, set[str]] = {}
    for each in found:
        calls = [call for step in each.steps for call in step.calls]
        wanted = [action.arguments for action in each.goal.actions] if each.goal else []
        for arguments in [*wanted, *(call.arguments for call in calls)]:
            for slot, value in leaves("", arguments):
                if isinstance(value, str) and kind_of_value(slot, value, places) == "text" and len(value) < 30:
                    words.setdefault(slot, set()).add(value.lower().replace("_", " "))
    return {slot: frozenset(values) for slot, values in words.items() if _FEWEST <= len(values) <= _MOST}
