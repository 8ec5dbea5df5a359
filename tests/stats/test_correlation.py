"""Correlations against scipy, definitions and published figures."""

from __future__ import annotations

import json
import os
from itertools import combinations
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dialmeter.stats.agreement import intraclass_correlation, krippendorff_alpha, positions
from dialmeter.stats.correlation import (
    ResampledVariable,
    cluster_numbers,
    cluster_weights,
    compare_correlations,
    kendall,
    mean_ranks,
    pearson,
    rowwise,
    spearman,
    tau_b,
    zou_interval,
)

SHARED = Path(os.environ.get("DIALMETER_SHARED", Path(__file__).parents[2].parent / "shared"))


def sample(n: int = 50, seed: int = 1, ties: bool = False) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    x = generator.normal(size=n)
    y = 0.5 * x + generator.normal(size=n)
    return (np.round(x), np.round(y)) if ties else (x, y)


def test_pearson_agrees_with_scipy():
    x, y = sample()
    theirs = stats.pearsonr(x, y)
    limits = theirs.confidence_interval(0.9)
    ours = pearson(x, y, confidence=0.9)
    assert (ours.value, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert (ours.low, ours.high) == pytest.approx((limits.low, limits.high))


@pytest.mark.parametrize("ties", [False, True])
def test_spearman_agrees_with_scipy(ties):
    x, y = sample(ties=ties)
    theirs = stats.spearmanr(x, y)
    ours = spearman(x, y)
    assert (ours.value, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_spearman_interval_of_statpsych():
    y = [21, 4, 9, 12, 35, 18, 10, 22, 24, 1, 6, 8, 13, 16, 19]
    x = [67, 28, 30, 28, 52, 40, 25, 37, 44, 10, 14, 20, 28, 40, 51]
    found = spearman(x, y)
    assert (found.value, found.low, found.high) == pytest.approx((0.8699639, 0.5840951, 0.9638297), abs=1e-6)


@pytest.mark.parametrize("ties", [False, True])
def test_kendall_agrees_with_its_definition(ties):
    x, y = sample(30, ties=ties)
    found = kendall(x, y)
    signs = [(np.sign(a - b), np.sign(c - d)) for (a, c), (b, d) in combinations(zip(x, y, strict=True), 2)]
    agreement = sum(s * t for s, t in signs)
    untied = sqrt(sum(s != 0 for s, _ in signs) * sum(t != 0 for _, t in signs))
    assert found.value == pytest.approx(agreement / untied)
    half = stats.norm.ppf(0.975) * sqrt(0.437 / 26)
    assert (found.low, found.high) == pytest.approx(
        (np.tanh(np.arctanh(found.value) - half), np.tanh(np.arctanh(found.value) + half))
    )


@pytest.mark.parametrize("correlate", [pearson, spearman, kendall])
class TestAll:
    def test_constant_input(self, correlate):
        found = correlate([1, 2, 3, 4], [5, 5, 5, 5])
        assert found.value is found.low is found.p is None
        assert "second variable is constant" in found.reason

    def test_missing_values_leave_pair_out(self, correlate):
        x, y = sample(10)
        gaps = [None, *x[1:9], 3.0]
        found = correlate(gaps, [*y[:9], float("nan")])
        assert found.unscored == 2
        assert found.value == correlate(x[1:9], y[1:9]).value

    def test_few_pairs(self, correlate):
        assert "at least three" in correlate([1, 2], [2, 1]).reason
        three = correlate([1, 2, 3], [1, 3, 2])
        assert three.value == pytest.approx(0.5 if correlate is not kendall else 1 / 3)
        assert three.low is None
        assert three.reason is not None

    def test_perfect_and_reversed(self, correlate):
        x = list(range(10))
        assert correlate(x, x).value == pytest.approx(1)
        assert correlate(x, x[::-1]).value == pytest.approx(-1)
        assert correlate(x, x).low == pytest.approx(1)

    def test_unequal_lengths_are_refused(self, correlate):
        with pytest.raises(ValueError, match="inhomogeneous"):
            correlate([1, 2, 3], [1, 2])

    def test_unit_order(self, correlate):
        x, y = sample(40)
        mixed = np.random.default_rng(1).permutation(40)
        assert correlate(x[mixed], y[mixed]).value == pytest.approx(correlate(x, y).value, rel=1e-14)


def test_huge_and_tiny_numbers():
    x, y = sample()
    assert pearson(x * 1e200, y * 1e-200).value == pytest.approx(pearson(x, y).value)


def test_zou_agrees_with_published_examples():
    path = SHARED / "expected" / "tracking.json"
    if not path.exists():
        pytest.skip("the reference figures (DIALMETER_SHARED) are not here")
    examples = json.loads(path.read_text())["Zou interval"]
    assert examples
    for case in examples:
        found = zou_interval(case["r1"], case["r2"], case["r12"], case["n"], confidence=case["confidence"])
        assert [found.low, found.high] == pytest.approx(case["interval"], abs=5.1e-5)
        assert found.value == pytest.approx(case["r1"] - case["r2"])


def test_zou_exchanges_limits_with_variables():
    there, back = zou_interval(0.5, 0.3, 0.4, 100), zou_interval(0.3, 0.5, 0.4, 100)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


def test_zou_from_data():
    x, y = sample(80)
    z = 0.3 * x + np.random.default_rng(9).normal(size=80)
    found = compare_correlations(x, [None, *y[1:]], z)
    r = np.corrcoef([x[1:], y[1:], z[1:]])
    expected = zou_interval(r[0, 1], r[0, 2], r[1, 2], 79)
    assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))
    assert (found.n, found.unscored) == (79, 1)


