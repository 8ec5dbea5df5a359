"""Agreement of measures with people: ratings, sheets for raters, correlations with every measure, and a fitted lambda.

The sheets are inspired by the human evaluation of FGA (Dey et al. 2022, appendix A.3).
"""

from __future__ import annotations

import hashlib
import heapq
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from math import fsum
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ..core.document import Count, Interval, Number
from ..errors import DialmeterError, InputError, one_line, placing
from ..measure import Measure
from ..model import Notice, Value, dialogue_key
from ..numeric import np
from ..readers.csv_files import number_or_nan, read_csv
from ..readers.pairs.vocabulary import PairDialogue
from ..readers.sheets import Cells, SheetKind
from ..readers.source import Source
from ..stats.agreement import krippendorff_alpha
from ..stats.correlation import ResampledVariable, cluster_weights, compare_correlations, kendall, pearson, spearman
from ..stats.formulas import Floats
from ..stats.intervals import Interval as Estimate
from ..tracking.compared import ComparedDialogue
from ..tracking.measures.fga import FGA, LocalAccuracy
from ..tracking.measures.states import JGA
from ..tracking.resolve_measures import ResolvedMeasure, resolve
from ..tracking.result import TrackerResult
from . import FEW_DIALOGUES, values_by_dialogue

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


def read_ratings(files: Mapping[str, str]) -> tuple[Ratings, int]:
    """Read tables of ratings and filled sheets.

    A table has the columns ``dialogue, rater, rating``, or ``dialogue`` and one column for each rater. A filled sheet has the
    columns ``dialogue`` and ``rating``.

    Args:
        files: path by name; the name of a filled sheet is its rater.

    Returns:
        The ratings, and the number of rows of filled sheets without a rating.

    Raises:
        InputError: invalid columns or ratings; the error has file and line.
    """
    cells: dict[str, dict[str, float]] = {}
    names: dict[str, str] = {}
    raters: set[str] = set()
    unfilled = 0
    for name, path in files.items():
        for line, dialogue, rater, rating in _rated_rows(path, name):
            key = dialogue_key(dialogue)
            raters.add(rater)
            names.setdefault(key, dialogue)
            if rating is None:
                unfilled += rater == name
                continue
            row = cells.setdefault(key, {})
            if rater in row:
                message = f"{one_line(rater)} has already rated it"
                raise InputError(message, dialogue=dialogue).at(file=path, line=line)
            row[rater] = rating
    if not cells:
        raise InputError("the file has no ratings", file=next(iter(files.values())))
    ratings = {key: dict(sorted(cells[key].items())) for key in sorted(cells)}
    return Ratings(tuple(sorted(raters)), ratings, {key: names[key] for key in sorted(names)}), unfilled


def _rated_rows(path: str, name: str) -> Iterator[tuple[int, str, str, float | None]]:
    """Yield line, dialogue, rater and rating of one file."""
    table = read_csv(Source(path))
    columns = {name.lower(): name for name in table.names}
    dialogues = next((columns[name] for name in _DIALOGUE if name in columns), None)
    if dialogues is None or len(table.names) < 2:
        raise InputError(
            "expected the columns dialogue, rater, rating; or dialogue and one per rater", file=path, line=1
        )
    if "" in table.names:
        raise InputError("empty column name", file=path, line=1)
    for line, row in table.rows:
        with placing(file=path, line=line):
            dialogue = row.pop(dialogues).strip()
            if not dialogue:
                raise InputError("a row has no dialogue")
            scale = RatingScale.parse(row[columns["scale"]]) if {"rating", "scale"} <= set(columns) else None
            cells = row
            if "rating" in columns:
                rater = row[columns["rater"]].strip() if "rater" in columns else name
                if not rater:
                    raise InputError("a rating has no rater", dialogue=dialogue)
                cells = {rater: row[columns["rating"]]}
            for rater, cell in cells.items():
                text = cell.strip()
                rating = None if text.lower() in _MISSING else number_or_nan(text)
                if rating is not None and not (
                    math.isfinite(rating) and (scale is None or scale.low <= rating <= scale.high)
                ):
                    expected = f"a number from {scale.low} to {scale.high}" if scale else "a number"
                    message = f"the rating of {one_line(rater)} must be {expected} or empty, not {one_line(text)!r}"
                    raise InputError(message, dialogue=dialogue)
                yield line, dialogue, rater, rating


