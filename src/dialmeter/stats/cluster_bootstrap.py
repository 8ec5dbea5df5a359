"""Correlations with intervals from a cluster bootstrap.

Items that belong together, such as replies to one context, are drawn together. A resample draws as many clusters as there are,
with replacement; the weight of an item is the number of times that its cluster was drawn. All coefficients are computed from these
weights, without building the resamples: Pearson's r from weighted sums, Spearman's from weighted mean ranks, Kendall's tau-b from the weighted
table of pairs. Field and Welsh (2007), Bootstrapping Clustered Data, Journal of the Royal Statistical Society B 69(3), 369-390.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .draws import product
from .formulas import Floats

MOST_PAIRED = 20_000
"""Kendall's tau gets no interval if there are more items, because the table of pairs takes too long."""
_ROWS = 2**21
_FLAT = 1e-12


def cluster_numbers(clusters: Sequence[Hashable]) -> NDArray[np.int64]:
    """Number the clusters in order of first occurrence.

    Example:
        >>> cluster_numbers(["b", "a", "b"]).tolist()
        [0, 1, 0]
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(each, len(numbers)) for each in clusters], dtype=np.int64)


def cluster_weights(clusters: NDArray[np.int64], resamples: int, seed: int) -> Floats:
    """Return how often each item is drawn in each resample.

    Args:
        clusters: The number of each item's cluster, from 0.
        resamples: Number of resamples.
        seed: Seed of the draw.

    Returns:
        Weights of shape (resamples, items).

    Example:
        >>> cluster_weights(np.array([0, 0, 1]), 3, seed=1).tolist()
        [[1.0, 1.0, 1.0], [0.0, 0.0, 2.0], [2.0, 2.0, 0.0]]
    """
    count = int(clusters.max()) + 1
    # PCG64 is explicit, because numpy may change the generator of default_rng().
    generator = np.random.Generator(np.random.PCG64(seed))
    drawn = generator.integers(0, count, size=(resamples, count))
    drawn += np.arange(0, resamples * count, count)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=resamples * count).reshape(resamples, count)
    return counts[:, clusters].astype(np.float64)


class ResampledVariable:
    """One variable in all resamples. Intermediate results that several correlations need are cached.

    Args:
        weights: How often each item is drawn in each resample.
        values: One number per item.

    Example:
        >>> weights = np.array([[1.0, 1, 1], [2.0, 1, 1]])
        >>> x, y = (ResampledVariable(weights, np.array(each)) for each in ([1.0, 2, 3], [1.0, 3, 2]))
        >>> for measure in ("Pearson", "Spearman", "Kendall"):
        ...     print(measure, x.correlation(measure, y).round(4))
        Pearson [0.5    0.6364]
        Spearman [0.5    0.7778]
        Kendall [0.3333 0.6   ]
    """

    def __init__(self, weights: Floats, values: Floats) -> None:
        self.weights = weights
        self.values = values

    def correlation(self, measure: str, other: ResampledVariable) -> Floats:
        """Return the correlation with another variable in every resample; nan if one of the two is constant.

        Args:
            measure: Pearson, Spearman or Kendall.
            other: The other variable, with the same items and weights.
        """
        if measure == "Kendall":
            both = _signed_pairs(self.weights, self.values, other.values)
            return _ratio(both, self.untied_pairs, other.untied_pairs)
        if measure == "Pearson":
            cross = np.einsum("bi,i->b", self.weights, self.centred * other.centred)
            mine, theirs = self.moments, other.moments
            return _ratio(cross - mine[0] * theirs[0] / mine[2], mine[1], theirs[1])
        (mine_deviations, mine_sum), (theirs_deviations, theirs_sum) = self.rank_deviations, other.rank_deviations
        cross = np.einsum("bi,bi,bi->b", self.weights, mine_deviations, theirs_deviations)
        return _ratio(cross, mine_sum, theirs_sum)

    @cached_property
    def centred(self) -> Floats:
        """The values minus their mean, scaled to a maximum absolute value of one."""
        deviations: Floats = self.values - self.values.mean()
        return deviations / max(float(np.abs(deviations).max(initial=0.0)), 1e-300)

    @cached_property
    def moments(self) -> tuple[Floats, Floats, Floats]:
        """For every resample, the sum of the values, the sum of their squared deviations, and the number of drawn items."""
        sums = product(self.weights, np.stack([self.centred, self.centred**2, np.ones(len(self.values))], axis=1))
        first, second, total = sums.T
        return first, second - first**2 / total, total

    @cached_property
    def rank_deviations(self) -> tuple[Floats, Floats]:
        """The deviations of ranks from their mean, and the sums of their squares."""
        total = self.weights.sum(axis=1)
        deviations = (self.ranks - (total[:, None] + 1) / 2) / len(self.values)
        return deviations, np.einsum("bi,bi,bi->b", self.weights, deviations, deviations)

    @cached_property
    def ranks(self) -> Floats:
        """Mean ranks of the items in every resample. An item that was drawn twice counts twice.

        Example:
            >>> ResampledVariable(np.array([[1.0, 1, 1], [2.0, 1, 0]]), np.array([5.0, 7, 7])).ranks.tolist()
            [[1.0, 2.5, 2.5], [1.5, 3.0, 3.0]]
        """
        order = np.argsort(self.values, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(self.values[order]) > 0])
        sizes = np.add.reduceat(self.weights[:, order], starts, axis=1)
        middle = np.cumsum(sizes, axis=1) - sizes / 2 + 0.5
        group = np.empty(len(order), dtype=np.int64)
        group[order] = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(order)]))
        return middle[:, group]

    @cached_property
    def untied_pairs(self) -> Floats:
        """Number of ordered pairs of drawn items that have different values."""
        return _signed_pairs(self.weights, self.values, self.values)


def _signed_pairs(weights: Floats, x: Floats, y: Floats) -> Floats:
    """Return the number of concordant minus discordant ordered pairs in every resample."""
    totals = np.zeros(len(weights))
    step = max(1, _ROWS // len(x))
    for first in range(0, len(x), step):
        rows = slice(first, first + step)
        signs = np.sign(x[rows, None] - x[None, :]) * np.sign(y[rows, None] - y[None, :])
        totals += np.einsum("bi,bi->b", weights[:, rows], product(weights, signs.T))
    return totals


def rowwise(measure: str, x: Floats, y: Floats) -> Floats:
    """Return a correlation for every row of two tables, such as the means of systems in every resample.

    It is nan if one of the two rows is constant.

    Args:
        measure: Pearson, Spearman or Kendall.
        x: One row per resample.
        y: The same rows and columns.

    Example:
        >>> rowwise("Spearman", np.array([[1.0, 2, 3], [1.0, 1, 1]]), np.array([[1.0, 3, 2], [1.0, 2, 3]]))
        array([0.5, nan])
    """
    if measure == "Pearson":
        sides = [side - side.mean(axis=1, keepdims=True) for side in (x, y)]
        # Scaled to at most one, so that rounding errors of a constant row can be distinguished from values.
        sides = [side / np.abs(whole).max(initial=1e-300) for side, whole in zip(sides, (x, y), strict=True)]
    else:
        signs = [np.sign(side[:, :, None] - side[:, None, :]) for side in (x, y)]
        # For Spearman, twice the centred rank; for Kendall, all pairs.
        pairs_of_columns = (len(x), x.shape[1] ** 2)
        sides = [each.sum(axis=2) if measure == "Spearman" else each.reshape(pairs_of_columns) for each in signs]
    first, second = sides
    pairs = ((first, second), (first, first), (second, second))
    return _ratio(*(np.einsum("bi,bi->b", one, other) for one, other in pairs))


def _ratio(cross: Floats, of_x: Floats, of_y: Floats) -> Floats:
    """Return a correlation from sums of products; nan if one side is constant up to rounding."""
    varies = (of_x > _FLAT) & (of_y > _FLAT)
    denominator = np.sqrt(np.where(varies, of_x * of_y, 1.0))
    return np.where(varies, np.clip(cross / denominator, -1.0, 1.0), np.nan)
