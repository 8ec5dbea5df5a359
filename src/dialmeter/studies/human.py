"""Agreement of measures with people: ratings, annotation sheets for raters, correlations with every measure, and a fitted lambda.

Annotation sheets are inspired by the human evaluation of FGA (Dey et al. 2022, appendix A.3). Text from a file is always indented
and on one line there, so that no utterance can be mistaken for a heading or a rating.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import fsum
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..errors import DialmeterError, InputError, one_line, placing
from ..measure import Measure
from ..model import Notice, Value, dialogue_key
from ..readers.csv_files import csv_text, number_or_nan, read_csv
from ..readers.pairs.vocabulary import PairDialogue
from ..readers.source import Source
from ..stats import Interval, compare_correlations, kendall, krippendorff_alpha, pearson, spearman
from ..stats.correlation import ResampledVariable, cluster_weights
from ..stats.formulas import Floats
from ..tracking.compared import ComparedDialogue
from ..tracking.measures.fga import FGA, LocalAccuracy
from ..tracking.measures.states import JGA
from ..tracking.resolve_measures import ResolvedMeasure, resolve
from ..tracking.result import TrackerResult
from ..tracking.tally import CORRECT
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
    """Read ratings from CSV with the columns ``dialogue, rater, rating``, or ``dialogue`` and one column for each rater.

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
                text, name = cell.strip(), f"the rating of {one_line(rater)}"
                with placing(dialogue=dialogue):
                    rating = None if text.lower() in _MISSING else _parse_rating(text, name, "a number or empty")
                collector.add(dialogue, rater, rating)
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


def _parse_rating(text: str, name: str, expected: str, scale: RatingScale | None = None) -> float:
    rating = number_or_nan(text)
    if not math.isfinite(rating) or (scale and not scale.low <= rating <= scale.high):
        raise InputError(f"{name} must be {expected}, not {one_line(text)!r}")
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
    level = confidence or 0.95
    columns = {each.text: values_by_dialogue(result, each.used) for each in result.measures}
    values = {name: [column[key] for key in keys] for name, column in columns.items()}
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
    return Statistic(interval.value, ci, interval.n, interval.unscored, interval.p, reason)


def _agreement(ratings: Ratings, raters: Sequence[str], keys: Sequence[str]) -> Iterator[RaterAgreement]:
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


QUESTION = "How well did the system keep track of what the user wants, over the whole dialogue?"
HELP = "Gold is what the user wants. Prediction is what the system understood. Both accumulate from turn to turn."
HEADING = "dialmeter annotation sheet"
_LONGEST = 10_000
_LINE = re.compile(r"(Dialogue|Rater|Rating)(?:\s*\(\s*(-?\d+)\s*[-–]\s*(-?\d+)\s*\))?\s*:(.*)", re.IGNORECASE)


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


class SheetSlot(NamedTuple):
    """One slot at one turn, as text. An absent value is empty."""

    name: str
    gold: str
    pred: str
    right: bool


class SheetTurn(Struct, frozen=True):
    """A turn as raters see it."""

    number: int
    system: str
    user: str
    slots: tuple[SheetSlot, ...]

    @property
    def matched(self) -> bool:
        """True if the predicted state equals the gold state."""
        return all(slot.right for slot in self.slots)


class Sheet(Struct, frozen=True):
    """A dialogue as raters see it."""

    dialogue: str
    turns: tuple[SheetTurn, ...]


def make_sheet(dialogue: PairDialogue, compared: ComparedDialogue) -> Sheet:
    """Return the sheet of a dialogue. Its states are those that the rules compare."""

    def text_of(value: Value | None) -> str:
        return one_line(value if isinstance(value, str) else " | ".join(value or ()), 500)

    utterances = {turn.number: turn for turn in dialogue.turns}
    turns = []
    for turn in compared.turns:
        slots = tuple(
            SheetSlot(one_line(each.slot, 200), text_of(each.gold), text_of(each.pred), each.kind == CORRECT)
            for each in turn.slots
        )
        spoken = utterances[turn.number]
        system, user = (one_line(text, _LONGEST).strip() for text in (spoken.system, spoken.user))
        turns.append(SheetTurn(turn.number, system, user, slots))
    return Sheet(dialogue.id, tuple(turns))


