"""Words of a text, known phrases in it, and times, dates and numbers as people say them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

WORD = re.compile(r"[\w&]+(?:[:'’.][\w&]+)*")
_MAX_WORDS = 8


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case.

    Example:
        >>> words_of("Wi-Fi at St. John's, 17:30")
        ['wi', 'fi', 'at', 'st', "john's", '17:30']
    """
    return WORD.findall(text.lower())


def phrase(text: str) -> str:
    """Return the words of a text in lower case, separated by one blank."""
    return " ".join(words_of(text))


class Phrases:
    """A set of known phrases, with the length of the longest phrase for each first word.

    Args:
        known: phrases as ``phrase`` returns them.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self.known = frozenset(known)
        self.longest: dict[str, int] = {}
        for each in self.known:
            first, *others = each.split(" ")
            self.longest[first] = max(self.longest.get(first, 0), 1 + len(others))


def phrases_in(words: Sequence[str], *lists: Phrases) -> Iterator[tuple[int, int, str]]:
    """Yield the known phrases from left to right, the longest at each position: start, end, and the phrase.

    Example:
        >>> list(phrases_in(["a", "place", "to", "stay"], Phrases({"place", "place to stay"})))
        [(1, 4, 'place to stay')]
    """
    start = 0
    while start < len(words):
        longest = max([each.longest.get(words[start], 0) for each in lists])
        for length in range(min(longest, _MAX_WORDS, len(words) - start), 0, -1):
            form = " ".join(words[start : start + length])
            if any(form in each.known for each in lists):
                yield start, start + length, form
                start += length
                break
        else:
            start += 1


def domain_phrases(words: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return phrase → domain, in singular and plural, from the words of a profile for its domains."""
    return {phrase(word) + end: domain for domain, listed in words.items() for word in listed for end in ("", "s")}


UP_TO_TEN = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_NUMBER_WORDS = (*UP_TO_TEN, "eleven", "twelve", "thirteen", "fourteen", "fifteen")
_HOUR = r"(?P<{0}hour>\d{{1,2}}|" + "|".join(_NUMBER_WORDS[1:13]) + ")"
_PART = r"(?:in the |at )?(?P<{0}part>morning|afternoon|evening|(?<=at )night|a\.?m\b\.?|p\.?m\b\.?)"
_TIME = re.compile(
    "|".join(
        [
            rf"\b{_PART.format('e')} {_HOUR.format('e')}[:.](?P<eminute>\d\d)\b",
            rf"\b(?P<hhalf>half past|quarter past|quarter to) {_HOUR.format('h')}(?: {_PART.format('h')})?\b",
            rf"\b{_HOUR.format('c')}:(?P<cminute>\d\d)(?: ?{_PART.format('c')})?",
            rf"\b{_HOUR.format('d')} ?(?:o'?clock ?)?{_PART.format('d')}",
            rf"\b{_HOUR.format('o')} ?o'?clock\b",
            r"\b(?P<nnoon>noon|midday|midnight)\b",
        ]
    )
)
_PAST = {"half past": 30, "quarter past": 15, "quarter to": -15}
_NUMBER = re.compile(
    rf"(?<![\w:.£$-])(?:\d{{1,3}}|{'|'.join(_NUMBER_WORDS)})(?![\w:]|\.\d| ?[ap]\.?m\b| way\b| of (?:the|those|them)\b)"
)


def times(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the times in a lower-case text: start, end, and the time as HH:MM.

    Example:
        >>> [time for _, _, time in times("at half past 11 in the morning, 5:15 pm, 7 in the evening or noon")]
        ['11:30', '17:15', '19:00', '12:00']
    """
    for match in _TIME.finditer(text):
        parts = {name[1:]: value for name, value in match.groupdict().items() if value is not None}
        if "noon" in parts:
            yield *match.span(), "00:00" if parts["noon"] == "midnight" else "12:00"
            continue
        hour = _parse_number(parts["hour"])
        minute = int(parts.get("minute", 0)) + _PAST.get(parts.get("half", ""), 0)
        part = parts.get("part", "").replace(".", "")
        if part in ("afternoon", "evening", "night", "pm") and hour < 12:
            hour += 12
        elif part in ("morning", "am") and hour == 12:
            hour = 0
        total = hour * 60 + minute
        if 0 <= total < 24 * 60 and int(parts.get("minute", 0)) < 60:
            yield *match.span(), f"{total // 60:02}:{total % 60:02}"


def numbers(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the whole numbers in a lower-case text: start, end, and the number in digits.

    Example:
        >>> list(numbers("two tickets, not 17:30"))
        [(0, 3, '2')]
    """
    for match in _NUMBER.finditer(text):
        yield *match.span(), str(_parse_number(match[0]))


def forms_of_date(value: str) -> list[str]:
    """Return the spoken forms of a date, or an empty list if the value is not a date.

    Example:
        >>> forms_of_date("2019-03-05")[:3]
        ['march 5th', 'march 5', '5th of march']
    """
    parts = value.split("-")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts) or not 1 <= int(parts[1]) <= 12:
        return []
    month, day = MONTHS[int(parts[1]) - 1], int(parts[2])
    ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return [
        form
        for name in (month, month[:3])
        for form in (f"{name} {day}{ending}", f"{name} {day}", f"{day}{ending} of {name}", f"{day}{ending} {name}")
    ] + [f"the {day}{ending}"]


def _parse_number(word: str) -> int:
    return _NUMBER_WORDS.index(word) if word in _NUMBER_WORDS else int(word)
