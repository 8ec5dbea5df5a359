"""Scores of the files of a few-shot study on their common dialogues, and means and slopes over files.

A number varies with the seed of training and with the dialogues of the test set, so it has one interval for each. The same
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
"""Function that scores one file, only on the dialogues with these keys if they are given."""


class ScoredFile:
    """One file's scores, and its matrix for resampling with one row per dialogue, sorted by dialogue."""

    def __init__(self, entry: CurveFile, result: TrackerResult) -> None:
        names = [dialogue_key(name) for name in result.measure_columns.main.dialogues]
        self.entry = entry
        self.keys = [names[index] for index in order_of(result.measure_columns)]
        self.columns, self.formulas = columns(result.measure_columns, result.measures)
        self.account = result.account
        self.scores = result.scores
        self.data = result.data
        self.notices = result.notices
        self.counts = {"dialogues": result.dialogues, "turns": result.turns}
        self.samples: dict[str, Floats] | None = None

    @property
    def values(self) -> dict[str, float | None]:
        """Values by measure."""
        return {score.measure: score.value for score in self.scores}


class CurveEstimate(Struct, frozen=True, omit_defaults=True):
    """A mean over files, or a slope, with Student's interval over files (seeds) and a bootstrap interval over dialogues.

    Attributes:
        n: number of files with a value.
        left_out: number of files without a value.
    """

    value: Number
    seeds: Interval = field(name="ci_seeds")
    dialogues: Interval = field(name="ci_dialogues")
    n: Count
    left_out: Count
    reason: str = ""

    @property
    def sign(self) -> int:
        """1 or -1 if all intervals are on that side of zero, otherwise 0."""
        intervals = [each for each in (self.seeds, self.dialogues) if each]
        if intervals and all(low > 0 for low, _ in intervals):
            return 1
        return -1 if intervals and all(high < 0 for _, high in intervals) else 0


def score_entries(
    entries: Sequence[CurveFile],
    score: ScoreFile,
    resampling: Resampling | None,
    watch: Callable[[Iterable[CurveFile]], Iterable[CurveFile]] = iter,
) -> tuple[list[ScoredFile], list[Notice]]:
    """Score every file. Files of one domain are scored on their common dialogues.

    Raises:
        DialmeterError: files of one domain have different gold, or no dialogue in common.
    """
    files: list[ScoredFile] = []
    for entry in watch(entries):
        files.append(ScoredFile(entry, score(entry, None)))
        if list(files[-1].values) != list(files[0].values):
            names = f"{files[0].entry.name} and {entry.name}"
            raise DialmeterError(f"{names} do not allow the same measures; use --measure with measures of both")
    scored: list[ScoredFile] = []
    notices: list[Notice] = []
    for domain in dict.fromkeys(entry.domain for entry in entries):
        group, group_notices = _on_common([each for each in files if each.entry.domain == domain], score)
        first = group[0]
        for each in group:
            if each.data != first.data:
                raise DialmeterError(
                    f"{first.entry.name} and {each.entry.name} have different gold for the same dialogues "
                    f"(data: {first.data} ≠ {each.data}); a curve needs the same gold, see --gold"
                )
        if resampling:
            _resample(group, resampling)
        scored += group
        notices += group_notices
    return scored, [*notices, *_merge_notices(scored)]


def _on_common(group: list[ScoredFile], score: ScoreFile) -> tuple[list[ScoredFile], list[Notice]]:
    """Score the files of a group again on their common dialogues, if they do not have the same dialogues."""
    all_keys = set().union(*(each.keys for each in group))
    common = frozenset(all_keys).intersection(*(each.keys for each in group))
    if len(common) == len(all_keys):
        return group, []
    if not common:
        raise DialmeterError(f"{group[0].entry.name} and the other files have no dialogue in common")
    others = tuple(one_line(key) for key in sorted(all_keys - common))
    message = f"{len(others)} dialogues are unscored because they are not in every file; {len(common)} are scored"
    rescored = [ScoredFile(each.entry, score(each.entry, common)) for each in group]
    return rescored, [Notice("unequal-dialogues", len(others), message, others)]


def _resample(group: Sequence[ScoredFile], resampling: Resampling) -> None:
    """Set the resampled values of files, and the intervals of their scores."""
    keys = group[0].keys
    for each, sums in zip(group, resample_files(group, keys, resampling), strict=True):
        each.samples = {name: evaluate(formula, sums) for name, formula in each.formulas.items()}
        if len(keys) < 2:
            continue
        intervals = {
            name: percentile_interval(each.samples[name], resampling.confidence, len(keys), formula, each.columns)
            for name, formula in each.formulas.items()
        }
        each.scores = [with_interval(score, intervals[score.measure], resampling) for score in each.scores]