class Sampler:
    """A random sample of a stream of dialogues. It contains those with the smallest digests of seed and id.

    So it does not depend on the order of the dialogues.

    Example:
        >>> sampler = Sampler(2, seed=7)
        >>> from dialmeter.tracking.scorer import TrackerScorer
        >>> for name in ["d1", "d2", "d3", "d4"]:
        ...     sampler.take(PairDialogue(name), TrackerScorer().compared())
        >>> len(sampler.sheets()), sampler.seen
        (2, 4)
    """

    def __init__(self, size: int, seed: int) -> None:
        self.seen = 0
        self._size = size
        self._seed = seed
        self._sample: list[tuple[int, str, Sheet]] = []

    def take(self, dialogue: PairDialogue, compared: ComparedDialogue) -> None:
        """Process one dialogue of the stream."""
        self.seen += 1
        key = dialogue_key(dialogue.id)
        text = f"{self._seed}\x1f{key}".encode("utf-8", "surrogatepass")
        # Negative, because the heap drops its smallest item.
        rank = -int.from_bytes(hashlib.sha256(text).digest())
        if len(self._sample) < self._size or rank > self._sample[0][0]:
            put = heapq.heappush if len(self._sample) < self._size else heapq.heapreplace
            put(self._sample, (rank, key, make_sheet(dialogue, compared)))

    def sheets(self) -> list[Sheet]:
        """Return the sheets of the sampled dialogues, sorted by id."""
        return [sheet for _, _, sheet in sorted(self._sample, key=lambda item: item[1])]


def write_sheet(sheet: Sheet, rater: str, scale: RatingScale) -> str:
    """Return the text of a sheet for a rater to fill in.

    Example:
        >>> turn = SheetTurn(0, "", "In the east.", (SheetSlot("hotel-area", "east", "", False),))
        >>> print(write_sheet(Sheet("MUL1.json", (turn,)), "rater1", RatingScale(1, 5)), end="")
        dialmeter annotation sheet
        Dialogue: MUL1.json
        Rater: rater1
        <BLANKLINE>
        How well did the system keep track of what the user wants, over the whole dialogue?
        Gold is what the user wants. Prediction is what the system understood. Both accumulate from turn to turn.
        Write a number after "Rating" on the last line: 1 = not at all, 5 = entirely.
        <BLANKLINE>
        Turn 0, match: no
          User: In the east.
          slot        gold  prediction
          hotel-area  east  –           ≠
        <BLANKLINE>
        Rating (1-5):
    """
    name = sheet.dialogue
    if not name.isprintable() or name != name.strip() or name[:1] in ("", '"'):
        name = json.dumps(name)  # so that it is parsed back unchanged
    lines = [HEADING, f"Dialogue: {name}", f"Rater: {rater}", "", QUESTION, HELP]
    lines.append(f'Write a number after "Rating" on the last line: {scale.low} = not at all, {scale.high} = entirely.')
    for turn in sheet.turns:
        lines += ["", f"Turn {turn.number}, match: {'yes' if turn.matched else 'no'}"]
        lines += [f"  {speaker}: {text}" for speaker, text in (("System", turn.system), ("User", turn.user)) if text]
        lines += [f"  {line}".rstrip() for line in _table(turn)]
    return "\n".join([*lines, "", f"Rating ({scale}):", ""])


