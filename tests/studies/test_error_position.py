"""TO and NU: the published examples, and general properties."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.studies.bias import TRAITS, mistakes_per_turn, traits_of
from dialmeter.tracking.scoring import score_tracker

MISTAKES = st.lists(st.integers(0, 9), min_size=1, max_size=30)


def test_published_examples(shared: Path) -> None:
    examples = json.loads((shared / "expected" / "tracking.json").read_text("utf-8"))["TO and NU"]
    assert len(examples) > 5
    for example in examples:
        found = traits_of(example["mistakes_per_turn"])
        for name in found.keys() & example.keys():
            assert found[name] == pytest.approx(example[name], abs=5e-7)


def literal(mistakes: list[int]) -> dict[str, float]:
    """Compute the formulas as printed."""
    n, m = len(mistakes), sum(mistakes)
    turns = [turn for turn, count in enumerate(mistakes) for _ in range(count)]
    if not m:
        return dict.fromkeys(TRAITS, 0.0)
    return {
        "TO": (sum(turns) / m - (n - 1) / 2) / n,
        "NU": sum(abs(count - m / n) for count in mistakes) / (m / n),
        "TO1": sum(turn - (n - 1) / 2 for turn in turns) / n,
        "NU1": sum((count - m / n) ** 2 for count in mistakes),
    }


@given(MISTAKES)
def test_as_printed(mistakes: list[int]) -> None:
    assert traits_of(mistakes) == pytest.approx(literal(mistakes), abs=1e-9)


@given(MISTAKES)
def test_turned_round(mistakes: list[int]) -> None:
    found, turned = traits_of(mistakes), traits_of(mistakes[::-1])
    assert (turned["TO"], turned["TO1"]) == (-found["TO"], -found["TO1"])
    assert (turned["NU"], turned["NU1"]) == (found["NU"], found["NU1"])


@given(MISTAKES, st.randoms(use_true_random=False))
def test_uniformity_does_not_know_the_order(mistakes: list[int], chance: object) -> None:
    mixed = sorted(mistakes, key=lambda _: chance.random())  # type: ignore[attr-defined]
    assert traits_of(mixed)["NU"] == traits_of(mistakes)["NU"]
    assert traits_of(mixed)["NU1"] == traits_of(mistakes)["NU1"]


@given(MISTAKES, st.integers(2, 5))
def test_twice_as_many_everywhere(mistakes: list[int], times: int) -> None:
    found, more = traits_of(mistakes), traits_of([times * count for count in mistakes])
    assert more["TO"] == pytest.approx(found["TO"])
    assert more["NU"] == pytest.approx(found["NU"])
    assert more["TO1"] == pytest.approx(times * found["TO1"])
    assert more["NU1"] == pytest.approx(times**2 * found["NU1"])


@given(MISTAKES)
def test_range(mistakes: list[int]) -> None:
    found, n = traits_of(mistakes), len(mistakes)
    assert abs(found["TO"]) < 0.5
    assert 0 <= found["NU"] <= 2 * (n - 1)
    assert found["NU1"] >= 0


def test_later_is_higher() -> None:
    rising = [traits_of([int(turn == at) for turn in range(6)]) for at in range(6)]
    assert all(one["TO"] < other["TO"] for one, other in pairwise(rising))
    assert {each["NU"] for each in rising} == {10.0}


def test_nothing_gives_nothing() -> None:
    assert set(traits_of([]).values()) == set(traits_of([0]).values()) == {0.0}


def test_mistakes_are_missed_wrong_and_over() -> None:
    gold = [{"a-b": "1"}, {"a-b": "1", "a-c": "2"}, {"a-b": "1", "a-c": "2"}, {"a-b": "1", "a-c": "2"}]
    pred = [{}, {"a-c": "3"}, {"a-c": "3"}, {"a-c": "3", "a-d": "4", "a-e": "5"}]
    result = score_tracker({"d": gold}, {"d": pred}, ["JGA"])
    assert mistakes_per_turn(result.measure_columns.main) == [(1, 1, 0, 2)]
