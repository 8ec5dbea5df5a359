"""Similarities of fuzzywuzzy: every published pair, and the differences from similar functions."""

from __future__ import annotations

import json

import pytest

from dialmeter.values.originals import Backend, partial, token_sort

from ..shared_data import shared


def test_published_pairs() -> None:
    pairs = json.loads(shared("data", "compat", "units.json").read_text("utf-8"))["fuzzy_pairs"]
    assert pairs
    for pair in pairs:
        one, other = pair["a"], pair["b"]
        expected = pair["partial_ratio"], pair["token_sort_ratio"], pair["token_sort_ratio_difflib"]
        assert (partial(one, other), token_sort(one, other), token_sort(one, other, "difflib")) == expected, pair


@pytest.mark.parametrize("backend", ["levenshtein", "difflib"])
@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("", "", 100),
        ("", "a", 0),
        ("a", "", 0),
        ("a", "b", 0),
        ("1", "11:15", 100),  # any part of a value
        ("11:15", "1", 100),
        ("East", "east", 75),  # letter case counts
        ("abcdexyz", "abcdeuvw", 62),  # 62.5: halves go to the even number
        ("abcxxxxx", "abcuuuuu", 38),  # 37.5
    ],
)
def test_partial(one: str, other: str, expected: int, backend: Backend) -> None:
    assert partial(one, other, backend) == expected


@pytest.mark.parametrize("backend", ["levenshtein", "difflib"])
@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("!!", "?", 100),  # both are empty without punctuation
        ("!!", "a", 0),
        ("Dog, bird!", "bird dog", 100),
        ("café", "caf", 100),  # U+0080 to U+00FF are deleted, not replaced
        ("ca\xa0fe", "cafe", 100),
        ("łdź", "łódź", 100),  # higher characters stay
        ("łdź", "dz", 40),
        ("a_b", "a b", 67),  # the underscore is part of a word
    ],
)
def test_token_sort(one: str, other: str, expected: int, backend: Backend) -> None:
    assert token_sort(one, other, backend) == expected


def test_partial_of_equal_lengths() -> None:
    assert partial(" guet", "guest") == 80
    assert partial("guest", " guet") == 89


def test_backends_differ() -> None:
    assert partial("thai", "la margherita") == 50
    assert partial("thai", "la margherita", "difflib") == 67
    assert token_sort("11:15", "01:00") == token_sort("01:00", "11:15") == 40
    assert token_sort("11:15", "01:00", "difflib") == 20
    assert token_sort("01:00", "11:15", "difflib") == 40
