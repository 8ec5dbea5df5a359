"""Scores of the files of a few-shot study on the dialogues that they share, and means and slopes over files.

A number varies with the seed of training and with the dialogues of the test set: it has one interval for each. The same
dialogues are drawn for all files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import fsum, sqrt
from typing import TypeAlias

import numpy as np
from msgspec import Struct, field

from ...core.comparison import Resampling
from ...core.document import Count, Interval, Number
from ...errors import DialmeterError, one_line
from ...model import Notice, dialogue_key
from ...stats import Formula, student_interval
from ...stats.draws import resampled_sums
from ...stats.formulas import Floats, evaluate, exact
from ...stats.intervals import student_quantile
from ...stats.resampling import TIE, percentile_interval
from ...tracking.result import TrackerResult
from ...tracking.vectors.bootstrap_matrix import columns, order_of, with_interval
from .curve_files import CurveFile

ScoreFile: TypeAlias = Callable[[CurveFile, frozenset[str] | None], TrackerResult]
"""Scores one file; on the dialogues with these keys if they are given."""


class ScoredFile:
    """One file's scores, and the matrix that resampling needs: a row of columns per dialogue, sorted by dialogue."""

    def __init__(self, entry: CurveFile, result: TrackerResult) -> None:
        names = [dialogue_key(name) for name in result.measure_columns.main.dialogues]
        self.entry = entry
        self.keys = [names[place] for place in order_of(result.measure_columns)]
        self.columns, self.formulas = columns(result.measure_columns, result.asked)
        self.account = result.account
        self.scores = result.scores
        self.data = result.data
        self.notices = result.notices
        self.counts = {"dialogues": result.dialogues, "turns": result.turns}
        self.samples: dict[str, Floats] | None = None

    @property
    def values(self) -> dict[str, float | None]:
        """The value of each measure."""
        return {score.measure: score.value for score in self.scores}


class CurveEstimate(Struct, frozen=True, omit_defaults=True):
    """A mean over files, or a slope: Student's interval over files (seeds), bootstrap interval over dialogues.

    Attributes:
        n: how many files have a value.
        left_out: how many files have none.
    """

    value: Number
    seeds: Interval = field(name="ci_seeds")
    dialogues: Interval = field(name="ci_dialogues")
    n: Count
    left_out: Count
    reason: str = ""

    @property
    def sign(self) -> int:
        """1 or -1 if all intervals lie on that side of zero, otherwise 0."""
        limits = [each for each in (self.seeds, self.dialogues) if each]
        if limits and all(low > 0 for low, _ in limits):
            return 1
        return -1 if limits and all(high < 0 for _, high in limits) else 0


def score_entries(
    entries: Sequence[CurveFile],
    score: ScoreFile,
    how: Resampling | None,
    watch: Callable[[Iterable[CurveFile]], Iterable[CurveFile]] = iter,
) -> tuple[list[ScoredFile], list[Notice]]:
    """Scores every file; files of one domain on the dialogues that all of them have.

    Raises:
        DialmeterError: files of one domain with different gold, or without a dialogue in common.
    """
    files: list[ScoredFile] = []
    for entry in watch(entries):
        files.append(ScoredFile(entry, score(entry, None)))
        if list(files[-1].values) != list(files[0].values):
            names = f"{files[0].entry.name} and {entry.name}"
            raise DialmeterError(f"{names} do not allow the same measures; name some that both have with --measure")
    shared: list[ScoredFile] = []
    notices: list[Notice] = []
    for domain in dict.fromkeys(entry.domain for entry in entries):
        group, said = _on_common([each for each in files if each.entry.domain == domain], score)
        first = group[0]
        for each in group:
            if each.data != first.data:
                raise DialmeterError(
                    f"{first.entry.name} and {each.entry.name} hold different gold for the same dialogues "
                    f"(data: {first.data} ≠ {each.data}); a curve needs one gold, see --gold"
                )
        if how:
            _resample(group, how)
        shared += group
        notices += said
    return shared, [*notices, *_merged(shared)]


def _on_common(group: list[ScoredFile], score: ScoreFile) -> tuple[list[ScoredFile], list[Notice]]:
    every = set().union(*(each.keys for each in group))
    common = frozenset(every).intersection(*(each.keys for each in group))
    if len(common) == len(every):
        return group, []
    if not common:
        raise DialmeterError(f"{group[0].entry.name} and the other files have no dialogue in common")
    left = tuple(one_line(key) for key in sorted(every - common))
    said = f"{len(left)} dialogues are not in every file and are unscored; {len(common)} are"
    again = [ScoredFile(each.entry, score(each.entry, common)) for each in group]
    return again, [Notice("unequal-dialogues", len(left), said, left)]


def _resample(group: Sequence[ScoredFile], how: Resampling) -> None:
    """Sets the resampled values of files, and the intervals of their scores."""
    keys = group[0].keys
    for each, sums in zip(group, resampled(group, keys, how), strict=True):
        each.samples = {name: evaluate(formula, sums) for name, formula in each.formulas.items()}
        if len(keys) < 2:
            continue
        found = {
            name: percentile_interval(each.samples[name], how.confidence, len(keys), formula, each.columns)
            for name, formula in each.formulas.items()
        }
        each.scores = [with_interval(score, found[score.measure]) for score in each.scores]


