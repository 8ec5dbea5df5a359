"""Paired tests between judges on the same rated items: the difference of their correlations with people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...core.comparison import correct_by_holm
from ...core.ladder import Verdict, decide
from ...readers.ratings.rated_item import RatedItems
from ..compare import LEVEL
from .columns import ScoreColumn
from .correlate import MEASURES, ItemDraws, PeopleSettings


class AgreementDifference(Struct, frozen=True):
    """The correlation of another judge with people minus the correlation of the first judge, over the items that both scored.

    Attributes:
        ci: the confidence interval from resampled contexts.
        p: the two-sided p value of Student's t: the difference divided by its standard deviation over the resamples. The degrees of
            freedom are the number of contexts minus one.
        p_holm: p, corrected over all differences of the same measure in the same dimension.
        verdict: better if the other judge agrees more with people, worse if it agrees less, otherwise cannot tell.
        zou: Zou's interval for dependent correlations, for Pearson only; it assumes independent items.
    """

    dimension: str
    judge: str
    other: str
    measure: str
    difference: float | None
    ci: tuple[float, float] | None
    p: float | None
    n: int
    zou: tuple[float, float] | None = None
    p_holm: float | None = None
    reason: str = ""
    verdict: Verdict = "cannot tell"


def first_judge(columns: Sequence[ScoreColumn], dimension: str, named: str | None = None) -> ScoreColumn | None:
    """The judge that others are compared with: the requested judge, or a judge with the dimension's name, or the first judge.

    Example:
        >>> columns = [ScoreColumn(name, [], "") for name in ("x/fluent", "x/overall")]
        >>> first_judge(columns, "overall").name, first_judge(columns, "depth").name
        ('x/overall', 'x/fluent')
    """
    of_name = [each for each in columns if each.name == named]
    own = [each for each in columns if each.name.rpartition("/")[2].lower() == dimension.lower()]
    return next(iter([*of_name, *own, *columns]), None)


def differences(
    items: RatedItems,
    columns: Sequence[ScoreColumn],
    dimensions: Sequence[str],
    settings: PeopleSettings,
    first: str | None = None,
) -> list[AgreementDifference]:
    """Compare the first judge with every other, in each dimension, by Pearson and Spearman. Holm's correction covers one dimension and measure."""
    corrected: list[AgreementDifference] = []
    for dimension in dimensions:
        uncorrected = list(_dimension_differences(items, columns, dimension, settings, first))
        for measure in ("Pearson", "Spearman"):
            corrected += correct_by_holm([each for each in uncorrected if each.measure == measure])
    return [replace(each, verdict=decide(each, LEVEL)) for each in corrected]


def _dimension_differences(
    items: RatedItems, columns: Sequence[ScoreColumn], dimension: str, settings: PeopleSettings, first: str | None
) -> Iterator[AgreementDifference]:
    base = first_judge(columns, dimension, first)
    if base is None or settings.resampling is None:
        return
    draws = ItemDraws(items, settings)
    ratings = [item.rating(dimension) for item in items.items]
    for other in columns:
        if other.name != base.name:
            yield from _compare_pair(draws, base, other, ratings, dimension)


def _compare_pair(
    draws: ItemDraws, base: ScoreColumn, other: ScoreColumn, ratings: Sequence[float | None], dimension: str
) -> Iterator[AgreementDifference]:
    import numpy as np

    from ...stats import compare_correlations
    from ...stats.intervals import student_p
    from ...stats.resampling import percentile_interval

    one, two = base.oriented, other.oriented
    places = [place for place, each in enumerate(zip(one, two, ratings, strict=True)) if None not in each]
    x, y, people = (np.array([side[place] for place in places], dtype=np.float64) for side in (one, two, ratings))
    for measure in ("Pearson", "Spearman"):
        first, second = MEASURES[measure](x, people), MEASURES[measure](y, people)
        names = (dimension, base.name, other.name, measure)
        if first.value is None or second.value is None or draws.resampling is None:
            reason = "a score or the rating is constant, or there are too few items"
            yield AgreementDifference(*names, None, None, None, len(places), reason=reason)
            continue
        _, count = draws.weights(places)
        one_drawn, two_drawn, target = (draws.variable(places, each) for each in (x, y, people))
        drawn = two_drawn.correlation(measure, target) - one_drawn.correlation(measure, target)
        drawn = drawn[~np.isnan(drawn)]
        spread = (
            percentile_interval(drawn, draws.resampling.confidence, count) if count > 1 and len(drawn) > 1 else None
        )
        error = float(drawn.std(ddof=1)) if spread else 0.0
        p = student_p((second.value - first.value) / error, count - 1) if error else None
        zou = (
            compare_correlations(people, y, x, confidence=draws.resampling.confidence) if measure == "Pearson" else None
        )
        yield AgreementDifference(
            *names,
            second.value - first.value,
            spread.ci if spread else None,
            p,
            len(places),
            zou=zou.ci if zou else None,
        )
