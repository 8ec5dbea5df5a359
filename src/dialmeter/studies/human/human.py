"""Agreement of measures with people: correlations between measures and ratings over dialogues, and agreement of raters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import fsum
from typing import TYPE_CHECKING

from msgspec import Struct

from ...errors import DialmeterError, one_line
from ...model import Notice, dialogue_key
from ...tracking.result import TrackerResult
from .. import FEW_DIALOGUES
from .ratings import Ratings

if TYPE_CHECKING:
    from ...stats import Interval


class Statistic(Struct, frozen=True):
    """A statistic with interval and p value. If there is no value, there is a reason."""

    value: float | None
    ci: tuple[float, float] | None
    n: int
    unscored: int = 0
    p: float | None = None
    reason: str = ""


class RatingCorrelation(Struct, frozen=True):
    """The correlation of one measure with the mean rating."""

    measure: str
    statistic: str
    found: Statistic
    signature: str


class RatingDifference(Struct, frozen=True):
    """Pearson's correlation of the first measure with the rating minus that of the second measure, with Zou's interval."""

    first: str
    second: str
    difference: Statistic


class RaterLine(Struct, frozen=True):
    """One rater: number of rated dialogues, their mean rating, and Pearson's correlation with every measure."""

    rater: str
    n: int
    mean: float
    pearson: dict[str, Statistic]


class RaterAgreement(Struct, frozen=True):
    """A statistic of the agreement of raters, its value, and the number of dialogues or pairs of raters."""

    statistic: str
    value: float | None
    n: int
    reason: str = ""


class HumanStudy(Struct, frozen=True):
    """All results of the study."""

    dialogues: list[str]
    correlations: list[RatingCorrelation]
    pairs: list[RatingDifference]
    agreement: list[RaterAgreement]
    raters: list[RaterLine]
    only_rated: list[str]
    only_scored: list[str]
    notices: list[Notice]


def compare_with_people(result: TrackerResult, ratings: Ratings, confidence: float = 0.95) -> HumanStudy:
    """Correlate every measure with the mean rating over dialogues.

    Args:
        result: the scored file.
        ratings: human ratings.
        confidence: coverage of the intervals; 0 for none.

    Raises:
        DialmeterError: no rated dialogue is in the file.
    """
    from ...stats import compare_correlations, kendall, pearson, spearman

    scored = [dialogue_key(name) for name in result.measure_columns.main.dialogues]
    names = dict(zip(scored, result.measure_columns.main.dialogues, strict=True))
    keys = sorted(names.keys() & ratings.by_dialogue.keys())
    only_rated = [ratings.names[key] for key in sorted(ratings.by_dialogue.keys() - names.keys())]
    if not keys:
        listed = ", ".join(one_line(name, 30) for name in only_rated[:3])
        raise DialmeterError(f"none of the {len(only_rated)} rated dialogues is in the file: {listed} …")
    people = [ratings.mean(key) for key in keys]
    level = confidence or 0.95
    values = {}
    for each in result.measures:
        column = dict(zip(scored, result.measure_columns.per_dialogue(each.used), strict=True))
        values[each.text] = [column[key] for key in keys]
    digest = ratings.digest()
    statistics = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
    correlations = [
        RatingCorrelation(
            score.measure,
            name,
            make_statistic(correlate(values[score.measure], people, confidence=level), confidence),
            # The measure's signature, and everything else that the correlation depends on.
            score.signature.replace("|d:", f"|human:{name}|rated:{len(keys)}d|ratings:{digest}|d:", 1),
        )
        for score in result.scores
        for name, correlate in statistics.items()
    ]
    pairs = [
        RatingDifference(
            one,
            other,
            make_statistic(compare_correlations(people, values[one], values[other], confidence=level), confidence),
        )
        for one, other in combinations(values, 2)
    ]
    lines = []
    for rater in ratings.raters:
        own = ratings.of(rater, keys)
        present = [rating for rating in own if rating is not None]
        if present:
            by_measure = {
                name: make_statistic(pearson(column, own, confidence=level), confidence)
                for name, column in values.items()
            }
            lines.append(RaterLine(rater, len(present), fsum(present) / len(present), by_measure))
    only_scored = [names[key] for key in sorted(names.keys() - ratings.by_dialogue.keys())]
    agreement = list(_agreement(ratings, [line.rater for line in lines], keys))
    notices = list(_notices(people, lines, only_rated, only_scored))
    return HumanStudy(
        [names[key] for key in keys], correlations, pairs, agreement, lines, only_rated, only_scored, notices
    )


_WORDS = {
    "the first variable": "the measure",
    "the second variable": "the rating",
    "the shared variable": "the rating",
    "complete pairs": "dialogues with a value",
    "complete units": "dialogues with a value",
    "pairs": "dialogues",
    "units": "dialogues",
}
"""Terms in the reasons of statistics, and the terms of this study that replace them."""


def make_statistic(interval: Interval, confidence: float) -> Statistic:
    """Return a statistic with its reason in the terms of this study, and without interval if the confidence is 0."""
    reason = interval.reason or ""
    for word, other in _WORDS.items():
        reason = reason.replace(word, other)
    ci = interval.ci if confidence else None
    return Statistic(interval.value, ci, interval.n, interval.left_out, interval.p, reason)


def _agreement(ratings: Ratings, raters: Sequence[str], keys: Sequence[str]) -> Iterator[RaterAgreement]:
    from ...stats import krippendorff_alpha, pearson

    columns = [ratings.of(rater, keys) for rater in raters]
    if len(columns) < 2:
        return
    for level in ("ordinal", "interval"):
        alpha = krippendorff_alpha(columns, level)
        yield RaterAgreement(f"Krippendorff's alpha, {level}", alpha.value, alpha.units, alpha.reason or "")
    correlations = (pearson(one, other).value for one, other in combinations(columns, 2))
    defined = [value for value in correlations if value is not None]
    mean = fsum(defined) / len(defined) if defined else None
    reason = "" if defined else "no two raters have three common dialogues on which both ratings vary"
    yield RaterAgreement("mean pairwise Pearson", mean, len(defined), reason)


def _notices(
    people: Sequence[float | None], lines: Sequence[RaterLine], only_rated: Sequence[str], only_scored: Sequence[str]
) -> Iterator[Notice]:
    for code, problem, names in (
        ("not-in-file", "rated, but not in the file", only_rated),
        ("not-rated", "in the file, but not rated", only_scored),
    ):
        if names:
            listed = tuple(one_line(name) for name in names[:10])
            yield Notice(code, len(names), f"{problem}: {len(names)} dialogues", listed)
    if len(people) < FEW_DIALOGUES:
        yield Notice("few-dialogues", len(people), f"only {len(people)} rated dialogues: correlations are unreliable")
    if len(set(people)) == 1 and len(people) > 1:
        yield Notice(
            "constant-ratings", len(people), "all dialogues have the same mean rating: nothing correlates with it"
        )
    if len(lines) == 1:
        yield Notice("one-rater", 1, "there is only one rater, so agreement cannot be computed")
