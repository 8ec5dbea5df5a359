"""Bootstrap intervals: equal to scipy's, and independent of order, block size and threads."""

from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dialmeter.stats import Formula, bootstrap, ratio, rowwise
from dialmeter.stats.draws import resampled_sums, swapped_sums
from dialmeter.stats.formulas import _fraction_bits, as_columns, evaluate, exact, exact_pair, point
from dialmeter.stats.resampling import acceleration

MEAN = {"mean": ratio()}


def rows(n: int, seed: int = 3) -> np.ndarray:
    generator = np.random.default_rng(seed)
    turns = generator.integers(1, 16, n)
    return np.stack([generator.binomial(turns, 0.6), turns, generator.random(n)], axis=1)


def test_plain_percentiles_agree_with_scipy():
    data = rows(200)

    def share(right, turns, axis=-1):
        return right.sum(axis=axis) / turns.sum(axis=axis)

    theirs = stats.bootstrap(
        (data[:, 0], data[:, 1]),
        share,
        paired=True,
        method="percentile",
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    ours = bootstrap(data, MEAN, resamples=20_000, expand=False)["mean"]
    assert ours.value == data[:, 0].sum() / data[:, 1].sum()
    assert (ours.low, ours.high) == pytest.approx(theirs, abs=0.001)


def test_resampled_sums_are_those_of_the_drawn_dialogues():
    data = exact(rows(50))
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(5)))
    drawn = generator.integers(50, size=(2**16 // 50, 50))[:300]
    assert np.array_equal(resampled_sums(data, 300, seed=5), data[drawn].sum(axis=1))


def test_expanded_interval_of_a_mean_comes_near_student():
    scores = np.random.default_rng(2).normal(size=(15, 1))
    found = bootstrap(scores, {"mean": Formula(lambda sums: sums[..., 0] / 15)}, resamples=200_000)["mean"]
    plain = bootstrap(scores, {"mean": Formula(lambda sums: sums[..., 0] / 15)}, expand=False)["mean"]
    student = stats.t.interval(0.95, 14, scores.mean(), stats.sem(scores[:, 0]))
    assert found.high - found.low == pytest.approx(student[1] - student[0], rel=0.04)
    assert plain.high - plain.low < 0.9 * (student[1] - student[0])


def test_acceleration_is_that_of_the_jackknife():
    columns = np.column_stack([np.array([0, 1, 3, 4, 5, 5, 6, 6, 7, 7]), np.full(10, 7), np.arange(10)])
    for formula in (ratio(0, 1), Formula(lambda sums: 2 * sums[..., 0] / (sums[..., 0] + sums[..., 1]), take=(0, 1))):
        without = evaluate(formula, columns.sum(axis=0) - columns)
        apart = without.mean() - without
        expected = (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
        assert acceleration(formula, columns) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999999])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_very_few_skewed_dialogues(n, confidence):
    columns = np.column_stack([[3, *[7] * (n - 1)], np.full(n, 7)])
    interval = bootstrap(columns, {"m": ratio()}, resamples=200, confidence=confidence)["m"]
    assert 3 / 7 <= interval.low < interval.high <= 1


def test_coverage_near_the_end_of_the_range():
    generator = np.random.default_rng(5)
    truth, samples = 0.97, 300
    found = 0
    for number in range(samples):
        turns = generator.integers(4, 11, 20)
        right = generator.binomial(turns, generator.beta(1.94, 0.06, 20))
        interval = bootstrap(np.column_stack([right, turns]), {"m": ratio()}, resamples=500, seed=number)["m"]
        assert interval.ci
        found += interval.low <= truth <= interval.high
    assert found >= 0.95 * samples


@pytest.mark.parametrize("draw", [resampled_sums, swapped_sums])
@pytest.mark.parametrize("n", [2, 21, 1_000, 70_000])
def test_block_size_changes_nothing(draw, n):
    data = exact(rows(n))
    resamples = 40 if n > 1_000 else 333
    assert np.array_equal(draw(data, resamples, 4), draw(data, resamples, 4, block_bytes=1))


@pytest.mark.parametrize("draw", [resampled_sums, swapped_sums])
def test_same_seed_same_draw_and_fewer_resamples_are_a_beginning_of_more(draw):
    data = exact(rows(100))
    assert np.array_equal(draw(data, 500, 4), draw(data, 500, 4))
    assert np.array_equal(draw(data, 500, 4)[:77], draw(data, 77, 4))
    assert not np.array_equal(draw(data, 500, 4), draw(data, 500, 5))
    assert np.array_equal(draw(data, 50, 4), draw(data, 50, np.random.SeedSequence(4)))


def test_the_global_generator_is_neither_read_nor_moved():
    np.random.seed(1)
    before = np.random.get_state()[1].copy()
    first = bootstrap(rows(30), MEAN)
    assert np.array_equal(before, np.random.get_state()[1])
    np.random.seed(2)
    assert bootstrap(rows(30), MEAN) == first


def test_measures_of_one_draw_do_not_influence_each_other():
    data = rows(80)
    alone = bootstrap(data[:, :2], MEAN)["mean"]
    together = bootstrap(data, {"other": ratio(2, 1), "mean": ratio()})["mean"]
    assert alone == together


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60), st.randoms(use_true_random=False))
def test_sums_are_exact_in_any_order(values, shuffler):
    column = exact(values)
    shuffled = list(column[:, 0])
    shuffler.shuffle(shuffled)
    total = fsum(shuffled)
    assert float(np.sum(shuffled)) == total == float(np.cumsum(shuffled)[-1])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=60))
