"""Resampled correlations equal those of explicit resamples, and intervals have the right coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dialmeter.stats import krippendorff_alpha
from dialmeter.stats.cluster_bootstrap import ResampledVariable, cluster_numbers, cluster_weights, rowwise
from dialmeter.stats.reliability import intraclass_correlation, positions

WRITTEN_OUT = {"Pearson": stats.pearsonr, "Spearman": stats.spearmanr, "Kendall": stats.kendalltau}


@pytest.mark.parametrize("measure", WRITTEN_OUT)
def test_weights_give_what_written_out_resamples_give(measure: str) -> None:
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


def test_a_constant_resample_has_no_correlation() -> None:
    weights = np.array([[3.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    x, y = (ResampledVariable(weights, np.array(side)) for side in ([1.1, 2.2, 3.3], [0.1, 0.2, 0.3]))
    for measure in WRITTEN_OUT:
        assert np.isnan(x.correlation(measure, y)).tolist() == [True, False]


def test_items_of_a_cluster_are_drawn_together() -> None:
    weights = cluster_weights(cluster_numbers(["a", "b", "a", "c"]), 50, seed=4)
    assert (weights[:, 0] == weights[:, 2]).all()
    assert (weights[:, 0] + weights[:, 1] + weights[:, 3] == 3).all()


def test_icc_of_the_textbook_and_of_unequal_lists() -> None:
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    found = intraclass_correlation(table)
    assert found.single == pytest.approx(0.1657, abs=1e-4)
    assert found.mean == pytest.approx(0.4428, abs=1e-4)
    assert intraclass_correlation([*table, []]) == found
    assert intraclass_correlation([[1], [2]]).reason == "there are fewer than two items, or no item has two ratings"
    assert intraclass_correlation([[1, 2], [1, 2]]).reason == "all items have the same mean rating"


def test_alpha_does_not_depend_on_positions() -> None:
    ratings = [[1, 2, 3], [2, 2], [4, 5, 4], [1]]
    turned = [list(reversed(each)) for each in ratings]
    one, other = (krippendorff_alpha(positions(each), "interval").value for each in (ratings, turned))
    assert one == pytest.approx(other, abs=1e-12)