def resampled(files: Sequence[ScoredFile], keys: Sequence[str], how: Resampling) -> list[Floats]:
    """The resampled sums of files, the same dialogues drawn for all; a file without a dialogue has zeros for it.

    Args:
        files: what to resample.
        keys: the dialogues to draw from, sorted.
        how: how often, and the seed.

    Returns:
        Sums of shape (resamples, columns) for each file; of no resample where there are fewer than two dialogues.
    """
    if len(keys) < 2:
        return [np.empty((0, each.columns.shape[1])) for each in files]
    place = {key: position for position, key in enumerate(keys)}
    blocks = []
    for each in files:
        block = np.zeros((len(keys), each.columns.shape[1]))
        block[[place[key] for key in each.keys]] = each.columns
        blocks.append(block)
    ends = np.cumsum([block.shape[1] for block in blocks])
    sums = resampled_sums(exact(np.hstack(blocks)), how.resamples, how.seed)
    return np.split(sums, ends[:-1], axis=1)


def _merged(files: Sequence[ScoredFile]) -> list[Notice]:
    """The warnings of all files, each kind once."""
    merged = []
    for code in dict.fromkeys(notice.code for each in files for notice in each.notices):
        found = [(each, notice) for each in files for notice in each.notices if notice.code == code]
        first, notice = found[0]
        more = f" (and {len(found) - 1} more files with such a warning)" if len(found) > 1 else ""
        count = sum(each.count for _, each in found)
        merged.append(Notice(code, count, f"{first.entry.name}: {notice.message}{more}", notice.where))
    return merged


def mean(
    values: Sequence[float | None],
    samples: Floats | None = None,
    *,
    confidence: float = 0.95,
    dialogues: int = 0,
    formula: Formula | None = None,
    columns: Floats | None = None,
) -> CurveEstimate:
    """The mean over files.

    Args:
        values: one per file; None is unscored.
        samples: the same under resampled dialogues, one row per file; without it no interval over dialogues.
        confidence: coverage of the intervals; 0 for none.
        dialogues: how many there are.
        formula: the measure, for its range; None for a mean of something else, such as a difference.
        columns: the matrix of a file that was resampled.

    Example:
        >>> found = mean([0.5, 0.7, 0.6, 0.8, None])
        >>> round(found.value, 3), [round(limit, 4) for limit in found.seeds], found.n, found.left_out
        (0.65, [0.4446, 0.8554], 4, 1)
    """
    scored = [place for place, value in enumerate(values) if value is not None]
    known = [value for value in values if value is not None]
    left_out = len(values) - len(known)
    if not known:
        return CurveEstimate(None, None, None, 0, left_out, "no file has a value")
    if not confidence:
        return CurveEstimate(fsum(known) / len(known), None, None, len(known), left_out)
    found = student_interval(known, confidence=confidence)
    drawn = None if samples is None else samples[scored].mean(axis=0)
    over, why = _bootstrap_limits(drawn, confidence, dialogues, formula, columns)
    alone = "" if found.low is not None else "one seed only" if len(known) < 2 else "all seeds have the same value"
    reason = "; ".join(filter(None, (alone, why)))
    return CurveEstimate(found.value, found.ci, over, len(known), left_out, reason)


def slope(
    places: Sequence[float],
    values: Sequence[float | None],
    samples: Floats | None = None,
    *,
    confidence: float = 0.95,
    dialogues: int = 0,
) -> CurveEstimate:
    """The least-squares slope through files; ``seeds`` is the usual t interval from the scatter around the line.

    A curve that is not a line scatters too, so that the interval is then wider than seeds alone would make it.

    Args:
        places: the position of each file on the scale.
        values: one per file; None is unscored.
        samples: the same under resampled dialogues, one row per file.
        confidence: coverage of the intervals; 0 for none.
        dialogues: how many there are.

    Example:
        >>> found = slope([0, 1, 2, 3], [1.0, 2.1, 2.9, 4.0])
        >>> round(found.value, 2), [round(limit, 3) for limit in found.seeds]
        (0.98, [0.797, 1.163])
        >>> slope([1, 1], [0.5, 0.6]).reason
        'a trend needs two different shares of training data'
    """
    scored = [place for place, value in enumerate(values) if value is not None]
    x = np.array([places[place] for place in scored], dtype=np.float64)
    y = [value for value in values if value is not None]
    n, left_out = len(y), len(values) - len(y)
    if len(set(x.tolist())) < 2:
        return CurveEstimate(None, None, None, n, left_out, "a trend needs two different shares of training data")
    centred = x - fsum(x.tolist()) / n
    spread = fsum((centred**2).tolist())
    weights = centred / spread
    value = fsum(w * v for w, v in zip(weights.tolist(), y, strict=True))
    if not confidence:
        return CurveEstimate(value, None, None, n, left_out)
    over, why = _bootstrap_limits(None if samples is None else weights @ samples[scored], confidence, dialogues)
    if n < 3:
        return CurveEstimate(value, None, over, n, left_out, "an interval of a slope needs three files")
    level = fsum(y) / n
    scatter = fsum((v - level - value * c) ** 2 for c, v in zip(centred.tolist(), y, strict=True))
    half = student_quantile(confidence, n - 2) * sqrt(scatter / (n - 2) / spread)
    if half <= TIE:
        reason = "; ".join(filter(None, ("all files lie on one line", why)))
        return CurveEstimate(value, None, over, n, left_out, reason)
    return CurveEstimate(value, (value - half, value + half), over, n, left_out, why)


def _bootstrap_limits(
    samples: Floats | None,
    confidence: float,
    dialogues: int,
    formula: Formula | None = None,
    columns: Floats | None = None,
) -> tuple[Interval, str]:
    """The bootstrap interval of resampled values, if there are any, or the reason why there is none."""
    if samples is None or dialogues < 2:
        return None, ""
    found = percentile_interval(samples, confidence, dialogues, formula, columns)
    return found.ci, found.reason or ""
