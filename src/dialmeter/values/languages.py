"""Spellings of dontcare, of absent values and of numbers in other languages than English, and which languages gold asks for.

``languages.json`` holds the words. They are used only if values of gold are in their language, so English files do not change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from .steps import nfkc

DONTCARE, ABSENT = "dontcare", "none"
AUTO, NEVER = "auto", "none"


class LanguageWords(Struct, frozen=True, forbid_unknown_fields=True):
    """The words of a language, as in ``languages.json``. They are compared after NFKC and in lower case.

    Attributes:
        dontcare: words for "I do not care", "it does not matter", "no preference"; none for "any", as in the English list.
        absent: words for "not mentioned" and "unknown"; none for "none", which also say that a hotel has no parking.
        letters: the letters by which a value of gold shows the language, as the first and the last of each range.
        marks: for Latin letters, words that are not English; a value of gold that is one of them, or of the words above,
            shows the language.
        numbers: words for numbers, from ``first`` on. Han numbers are computed.
        digits: the digits 0 to 9, if they are not those of NFKC.
    """

    name: str
    dontcare: tuple[str, ...]
    absent: tuple[str, ...]
    letters: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    first: int = 0
    digits: str = ""


class Spelling(NamedTuple):
    """What a word means (``dontcare``, ``none`` or a number), and the codes of its languages."""

    meaning: str
    languages: frozenset[str]


@cache
def languages() -> dict[str, LanguageWords]:
    """The languages by code.

    Example:
        >>> " ".join(languages())
        'zh ja ko de fr es it ru ar hi'
    """
    return msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=dict[str, LanguageWords])


def plain(text: str) -> str:
    """Normalise a word or value for a lookup, as the default rule set does."""
    return nfkc(text).strip().lower()


@cache
def _spellings() -> dict[str, Spelling]:
    found: dict[str, Spelling] = {}
    for code, each in languages().items():
        numbers = {word: str(number) for number, word in enumerate(each.numbers, each.first)}
        for word, meaning in (
            dict.fromkeys(each.dontcare, DONTCARE) | dict.fromkeys(each.absent, ABSENT) | numbers
        ).items():
            _, known = found.get(plain(word), (meaning, frozenset[str]()))
            found[plain(word)] = Spelling(meaning, known | {code})
    return found


@cache
def _digits() -> tuple[re.Pattern[str], dict[int, str]]:
    table = {ord(sign): str(value) for each in languages().values() for value, sign in enumerate(each.digits)}
    return re.compile(f"[{''.join(map(chr, table))}]"), table


_HAN = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_HAN_NUMBER = "(?:[一二两兩三四五六七八九]千)?(?:零?[一二两兩三四五六七八九]百)?(?:零?[一二三四五六七八九]?十[一二三四五六七八九]?|零[一二三四五六七八九])?"
"""Without 一百五, which people read as 150."""


def han_number(text: str) -> str:
    """Convert a number below 10,000 in Han digits; an empty string for another text.

    Example:
        >>> [han_number(text) for text in ("三", "十二", "二十", "一百零五", "两千", "二〇二六", "三人", "一百五")]
        ['3', '12', '20', '105', '2000', '2026', '', '']
    """
    if not text or not all(sign in _HAN or sign in _HAN_UNITS for sign in text):
        return ""
    if all(sign in _HAN for sign in text):
        return "".join(str(_HAN[sign]) for sign in text)
    if not re.fullmatch(_HAN_NUMBER, text):
        return ""
    total, digit = 0, 0
    for sign in text:
        if sign in _HAN_UNITS:
            total, digit = total + (digit or 1) * _HAN_UNITS[sign], 0
        else:
            digit = _HAN[sign]
    return str(total + digit)


def spelling(text: str) -> Spelling | None:
    """Return what a value means that is in lower case and in NFKC; None for a value that is no known word.

    Example:
        >>> spelling("不在乎").meaning, spelling("三").meaning, spelling("١٨:٣٠").meaning, spelling("east")
        ('dontcare', '3', '18:30', None)
    """
    known = _spellings().get(text)
    if known is not None or text.isascii():
        return known
    if number := han_number(text):
        return Spelling(number, frozenset({"zh", "ja"}))
    signs, table = _digits()
    if (sign := signs.search(text)) is None:
        return None
    own = frozenset(code for code, each in languages().items() if sign[0] in each.digits)
    return Spelling(text.translate(table), own)


@cache
def _marks() -> dict[str, set[str]]:
    words: dict[str, set[str]] = {}
    for code, each in languages().items():
        for word in () if each.letters else (*each.marks, *each.dontcare, *each.absent):
            words.setdefault(plain(word), set()).add(code)
    return words


@cache
def _languages_of_letter(letter: str) -> frozenset[str]:
    ranges = ((code, ends) for code, each in languages().items() for ends in each.letters)
    return frozenset(code for code, ends in ranges if ends[0] <= letter <= ends[1])


def languages_of(texts: Iterable[str]) -> set[str]:
    """Return the languages that values show: by their letters, or because they are words of the language.

    Example:
        >>> sorted(languages_of(["豪华型", "Montag", "café", "egal"])), languages_of(["east", "18:30", "dontcare"])
        (['de', 'zh'], set())
    """
    words = _marks()
    found: set[str] = set()
    for text in texts:
        value = plain(text)
        found |= words.get(value, set())
        if not value.isascii():
            found = found.union(*map(_languages_of_letter, value))
    return found


def parse_languages(text: str) -> frozenset[str]:
    """Parse codes that are joined by a plus sign.

    Raises:
        ValueError: a code is unknown.
    """
    codes = frozenset(text.replace(",", "+").split("+"))
    if unknown := sorted(codes - languages().keys()):
        raise ValueError(f"unknown language {unknown[0]!r}; use auto, none, or {', '.join(languages())}, joined by +")
    return codes


Allows = Callable[[Collection[str]], bool]
"""Does the file ask for one of these languages?"""


def allows_of(setting: str) -> Allows:
    """Return which languages a setting allows without looking at gold; ``auto`` allows all."""
    if setting == AUTO:
        return lambda codes: True
    chosen = parse_languages(setting)
    return lambda codes: not chosen.isdisjoint(codes)
