"""Drawing stratum by stratum has the same distribution as drawing from all dialogues, in any number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.stats import draws
from dialmeter.stats.draws import CHUNK_ENTRIES, STRATUM, resampled_sums, stratified_sums
from dialmeter.stats.formulas import exact

MANY = CHUNK_ENTRIES + 1


def columns(n: int) -> np.ndarray:
    return exact(np.random.default_rng(3).random((n, 3)) * [1, 20, 0.01])


def test_counts_have_the_moments_of_drawing_with_replacement(monkeypatch):
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


def test_spread_of_sums_is_that_of_a_mean():
    data = columns(MANY)
    found = resampled_sums(data, 400, 1) / MANY
    assert found.mean(axis=0) == pytest.approx(data.mean(axis=0), rel=0.001)
    assert found.std(axis=0) == pytest.approx(data.std(axis=0) / MANY**0.5, rel=0.12)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_no_bit(order, threads):
    data = columns(5 * STRATUM + 77)
    here = stratified_sums(data, 50, np.random.SeedSequence(5))
    assert np.array_equal(here, stratified_sums(np.array(data, order=order), 50, np.random.SeedSequence(5), threads))


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=5), st.integers(1, 13), st.integers(0, 2**32))
def test_compiled_counts_are_those_of_numpy(shares, bits, seed):
    counting = pytest.importorskip("dialmeter.stats.counting")
    found = [np.full((len(shares) + 1, 2**bits), -1.0) for _ in range(2)]
    for count, counts in zip((counting.count, draws.count_in_numpy), found, strict=True):
        count(np.random.PCG64(seed), bits, np.array(shares), counts)
    assert np.array_equal(*found)
    assert found[0].sum(axis=1).tolist() == [*shares, -(2**bits)]


@pytest.mark.parametrize(("bits", "shape"), [(14, (1, 2**14)), (0, (1, 1)), (3, (1, 9)), (3, (0, 8))])
def test_compiled_counts_stay_within_their_bounds(bits, shape):
    counting = pytest.importorskip("dialmeter.stats.counting")
    with pytest.raises(ValueError, match="at most 13 bits"):
        counting.count(np.random.PCG64(1), bits, np.array([5]), np.empty(shape))


def test_same_seed_same_draw_and_fewer_resamples_are_a_beginning_of_more():
    data = columns(MANY)
    seed = np.random.SeedSequence(4)
    assert np.array_equal(resampled_sums(data, 40, seed), resampled_sums(data, 40, 4))
    assert np.array_equal(resampled_sums(data, 40, seed)[:7], resampled_sums(data, 7, seed))
    assert not np.array_equal(resampled_sums(data, 7, 4), resampled_sums(data, 7, 5))
    assert not np.array_equal(*(resampled_sums(data, 7, child) for child in np.random.SeedSequence(4).spawn(2)))


def test_a_strata_draw_needs_a_resample_too():
    with pytest.raises(ValueError, match="must be at least 1"):
        resampled_sums(np.ones((MANY, 1)), 0, 1)
