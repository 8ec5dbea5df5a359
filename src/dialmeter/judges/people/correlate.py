"""Correlations of judges with people: over items, over systems, and within contexts, with intervals from resampled contexts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan
from statistics import fmean
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from ...core.comparison import Resampling
from ...readers.ratings.rated_item import RatedItems
from ...stats import kendall, pearson, spearman
from .columns import ScoreColumn

if TYPE_CHECKING:
    from ...stats import Interval
    from ...stats.cluster_bootstrap import ResampledVariable
    from ...stats.formulas import Floats

Resample: TypeAlias = Literal["contexts", "items"]
MEASURES: Mapping[str, Callable[..., Interval]] = {"Pearson": pearson, "Spearman": spearman, "Kendall": kendall}
FEWEST_SYSTEMS = 5
"""With fewer systems there is no p value."""
MOST_SYSTEMS = 100
"""With more systems there are no intervals over systems."""
SYSTEM_LEVEL, CONTEXT_LEVEL = "system", "within-context"
_FEWEST_REPLIES = 3
_REMEMBERED = 128 * 2**20
"""Bytes for variables that are remembered."""


class PeopleSettings(Struct, frozen=True):
    """How correlations are made: what is drawn, and how intervals are made; no resampling for no intervals."""

    resample: Resample = "contexts"
    resampling: Resampling | None = Resampling()


class PeopleCorrelation(Struct, frozen=True):
    """The correlation of a judge with people.

    Attributes:
        measure: Pearson, Spearman or Kendall.
        judge: its name.
        dimension: what people rated.
        level: ``reply`` or ``dialogue``, ``system``, or ``within-context``.
        value: None with a reason.
        ci: the interval over resampled contexts.
        n: items, systems, or contexts.
        unscored: items without a score or a rating, or contexts in which a side is constant.
        p: of no correlation, as if items were independent; None below five systems.
        reason: why there is no value.
        ci_reason: why a value has no interval.
    """

    measure: str
    judge: str
    dimension: str
    level: str
    value: float | None
    ci: tuple[float, float] | None
    n: int
    unscored: int
    p: float | None = None
    reason: str = ""
    ci_reason: str = ""


class ItemDraws:
    """Draws of items that are shared by all judges with the same items.

    Args:
        items: the rated items.
        how: what is drawn, and how often.
    """

    def __init__(self, items: RatedItems, how: PeopleSettings) -> None:
        self.clusters = items.clusters if how.resample == "contexts" else [item.id for item in items.items]
        self.resampling = how.resampling
        self._places: tuple[int, ...] = ()
        self._weights: Floats | None = None
        self._count = 0
        self._variables: dict[bytes, ResampledVariable] = {}

    def weights(self, places: Sequence[int]) -> tuple[Floats, int]:
        """How often each of these items is drawn in each resample, and from how many clusters."""
        from ...stats.cluster_bootstrap import cluster_numbers, cluster_weights

        assert self.resampling is not None
        if self._weights is None or tuple(places) != self._places:
            numbers = cluster_numbers([self.clusters[place] for place in places])
            self._places, self._count = tuple(places), int(numbers.max()) + 1
            self._variables.clear()
            self._weights = cluster_weights(numbers, self.resampling.resamples, self.resampling.seed)
        return self._weights, self._count

    def variable(self, places: Sequence[int], values: Floats) -> ResampledVariable:
        """A variable of these items in all resamples; the last few are remembered."""
        from ...stats.cluster_bootstrap import ResampledVariable

        weights, _ = self.weights(places)
        key = values.tobytes()
        if key not in self._variables:
            while len(self._variables) * weights.nbytes > _REMEMBERED:
                del self._variables[next(iter(self._variables))]
            self._variables[key] = ResampledVariable(weights, values)
        return self._variables[key]


def complete(column: Sequence[float | None], ratings: Sequence[float | None]) -> list[int]:
    """The places at which both sides are known.

    Example:
        >>> complete([1.0, None, 2.0], [1.0, 2.0, None])
        [0]
    """
    return [place for place, both in enumerate(zip(column, ratings, strict=True)) if None not in both]


def correlations(
    items: RatedItems, columns: Sequence[ScoreColumn], dimensions: Sequence[str], how: PeopleSettings
) -> Iterator[PeopleCorrelation]:
    """All correlations: by dimension and judge, at every level."""
    draws = ItemDraws(items, how)
    systems = [item.system for item in items.items]
    several = len(set(systems) - {""}) > 1
    contexts = _contexts(items.clusters)
    for dimension in dimensions:
        ratings = [item.rating(dimension) for item in items.items]
        for column in columns:
            scores = column.oriented
            yield from _over_items(draws, scores, ratings, (column.name, dimension, items.level))
            if several:
                yield from _over_systems(draws, scores, ratings, systems, (column.name, dimension))
            if contexts:
                yield from _within_contexts(contexts, scores, ratings, (column.name, dimension), how)


def _over_items(
    draws: ItemDraws, scores: Sequence[float | None], ratings: Sequence[float | None], names: tuple[str, str, str]
) -> Iterator[PeopleCorrelation]:
    import numpy as np

    from ...stats.cluster_bootstrap import MOST_PAIRED
    from ...stats.resampling import percentile_interval

    places = complete(scores, ratings)
    x, y = (np.array([side[place] for place in places], dtype=np.float64) for side in (scores, ratings))
    for measure, compute in MEASURES.items():
        found = compute(x, y)
        ci, why = None, ""
        if found.value is not None and draws.resampling is not None:
            _, count = draws.weights(places)
            if count < 2:
                why = "one context cannot be resampled"
            elif measure == "Kendall" and len(x) > MOST_PAIRED:
                why = f"more than {MOST_PAIRED} items"
            else:
                values = draws.variable(places, x).correlation(measure, draws.variable(places, y))
                drawn = percentile_interval(values, draws.resampling.confidence, count)
                ci, why = drawn.ci, drawn.reason or ""
        yield _correlation(measure, names, found, unscored=len(scores) - len(places), ci=ci, ci_reason=why)


def _over_systems(
    draws: ItemDraws,
    scores: Sequence[float | None],
    ratings: Sequence[float | None],
    systems: Sequence[str],
    names: tuple[str, str],
) -> Iterator[PeopleCorrelation]:
    """Correlations of the means by system; resamples draw contexts, and the systems stay."""
    import numpy as np

    from ...stats.cluster_bootstrap import rowwise
    from ...stats.resampling import percentile_interval

    places = [place for place in complete(scores, ratings) if systems[place]]
    known = sorted({systems[place] for place in places})
    members = np.array([[float(systems[place] == name) for place in places] for name in known]).reshape(
        len(known), len(places)
    )
    x, y = (np.array([side[place] for place in places], dtype=np.float64) for side in (scores, ratings))
    sizes = members.sum(axis=1)
    means = [(members @ side) / sizes for side in (x, y)]
    few = len(known) <= MOST_SYSTEMS
    weights, count = draws.weights(places) if draws.resampling is not None and places else (None, 0)
    rows = _system_means(weights, members, x, y) if weights is not None and count > 1 and few else None
    for measure, compute in MEASURES.items():
        found = compute(*means)
        ci, why = None, "" if few else f"more than {MOST_SYSTEMS} systems"
        if found.value is not None and rows is not None and draws.resampling is not None:
            drawn = percentile_interval(rowwise(measure, *rows), draws.resampling.confidence, count)
            ci, why = drawn.ci, drawn.reason or ""
        unscored = len(set(systems) - {""}) - len(known)
        full = (*names, SYSTEM_LEVEL)
        yield _correlation(
            measure, full, found, unscored=unscored, ci=ci, ci_reason=why, with_p=len(known) >= FEWEST_SYSTEMS
        )


def _system_means(weights: Floats, members: Floats, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The means by system in the resamples in which every system was drawn."""
    sizes = weights @ members.T
    whole = (sizes > 0).all(axis=1)
    of_x, of_y = ((weights * side) @ members.T for side in (x, y))
    return of_x[whole] / sizes[whole], of_y[whole] / sizes[whole]