def test_zou_covers_true_difference():
    # Both correlate with the shared variable at 1/sqrt(2), so the true difference is zero.
    generator = np.random.default_rng(6)
    covered = 0
    for _ in range(800):
        shared, a, b = generator.normal(size=(3, 40))
        found = compare_correlations(shared, shared + a, shared + b)
        covered += found.low <= 0 <= found.high
    assert covered / 800 == pytest.approx(0.95, abs=0.025)


def test_zou_without_answer():
    assert zou_interval(0.5, 0.3, 0.4, 3).low is None
    assert "1 or -1" in zou_interval(1.0, 0.4, 0.4, 30).reason
    assert "first variable is constant" in compare_correlations([1, 2, 3, 4], [1, 1, 1, 1], [2, 1, 3, 5]).reason
    assert "three complete" in compare_correlations([1, None], [1, 2], [2, 1]).reason


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 60), st.sampled_from([2, 5, 10**6]), st.sampled_from([-1.0, 0.0, 0.5]))
def test_kendall_and_ranks_against_scipy(seed: int, n: int, values: int, share: float) -> None:
    draw = np.random.default_rng(seed)
    x = draw.integers(0, values, n).astype(float)
    y = share * x + (1 - abs(share)) * draw.integers(0, values, n)
    theirs = stats.kendalltau(x, y)
    assert np.array_equal(mean_ranks(x), stats.rankdata(x))
    found = tau_b(x.tolist(), y.tolist())
    if found is None:
        assert np.isnan(theirs.statistic)
    else:
        assert found == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-12)


WRITTEN_OUT = {"Pearson": stats.pearsonr, "Spearman": stats.spearmanr, "Kendall": stats.kendalltau}


@pytest.mark.parametrize("measure", WRITTEN_OUT)
def test_weights_against_resamples(measure: str) -> None:
    draw = np.random.default_rng(1)
    x = draw.integers(0, 5, 40).astype(float)
    y = x + draw.normal(size=40)
    weights = cluster_weights(cluster_numbers([place // 3 for place in range(40)]), 25, seed=3)
    found = ResampledVariable(weights, x).correlation(measure, ResampledVariable(weights, y))
    for row, value in zip(weights, found, strict=True):
        drawn = np.repeat(np.arange(40), row.astype(int))
        assert value == pytest.approx(WRITTEN_OUT[measure](x[drawn], y[drawn]).statistic, abs=1e-12)


@pytest.mark.parametrize("measure", WRITTEN_OUT)
def test_rows(measure: str) -> None:
    draw = np.random.default_rng(2)
    x, y = draw.integers(0, 4, (20, 6)).astype(float), draw.normal(size=(20, 6))
    x[3] = 0.1
    found = rowwise(measure, x, y)
    assert np.isnan(found[3])
    for at in (0, 1, 2, *range(4, 20)):
        assert found[at] == pytest.approx(WRITTEN_OUT[measure](x[at], y[at]).statistic, abs=1e-12)


def test_constant_resample() -> None:
    weights = np.array([[3.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    x, y = (ResampledVariable(weights, np.array(side)) for side in ([1.1, 2.2, 3.3], [0.1, 0.2, 0.3]))
    for measure in WRITTEN_OUT:
        assert np.isnan(x.correlation(measure, y)).tolist() == [True, False]


def test_clusters_drawn_together() -> None:
    weights = cluster_weights(cluster_numbers(["a", "b", "a", "c"]), 50, seed=4)
    assert (weights[:, 0] == weights[:, 2]).all()
    assert (weights[:, 0] + weights[:, 1] + weights[:, 3] == 3).all()


def test_icc_textbook_and_unequal_lists() -> None:
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    found = intraclass_correlation(table)
    assert found.single == pytest.approx(0.1657, abs=1e-4)
    assert found.mean == pytest.approx(0.4428, abs=1e-4)
    assert intraclass_correlation([*table, []]) == found
    assert intraclass_correlation([[1], [2]]).reason == "there are fewer than two items, or no item has two ratings"
    assert intraclass_correlation([[1, 2], [1, 2]]).reason == "all items have the same mean rating"


def test_alpha_without_positions() -> None:
    ratings = [[1, 2, 3], [2, 2], [4, 5, 4], [1]]
    turned = [list(reversed(each)) for each in ratings]
    one, other = (krippendorff_alpha(positions(each), "interval").value for each in (ratings, turned))
    assert one == pytest.approx(other, abs=1e-12)
