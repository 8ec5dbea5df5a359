"""Paired tests against enumeration, scipy and each other."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from dialmeter.stats import draws
from dialmeter.stats.draws import resampled_sums
from dialmeter.stats.formulas import Formula, ratio
from dialmeter.stats.intervals import expanded_p
from dialmeter.stats.resampling import PairedDraws, bootstrap, paired_bootstrap

JGA = {"JGA": ratio()}


def systems(n: int, gain: float = 0.0, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    turns = generator.integers(2, 12, n)
    first, second = (generator.binomial(turns, 0.5 + shift) for shift in (0, gain))
    return np.stack([first, turns], axis=1).astype(float), np.stack([second, turns], axis=1).astype(float)


def paired_randomisation(first, second, formulas, *, resamples=10_000, seed=0, mid_p=False):
    return PairedDraws([first, second], formulas, resamples, seed).randomisation(0, 1, mid_p=mid_p)


def f1(sums: np.ndarray) -> np.ndarray:
    return 2 * sums[..., 0] / (sums[..., 0] + sums[..., 1])


@pytest.mark.parametrize("formula", [ratio(), Formula(f1)])
@pytest.mark.parametrize("mid_p", [False, True])
def test_randomisation_against_enumeration(formula, mid_p):
    first, second = systems(9, gain=0.2)
    second[:, 1] += np.arange(9) % 3
    observed, all_differences = None, []
    for swap in product([False, True], repeat=9):
        keep = np.array(swap)[:, None]
        one, two = np.where(keep, second, first).sum(axis=0), np.where(keep, first, second).sum(axis=0)
        all_differences.append(float(formula.value(two) - formula.value(one)))
        observed = all_differences[0]
    distance = np.abs(all_differences) - abs(observed)
    weight = 0.5 if mid_p else 1.0
    exact = ((distance > 1e-12).sum() + weight * (np.abs(distance) <= 1e-12).sum()) / 2**9
    found = paired_randomisation(first, second, {"m": formula}, resamples=100_000, mid_p=mid_p)["m"]
    assert found.value == pytest.approx(observed)
    assert found.p == pytest.approx(exact, abs=0.006)


def test_randomisation_against_scipy():
    first, second = systems(40, gain=0.06)
    mean = {"mean": Formula(lambda sums: sums[..., 0] / 40)}
    theirs = stats.permutation_test(
        (first[:, 0], second[:, 0]),
        lambda a, b, axis: np.abs((a - b).mean(axis=axis)),
        permutation_type="samples",
        n_resamples=50_000,
        alternative="greater",
        rng=np.random.default_rng(1),
    )
    ours = paired_randomisation(first, second, mean, resamples=50_000)["mean"]
    assert ours.p == pytest.approx(theirs.pvalue, abs=0.012)


def test_expanded_bootstrap_against_t_test():
    generator = np.random.default_rng(4)
    first = generator.normal(size=(20, 1))
    second = first + generator.normal(0.35, 1, size=(20, 1))
    mean = {"mean": Formula(lambda sums: sums[..., 0] / 20)}
    found = paired_bootstrap(first, second, mean, resamples=100_000)["mean"]
    assert found.p == pytest.approx(stats.ttest_rel(second[:, 0], first[:, 0]).pvalue, abs=0.02)
    plain = paired_bootstrap(first, second, mean, resamples=100_000, expand=False)["mean"]
    assert found.p == pytest.approx(expanded_p(plain.p, 20))
    assert plain.p < found.p


def test_bootstrap_p():
    first, second = systems(30, gain=0.05)
    sums = resampled_sums(np.hstack([first, second]), 500, seed=9)
    differences = sums[:, 2] / sums[:, 3] - sums[:, 0] / sums[:, 1]
    found = paired_bootstrap(first, second, JGA, resamples=500, seed=9, expand=False)["JGA"]
    null = np.abs(differences - differences.mean())
    assert found.p == (1 + (null >= abs(found.value) - 1e-12).sum()) / 501
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(differences, [0.025, 0.975])))


@pytest.mark.parametrize("test", [paired_bootstrap, paired_randomisation])
class TestBoth:
    def test_large_and_equal_differences(self, test):
        first, second = systems(100, gain=0.3)
        found = test(first, second, JGA)["JGA"]
        assert found.p < 0.001
        assert found.value > 0
        same = test(first, first, JGA)["JGA"]
        assert (same.value, same.p) == (0, 1)

    def test_exchanged_systems(self, test):
        first, second = systems(60, gain=0.05)
        there, back = test(first, second, JGA)["JGA"], test(second, first, JGA)["JGA"]
        assert there.value == -back.value
        assert there.p == back.p

    def test_block_size_company_seed(self, test, monkeypatch):
        first, second = systems(60, gain=0.05)
        alone = test(first, second, JGA, resamples=999)["JGA"]
        both = {"F1": Formula(f1), **JGA}
        assert test(first, second, JGA, resamples=999, seed=1)["JGA"] != alone
        monkeypatch.setattr(draws, "BLOCK_BYTES", 1)
        assert test(first, second, both, resamples=999)["JGA"] == alone

    def test_input_order_by_id(self, test):
        first, second = systems(60, gain=0.05)
        first[:, 0] += 0.1
        ids = [f"d{k:03}" for k in range(60)]
        mixed = np.random.default_rng(1).permutation(60)
        order = sorted(range(60), key=lambda k: ids[mixed[k]])
        assert test(first[mixed][order], second[mixed][order], JGA) == test(first, second, JGA)

    def test_no_value_reason(self, test):
        first, second = systems(5)
        empty = np.zeros_like(first)
        for one, two, name in ((empty, second, "first"), (first, empty, "second"), (empty, empty, "either")):
            found = test(one, two, JGA, resamples=50)["JGA"]
            assert found.value is found.p is found.low is None
            assert name in found.reason

    def test_resamples_without_value(self, test):
        first = np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]])
        second = np.array([[0.0, 0.0], [1.0, 3.0], [0.0, 0.0]])
        found = test(first, second, JGA, resamples=2_000)["JGA"]
        assert 0 < found.unscored < 2_000
        assert found.reason in (None, "all resamples have the same value")
        assert 0 < found.p <= 1

    def test_unequal_systems_are_refused(self, test):
        first, second = systems(5)
        with pytest.raises(ValueError, match="same dialogues"):
            test(first, second[:4], JGA)
        with pytest.raises(ValueError, match="at least two dialogues"):
            test(first[:1], second[:1], JGA)


def test_single_interval_same_resamples():
    _, second = systems(50)
    single = bootstrap(second, JGA, expand=False)["JGA"]
    against_nothing = paired_bootstrap(np.array([[0.0, 1.0]] * 50), second, JGA, expand=False)["JGA"]
    assert (single.low, single.high) == (against_nothing.low, against_nothing.high)


def test_p_values_uniform():
    found = []
    for seed in range(300):
        first, second = systems(100, seed=seed)
        result = paired_randomisation(first, second, JGA, resamples=499, seed=seed, mid_p=True)
        found.append(result["JGA"].p)
    assert stats.kstest(found, "uniform").pvalue > 0.001
