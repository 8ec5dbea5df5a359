"""Agreement of measures with people: correlations between measures and ratings over dialogues, and agreement of raters."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import fsum
from typing import TYPE_CHECKING

from msgspec import Struct

from ...errors import DialmeterError, InputError, one_line, placing
from ...model import Notice, dialogue_key
from ...readers.csv_files import csv_text, number_or_nan, read_csv
from ...readers.source import Source
from ...tracking.result import TrackerResult
from .. import FEW_DIALOGUES

if TYPE_CHECKING:
    from ...stats import Interval

_DIALOGUE = ("dialogue", "dialogue_id", "dialogue id", "dialog", "dialog_id", "id")
_MISSING = ("", "na", "n/a", "-", "–")


class Ratings(Struct, frozen=True):
    """Ratings by dialogue and rater. Missing ratings are absent."""

    raters: tuple[str, ...]
    by_dialogue: dict[str, dict[str, float]]
    """Ratings by key of the dialogue and rater; a dialogue without ratings is absent."""
    names: dict[str, str]
    """Original names of the dialogues, by key."""

    def mean(self, key: str) -> float | None:
        """Return the mean rating of one dialogue, or None if it has no ratings.

        Example:
            >>> Ratings(("ann", "bob"), {"d1": {"ann": 4.0, "bob": 5.0}}, {"d1": "D1"}).mean("d1")
            4.5
        """
        ratings = self.by_dialogue.get(key)
        return math.fsum(ratings.values()) / len(ratings) if ratings else None

    def of(self, rater: str, keys: Sequence[str]) -> list[float | None]:
        """Return one rater's ratings of some dialogues."""
        return [self.by_dialogue.get(key, {}).get(rater) for key in keys]

    def digest(self) -> str:
        """Return a digest of ten hexadecimal digits that does not depend on the order of the ratings."""
        cells = sorted(
            f"{key}\x1f{rater}\x1f{value!r}" for key, row in self.by_dialogue.items() for rater, value in row.items()
        )
        return hashlib.sha256("\x1e".join(cells).encode("utf-8", "surrogatepass")).hexdigest()[:10]


class RatingCollector:
    """Collector of ratings. It rejects a second rating of a dialogue by the same rater."""

    def __init__(self) -> None:
        self._raters: dict[str, None] = {}
        self._cells: dict[str, dict[str, float]] = {}
        self._names: dict[str, str] = {}

    def add(self, dialogue: str, rater: str, rating: float | None) -> None:
        """Add one rating; None for a missing one.

        Raises:
            InputError: the rater has already rated the dialogue.
        """
        key = dialogue_key(dialogue)
        self._raters[rater] = None
        self._names.setdefault(key, dialogue)
        if rating is None:
            return
        row = self._cells.setdefault(key, {})
        if rater in row:
            raise InputError(f"{one_line(rater)} has already rated it", dialogue=dialogue)
        row[rater] = rating

    def ratings(self) -> Ratings:
        """Return all ratings, with dialogues and raters sorted."""
        cells = {key: dict(sorted(self._cells[key].items())) for key in sorted(self._cells)}
        return Ratings(tuple(sorted(self._raters)), cells, {key: self._names[key] for key in sorted(self._names)})


def read_ratings(path: str) -> Ratings:
    """Read ratings from CSV with commas, semicolons or tabs.

    Args:
        path: file with the columns ``dialogue, rater, rating``, or ``dialogue`` and one column for each rater.

    Raises:
        InputError: invalid columns or ratings; the error has the line.
    """
    table = read_csv(Source(path))
    columns = {name.lower(): name for name in table.names}
    dialogues = next((columns[name] for name in _DIALOGUE if name in columns), None)
    if dialogues is None or len(table.names) < 2:
        raise InputError(
            "expected the columns dialogue, rater, rating; or dialogue and one per rater", file=path, line=1
        )
    if "" in table.names:
        raise InputError("empty column name", file=path, line=1)
    collector = RatingCollector()
    for line, row in table.rows:
        with placing(file=path, line=line):
            dialogue = row.pop(dialogues).strip()
            if not dialogue:
                raise InputError("a row has no dialogue")
            if {"rater", "rating"} <= set(columns):
                rater = row[columns["rater"]].strip()
                if not rater:
                    raise InputError("a rating has no rater", dialogue=dialogue)
                cells = {rater: row[columns["rating"]]}
            else:
                cells = row
            for rater, cell in cells.items():
                collector.add(dialogue, rater, _parse_rating(cell, dialogue, rater))
    ratings = collector.ratings()
    if not ratings.by_dialogue:
        raise InputError("the file has no ratings", file=path)
    return ratings


def write_ratings(dialogues: Sequence[str], raters: Sequence[str], ratings: Mapping[str, Mapping[str, float]]) -> str:
    """Return ratings as CSV with one column per rater. A missing rating is an empty cell.

    Example:
        >>> print(write_ratings(["D1", "D2"], ["ann"], {"d1": {"ann": 4.0}}), end="")
        dialogue,ann
        D1,4
        D2,
    """
    rows = []
    for dialogue in dialogues:
        by_rater = ratings.get(dialogue_key(dialogue), {})
        rows.append([dialogue, *(f"{by_rater[rater]:.10g}" if rater in by_rater else "" for rater in raters)])
    return csv_text(["dialogue", *raters], rows)


def _parse_rating(text: str, dialogue: str, rater: str) -> float | None:
    text = text.strip()
    if text.lower() in _MISSING:
        return None
    rating = number_or_nan(text)
    if not math.isfinite(rating):
        message = f"the rating of {one_line(rater)} must be a number or empty, not {one_line(text)!r}"
        raise InputError(message, dialogue=dialogue)
    return rating


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
