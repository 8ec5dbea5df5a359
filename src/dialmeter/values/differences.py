"""Known kinds of differences between two spellings of one value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping

from .steps import clock_time

_PUNCTUATION = re.compile(r"(?<!\d)[^\w\s]|[^\w\s](?!\d)")
_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S)")
_PLURAL = re.compile(r"(?<=[^\W\d]{2})s\b")
_SAID = {"true": "yes", "free": "yes", "false": "no"}
_DIGITS = {
    word: str(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
_NUMBER_WORD = re.compile(rf"\b({'|'.join(_DIGITS)})\b")


def _without_accents(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


KINDS: Mapping[str, Callable[[str], str]] = {
    "capitals": str.lower,
    "time form": clock_time,
    "yes or true": lambda text: _SAID.get(text, text),
    "number words": lambda text: _NUMBER_WORD.sub(lambda word: _DIGITS[word[0]], text),
    "accents": _without_accents,
    "article": lambda text: _ARTICLE.sub("", text, count=1) if _ARTICLE.match(text) else text,
    "punctuation": lambda text: _PUNCTUATION.sub("", text.replace("_", " ")),
    "plural": lambda text: _PLURAL.sub("", text),
    "blanks": lambda text: "".join(text.split()),
}
"""What each kind takes away, in the order in which all of them are applied."""


def difference(one: str, other: str) -> str:
    """The kind of difference between two spellings of a value; nothing where they are two values.

    Example:
        >>> [difference(*pair) for pair in (("17:00", "17 : 00"), ("17:15", "5:15 pm"), ("yes", "true"), ("2", "two"))]
        ['time form', 'time form', 'yes or true', 'number words']
        >>> difference("guesthouse", "Guest house"), difference("café", "the cafe"), difference("centre", "east")
        ('spelling', 'spelling', '')
        >>> difference("saint john's", "saint johns"), difference("1.5", "15")
        ('punctuation', '')
    """
    for kind, step in KINDS.items():
        if step(one) == step(other):
            return kind
    for step in KINDS.values():
        one, other = step(one), step(other)
    return "spelling" if one == other else ""