class Statistic(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A correlation, or a difference of two, with interval and p value. If there is no value, there is a reason."""

    value: Number
    ci: Interval
    n: Count
    unscored: Count
    p: Number
    reason: str = ""


class RatingCorrelation(Statistic, frozen=True, kw_only=True, omit_defaults=True):
    """The correlation of one measure with the mean rating per dialogue."""

    measure: str
    statistic: Literal["pearson", "spearman", "kendall"]
    signature: str


class RatingDifference(Statistic, frozen=True, kw_only=True, omit_defaults=True):
    """Pearson's correlation of the first measure with the rating minus that of the second measure, with Zou's interval."""

    first: str
    second: str


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


class PeopleStudy(Struct, frozen=True):
    """All results of the study."""

    dialogues: list[str]
    correlations: list[RatingCorrelation]
    pairs: list[RatingDifference]
    agreement: list[RaterAgreement]
    raters: list[RaterLine]
    only_rated: list[str]
    only_scored: list[str]
    notices: list[Notice]


def compare_with_people(result: TrackerResult, ratings: Ratings, confidence: float = 0.95) -> PeopleStudy:
    """Correlate every measure with the mean rating over dialogues. A confidence of 0 gives no intervals.

    Raises:
        DialmeterError: no rated dialogue is in the file.
    """
    names = {dialogue_key(name): name for name in result.measure_columns.main.dialogues}
    keys = sorted(names.keys() & ratings.by_dialogue.keys())
    only_rated = [ratings.names[key] for key in sorted(ratings.by_dialogue.keys() - names.keys())]
    if not keys:
        listed = ", ".join(one_line(name, 30) for name in only_rated[:3])
        raise DialmeterError(f"none of the {len(only_rated)} rated dialogues is in the file: {listed} …")
    people = [ratings.mean(key) for key in keys]
    columns = {each.text: values_by_dialogue(result, each.used) for each in result.measures}
    values = {name: [column[key] for key in keys] for name, column in columns.items()}
    digest = ratings.digest()
    correlations = [
        make_statistic(
            correlate,
            (values[score.measure], people),
            confidence,
            RatingCorrelation,
            measure=score.measure,
            statistic=name,
            # The measure's signature, and everything else that the correlation depends on.
            signature=score.signature.replace("|d:", f"|people:{name}|rated:{len(keys)}d|ratings:{digest}|d:", 1),
        )
        for score in result.scores
        for name, correlate in _STATISTICS.items()
    ]
    pairs = [
        make_statistic(
            compare_correlations,
            (people, values[one], values[other]),
            confidence,
            RatingDifference,
            first=one,
            second=other,
        )
        for one, other in combinations(values, 2)
    ]
    lines = []
    for rater in ratings.raters:
        own = ratings.of(rater, keys)
        present = [rating for rating in own if rating is not None]
        if present:
            correlated: dict[str, Statistic] = {
                name: make_statistic(pearson, (column, own), confidence) for name, column in values.items()
            }
            lines.append(RaterLine(rater, len(present), fsum(present) / len(present), correlated))
    only_scored = [names[key] for key in sorted(names.keys() - ratings.by_dialogue.keys())]
    agreement = list(_agreement(ratings, [line.rater for line in lines], keys))
    notices = list(_notices(people, lines, only_rated, only_scored))
    return PeopleStudy(
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


_STATISTICS: Mapping[str, Callable[..., Estimate]] = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
StatisticType = TypeVar("StatisticType", bound=Statistic)


def make_statistic(
    compute: Callable[..., Estimate],
    columns: Sequence[Sequence[float | None] | Floats],
    confidence: float,
    kind: type[StatisticType] = Statistic,  # type: ignore[assignment]
    **labels: Any,
) -> StatisticType:
    """Compute a statistic of columns. Its reason is in the terms of this study; a confidence of 0 gives no interval."""
    found = compute(*columns, confidence=confidence or 0.95)
    reason = found.reason or ""
    for word, other in _WORDS.items():
        reason = reason.replace(word, other)
    numbers: dict[str, Any] = {"value": found.value, "n": found.n, "unscored": found.unscored, "p": found.p}
    return kind(**labels, **numbers, ci=found.ci if confidence else None, reason=reason)


def _agreement(ratings: Ratings, raters: Sequence[str], keys: Sequence[str]) -> Iterator[RaterAgreement]:
    columns = [ratings.of(rater, keys) for rater in raters]
    if len(columns) < 2:
        return
    for level in ("ordinal", "interval"):
        alpha = krippendorff_alpha(columns, level)
        yield RaterAgreement(f"Krippendorff's alpha, {level}", alpha.value, alpha.n, alpha.reason or "")
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


class RatingScale(NamedTuple):
    """The lowest and the highest rating.

    Example:
        >>> str(RatingScale(1, 5)), RatingScale.parse("0-1")
        ('1-5', RatingScale(low=0, high=1))
    """

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"

    @classmethod
    def parse(cls, text: str) -> RatingScale:
        """Parse a scale such as ``1-5``.

        Raises:
            DialmeterError: not two increasing numbers.
        """
        match = re.fullmatch(r"\s*(-?\d{1,6})\s*-\s*(-?\d{1,6})\s*", text)
        if not match or int(match[1]) >= int(match[2]):
            raise DialmeterError(f"a scale must be two increasing numbers, such as 1-5 or 0-1, not {one_line(text)!r}")
        return cls(int(match[1]), int(match[2]))


_MOST_GRADES = 11


def sheet_kind(scale: RatingScale) -> SheetKind:
    """Return the kind of the sheet on which a person rates dialogues."""
    grades = range(scale.low, scale.high + 1)
    if len(grades) > _MOST_GRADES:
        raise DialmeterError(f"a sheet has at most {_MOST_GRADES} grades; give a shorter scale than {scale}")
    return SheetKind(
        columns=("number", "dialogue", "turns", "rating", "note", "scale"),
        needed=("dialogue", "rating"),
        hint="`dialmeter study people FILE --make-sheet` writes a sheet",
        title="Ratings of dialogues",
        help=(
            "How well did the system keep track of what the user wants, over the whole dialogue?",
            "Gold is what the user wants. Prediction is what the system understood. Both accumulate from turn to turn.",
            f"{scale.low} = not at all, {scale.high} = entirely.",
        ),
        choices={"rating": dict.fromkeys(map(str, grades), "")},
        fields=("note",),
        heading="dialogue {dialogue}",
        shown={"turns": "turns"},
        saved=("number", "dialogue", "rating", "note", "scale"),
    )


def sheet_text(dialogue: PairDialogue, compared: ComparedDialogue) -> str:
    """Return a dialogue as raters see it: utterances, and the states that the rules compare."""

    def text_of(value: Value | None) -> str:
        return one_line(value if isinstance(value, str) else " | ".join(value or ()), 500) or "–"

    lines = []
    for turn in compared.tracked(dialogue).turns:
        lines.append(f"Turn {turn.turn}, match: {'yes' if turn.exact else 'no'}")
        said = (("System", turn.system), ("User", turn.user))
        lines += [f"  {speaker}: {one_line(text, _LONGEST).strip()}" for speaker, text in said if text.strip()]
        lines += [
            f"  {'=' if outcome.kind == 'correct' else '≠'} {one_line(slot, 200)}: gold {text_of(turn.gold.get(slot))}, "
            f"predicted {text_of(turn.pred.get(slot))}"
            for slot, outcome in turn.slots.items()
        ]
    return "\n".join(lines)


_LONGEST = 10_000


class Sampler:
    """A random sample of a stream of dialogues. It contains those with the smallest digests of seed and id.

    So it does not depend on the order of the dialogues.

    Example:
        >>> sampler = Sampler(2, seed=7)
        >>> from dialmeter.tracking.scorer import TrackerScorer
        >>> for name in ["d1", "d2", "d3", "d4"]:
        ...     sampler.take(PairDialogue(name), TrackerScorer().compared())
        >>> len(sampler.rows(RatingScale(1, 5))), sampler.seen
        (2, 4)
    """

    def __init__(self, size: int, seed: int) -> None:
        self.seen = 0
        self._size = size
        self._seed = seed
        self._sample: list[tuple[int, str, str, str]] = []
        self.has_utterances = False

    def take(self, dialogue: PairDialogue, compared: ComparedDialogue) -> None:
        """Process one dialogue of the stream."""
        self.seen += 1
        self.has_utterances |= any(turn.user or turn.system for turn in dialogue.turns)
        key = dialogue_key(dialogue.id)
        text = f"{self._seed}\x1f{key}".encode("utf-8", "surrogatepass")
        # Negative, because the heap drops its smallest item.
        rank = -int.from_bytes(hashlib.sha256(text).digest())
        if len(self._sample) < self._size or rank > self._sample[0][0]:
            put = heapq.heappush if len(self._sample) < self._size else heapq.heapreplace
            put(self._sample, (rank, key, dialogue.id, sheet_text(dialogue, compared)))

    def rows(self, scale: RatingScale) -> list[Cells]:
        """Return the rows of a sheet for the sampled dialogues, sorted by id."""
        listed = sorted(self._sample, key=lambda item: item[1])
        return [
            {"number": str(number), "dialogue": name, "turns": text, "scale": str(scale)}
            for number, (_, _, name, text) in enumerate(listed, 1)
        ]


Lam: TypeAlias = float | Literal["inf"]
"""A lambda. JSON has no number for infinity, so that is text."""

LAMBDAS = (*(step / 20 for step in range(21)), *(1 + step / 10 for step in range(1, 11)), 2.5, 3.0, 4.0, 5.0, math.inf)
"""The lambdas to try: from JGA (0) to the share of local matches (infinity). At 5, a mistake is 99 % forgotten after one turn."""
_LAMS: tuple[Lam, ...] = (*LAMBDAS[:-1], "inf")
FOLDS = 10
RESAMPLES = 1000
_EQUAL = 1e-12
"""Mathematically equal correlations may differ in the last bits. The smaller lambda is chosen then."""


class LambdaPoint(Struct, frozen=True):
    """The correlation of FGA with the mean rating for one lambda."""

    lam: Lam
    pearson: float | None


class LambdaRival(Struct, frozen=True):
    """A measure without a fitted parameter on the same dialogues. The difference is the held-out correlation minus its own."""

    measure: str
    pearson: Statistic
    difference: Statistic


class LambdaFit(Struct, frozen=True):
    """The lambda with the highest Pearson correlation of FGA with the mean rating per dialogue.

    Attributes:
        lam: the best lambda over all dialogues; null if no correlation is defined.
        ci: percentile interval over resampled dialogues.
        pearson: the correlation at ``lam`` on the same dialogues.
        held_out: the correlation if the lambda of each dialogue is chosen on the other folds.
        folds: the lambda that is chosen without each fold.
        rivals: measures with which the held-out correlation is compared.
        curve: the correlation at every lambda that was tried.
        resamples: number of resamples of dialogues.
        seed: seed of folds and resamples.
        reason: why there is no lambda.
        signature: signature of FGA with this lambda.
    """

    lam: Lam | None
    ci: tuple[Lam, Lam] | None
    pearson: float | None
    held_out: Statistic
    folds: list[Lam | None]
    rivals: list[LambdaRival]
    curve: list[LambdaPoint]
    resamples: int
    seed: int
    reason: str
    signature: str

    @property
    def spans_all(self) -> bool:
        """True if the interval contains every lambda."""
        return self.ci == (LAMBDAS[0], "inf")


def fit_lambda(
    result: TrackerResult, ratings: Ratings, dialogues: Sequence[str], confidence: float = 0.95, seed: int = 7
) -> LambdaFit:
    """Choose lambda by its correlation with the ratings of dialogues. A confidence of 0 gives no intervals.

    Raises:
        DialmeterError: FGA is not defined under the rules of the result.
    """
    keys = sorted(map(dialogue_key, dialogues))

    def column_of(measure: Measure) -> Floats:
        values = values_by_dialogue(result, measure)
        return np.array([values[key] for key in keys], np.float64)

    people = np.array([ratings.mean(key) for key in keys], np.float64)
    (resolved,), _ = resolve(["FGA(lam=1)"], result.rules, not result.values_known)
    assert isinstance(resolved.used, FGA)
    fga: FGA = resolved.used
    values = np.stack([column_of(replace(fga, lam=lam)) for lam in LAMBDAS])
    curve = [pearson(each, people).value for each in values]
    best = _best(curve)
    folds = _folds(len(keys), seed)
    chosen = [_best([pearson(each[~fold], people[~fold]).value for each in values]) for fold in folds]
    held_out = np.full(len(keys), np.nan)
    for fold, index in zip(folds, chosen, strict=True):
        if index is not None:
            held_out[fold] = values[index][fold]
    others = (JGA(), replace(fga, lam=0.5), LocalAccuracy(local=fga.local, alternatives=fga.alternatives))
    rivals = [
        LambdaRival(
            repr(measure),
            make_statistic(pearson, (column, people), confidence),
            make_statistic(compare_correlations, (people, held_out, column), confidence),
        )
        for measure, column in ((each, column_of(each)) for each in others)
    ]
    fitted = replace(fga, lam=LAMBDAS[best or 0])
    signature = result.score_of(ResolvedMeasure(repr(fitted), fitted)).signature
    fields = f"|people:pearson|fit:{len(folds)}-fold|seed:{seed}|rated:{len(keys)}d|ratings:{ratings.digest()}|d:"
    return LambdaFit(
        lam=None if best is None else _LAMS[best],
        ci=_interval(values, people, confidence, seed) if confidence and best is not None else None,
        pearson=None if best is None else curve[best],
        held_out=make_statistic(pearson, (held_out, people), confidence),
        folds=[None if index is None else _LAMS[index] for index in chosen],
        rivals=rivals,
        curve=list(map(LambdaPoint, _LAMS, curve)),
        resamples=RESAMPLES,
        seed=seed,
        reason="" if best is not None else make_statistic(pearson, (values[0], people), confidence).reason,
        signature="" if best is None else signature.replace("|d:", fields, 1),
    )


def _best(curve: Sequence[float | None]) -> int | None:
    """Return the index of the highest correlation, the first of equal ones; None if there is no correlation."""
    highest = max((r for r in curve if r is not None), default=math.inf)
    return next((index for index, r in enumerate(curve) if r is not None and r >= highest - _EQUAL), None)


def _folds(count: int, seed: int) -> list[np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """Return disjoint sets of dialogues of nearly equal size, as masks."""
    folds = min(FOLDS, count)
    # PCG64 is explicit, because numpy may change the generator of default_rng().
    order = np.random.Generator(np.random.PCG64(seed)).permutation(count)
    number = np.empty(count, np.int64)
    number[order] = np.arange(count) % folds
    return [number == fold for fold in range(folds)]


def _interval(values: Floats, people: Floats, confidence: float, seed: int) -> tuple[Lam, Lam] | None:
    """Return percentiles of the best lambda over resamples, or None if fewer than half of the resamples have a best one."""
    weights = cluster_weights(np.arange(len(people)), RESAMPLES, seed)
    rating = ResampledVariable(weights, people)
    correlations = np.stack([ResampledVariable(weights, each).correlation("Pearson", rating) for each in values])
    correlations[np.isnan(correlations)] = -np.inf
    correlations = correlations[:, correlations.max(axis=0) > -np.inf]
    if correlations.shape[1] < RESAMPLES / 2:
        return None
    best = np.argmax(correlations >= correlations.max(axis=0) - _EQUAL, axis=0)
    tail = (1 - confidence) / 2
    low, high = np.quantile(best, [tail, 1 - tail], method="inverted_cdf")
    return _LAMS[int(low)], _LAMS[int(high)]
