"""Bootstrap intervals: equal to scipy's, and independent of order, block size and threads."""

from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dialmeter.stats import draws
from dialmeter.stats.draws import CHUNK_ENTRIES, STRATUM, product, resampled_sums, stratified_sums, swapped_sums
from dialmeter.stats.formulas import (
    Formula,
    _fraction_bits,
    as_columns,
    evaluate,
    exact,
    exact_together,
    point,
    ratio,
    rowwise,
)
from dialmeter.stats.resampling import acceleration, bootstrap

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


def test_resampled_sums():
    data = exact(rows(50))
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(5)))
    drawn = generator.integers(50, size=(2**16 // 50, 50))[:300]
    assert np.array_equal(resampled_sums(data, 300, seed=5), data[drawn].sum(axis=1))


def test_expanded_interval_near_student():
    scores = np.random.default_rng(2).normal(size=(15, 1))
    found = bootstrap(scores, {"mean": Formula(lambda sums: sums[..., 0] / 15)}, resamples=200_000)["mean"]
    plain = bootstrap(scores, {"mean": Formula(lambda sums: sums[..., 0] / 15)}, expand=False)["mean"]
    student = stats.t.interval(0.95, 14, scores.mean(), stats.sem(scores[:, 0]))
    assert found.high - found.low == pytest.approx(student[1] - student[0], rel=0.04)
    assert plain.high - plain.low < 0.9 * (student[1] - student[0])


def test_jackknife_acceleration():
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


def test_coverage_near_range_end():
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
def test_block_size_changes_nothing(draw, n, monkeypatch):
    data = exact(rows(n))
    resamples = 40 if n > 1_000 else 333
    whole = draw(data, resamples, 4)
    monkeypatch.setattr(draws, "BLOCK_BYTES", 1)
    assert np.array_equal(draw(data, resamples, 4), whole)


@pytest.mark.parametrize("draw", [resampled_sums, swapped_sums])
def test_seed_and_fewer_resamples(draw):
    data = exact(rows(100))
    assert np.array_equal(draw(data, 500, 4), draw(data, 500, 4))
    assert np.array_equal(draw(data, 500, 4)[:77], draw(data, 77, 4))
    assert not np.array_equal(draw(data, 500, 4), draw(data, 500, 5))
    assert np.array_equal(draw(data, 50, 4), draw(data, 50, np.random.SeedSequence(4)))


def test_global_generator_untouched():
    np.random.seed(1)
    before = np.random.get_state()[1].copy()
    first = bootstrap(rows(30), MEAN)
    assert np.array_equal(before, np.random.get_state()[1])
    np.random.seed(2)
    assert bootstrap(rows(30), MEAN) == first


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60), st.randoms(use_true_random=False))
def test_exact_sums(values, shuffler):
    column = exact(values)
    shuffled = list(column[:, 0])
    shuffler.shuffle(shuffled)
    total = fsum(shuffled)
    assert float(np.sum(shuffled)) == total == float(np.cumsum(shuffled)[-1])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=60))
def test_rounding_bound(values):
    data = np.array(values)[:, None]
    largest = np.abs(data).max()
    bound = max(2.0**-31, len(values) * largest * 2.0**-52)
    assert np.abs(exact(data) - data).max() <= bound


def test_rounding():
    counts = np.array([[2.0**40], [3.0], [1.0]])
    assert np.array_equal(exact(counts), counts)
    tiny = np.array([[1e-12], [3e-12]])
    assert exact(tiny) == pytest.approx(tiny, rel=1e-8)
    assert np.array_equal(exact([[0.0], [0.0]]), [[0.0], [0.0]])


def test_rounded_pair():
    one, two = exact_together([[[0.1], [0.3]], [[1000.7], [5000.1]]])
    assert float((one - two).sum()) == fsum((*one[:, 0], *(-two[:, 0])))


def test_resamples_without_value():
    data = [[0, 0]] * 3 + [[1, 2]]
    found = bootstrap(data, MEAN, resamples=4_000)["mean"]
    assert (found.value, found.low, found.high) == (0.5, None, None)
    assert found.reason == "all resamples have the same value"
    assert found.unscored / 4_000 == pytest.approx(0.75**4, abs=0.03)


def test_none_not_zero():
    found = bootstrap([[0, 0], [0, 0]], MEAN, resamples=10)["mean"]
    assert found.value is found.low is found.high is None
    assert "denominator" in found.reason
    assert found.unscored == 10


def test_formulas_for_rows():
    slow = Formula(rowwise(lambda sums: sums[0] / sums[1] if sums[1] else None))
    data = rows(20)
    assert bootstrap(data, {"m": slow}, resamples=200) == bootstrap(data, {"m": ratio()}, resamples=200)