def _contexts(clusters: Sequence[str]) -> list[list[int]]:
    """The places of the replies to each context that has several."""
    found: dict[str, list[int]] = {}
    for place, cluster in enumerate(clusters):
        found.setdefault(cluster, []).append(place)
    return [places for places in found.values() if len(places) >= _FEWEST_REPLIES]


def _within_contexts(
    contexts: Sequence[Sequence[int]],
    scores: Sequence[float | None],
    ratings: Sequence[float | None],
    names: tuple[str, str],
    how: PeopleSettings,
) -> Iterator[PeopleCorrelation]:
    """The mean over contexts of the correlation among the replies to one context."""
    import numpy as np

    from ...stats import Interval, student_interval
    from ...stats.cluster_bootstrap import rowwise

    known = set(complete(scores, ratings))
    by_size: dict[int, list[list[int]]] = {}
    for places in contexts:
        whole = [place for place in places if place in known]
        if len(whole) >= _FEWEST_REPLIES:
            by_size.setdefault(len(whole), []).append(whole)
    tables = [
        [
            np.array([[side[place] for place in places] for places in some], dtype=np.float64)
            for side in (scores, ratings)
        ]
        for some in by_size.values()
    ]
    for measure in MEASURES:
        each = [float(value) for x, y in tables for value in rowwise(measure, x, y)]
        used = [value for value in each if not isnan(value)]
        confidence = how.resampling.confidence if how.resampling else 0.95
        spread = student_interval(used, confidence=confidence)
        why = "" if used else "in every context the scores or the ratings are constant, or fewer than three are known"
        found = Interval(fmean(used) if used else None, None, None, len(used), reason=why)
        yield _correlation(
            measure,
            (*names, CONTEXT_LEVEL),
            found,
            unscored=len(contexts) - len(used),
            ci=spread.ci if how.resampling else None,
            ci_reason=(spread.reason or "") if used and how.resampling else "",
        )


_WORDS = {"the first variable": "the score", "the second variable": "the rating", "complete pairs": "items"}
"""Words of the statistics' reasons → words of this study."""


def _correlation(
    measure: str,
    names: tuple[str, str, str],
    found: Interval,
    *,
    unscored: int,
    ci: tuple[float, float] | None,
    ci_reason: str,
    with_p: bool = True,
) -> PeopleCorrelation:
    reason = (found.reason or "") if found.value is None else ""
    for word, other in _WORDS.items():
        reason = reason.replace(word, other)
    judge, dimension, level = names
    p = found.p if with_p else None
    return PeopleCorrelation(measure, judge, dimension, level, found.value, ci, found.n, unscored, p, reason, ci_reason)
