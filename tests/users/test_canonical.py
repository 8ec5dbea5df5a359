"""Tests of canonical values: values of the goal first, then the whole map, above a threshold, otherwise unchanged."""

from __future__ import annotations

from typing import Any

import pytest

from dialmeter.users.canonical import Matcher
from dialmeter.values.maps import ValueMap

VALUES = {
    "area": {
        "centre": ["centre", "center of town", "middle of the city"],
        "north": ["north", "northern part"],
        "special_keys": {"not_in_goal": {"dontcare": ["any area"], "noise": {"x": ["somewhere"]}}, "noise": ["?"]},
    },
    "leaveat": {"train": {"10:15": ["10 15"], "special_keys": {"not_in_goal": {"11:11": ["11 11"]}}}},
    "stay": {"2": ["two nights"], "special_keys": {"not_in_goal": {"hotel": {"6": ["six nights"]}}}},
    "name": {"acorn": ["the acorn house"], "acorns": ["acorn house the"]},
}


def matcher(**how: Any) -> Matcher:
    return Matcher(ValueMap(VALUES), **how)


@pytest.mark.parametrize(
    ("domain", "slot", "value", "canonical"),
    [
        ("hotel", "area", "centre", "centre"),
        ("hotel", "area", "town of center", "centre"),  # words in any order
        ("hotel", "area", "center of towns", "centre"),
        ("hotel", "area", "somewhere", "somewhere"),  # noise is no form
        ("hotel", "area", "any area", "dontcare"),
        ("hotel", "area", "moon", "moon"),
        ("hotel", "stars", "four", "four"),  # a slot that the map does not know
        ("train", "leaveat", "10.15", "10:15"),
        ("train", "leaveat", "11 11", "11:11"),
        ("hotel", "leaveat", "10 15", "10 15"),  # another domain's slot
        ("hotel", "stay", "six nights", "6"),
        ("restaurant", "stay", "six nights", "six nights"),  # listed for hotels only
    ],
)
def test_canonical(domain: str, slot: str, value: str, canonical: str) -> None:
    assert matcher()(domain, slot, value) == canonical


def test_goal_values_first() -> None:
    match = matcher()
    assert match("hotel", "name", "acorn house, the", ("acorns",)) == "acorns"
    assert match("hotel", "name", "acorn house, the", ("acorn",)) == "acorn"
    assert match("hotel", "name", "acorn house, the", ("unknown",)) in ("acorn", "acorns")


def test_unchanged_values() -> None:
    assert matcher(kept={"hotel": ["center of town"]})("hotel", "area", "center of town") == "center of town"
    assert matcher(kept={"hotel": ["center of town"]})("train", "area", "center of town") == "centre"


def test_threshold_and_exactness() -> None:
    assert matcher(threshold=0.99)("hotel", "area", "center of towns") == "center of towns"
    assert matcher(threshold=0.5)("hotel", "area", "northern") == "north"
    exact = matcher(fuzzy=False)
    assert exact("hotel", "area", "center of town") == "centre"
    assert exact("hotel", "area", "center of towns") == "center of towns"
    assert Matcher(None)("hotel", "area", "center of town") == "center of town"


def test_scores_are_whole_percents() -> None:
    from rapidfuzz import fuzz, utils

    values = ValueMap({"x": {"a": ["abcdefghij"]}})
    value = "abcdefghijkl"
    score = fuzz.token_sort_ratio(value, "abcdefghij", processor=utils.default_process)
    assert 90 < score < 91
    assert Matcher(values, threshold=0.91)("d", "x", value) == "a"
    assert Matcher(values, threshold=0.92)("d", "x", value) == value


STEPPED = ValueMap(
    {
        "name": {"junction theatre": ["the junction"], "special_keys": {"steps": ["article"]}},
        "time": {"special_keys": {"steps": ["time"]}},
    }
)


@pytest.mark.parametrize(
    ("slot", "value", "goal_values", "canonical"),
    [
        ("time", "5:15 pm", (), "17:15"),
        ("time", "5:15 pm", ("5.15 pm",), "5.15 pm"),  # the goal's own form is the one that counts
        ("time", "around five", ("17:00",), "around five"),
        ("name", "the junction", (), "junction theatre"),
        ("name", "junction theatre", ("the junction",), "the junction"),
        ("name", "the belfry", ("belfry",), "belfry"),
        ("name", "belfry", ("the belfry",), "the belfry"),
        ("name", "the belfry", (), "belfry"),
        ("name", "the junctions", (), "junction theatre"),
    ],
)
def test_steps_come_before_forms(slot: str, value: str, goal_values: tuple[str, ...], canonical: str) -> None:
    assert Matcher(STEPPED)("hotel", slot, value, goal_values) == canonical


def test_full_cache_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialmeter.users.canonical._CACHE_SIZE", 2)
    match = matcher()
    assert [match("hotel", "area", f"center of town {end}") for end in (".", "!", "?", ",")] == ["centre"] * 4
    assert len(match._cache) <= 2