def test_point_values_order():
    data = np.random.default_rng(1).random((1_000, 2)) * 10.0 ** np.arange(-8, 8).repeat(125)[:1_000, None][:1_000]
    shuffled = np.random.default_rng(2).permutation(data)
    assert point(ratio(), data) == point(ratio(), shuffled)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([[1, 2]], "at least two dialogues"),
        (np.empty((0, 2)), "at least two dialogues"),
        ([[1, 2], [float("nan"), 1]], "column 0 of row 1"),
    ],
)
def test_bad_columns(columns, message):
    with pytest.raises(ValueError, match=message):
        as_columns(columns)


def test_bad_options_are_refused():
    with pytest.raises(ValueError, match=r"0\.95 for 95 %"):
        bootstrap(rows(5), MEAN, confidence=95)
    with pytest.raises(ValueError, match="must be at least 1"):
        bootstrap(rows(5), MEAN, resamples=0)
    with pytest.raises(ValueError, match="rowwise"):
        evaluate(Formula(lambda sums: np.array([0.5])), np.ones((3, 2)))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=9))
def test_power_of_two_steps(values):
    data = np.array(values)[:, None]
    bits = _fraction_bits(float(np.abs(data).max()), len(data))
    assert np.array_equal(exact(data), np.ldexp(np.rint(np.ldexp(data, bits)), -bits))


SO_MANY = CHUNK_ENTRIES + 1


def columns(n: int) -> np.ndarray:
    return exact(np.random.default_rng(3).random((n, 3)) * [1, 20, 0.01])


def test_moments_of_counts(monkeypatch):
    monkeypatch.setattr(draws, "STRATUM_BITS", 2)
    monkeypatch.setattr(draws, "STRATUM", 4)
    n, resamples = 11, 40_000
    counts = stratified_sums(np.eye(n), resamples, np.random.SeedSequence(5))
    assert (counts.sum(axis=1) == n).all()
    assert counts.mean(axis=0) == pytest.approx(np.ones(n), abs=0.03)
    # The covariance within a stratum equals that between strata, as in a multinomial distribution.
    assert np.cov(counts.T) == pytest.approx(np.eye(n) - 1 / n, abs=0.03)
    assert (counts == 0).mean() == pytest.approx((1 - 1 / n) ** n, abs=0.005)
    assert (counts == 3).mean() == pytest.approx(165 * (1 / n) ** 3 * (1 - 1 / n) ** 8, abs=0.003)


def test_spread_of_sums():
    data = columns(SO_MANY)
    found = resampled_sums(data, 400, 1) / SO_MANY
    assert found.mean(axis=0) == pytest.approx(data.mean(axis=0), rel=0.001)
    assert found.std(axis=0) == pytest.approx(data.std(axis=0) / SO_MANY**0.5, rel=0.12)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_no_bit(order, threads):
    data = columns(5 * STRATUM + 77)
    here = stratified_sums(data, 50, np.random.SeedSequence(5))
    assert np.array_equal(here, stratified_sums(np.array(data, order=order), 50, np.random.SeedSequence(5), threads))


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=5), st.integers(1, 13), st.integers(0, 2**32))
def test_compiled_counts_against_numpy(shares, bits, seed):
    counting = pytest.importorskip("dialmeter.stats.counting")
    found = [np.full((len(shares) + 1, 2**bits), -1.0) for _ in range(2)]
    for count, counts in zip((counting.count, draws.count_in_numpy), found, strict=True):
        count(np.random.PCG64(seed), bits, np.array(shares), counts)
    assert np.array_equal(*found)
    assert found[0].sum(axis=1).tolist() == [*shares, -(2**bits)]


@pytest.mark.parametrize(("bits", "shape"), [(14, (1, 2**14)), (0, (1, 1)), (3, (1, 9)), (3, (0, 8))])
def test_compiled_count_bounds(bits, shape):
    counting = pytest.importorskip("dialmeter.stats.counting")
    with pytest.raises(ValueError, match="at most 13 bits"):
        counting.count(np.random.PCG64(1), bits, np.array([5]), np.empty(shape))


def test_same_seed_same_strata():
    data = columns(SO_MANY)
    seed = np.random.SeedSequence(4)
    assert np.array_equal(resampled_sums(data, 40, seed), resampled_sums(data, 40, 4))
    assert np.array_equal(resampled_sums(data, 40, seed)[:7], resampled_sums(data, 7, seed))
    assert not np.array_equal(resampled_sums(data, 7, 4), resampled_sums(data, 7, 5))
    assert not np.array_equal(*(resampled_sums(data, 7, child) for child in np.random.SeedSequence(4).spawn(2)))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("rows", "n", "width"), [(1, 2, 1), (32, 512, 16), (33, 5_000, 22), (100, 511, 16), (7, 3, 40)]
)
def test_pieces_like_whole(rows, n, width, order):
    generator = np.random.default_rng(1)
    weights = generator.integers(0, 9, (rows, n)).astype(float)
    columns = np.array(generator.integers(0, 2**20, (n, width)) / 2**10, order=order)
    assert np.array_equal(product(weights, columns), weights @ columns)