def _table(turn: SheetTurn) -> Iterator[str]:
    from rich.cells import cell_len

    if not turn.slots:
        yield "(both states are empty)"
        return
    rows = [("slot", "gold", "prediction", "")]
    rows += [(slot.name, slot.gold or "–", slot.pred or "–", "" if slot.right else "≠") for slot in turn.slots]
    widths = [max(cell_len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        yield "  ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True))


def read_sheets(folder: str) -> tuple[Ratings, list[Notice], list[InputError]]:
    """Read the ratings on filled text sheets. The rater is the name on a sheet's line ``Rater:``, or else that of its folder.

    Returns:
        Ratings; warnings about sheets without a rating and files that are not sheets; errors, at most one per sheet.

    Raises:
        DialmeterError: the folder does not exist or contains no sheet.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DialmeterError(f"{folder}: no such folder")
    collector, empty, others, problems = RatingCollector(), [], [], []
    sheets = 0
    for path in sorted(root.rglob("*.txt")):
        name = str(path)
        try:
            lines = Source(path).text.splitlines()
            if not lines or lines[0].strip() != HEADING:
                others.append(one_line(path.relative_to(root).as_posix()))
                continue
            sheets += 1
            dialogue, rater, rating = _parse_sheet(lines, path.parent.name)
            collector.add(dialogue, rater, rating)
            if rating is None:
                empty.append(one_line(path.relative_to(root).as_posix()))
        except InputError as error:
            problems.append(error.at(file=name))
    if not sheets and not problems:
        raise DialmeterError(f"{folder}: no text sheet; a sheet must start with the line {HEADING!r}")
    notices = [
        Notice("not-filled", len(empty), f"{len(empty)} of {sheets} sheets have no rating", tuple(empty)),
        Notice("other-files", len(others), f"{len(others)} files are not sheets and were skipped", tuple(others)),
    ]
    return collector.ratings(), [notice for notice in notices if notice.count], problems


def _parse_sheet(lines: list[str], folder: str) -> tuple[str, str, float | None]:
    """Return dialogue, rater and rating. Indented lines are ignored."""
    fields: dict[str, str] = {}
    rating: float | None = None
    for number, line in enumerate(lines, 1):
        match = _LINE.match(line)
        if not match:
            continue
        label, text = match[1].capitalize(), match[4].strip()
        if label in fields:
            raise InputError(f"duplicate line {label!r}", line=number)
        fields[label] = text
        if label == "Rating" and text:
            scale = RatingScale(int(match[2]), int(match[3])) if match[2] else None
            expected = f"a number from {scale.low} to {scale.high}" if scale else "a number"
            with placing(line=number):
                rating = _parse_rating(text, "the rating", expected, scale)
    for label in ("Dialogue", "Rating"):
        if label not in fields:
            raise InputError(f"the line {label!r} is missing")
    return _parse_dialogue(fields["Dialogue"]), fields.get("Rater") or folder, rating


def _parse_dialogue(text: str) -> str:
    if text[:1] == '"':
        try:
            name = json.loads(text)
        except json.JSONDecodeError:
            name = None
        if isinstance(name, str):
            return name
    if not text or text[:1] == '"':
        raise InputError("the line 'Dialogue' has no id")
    return text


Lam: TypeAlias = float | Literal["inf"]
"""A lambda. JSON has no number for infinity, so that is text."""

LAMBDAS = (*(step / 20 for step in range(21)), *(1 + step / 10 for step in range(1, 11)), 2.5, 3.0, 4.0, 5.0, math.inf)
"""The lambdas to try: from JGA (0) to the share of local matches (infinity). At 5, a mistake is 99 % forgotten after one turn."""
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
    level = confidence or 0.95
    rivals = []
    for measure in (JGA(), replace(fga, lam=0.5), LocalAccuracy(local=fga.local, alternatives=fga.alternatives)):
        column = column_of(measure)
        rivals.append(
            LambdaRival(
                repr(measure),
                make_statistic(pearson(column, people, confidence=level), confidence),
                make_statistic(compare_correlations(people, held_out, column, confidence=level), confidence),
            )
        )
    fitted = replace(fga, lam=LAMBDAS[best or 0])
    signature = result.score_of(ResolvedMeasure(repr(fitted), fitted)).signature
    fields = f"|human:pearson|fit:{len(folds)}-fold|seed:{seed}|rated:{len(keys)}d|ratings:{ratings.digest()}|d:"
    return LambdaFit(
        lam=None if best is None else _json_lambda(LAMBDAS[best]),
        ci=_interval(values, people, confidence, seed) if confidence and best is not None else None,
        pearson=None if best is None else curve[best],
        held_out=make_statistic(pearson(held_out, people, confidence=level), confidence),
        folds=[None if index is None else _json_lambda(LAMBDAS[index]) for index in chosen],
        rivals=rivals,
        curve=[LambdaPoint(_json_lambda(lam), r) for lam, r in zip(LAMBDAS, curve, strict=True)],
        resamples=RESAMPLES,
        seed=seed,
        reason="" if best is not None else make_statistic(pearson(values[0], people), confidence).reason,
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
    return _json_lambda(LAMBDAS[int(low)]), _json_lambda(LAMBDAS[int(high)])


def _json_lambda(lam: float) -> Lam:
    return "inf" if math.isinf(lam) else lam
