"""Reimplementation of ``partial_ratio`` and ``token_sort_ratio`` of fuzzywuzzy 0.18.

fuzzywuzzy uses python-Levenshtein if it is installed, otherwise difflib, and the results differ. The functions of the
same names in rapidfuzz have other definitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import Match, SequenceMatcher
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rapidfuzz.distance import MatchingBlock

Backend = Literal["levenshtein", "difflib"]

_LATIN_1 = re.compile("[\x80-\xff]")
_NO_WORD = re.compile(r"\W")


def partial(one: str, other: str, backend: Backend = "levenshtein") -> int:
    """Return the similarity of the shorter string and its best match in the longer one, from 0 to 100.

    If both have the same length, the first string counts as the shorter one, so the order of the arguments matters.

    Args:
        one: a string; pass the prediction first.
        other: the string to compare it with.
        backend: the library whose results are reproduced.

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

    Case and punctuation, except the underscore, are ignored. Characters from U+0080 to U+00FF are deleted.

    Args:
        one: a string; with ``difflib`` the order of the arguments matters.
        other: the string to compare it with.
        backend: the library whose results are reproduced.

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


def _matching_blocks(short: str, long: str, backend: Backend) -> Sequence[Match] | Sequence[MatchingBlock]:
    if backend == "difflib":
        return SequenceMatcher(None, short, long).get_matching_blocks()
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.opcodes(short, long).as_matching_blocks()


def _ratio(one: str, other: str, backend: Backend) -> float:
    if backend == "difflib":
        return SequenceMatcher(None, one, other).ratio()
    from rapidfuzz.distance import Indel

    return Indel.normalized_similarity(one, other)
