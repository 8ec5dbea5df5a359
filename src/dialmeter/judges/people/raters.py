"""How far the raters of a dimension agree, and how a judge compares with one rater who is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ...readers.ratings.rated_item import RatedItems
from .columns import ScoreColumn

HARDLY = 0.1
"""Below this alpha no judge can be ranked."""


class DimensionAgreement(Struct, frozen=True):
    """Agreement of the raters of one dimension; values are None where the file has mean ratings only.

    Attributes:
        ratings: how many ratings, by how many items: ``{"5": 125}``.
        alpha_interval: Krippendorff's alpha over items with at least two ratings.
        icc1: ICC(1,1), of a single rating.
        icc1k: ICC(1,k), of the mean rating.
        ceiling: the square root of ICC(1,k): about the highest Pearson that a judge can reach.
        pairwise_spearman: between positions in the lists of ratings, which are not persons in most files.
        left_out_spearman: a position against the mean of the others.
        rankable: False where raters hardly agree; None where that is not known.
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
    """A judge and a left-out rater, both against the mean of the other raters (Spearman, mean over positions)."""

    judge: str
    dimension: str
    judge_value: float | None
    rater_value: float | None
    better: int
    positions: int


def agreement(items: RatedItems, dimension: str) -> DimensionAgreement:
    """How far the raters of a dimension agree."""
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
    """By item, the single ratings of a dimension."""
    return [item.ratings.get(dimension, ()) for item in items.items]


def left_out(items: RatedItems, columns: Sequence[ScoreColumn], dimension: str) -> Iterator[LeftOutComparison]:
    """Every judge against a left-out rater; nothing where the file has no single ratings."""
    from ...stats import spearman
    from ...stats.reliability import against_left_out_raters

    ratings = ratings_of(items, dimension)
    if not any(len(each) > 1 for each in ratings):
        return
    for column in columns:
        found = against_left_out_raters(column.oriented, ratings, spearman)
        if found.positions:
            yield LeftOutComparison(column.name, dimension, found.judge, found.rater, found.better, found.positions)
