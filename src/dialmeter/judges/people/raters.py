"""Agreement of the raters of a dimension, and the comparison of a judge with one left-out rater."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ...readers.ratings.rated_item import RatedItems
from .columns import ScoreColumn

HARDLY = 0.1
"""The smallest alpha of a dimension by which judges can be ranked."""


class DimensionAgreement(Struct, frozen=True):
    """Agreement of the raters of one dimension. Values are None if the file has only mean ratings.

    Attributes:
        ratings: number of ratings per item → number of items, as in ``{"5": 125}``.
        alpha_interval: Krippendorff's alpha over items with at least two ratings.
        icc1: ICC(1,1), for a single rating.
        icc1k: ICC(1,k), for the mean rating.
        ceiling: the square root of ICC(1,k): about the highest Pearson correlation that a judge can reach.
        pairwise_spearman: the correlation between positions in the lists of ratings. In most files, a position is not a person.
        left_out_spearman: the correlation of a position with the mean of the others.
        rankable: False if raters hardly agree; None if their agreement is unknown.
    """

    dimension: str
    items: int
    ratings: dict[str, int]
    alpha_interval: float | None = None
    alpha_ordinal: float | None = None
    alpha_nominal: float | None = None
    icc1: float | None = None
    icc1k: float | None = None
    ceiling: float | None = None
    pairwise_spearman: float | None = None
    pairs: int = 0
    left_out_spearman: float | None = None
    left_out_pearson: float | None = None
    rankable: bool | None = None
    reason: str = ""


class LeftOutComparison(Struct, frozen=True):
    """Spearman correlations of a judge and of a left-out rater with the mean of the other raters, averaged over positions."""

    judge: str
    dimension: str
    judge_value: float | None
    rater_value: float | None
    better: int
    positions: int


def agreement(items: RatedItems, dimension: str) -> DimensionAgreement:
    """The agreement of the raters of a dimension."""
    from ...stats import krippendorff_alpha, pearson, spearman
    from ...stats.reliability import intraclass_correlation, left_out_raters, pairwise_raters, positions

    ratings = ratings_of(items, dimension)
    rated = sum(item.rating(dimension) is not None for item in items.items)
    sizes = {str(size): count for size, count in sorted(Counter(map(len, ratings)).items())}
    rows = positions(ratings)
    if len(rows) < 2:
        return DimensionAgreement(dimension, rated, {}, reason="one rating or one mean rating per item")
    alphas = {level: krippendorff_alpha(rows, level) for level in ("interval", "ordinal", "nominal")}
    icc = intraclass_correlation(ratings)
    pairwise, pairs = pairwise_raters(ratings, spearman)
    alpha = alphas["interval"].value
    return DimensionAgreement(
        dimension,
        rated,
        sizes,
        alpha,
        alphas["ordinal"].value,
        alphas["nominal"].value,
        icc.single,
        icc.mean,
        icc.ceiling,
        pairwise,
        pairs,
        left_out_raters(ratings, spearman),
        left_out_raters(ratings, pearson),
        None if alpha is None else alpha >= HARDLY,
        alphas["interval"].reason or "",
    )


def ratings_of(items: RatedItems, dimension: str) -> list[tuple[float, ...]]:
    """The single ratings of a dimension, by item."""
    return [item.ratings.get(dimension, ()) for item in items.items]


def left_out(items: RatedItems, columns: Sequence[ScoreColumn], dimension: str) -> Iterator[LeftOutComparison]:
    """Compare every judge with a left-out rater. Yield nothing if the file has no single ratings."""
    from ...stats import spearman
    from ...stats.reliability import against_left_out_raters

    ratings = ratings_of(items, dimension)
    if not any(len(each) > 1 for each in ratings):
        return
    for column in columns:
        means = against_left_out_raters(column.oriented, ratings, spearman)
        if means.positions:
            yield LeftOutComparison(column.name, dimension, means.judge, means.rater, means.better, means.positions)
