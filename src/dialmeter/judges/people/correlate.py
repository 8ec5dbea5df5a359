"""Correlations of judges with people over items, over systems and within contexts, with intervals from resampled contexts.

Also the agreement of the raters of a facet, and the comparison of a judge with one left-out rater.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan
from statistics import fmean
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ...core.comparison import Resampling
from ...measure import Score
from ...numeric import NDArray, np
from ...readers.ratings.rated_item import RatedItems
from ...stats.agreement import (
    against_left_out_raters,
    intraclass_correlation,
    krippendorff_alpha,
    left_out_raters,
    pairwise_raters,
    positions,
)
from ...stats.correlation import (
    MOST_PAIRED,
    ResampledVariable,
    cluster_numbers,
    cluster_weights,
    kendall,
    pearson,
    rowwise,
    spearman,
)
from ...stats.formulas import Floats
from ...stats.intervals import Interval, student_interval
from ...stats.resampling import percentile_interval
from .columns import ScoreColumn
from .labels import LabelSettings

Integers: TypeAlias = "NDArray[np.intp]"
Resample: TypeAlias = Literal["contexts", "items"]
MEASURES: Mapping[str, Callable[..., Interval]] = {"Pearson": pearson, "Spearman": spearman, "Kendall": kendall}
FEWEST_SYSTEMS = 5
"""The smallest number of systems for a p value."""
MOST_SYSTEMS = 100
"""The largest number of systems for intervals over systems."""
SYSTEM_LEVEL, CONTEXT_LEVEL = "system", "within-context"
_FEWEST_REPLIES = 3
_CACHE_BYTES = 128 * 2**20
"""The largest size of the cache of resampled variables."""


class PeopleSettings(Struct, frozen=True):
    """The settings: the resampled unit, the settings of resampling (None for no intervals), and how ratings become labels."""

    resample: Resample = "contexts"
    resampling: Resampling | None = Resampling()
    labels: LabelSettings = LabelSettings()


class PeopleCorrelation(Score, frozen=True, omit_defaults=True, kw_only=True):
    """The correlation of a judge with people. Its group is the judge, the facet and the level.

    The level is ``reply`` or ``dialogue``, ``system``, or ``within-context``. ``n`` is the number of items, systems or contexts, and
    ``unscored`` that of items without a score or a rating, or of contexts in which scores or ratings are constant. ``p`` is the
    p value for no correlation, as if items were independent; None for fewer than five systems.
    """

    judge: str
    facet: str
    level: str
    p: float | None = None


class ItemDraws:
    """Resamples of items. All judges that scored the same items share them.

    Args:
        items: the rated items.
        settings: the resampled unit, and the settings of resampling.
    """

    def __init__(self, items: RatedItems, settings: PeopleSettings) -> None:
        self.clusters = items.clusters if settings.resample == "contexts" else [item.id for item in items.items]
        self.resampling = settings.resampling
        self._places = b""
        self._drawn: tuple[Floats, int] | None = None
        self._variables: dict[bytes, ResampledVariable] = {}

    def weights(self, places: Integers) -> tuple[Floats, int]:
        """The number of times that each of these items is drawn in each resample, and the number of clusters."""
        assert self.resampling is not None
        if self._drawn is None or places.tobytes() != self._places:
            numbers = cluster_numbers([self.clusters[place] for place in places])
            self._places = places.tobytes()
            self._variables.clear()
            weights = cluster_weights(numbers, self.resampling.resamples, self.resampling.seed)
            self._drawn = weights, int(numbers.max()) + 1
        return self._drawn

    def variable(self, places: Integers, values: Floats) -> ResampledVariable:
        """A variable of these items in all resamples. The last few variables are cached."""
        weights, _ = self.weights(places)
        key = values.tobytes()
        if key not in self._variables:
            while len(self._variables) * weights.nbytes > _CACHE_BYTES:
                del self._variables[next(iter(self._variables))]
            self._variables[key] = ResampledVariable(weights, values)
        return self._variables[key]

    def limits(self, drawn: Floats, count: int) -> tuple[tuple[float, float] | None, str]:
        """The interval of a statistic from its values in the resamples of ``count`` clusters, or why there is none."""
        assert self.resampling is not None
        interval = percentile_interval(drawn, self.resampling.confidence, count)
        return interval.ci, interval.reason or ""


def mean_ratings(items: RatedItems, facet: str) -> Floats:
    """The mean rating of every item; nan if nobody rated it."""
    return np.array([item.rating(facet) for item in items.items], dtype=np.float64)


def complete(*variables: Floats) -> Integers:
    """The indices at which all variables have a number.

    Example:
        >>> import numpy as np
        >>> complete(np.array([1.0, np.nan, 2.0]), np.array([1.0, 2.0, np.nan])).tolist()
        [0]
    """
    return np.flatnonzero(~np.isnan(variables).any(axis=0))


_Row: TypeAlias = "tuple[str, Interval, int, tuple[float, float] | None, str]"
"""The measure, its value, the number of unscored units, the interval, and the reason why there is none."""


def correlations(
    items: RatedItems, columns: Sequence[ScoreColumn], facets: Sequence[str], settings: PeopleSettings
) -> Iterator[PeopleCorrelation]:
    """All correlations, by facet and judge, at every level, without signatures."""
    draws = ItemDraws(items, settings)
    systems = [item.system for item in items.items]
    by_cluster: dict[str, list[int]] = {}
    for place, cluster in enumerate(items.clusters):
        by_cluster.setdefault(cluster, []).append(place)
    contexts = [places for places in by_cluster.values() if len(places) >= _FEWEST_REPLIES]
    for facet in facets:
        ratings = mean_ratings(items, facet)
        for column in columns:
            scores = column.oriented
            levels: dict[str, Iterator[_Row]] = {items.level: _over_items(draws, scores, ratings)}
            if len(set(systems) - {""}) > 1:
                levels[SYSTEM_LEVEL] = _over_systems(draws, scores, ratings, systems)
            if contexts:
                levels[CONTEXT_LEVEL] = _within_contexts(contexts, scores, ratings, settings)
            for level, rows in levels.items():
                names = {"judge": column.name, "facet": facet, "level": level}
                for measure, correlation, unscored, ci, why in rows:
                    reason = (correlation.reason or "") if correlation.value is None else ""
                    for word, other in _WORDS.items():
                        reason = reason.replace(word, other)
                    yield PeopleCorrelation(
                        measure=measure,
                        value=correlation.value,
                        n=correlation.n,
                        unscored=unscored,
                        signature="",
                        ci=ci,
                        ci_reason=why,
                        reason=reason,
                        group={**names},
                        p=correlation.p,
                        **names,
                    )


_WORDS = {"the first variable": "the score", "the second variable": "the rating", "complete pairs": "items"}
"""Words in the reasons of the statistics module → words of this module."""


def _over_items(draws: ItemDraws, scores: Floats, ratings: Floats) -> Iterator[_Row]:
    places = complete(scores, ratings)
    x, y = scores[places], ratings[places]
    for measure, compute in MEASURES.items():
        correlation = compute(x, y)
        ci, why = None, ""
        if correlation.value is not None and draws.resampling is not None:
            _, count = draws.weights(places)
            if count < 2:
                why = "resampling needs at least two contexts"
            elif measure == "Kendall" and len(x) > MOST_PAIRED:
                why = f"more than {MOST_PAIRED} items"
            else:
                one, other = draws.variable(places, x), draws.variable(places, y)
                ci, why = draws.limits(one.correlation(measure, other), count)
        yield measure, correlation, len(scores) - len(places), ci, why


def _over_systems(draws: ItemDraws, scores: Floats, ratings: Floats, systems: Sequence[str]) -> Iterator[_Row]:
    """Correlations of the means by system. Contexts are resampled; the systems stay the same."""
    names = np.array(systems)
    places = complete(scores, ratings)
    places = places[names[places] != ""]
    scored = np.unique(names[places])
    members = (names[places] == scored[:, None]).astype(np.float64)
    x, y = scores[places], ratings[places]
    means = [row[0] for row in _system_means(np.ones((1, len(places))), members, x, y)]
    few = len(scored) <= MOST_SYSTEMS
    weights, count = draws.weights(places) if draws.resampling is not None and len(places) else (None, 0)
    drawn = _system_means(weights, members, x, y) if weights is not None and count > 1 and few else None
    for measure, compute in MEASURES.items():
        correlation = compute(*means)
        ci, why = None, "" if few else f"more than {MOST_SYSTEMS} systems"
        if correlation.value is not None and drawn is not None:
            ci, why = draws.limits(rowwise(measure, *drawn), count)
        if len(scored) < FEWEST_SYSTEMS:
            correlation = replace(correlation, p=None)
        yield measure, correlation, len(set(systems) - {""}) - len(scored), ci, why


def _system_means(weights: Floats, members: Floats, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The means by system, in the resamples that contain every system. They are scaled and rounded, so that equal means stay equal."""
    sizes = weights @ members.T
    complete_rows = (sizes > 0).all(axis=1)
    sums_x, sums_y = ((weights * side) @ members.T for side in (x, y))
    means = [sums[complete_rows] / sizes[complete_rows] for sums in (sums_x, sums_y)]
    first, second = (np.round(side / (float(np.abs(side).max(initial=0)) or 1), 12) for side in means)
    return first, second


