"""Numbers of ratings that are written as numbers or as words of a scale."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import Any

from ...errors import InputError, one_line

_NUMBER = re.compile(r"([+-]?\d+(?:[.,]\d+)?)(?:\s*/\s*\d+)?(?:\s*[-–:(.=]\s*[^\d\s].*)?")
_MOST_WORDS = 50
"""The largest number of different words among which the odd one is searched."""
_PASS = frozenset(
    ["pass", "passed", "yes", "true", "correct", "good", "1", "thumbs_up", "thumbs up", "👍", "like", "up"]
)
_FAIL = frozenset(
    ["fail", "failed", "no", "false", "incorrect", "bad", "0", "thumbs_down", "thumbs down", "👎", "dislike", "down"]
)
_SCALES = (
    ("strongly disagree", "disagree", "somewhat disagree|slightly disagree", "neither agree nor disagree|neutral|undecided",
     "somewhat agree|slightly agree", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neither agree nor disagree|neutral|undecided|not sure", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral|neither satisfied nor dissatisfied", "satisfied", "very satisfied"),
    ("very poor|terrible|very bad", "poor|bad", "fair|ok|okay|average|acceptable|neutral", "good", "very good|excellent"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("bad", "poor", "fair", "good", "excellent"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("not at all", "slightly", "moderately|somewhat", "very", "extremely"),
)  # fmt: skip


def rating_of(values: Sequence[Any]) -> list[float] | None:
    """Return the numbers of ratings on one scale; None if one of them is no rating, or the words belong to no scale.

    Pass and fail, yes and no, true and false are 1 and 0. Stars are counted. The words of a scale are numbered from 1; words that are different
    steps of two scales are none. A number may be followed by its meaning.

    Example:
        >>> rating_of(["4", "5 (excellent)", 3]), rating_of(["pass", "fail"]), rating_of(["Agree", "strongly agree"])
        ([4.0, 5.0, 3.0], [1.0, 0.0], [4.0, 5.0])
        >>> rating_of(["poor", "very good", "excellent"]), rating_of(["poor", "excellent"])
        ([1.0, 4.0, 5.0], None)
        >>> rating_of(["partial", "pass"])
    """
    words = [(f"{value:g}" if isinstance(value, float) else str(value)).strip().lower() for value in values]
    if {*words} <= _PASS | _FAIL and not all(word in "10" for word in words):
        return [float(word in _PASS) for word in words]
    if all(word and {*word} <= {*"★⭐☆"} for word in words):
        return [float(len(word.rstrip("☆"))) for word in words]
    readings: list[list[float]] = []
    for scale in _SCALES:
        numbers = {word: float(at) for at, each in enumerate(scale, 1) for word in each.split("|")}
        if {*words} <= numbers.keys() and (
            len(scale) == 5 or any(word.startswith(("somewhat", "slightly")) for word in words)
        ):
            reading = [numbers[word] for word in words]
            if len({*reading}) == len({*words}) and reading not in readings:
                readings.append(reading)
    if readings:
        return readings[0] if len(readings) == 1 else None
    result = []
    for value, word in zip(values, words, strict=True):
        match = _NUMBER.fullmatch(word) if isinstance(value, str) else None
        number = float(match[1].replace(",", ".")) if match else value
        if isinstance(number, bool) or not isinstance(number, int | float) or not isfinite(number):
            return None
        result.append(float(number))
    return result


def make_scale(values: Iterable[tuple[Any, dict[str, Any]]], what: str) -> Callable[[Any], float]:
    """Return a function that gives the number of a single rating of a file.

    Args:
        values: all ratings, each with its place: line and dialogue.
        what: the name of the column or of the quality.

    Raises:
        InputError: the ratings are not of one scale. The error has the place of the first that differs from most.
    """
    first: dict[str, tuple[Any, dict[str, Any]]] = {}
    for value, place in values:
        first.setdefault(str(value), (value, place))
    numbers = rating_of([value for value, _ in first.values()])
    if numbers is None:
        is_number = [isinstance(value, int | float) or rating_of([value, 2]) is not None for value, _ in first.values()]
        most = 2 * sum(is_number) >= len(is_number)
        ranked = zip(first.values(), is_number, strict=True)
        odd = (each for each, number in ranked if number is not most)
        without = (
            each
            for name, each in list(first.items())[:_MOST_WORDS]
            if rating_of([value for other, (value, _) in first.items() if other != name]) is not None
        )
        bad, place = next(odd, None) or next(without, next(iter(first.values())))
        raise InputError(f"{what}: expected ratings of one scale, found {one_line(str(bad), 40)!r}", **place)
    known = dict(zip(first, numbers, strict=True))
    return lambda value: known[str(value)]
