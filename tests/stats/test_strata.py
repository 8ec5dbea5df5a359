"""Drawing stratum by stratum is drawing from the whole, wherever the strata are worked."""

import numpy as np
import pytest

from dialmeter.engine import Done, map_shards
from dialmeter.stats import strata
from dialmeter.stats.draws import CHUNK_ENTRIES, resampled_sums
from dialmeter.stats.exact import exact
from dialmeter.stats.strata import STRATUM, stratified_sums

MANY = CHUNK_ENTRIES + 1


def columns(n: int) -> np.ndarray:
    return exact(np.random.default_rng(3).random((n, 3)) * [1, 20, 0.01])


def test_counts_have_the_moments_of_drawing_with_replacement(monkeypatch):
    monkeypatch.setattr(strata, "STRATUM_BITS", 2)
    monkeypatch.setattr(strata, "STRATUM", 4)
    n, resamples = 11, 40_000
    counts = stratified_sums(np.eye(n), resamples, np.random.SeedSequence(5))
    assert (counts.sum(axis=1) == n).all()
    assert counts.mean(axis=0) == pytest.approx(np.ones(n), abs=0.03)
    # One from the same stratum is as far from one of another as any two: multinomial covariance.
    assert np.cov(counts.T) == pytest.approx(np.eye(n) - 1 / n, abs=0.03)
    assert (counts == 0).mean() == pytest.approx((1 - 1 / n) ** n, abs=0.005)
    assert (counts == 3).mean() == pytest.approx(165 * (1 / n) ** 3 * (1 - 1 / n) ** 8, abs=0.003)


def test_spread_of_sums_is_that_of_a_mean():
    data = columns(MANY)
    found = resampled_sums(data, 400, 1) / MANY
    assert found.mean(axis=0) == pytest.approx(data.mean(axis=0), rel=0.001)
    assert found.std(axis=0) == pytest.approx(data.std(axis=0) / MANY**0.5, rel=0.12)


@pytest.mark.parametrize("order", ["C", "F"])
def test_other_processes_change_no_bit(order):
    data = np.array(columns(2 * STRATUM + 77), order=order)

    def spread(work, tasks):
        return [outcome.value for outcome in map_shards(work, tasks, workers=2) if isinstance(outcome, Done)]

    here = stratified_sums(data, 50, np.random.SeedSequence(5))
    assert np.array_equal(here, stratified_sums(data, 50, np.random.SeedSequence(5), spread))
    assert np.array_equal(here, stratified_sums(data, 50, np.random.SeedSequence(5), map))


def test_same_seed_same_draw_and_fewer_resamples_are_a_beginning_of_more():
    data = columns(MANY)
    seed = np.random.SeedSequence(4)
    assert np.array_equal(resampled_sums(data, 40, seed), resampled_sums(data, 40, 4))
    assert np.array_equal(resampled_sums(data, 40, seed)[:7], resampled_sums(data, 7, seed))
    assert not np.array_equal(resampled_sums(data, 7, 4), resampled_sums(data, 7, 5))
    assert not np.array_equal(*(resampled_sums(data, 7, child) for child in np.random.SeedSequence(4).spawn(2)))


def test_a_strata_draw_needs_a_resample_too():
    with pytest.raises(ValueError, match="at least one resample"):
        resampled_sums(np.ones((MANY, 1)), 0, 1)