def test_rounding_stays_within_its_bound(values):
    data = np.array(values)[:, None]
    largest = np.abs(data).max()
    bound = max(2.0**-31, len(values) * largest * 2.0**-52)
    assert np.abs(exact(data) - data).max() <= bound


def test_rounding_keeps_whole_numbers_and_small_fractions():
    counts = np.array([[2.0**40], [3.0], [1.0]])
    assert np.array_equal(exact(counts), counts)
    tiny = np.array([[1e-12], [3e-12]])
    assert exact(tiny) == pytest.approx(tiny, rel=1e-8)
    assert np.array_equal(exact([[0.0], [0.0]]), [[0.0], [0.0]])


def test_a_pair_is_rounded_to_the_same_steps():
    one, two = exact_pair([[0.1], [0.3]], [[1000.7], [5000.1]])
    assert float((one - two).sum()) == fsum((*one[:, 0], *(-two[:, 0])))


def test_resamples_without_a_value_are_counted_and_left_out():
    data = [[0, 0]] * 3 + [[1, 2]]
    found = bootstrap(data, MEAN, resamples=4_000)["mean"]
    assert (found.value, found.low, found.high) == (0.5, None, None)
    assert found.reason == "all resamples have the same value"
    assert found.left_out / 4_000 == pytest.approx(0.75**4, abs=0.03)


def test_no_value_is_none_with_a_reason_not_zero():
    found = bootstrap([[0, 0], [0, 0]], MEAN, resamples=10)["mean"]
    assert found.value is found.low is found.high is None
    assert "denominator" in found.reason
    assert found.left_out == 10


def test_formulas_for_one_row_give_the_same_as_for_many():
    slow = Formula(rowwise(lambda sums: sums[0] / sums[1] if sums[1] else None))
    data = rows(20)
    assert bootstrap(data, {"m": slow}, resamples=200) == bootstrap(data, {"m": ratio()}, resamples=200)


def test_point_values_do_not_depend_on_order():
    data = np.random.default_rng(1).random((1_000, 2)) * 10.0 ** np.arange(-8, 8).repeat(125)[:1_000, None][:1_000]
    shuffled = np.random.default_rng(2).permutation(data)
    assert point(ratio(), data) == point(ratio(), shuffled)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([[1, 2]], "at least two dialogues"),
        (np.empty((0, 2)), "at least two dialogues"),
        ([[1, 2], [float("nan"), 1]], "column 0 of row 1"),
        (np.ones((2, 2, 2)), "matrix"),
    ],
)
def test_bad_columns_are_refused_in_one_sentence(columns, message):
    with pytest.raises(ValueError, match=message):
        as_columns(columns)


def test_bad_options_are_refused():
    with pytest.raises(ValueError, match=r"0\.95 for 95 %"):
        bootstrap(rows(5), MEAN, confidence=95)
    with pytest.raises(ValueError, match="must be at least 1"):
        bootstrap(rows(5), MEAN, resamples=0)
    with pytest.raises(ValueError, match="rowwise"):
        evaluate(Formula(lambda sums: 0.5), np.ones((3, 2)))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=9))
def test_steps_are_powers_of_two_at_any_size(values):
    data = np.array(values)[:, None]
    bits = _fraction_bits(float(np.abs(data).max()), len(data))
    assert np.array_equal(exact(data), np.ldexp(np.rint(np.ldexp(data, bits)), -bits))
