"""Normalisation steps for values: for rule sets, for value maps, and to name the difference of two spellings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping

_CLOCK = re.compile(
    r"\s*(?:(\d{1,2})\s*[:.]\s*(\d{2})|(\d{2})(\d{2})|(\d{1,2})(?=\s*[ap]))\s*(?:([ap])\.?\s?m\.?\s*)?",
    re.ASCII | re.IGNORECASE,
)
_PLAIN_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)
_TIDY = re.compile(r"[A-Za-z0-9 ]*(?:\d\d:\d\d)?")
"""Fast path: common values, in which no character needs to be replaced."""
_BLANK_IN_TIME = re.compile(r"(?<!\d)(\d{1,2})\s*:\s*(\d{2})(?!\d)", re.ASCII)
_AROUND_HYPHEN = re.compile(r"(?<=\w)\s*-\s*(?=\w)")
_BEFORE_APOSTROPHE = re.compile(r"(?<=\w)\s+'\s*(?=\w)")
_WHOLE_NUMBER = re.compile(r"\s*\d+\.0", re.ASCII)
_ARTICLE = re.compile(r"\s*the\s+(?=\S)", re.IGNORECASE)
_ANY_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S)")
_PUNCTUATION = re.compile(r"(?<!\d)[^\w\s]|[^\w\s](?!\d)")
_PLURAL = re.compile(r"(?<=[^\W\d]{2})s\b")
_BLANKS = re.compile(r"\s+")
_YES_NO = {"true": "yes", "free": "yes", "false": "no"}
_DIGITS = {
    word: str(number)
    for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine"), 1)
}
_NUMBERS = {"zero": "0", **_DIGITS, "ten": "10", "eleven": "11", "twelve": "12"}
_NUMBER = re.compile(rf"\b({'|'.join(_NUMBERS)})\b")
_DIGIT = re.compile(rf"\b({'|'.join(_DIGITS)})\b")


def clock_time(text: str) -> str:
    """Convert a clock time to HH:MM. A text that is not clearly a clock time is returned unchanged.

    Example:
        >>> [clock_time(text) for text in ("5:15 pm", "12:15 a.m.", "17 : 00", "1715", "17.15", "5pm", "9:05")]
        ['17:15', '00:15', '17:00', '17:15', '17:15', '17:00', '09:05']
        >>> [clock_time(text) for text in ("24:30", "9:5", "929", "17", "after 13:45", "morning")]
        ['24:30', '9:5', '929', '17', 'after 13:45', 'morning']
    """
    match = _CLOCK.fullmatch(text)
    if match is None:
        return text
    hour, minute = int(match[1] or match[3] or match[5]), int(match[2] or match[4] or 0)
    half_day = (match[6] or "").lower()
    if minute > 59 or hour > 23 or (half_day == "a" and hour > 12) or (half_day == "p" and hour == 0):
        return text
    if half_day and hour <= 12:
        hour = hour % 12 + (12 if half_day == "p" else 0)
    return f"{hour:02}:{minute:02}"


def without_article(text: str) -> str:
    """Remove a leading "the".

    Example:
        >>> without_article("the junction"), without_article("theatre"), without_article("the")
        ('junction', 'theatre', 'the')
    """
    match = _ARTICLE.match(text)
    return text[match.end() :] if match else text


def tidy(text: str) -> str:
    """Normalise the characters of a value: Unicode NFC, plain quotes and dashes, and no blanks added by tokenisers.

    Blanks inside times, around hyphens and before apostrophes are removed. ``4.0`` becomes ``4``.

    Example:
        >>> [tidy(text) for text in ("18 : 00", "king 's", "don\u2019t care", "guest - house", "4.0", "johns' college")]
        ['18:00', "king's", "don't care", 'guest-house', '4', "johns' college"]
    """
    if (text.isascii() and text.replace(" ", "").isalnum()) or _TIDY.fullmatch(text):
        return text
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    text = text.translate(_PLAIN_CHARACTERS)
    text = _BLANK_IN_TIME.sub(r"\1:\2", text)
    text = _AROUND_HYPHEN.sub("-", text)
    text = _BEFORE_APOSTROPHE.sub("'", text)
    return text[:-2] if _WHOLE_NUMBER.fullmatch(text) else text


def nfkc(text: str) -> str:
    """Replace characters by their plain forms (Unicode NFKC): full-width digits and letters, ligatures, superscripts.

    Quotes and dashes become plain first, because NFKC would split an acute accent that stands for an apostrophe.

    Example:
        >>> nfkc("\uff11\uff18\uff1a\uff10\uff10"), nfkc("\ufb01sh"), nfkc("king\u00b4s")
        ('18:00', 'fish', "king's")
    """
    return text if text.isascii() else unicodedata.normalize("NFKC", text.translate(_PLAIN_CHARACTERS))


def _without_accents(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


RULE_STEPS: Mapping[str, Callable[[str], str]] = {
    "nfkc": nfkc,
    "tidy": tidy,
    "trim": str.strip,
    # In printable text the only blank character is the space.
    "blanks": lambda text: text if text.isprintable() and "  " not in text else _BLANKS.sub(" ", text),
    "no-blanks": lambda text: _BLANKS.sub("", text),
    "lower": str.lower,
    "digits": lambda text: _DIGIT.sub(lambda word: _DIGITS[word[0]], text),
    "number-word": lambda text: _DIGITS.get(text, text),
}
"""The steps that a rule set can name."""

MAP_STEPS: Mapping[str, Callable[[str], str]] = {"time": clock_time, "article": without_article}
"""The steps that a value map can name for a slot."""

DIFFERENCES: Mapping[str, Callable[[str], str]] = {
    "capitals": str.lower,
    "time form": clock_time,
    "yes or true": lambda text: _YES_NO.get(text, text),
    "number words": lambda text: _NUMBER.sub(lambda word: _NUMBERS[word[0]], text),
    "accents": _without_accents,
    "article": lambda text: _ANY_ARTICLE.sub("", text, count=1) if _ANY_ARTICLE.match(text) else text,
    "punctuation": lambda text: _PUNCTUATION.sub("", text.replace("_", " ")),
    "plural": lambda text: _PLURAL.sub("", text),
    "blanks": lambda text: "".join(text.split()),
}
"""Kind of difference between two spellings of a value → step that removes it, in order of application."""


def difference(one: str, other: str) -> str:
    """Return the kind of difference between two spellings of a value; an empty string if they are different values.

    Example:
        >>> [difference(*pair) for pair in (("17:00", "17 : 00"), ("17:15", "5:15 pm"), ("yes", "true"), ("2", "two"))]
        ['time form', 'time form', 'yes or true', 'number words']
        >>> difference("guesthouse", "Guest house"), difference("café", "the cafe"), difference("centre", "east")
        ('spelling', 'spelling', '')
        >>> difference("saint john's", "saint johns"), difference("1.5", "15")
        ('punctuation', '')
    """
    for kind, step in DIFFERENCES.items():
        if step(one) == step(other):
            return kind
    for step in DIFFERENCES.values():
        one, other = step(one), step(other)
    return "spelling" if one == other else ""