def resample_files(files: Sequence[ScoredFile], keys: Sequence[str], resampling: Resampling) -> list[Floats]:
    """Return the resampled sums of files. The same dialogues are drawn for all; a file has zeros for a missing dialogue.

    Args:
        files: the files.
        keys: keys of the dialogues to draw from, sorted.
        resampling: number of resamples and seed.

    Returns:
        Sums of shape (resamples, columns) for each file; without resamples if there are fewer than two dialogues.
    """
    if len(keys) < 2:
        return [np.empty((0, each.columns.shape[1])) for each in files]
    indices = {key: index for index, key in enumerate(keys)}
    blocks = []
    for each in files:
        block = np.zeros((len(keys), each.columns.shape[1]))
        block[[indices[key] for key in each.keys]] = each.columns
        blocks.append(block)
    ends = np.cumsum([block.shape[1] for block in blocks])
    sums = resampled_sums(exact(np.hstack(blocks)), resampling.resamples, resampling.seed)
    return np.split(sums, ends[:-1], axis=1)


def _merge_notices(files: Sequence[ScoredFile]) -> list[Notice]:
    """Return the warnings of all files, merged by kind."""
    merged = []
    for code in dict.fromkeys(notice.code for each in files for notice in each.notices):
        same_kind = [(each, notice) for each in files for notice in each.notices if notice.code == code]
        first, notice = same_kind[0]
        more = f" (and {len(same_kind) - 1} more files with this warning)" if len(same_kind) > 1 else ""
        count = sum(each.count for _, each in same_kind)
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
    """Return the mean over files.

    Args:
        values: one value per file; None if it is unscored.
        samples: values under resampled dialogues, one row per file; None for no interval over dialogues.
        confidence: coverage of the intervals; 0 for none.
        dialogues: number of dialogues.
        formula: the measure, for its range; None for a mean of something else, such as a difference.
        columns: the matrix of a resampled file.

    Example:
        >>> estimate = mean([0.5, 0.7, 0.6, 0.8, None])
        >>> round(estimate.value, 3), [round(limit, 4) for limit in estimate.seeds], estimate.n, estimate.left_out
        (0.65, [0.4446, 0.8554], 4, 1)
    """
    scored = [index for index, value in enumerate(values) if value is not None]
    present = [value for value in values if value is not None]
    left_out = len(values) - len(present)
    if not present:
        return CurveEstimate(None, None, None, 0, left_out, "no file has a value")
    if not confidence:
        return CurveEstimate(fsum(present) / len(present), None, None, len(present), left_out)
    over_seeds = student_interval(present, confidence=confidence)
    sampled_means = None if samples is None else samples[scored].mean(axis=0)
    over_dialogues, reason = _bootstrap_limits(sampled_means, confidence, dialogues, formula, columns)
    if over_seeds.low is None:
        seed_reason = "only one seed" if len(present) < 2 else "all seeds have the same value"
        reason = f"{seed_reason}; {reason}" if reason else seed_reason
    return CurveEstimate(over_seeds.value, over_seeds.ci, over_dialogues, len(present), left_out, reason)


def slope(
    positions: Sequence[float],
    values: Sequence[float | None],
    samples: Floats | None = None,
    *,
    confidence: float = 0.95,
    dialogues: int = 0,
) -> CurveEstimate:
    """Return the least-squares slope through files. Its ``seeds`` is the usual t interval from the residuals of the line.

    If the curve is not a line, the residuals are larger, so the interval is wider than seeds alone would make it.

    Args:
        positions: the position of each file on the scale.
        values: one value per file; None if it is unscored.
        samples: values under resampled dialogues, one row per file.
        confidence: coverage of the intervals; 0 for none.
        dialogues: number of dialogues.

    Example:
        >>> estimate = slope([0, 1, 2, 3], [1.0, 2.1, 2.9, 4.0])
        >>> round(estimate.value, 2), [round(limit, 3) for limit in estimate.seeds]
        (0.98, [0.797, 1.163])
        >>> slope([1, 1], [0.5, 0.6]).reason
        'a trend needs two different shares of training data'
    """
    scored = [index for index, value in enumerate(values) if value is not None]
    x = np.array([positions[index] for index in scored], dtype=np.float64)
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
    sampled_slopes = None if samples is None else weights @ samples[scored]
    over_dialogues, reason = _bootstrap_limits(sampled_slopes, confidence, dialogues)
    if n < 3:
        return CurveEstimate(value, None, over_dialogues, n, left_out, "an interval of a slope needs three files")
    level = fsum(y) / n
    residuals = fsum((v - level - value * c) ** 2 for c, v in zip(centred.tolist(), y, strict=True))
    half = student_quantile(confidence, n - 2) * sqrt(residuals / (n - 2) / spread)
    if half <= TIE:
        reason = "; ".join(filter(None, ("all files are on one line", reason)))
        return CurveEstimate(value, None, over_dialogues, n, left_out, reason)
    return CurveEstimate(value, (value - half, value + half), over_dialogues, n, left_out, reason)


def _bootstrap_limits(
    samples: Floats | None,
    confidence: float,
    dialogues: int,
    formula: Formula | None = None,
    columns: Floats | None = None,
) -> tuple[Interval, str]:
    """Return the bootstrap interval of resampled values, or the reason why there is none. Both are empty without resampling."""
    if samples is None or dialogues < 2:
        return None, ""
    interval = percentile_interval(samples, confidence, dialogues, formula, columns)
    return interval.ci, interval.reason or ""