def _within_contexts(
    contexts: Sequence[Sequence[int]], scores: Floats, ratings: Floats, settings: PeopleSettings
) -> Iterator[_Row]:
    """The mean over contexts of the correlation among the replies to one context."""
    scored = set(complete(scores, ratings).tolist())
    by_size: dict[int, list[list[int]]] = {}
    for places in contexts:
        own = [place for place in places if place in scored]
        if len(own) >= _FEWEST_REPLIES:
            by_size.setdefault(len(own), []).append(own)
    tables = [np.array(same_size) for same_size in by_size.values()]
    for measure in MEASURES:
        values = [float(value) for places in tables for value in rowwise(measure, scores[places], ratings[places])]
        used = [value for value in values if not isnan(value)]
        spread = student_interval(used, confidence=settings.resampling.confidence if settings.resampling else 0.95)
        why = "" if used else "in every context, scores or ratings are constant, or fewer than three replies are scored"
        mean = Interval(fmean(used) if used else None, None, None, len(used), reason=why)
        has_interval = settings.resampling is not None
        reason = (spread.reason or "") if used and has_interval else ""
        yield measure, mean, len(contexts) - len(used), spread.ci if has_interval else None, reason


HARDLY = 0.1
"""The smallest alpha of a facet by which judges can be ranked."""


