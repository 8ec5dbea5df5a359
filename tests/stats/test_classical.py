"""Student, McNemar and Holm against scipy and worked examples."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy import special, stats

from dialmeter.stats.intervals import student_interval, student_p, student_quantile
from dialmeter.stats.significance import EXACT_LIMIT, holm, letter_display, mcnemar_p


def test_student_agrees_with_scipy():
    scores = np.random.default_rng(1).random(30)
    theirs = stats.ttest_1samp(scores, 0)
    limits = theirs.confidence_interval(0.9)
    ours = student_interval(scores, confidence=0.9)
    assert ours.value == pytest.approx(scores.mean())
    assert (ours.low, ours.high) == pytest.approx((limits.low, limits.high))
    assert ours.p == pytest.approx(theirs.pvalue)


DEGREES = (*range(1, 31), 100, 299, 300, 301, 302, 999, 10_000, 65_536, 10**6, 10**9)


@pytest.mark.parametrize("degrees", DEGREES)
def test_student_distribution(degrees):
    for confidence in (0.01, 0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.999999):
        theirs = -special.stdtrit(degrees, (1 - confidence) / 2)
        assert student_quantile(confidence, degrees) == pytest.approx(theirs, rel=1e-12)
    for t in (0, 1e-3, 0.5, 1, 1.5, 1.9, 2, 3, 5, 10, 30, 1000):
        assert (
            student_p(t, degrees) == student_p(-t, degrees) == pytest.approx(2 * special.stdtr(degrees, -t), rel=1e-12)
        )


def test_student_skips_unscored():
    assert student_interval([1, None, 0, float("nan")]) == replace(student_interval([1, 0]), unscored=2)


def test_student_without_spread_or_scores():
    same = student_interval([0.1] * 10)
    assert same.value == pytest.approx(0.1)
    assert (same.low, same.high, same.reason) == (None, None, "all scores are equal")
    none = student_interval([None])
    assert none.value is None
    assert none.reason == "there are no scores"
    assert student_interval([0.3]).value == 0.3
    assert student_interval([0.3]).low is None


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_exact(only_first, only_second):
    total = only_first + only_second
    found = mcnemar_p(only_first, only_second)
    assert found == pytest.approx(stats.binomtest(only_first, total).pvalue if total else 1.0)
    assert found == mcnemar_p(only_second, only_first)


def test_mcnemar_beyond_exact_limit():
    b, c = EXACT_LIMIT // 2 + 60, EXACT_LIMIT // 2
    found = mcnemar_p(b, c)
    assert found == pytest.approx(stats.chi2.sf((abs(b - c) - 1) ** 2 / (b + c), 1))
    assert found == pytest.approx(stats.binomtest(b, b + c).pvalue, rel=0.01)


def test_holm_by_hand():
    # Sorted .01 .013 .014 .19 .35 .5 .63 .67 .75 .81: times 10, 9, 8, ..., never falling, at most 1.
    given_p = [0.81, 0.67, 0.5, 0.19, 0.75, 0.35, 0.01, 0.014, 0.63, 0.013]
    expected = [1, 1, 1, 1, 1, 1, 0.1, 0.117, 1, 0.117]
    assert holm(given_p) == pytest.approx(expected)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0.001, 0.999))
def test_holm_step_down(p_values, level):
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    rejected = set()
    for rank, index in enumerate(order):
        if p_values[index] * (len(p_values) - rank) > level:
            break
        rejected.add(index)
    adjusted = holm(p_values)
    assert {index for index, p in enumerate(adjusted) if p <= level} == rejected


def test_missing_p_values():
    assert holm([0.01, None, 0.04]) == [holm([0.01, 0.04])[0], None, holm([0.01, 0.04])[1]]
    assert holm([]) == []


@pytest.mark.parametrize("seed", range(40))
def test_shared_letters(seed: int) -> None:
    rng = Random(seed)
    names = [f"s{number}" for number in range(rng.randrange(1, 9))]
    differing = {pair for pair in combinations(names, 2) if rng.random() < rng.choice([0.1, 0.5, 0.9])}
    letters = letter_display(names, sorted(differing))
    assert list(letters) == names
    for one, other in combinations(names, 2):
        assert bool(set(letters[one]) & set(letters[other])) is ((one, other) not in differing)
    groups = [{name for name in names if letter in letters[name]} for letter in set("".join(letters.values()))]
    assert not any(one < other for one, other in combinations(groups, 2)), "a letter that says nothing new"


def test_test_order() -> None:
    pairs = [("a", "c"), ("b", "d"), ("a", "d"), ("c", "e")]
    expected = letter_display("abcde", pairs)
    for seed in range(10):
        shuffled = Random(seed).sample(pairs, len(pairs))
        assert letter_display("abcde", [(two, one) for one, two in shuffled]) == expected


def test_best_system_first_letter() -> None:
    assert letter_display("xyz", [("x", "y"), ("x", "z"), ("y", "z")]) == {"x": "a", "y": "b", "z": "c"}
    assert letter_display("xyz", []) == {"x": "a", "y": "a", "z": "a"}
    assert letter_display([], []) == {}


def test_more_groups_than_letters() -> None:
    names = [f"s{number:02}" for number in range(60)]
    letters = letter_display(names, combinations(names, 2))
    assert letters["s00"] == "a"
    assert letters["s59"] == "(60)"
    assert len(set(letters.values())) == 60
