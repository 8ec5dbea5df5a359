"""Products that are computed in small pieces are exact."""

import numpy as np
import pytest

from dialmeter.stats.draws import product


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("rows", "n", "width"), [(1, 2, 1), (32, 512, 16), (33, 5_000, 22), (100, 511, 16), (7, 3, 40)]
)
def test_pieces_give_the_same_as_the_whole(rows, n, width, order):
    generator = np.random.default_rng(1)
    weights = generator.integers(0, 9, (rows, n)).astype(float)
    columns = np.array(generator.integers(0, 2**20, (n, width)) / 2**10, order=order)
    assert np.array_equal(product(weights, columns), weights @ columns)
