"""Student, McNemar, Holm and Benjamini-Hochberg against scipy and worked examples."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dialmeter.stats import benjamini_hochberg, holm, mcnemar, mcnemar_counts, student_interval
from dialmeter.stats.significance import EXACT_LIMIT


def test_student_agrees_with_scipy():
    scores = np.random.default_rng(1).random(30)
    theirs = stats.ttest_1samp(scores, 0)
    limits = theirs.confidence_interval(0.9)
    ours = student_interval(scores, confidence=0.9)
    assert ours.value == pytest.approx(scores.mean())
    assert (ours.low, ours.high) == pytest.approx((limits.low, limits.high))
    assert ours.p == pytest.approx(theirs.pvalue)


def test_student_leaves_out_what_is_unscored():
    assert student_interval([1, None, 0, float("nan")]) == replace(student_interval([1, 0]), left_out=2)


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
def test_mcnemar_is_the_exact_binomial_test(only_first, only_second):
    found = mcnemar_counts(only_first, only_second)
    assert found.exact
    total = only_first + only_second
    assert found.p == pytest.approx(stats.binomtest(only_first, total).pvalue if total else 1.0)


def test_mcnemar_beyond_the_exact_limit_is_edwards_chi_squared_and_near_the_exact_one():
    b, c = EXACT_LIMIT // 2 + 60, EXACT_LIMIT // 2
    found = mcnemar_counts(b, c)
    assert not found.exact
    assert found.p == pytest.approx(stats.chi2.sf((abs(b - c) - 1) ** 2 / (b + c), 1))
    assert found.p == pytest.approx(stats.binomtest(b, b + c).pvalue, rel=0.01)


def test_mcnemar_on_vectors_counts_the_cells():
    first = np.array([1, 1, 1, 0, 0, 1], dtype=bool)
    second = np.array([1, 0, 0, 1, 0, 0], dtype=bool)
    found = mcnemar(first, second)
    assert (found.only_first, found.only_second, found.n) == (3, 1, 6)
    assert found.p == mcnemar_counts(3, 1).p == mcnemar(second, first).p


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [([True], [True, False], "one truth value per unit"), ([], [], "no units"), ([0.5], [1], "true and false")],
)
def test_mcnemar_refuses_what_it_cannot_read(first, second, message):
    with pytest.raises(ValueError, match=message):
        mcnemar(first, second)


def test_mcnemar_refuses_impossible_counts():
    with pytest.raises(ValueError, match="negative"):
        mcnemar_counts(-1, 3)
    with pytest.raises(ValueError, match="more than all"):
        mcnemar_counts(5, 5, n=9)


def test_holm_by_hand():
    # Sorted .01 .013 .014 .19 .35 .5 .63 .67 .75 .81: times 10, 9, 8, ..., never falling, at most 1.
    given_p = [0.81, 0.67, 0.5, 0.19, 0.75, 0.35, 0.01, 0.014, 0.63, 0.013]
    expected = [1, 1, 1, 1, 1, 1, 0.1, 0.117, 1, 0.117]
    assert holm(given_p) == pytest.approx(expected)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_benjamini_hochberg_agrees_with_scipy(p_values):
    assert benjamini_hochberg(p_values) == pytest.approx(stats.false_discovery_control(p_values).tolist())


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0.001, 0.999))
def test_holm_rejects_exactly_what_the_step_down_procedure_rejects(p_values, level):
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    rejected = set()
    for rank, index in enumerate(order):
        if p_values[index] * (len(p_values) - rank) > level:
            break
        rejected.add(index)
    adjusted = holm(p_values)
    assert {index for index, p in enumerate(adjusted) if p <= level} == rejected


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_missing_p_values_stay_missing_and_do_not_count(correct):
    assert correct([0.01, None, 0.04]) == [correct([0.01, 0.04])[0], None, correct([0.01, 0.04])[1]]
    assert correct([]) == []
    for bad in (1.2, -0.1, float("nan")):
        with pytest.raises(ValueError, match="between 0 and 1"):
            correct([0.1, bad])
