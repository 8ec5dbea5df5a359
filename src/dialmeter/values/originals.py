"""Values as in other scorers: the normalisation of MultiWOZ_Evaluation with its bugs, and the similarity of fuzzywuzzy 0.18.

fuzzywuzzy uses python-Levenshtein if it is installed, otherwise difflib, and the results differ. The functions of the
same names in rapidfuzz have other definitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

_TIME_SLOTS = frozenset({"arrive", "leave", "time"})


def normalise_value(slot: str, value: str) -> str:
    """Normalise a value as MultiWOZ_Evaluation does.

    The slot has its name in that scorer, without its domain: ``arrive`` and ``leave``, not ``arriveby`` and ``leaveat``.

    Example:
        >>> normalise_value("name", "Nando's "), normalise_value("food", "brazilian"), normalise_value("parking", "free")
        ('nandos', 'portuguese', 'yes')
        >>> normalise_value("leave", "12:30 pm"), normalise_value("leave", "by17:15"), normalise_value("booktime", "5 pm")
        ('24:30', '07:15', '5 pm')
    """
    match slot:
        case "name" | "destination" | "departure":
            text = value.strip().lower().replace(" & ", " and ").replace("&", " and ").replace(" '", "'")
            return _tables()["name"].get(text, text)
        case "type":
            return _tables()["type"].get(value, value)
        case "food":
            text = value.strip().lower()
            return _tables()["food"].get(text, text)
        case "parking" | "internet":
            return "yes" if value == "free" else value
    return _time(value)[0] if slot in _TIME_SLOTS else value


def fails_in_original(slot: str, value: str) -> bool:
    """Return True if MultiWOZ_Evaluation raises an error for this value.

    The original gives no result for such a value; `normalise_value` skips the step that fails.

    Example:
        >>> fails_in_original("leave", "at 2:04 pm"), fails_in_original("leave", "2:04 pm")
        (True, False)
        >>> normalise_value("leave", "at 2:04 pm")
        'at2:04'
    """
    return slot in _TIME_SLOTS and _time(value)[1]


@cache
def _tables() -> dict[str, dict[str, str]]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("mwzeval.toml").read_text("utf-8"))


def _time(value: str) -> tuple[str, bool]:
    """Return the normalised time, and True if the original raises an error."""
    tables = _tables()
    text = value.strip().lower()
    if text in tables["time"]:
        return tables["time"][text], False
    for prefix, time in tables["time_prefix"].items():
        if text.startswith(prefix):
            return time, False
    if text.startswith("by"):
        text = text[3:]  # the word and usually a blank
    for word in ("after", "afer"):
        if text.startswith(word):
            text = text[len(word) :].strip()
    fails = False
    is_afternoon = False
    for ending in ("am", "a.m.", "pm", "p.m."):
        if text.endswith(ending):
            text = text[: -len(ending)].strip()
            is_afternoon = is_afternoon or ending.startswith("p")
    if is_afternoon:
        hour, *rest = text.split(":")
        if len(rest) == 1 or (not rest and hour.isdigit()):
            try:
                return f"{int(hour) + 12}:{rest[0] if rest else '00'}", False
            except ValueError:
                fails = True
    if not text:
        return "00:00", fails
    if text[-1] in ".,?":
        text = text[:-1]
    if text.isdigit():
        return (f"{text[:2]}:{text[2:]}" if len(text) == 4 else f"{text.zfill(2)}:00"), fails
    if ":" in text:
        text = text.replace(" ", "")
    if len(text) == 4 and text[1] == ":":
        hour, minute = text.split(":")[:2]
        text = f"{hour.zfill(2)}:{minute}"
    return text, fails


if TYPE_CHECKING:
    from difflib import Match, SequenceMatcher

    from rapidfuzz.distance import MatchingBlock

Backend = Literal["levenshtein", "difflib"]

_LATIN_1 = re.compile("[\x80-\xff]")
_NO_WORD = re.compile(r"\W")


def partial(one: str, other: str, backend: Backend = "levenshtein") -> int:
    """Return the similarity of the shorter string and its best match in the longer one, from 0 to 100.

    If both have the same length, the first string counts as the shorter one, so the order matters: pass the prediction first.
    The backend is the library whose results are reproduced.

    Example:
        >>> partial("1", "11:15"), partial("belfry", "the cambridge belfry"), partial("cafe", "café")
        (100, 100, 75)
        >>> partial("cheap", "")
        0
    """
    if one == other:
        return 100
    if not one or not other:
        return 0
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    starts = {max(block.b - block.a, 0) for block in _matching_blocks(short, long, backend)}
    # fuzzywuzzy replaces ratios over 0.995 by 1. Rounding has the same effect.
    return round(100 * max(_ratio(short, long[start : start + len(short)], backend) for start in starts))


def token_sort(one: str, other: str, backend: Backend = "levenshtein") -> int:
    """Return the similarity of two strings after sorting their words, from 0 to 100.

    Case and punctuation, except the underscore, are ignored. Characters from U+0080 to U+00FF are deleted. With ``difflib`` the
    order of the strings matters.

    Example:
        >>> token_sort("Bird Dog", "dog, bird"), token_sort("café", "cafe"), token_sort("a_b", "a b")
        (100, 86, 67)
    """
    one, other = _sorted_words(one), _sorted_words(other)
    if one == other:
        return 100
    if not one or not other:
        return 0
    return round(100 * _ratio(one, other, backend))


def similarity(name: str, backend: Backend = "levenshtein") -> Callable[[str, str], float]:
    """Return the similarity function of this name in rule sets: of this module for fuzzywuzzy, else of rapidfuzz.

    Example:
        >>> similarity("fuzzywuzzy-partial")("belfry", "the belfry"), similarity("ratio")("ab", "abc")
        (100, 80.0)
    """
    fuzzywuzzy = {"fuzzywuzzy-partial": partial, "fuzzywuzzy-token-sort": token_sort}.get(name)
    if fuzzywuzzy is not None:
        return lambda one, other: fuzzywuzzy(one, other, backend)
    from rapidfuzz import fuzz

    ratio: Callable[[str, str], float] = getattr(fuzz, name)
    return ratio


def _sorted_words(text: str) -> str:
    return " ".join(sorted(_NO_WORD.sub(" ", _LATIN_1.sub("", text)).lower().split()))


def _sequence_matcher(one: str, other: str) -> SequenceMatcher[str]:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, one, other)


def _matching_blocks(short: str, long: str, backend: Backend) -> Sequence[Match] | Sequence[MatchingBlock]:
    if backend == "difflib":
        return _sequence_matcher(short, long).get_matching_blocks()
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.opcodes(short, long).as_matching_blocks()


def _ratio(one: str, other: str, backend: Backend) -> float:
    if backend == "difflib":
        return _sequence_matcher(one, other).ratio()
    from rapidfuzz.distance import Indel

    return Indel.normalized_similarity(one, other)
