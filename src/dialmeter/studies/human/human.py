"""Do measures agree with people? Correlation of every measure per dialogue with ratings, and how far raters agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import fsum
from typing import TYPE_CHECKING

from msgspec import Struct

from ...errors import DialmeterError, one_line
from ...model import Notice, dialogue_key
from ...tracking.result import TrackerResult
from ..curve.curve import FEW
from .ratings import Ratings

if TYPE_CHECKING:
    from ...stats import Interval


class Number(Struct, frozen=True):
    """A statistic with interval and p value; without value there is a reason."""

    value: float | None
    ci: tuple[float, float] | None
    n: int
    unscored: int = 0
    p: float | None = None
    reason: str = ""


class Correlation(Struct, frozen=True):
    """How one measure goes with the mean rating."""

    measure: str
    statistic: str
    found: Number
    signature: str


class Pair(Struct, frozen=True):
    """Pearson of the first measure with the rating minus that of the second, with Zou's interval."""

    first: str
    second: str
    difference: Number


class RaterLine(Struct, frozen=True):
    """One rater: how many dialogues, their mean rating, and Pearson with every measure."""

    rater: str
    n: int
    mean: float
    pearson: dict[str, Number]


class Agreed(Struct, frozen=True):
    """How far raters agree: a statistic, its value, and over how many dialogues or pairs of raters."""

    statistic: str
    value: float | None
    n: int
    reason: str = ""


class Study(Struct, frozen=True):
    """The whole study."""

    dialogues: list[str]
    correlations: list[Correlation]
    pairs: list[Pair]
    agreement: list[Agreed]
    raters: list[RaterLine]
    only_rated: list[str]
    only_scored: list[str]
    notices: list[Notice]


def compare_with_people(result: TrackerResult, ratings: Ratings, confidence: float = 0.95) -> Study:
    """Correlates every measure per dialogue with the mean rating of each dialogue.

    Args:
        result: the scored file.
        ratings: what people said.
        confidence: coverage of the intervals; 0 for none.

    Raises:
        DialmeterError: no rated dialogue is in the file.
    """
    from ...stats import compare_correlations, kendall, pearson, spearman

    names = {dialogue_key(name): name for name in result.ledger.main.dialogues}
    keys = sorted(names.keys() & ratings.by_dialogue.keys())
    only_rated = [ratings.names[key] for key in sorted(ratings.by_dialogue.keys() - names.keys())]
    if not keys:
        listed = ", ".join(one_line(name, 30) for name in only_rated[:3])
        raise DialmeterError(f"none of the {len(only_rated)} rated dialogues is in the file: {listed} …")
    people = [ratings.mean(key) for key in keys]
    level = confidence or 0.95
    place = {dialogue_key(name): position for position, name in enumerate(result.ledger.main.dialogues)}
    values = {}
    for each in result.asked:
        column = result.ledger.per_dialogue(each.used)
        values[each.text] = [column[place[key]] for key in keys]
    statistics = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
    correlations = [
        Correlation(
            score.measure,
            name,
            _number(how(values[score.measure], people, confidence=level), confidence),
            _signed(score.signature, name, ratings, len(keys)),
        )
        for score in result.scores
        for name, how in statistics.items()
    ]
    pairs = [
        Pair(
            one, other, _number(compare_correlations(people, values[one], values[other], confidence=level), confidence)
        )
        for one, other in combinations(values, 2)
    ]
    lines = []
    for rater in ratings.raters:
        own = ratings.of(rater, keys)
        given = [rating for rating in own if rating is not None]
        if given:
            found = {
                name: _number(pearson(column, own, confidence=level), confidence) for name, column in values.items()
            }
            lines.append(RaterLine(rater, len(given), fsum(given) / len(given), found))
    only_scored = [names[key] for key in sorted(names.keys() - ratings.by_dialogue.keys())]
    agreement = list(_agreement(ratings, [line.rater for line in lines], keys))
    notices = list(_notices(people, lines, only_rated, only_scored))
    return Study([names[key] for key in keys], correlations, pairs, agreement, lines, only_rated, only_scored, notices)


# The statistics speak of variables; here these are measures and ratings.
_WORDS = {
    "the first variable": "the measure",
    "the second variable": "the rating",
    "the shared variable": "the rating",
    "complete pairs": "dialogues with a value",
    "complete units": "dialogues with a value",
    "pairs": "dialogues",
    "units": "dialogues",
}


def _number(found: Interval, confidence: float) -> Number:
    limits = (found.low, found.high) if confidence and found.low is not None and found.high is not None else None
    reason = found.reason or ""
    for word, other in _WORDS.items():
        reason = reason.replace(word, other)
    return Number(found.value, limits, found.n, found.left_out, found.p, reason)


def _signed(signature: str, statistic: str, ratings: Ratings, rated: int) -> str:
    """The measure's signature with what else the correlation depends on."""
    return signature.replace("|d:", f"|human:{statistic}|rated:{rated}d|ratings:{ratings.digest()}|d:", 1)


def _agreement(ratings: Ratings, raters: Sequence[str], keys: Sequence[str]) -> Iterator[Agreed]:
    from ...stats import krippendorff_alpha, pearson

    columns = [ratings.of(rater, keys) for rater in raters]
    if len(columns) < 2:
        return
    for level in ("ordinal", "interval"):
        alpha = krippendorff_alpha(columns, level)
        yield Agreed(f"Krippendorff's alpha, {level}", alpha.value, alpha.units, alpha.reason or "")
    found = [pearson(one, other).value for one, other in combinations(columns, 2)]
    known = [value for value in found if value is not None]
    reason = "" if known else "no two raters have three dialogues in common on which both vary"
    yield Agreed("mean pairwise Pearson", fsum(known) / len(known) if known else None, len(known), reason)


def _notices(
    people: Sequence[float | None], lines: Sequence[RaterLine], only_rated: Sequence[str], only_scored: Sequence[str]
) -> Iterator[Notice]:
    if only_rated:
        said = f"rated, but not in the file: {len(only_rated)} dialogues"
        yield Notice("not-in-file", len(only_rated), said, _first(only_rated))
    if only_scored:
        said = f"in the file, but not rated: {len(only_scored)} dialogues"
        yield Notice("not-rated", len(only_scored), said, _first(only_scored))
    if len(people) < FEW:
        yield Notice("few-dialogues", len(people), f"only {len(people)} rated dialogues: correlations mean little")
    if len(set(people)) == 1 and len(people) > 1:
        yield Notice(
            "constant-ratings", len(people), "all dialogues have the same mean rating: nothing correlates with it"
        )
    if len(lines) == 1:
        yield Notice("one-rater", 1, "one rater only, so that agreement cannot be told")


def _first(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(one_line(name) for name in names[:10])