class FacetAgreement(Struct, frozen=True):
    """Agreement of the raters of one facet. Values are None if the file has only mean ratings.

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

    facet: str
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
    facet: str
    judge_value: float | None
    rater_value: float | None
    better: int
    positions: int


def agreement(items: RatedItems, facet: str) -> FacetAgreement:
    """The agreement of the raters of a facet."""
    ratings = [item.ratings.get(facet, ()) for item in items.items]
    rated = sum(item.rating(facet) is not None for item in items.items)
    sizes = {str(size): count for size, count in sorted(Counter(map(len, ratings)).items())}
    rows = positions(ratings)
    if len(rows) < 2:
        return FacetAgreement(facet, rated, {}, reason="one rating or one mean rating per item")
    alphas = {level: krippendorff_alpha(rows, level) for level in ("interval", "ordinal", "nominal")}
    icc = intraclass_correlation(ratings)
    pairwise, pairs = pairwise_raters(ratings, spearman)
    alpha = alphas["interval"].value
    return FacetAgreement(
        facet,
        rated,
        sizes,
        alpha,
        alphas["ordinal"].value,
        alphas["nominal"].value,
        icc1=icc.single,
        icc1k=icc.mean,
        ceiling=icc.ceiling,
        pairwise_spearman=pairwise,
        pairs=pairs,
        left_out_spearman=left_out_raters(ratings, spearman),
        left_out_pearson=left_out_raters(ratings, pearson),
        rankable=None if alpha is None else alpha >= HARDLY,
        reason=alphas["interval"].reason or "",
    )


def left_out(items: RatedItems, columns: Sequence[ScoreColumn], facet: str) -> Iterator[LeftOutComparison]:
    """Compare every judge with a left-out rater. Yield nothing if the file has no single ratings."""
    ratings = [item.ratings.get(facet, ()) for item in items.items]
    if not any(len(each) > 1 for each in ratings):
        return
    for column in columns:
        scores = [None if isnan(each) else each for each in column.oriented.tolist()]
        judge, rater, better, positions = against_left_out_raters(scores, ratings, spearman)
        if positions:
            yield LeftOutComparison(column.name, facet, judge, rater, better, positions)
