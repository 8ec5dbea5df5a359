"""Few-shot curves: every measure as a function of the share of training data, its difference from GCA, and the trends of both.

The original is a figure of absolute differences from GCA over the share of training data (Aksu and Chen 2024, figure 5), and for
zero-shot transfer a mean over domains. Here every number has an interval over seeds and one over dialogues.
The files are found by name, in a folder or in a manifest, then scored and resampled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import fsum, sqrt
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from ..core.comparison import Resampling
from ..core.document import Count, Interval, Number
from ..errors import DialmeterError, InputError, one_line, placing, reading
from ..measure import Measure, parse
from ..model import Notice, dialogue_key
from ..readers.csv_files import number_or_nan, read_csv
from ..readers.source import Source
from ..stats.draws import resampled_sums
from ..stats.formulas import Floats, Formula, evaluate, exact, point
from ..stats.intervals import student_interval, student_quantile
from ..stats.resampling import TIE, percentile_interval
from ..tracking.resolve_measures import resolve
from ..tracking.result import TrackerResult
from ..tracking.rule_sets.rules import Rules, load
from ..tracking.scoring import score_file
from ..tracking.vectors.measure_columns import columns, order_of, with_interval
from . import FEW_DIALOGUES

_COLUMNS = ("file", "ratio", "seed", "domain")
EXPECTED = "ratio_0.05_seed_557_prediction.json or T5_result_zeroshot_hotel.json"

_EDGE, _END = r"(?:^|[_\-.])", r"(?=[_\-.]|$)"
_RATIO = re.compile(rf"{_EDGE}ratio[_\-=]?((?>\d+(?:\.\d+)?(?:e-?\d+)?)){_END}", re.IGNORECASE)
_SEED = re.compile(rf"{_EDGE}seed[_\-=]?(\d++){_END}", re.IGNORECASE)
_ZERO = re.compile(
    rf"{_EDGE}zero[_\-]?shot[_\-](?!(?:seed|ratio|results?|preds?|predictions?|outputs?){_END})([a-z]+){_END}",
    re.IGNORECASE,
)


class CurveFile(NamedTuple):
    """One prediction file with the share of training data, the seed and the domain of its model."""

    path: str
    ratio: float | None
    seed: str | None = None
    domain: str | None = None

    @property
    def name(self) -> str:
        """Name of the file without its folder."""
        return Path(self.path).name

    @property
    def label(self) -> str:
        """Domain, ratio and seed, in words."""
        parts = {"domain": self.domain, "ratio": None if self.ratio is None else f"{self.ratio:g}", "seed": self.seed}
        return ", ".join(f"{word} {one_line(value)}" for word, value in parts.items() if value is not None)


def from_name(path: str) -> CurveFile | None:
    """Parse ratio, seed and domain from the name of a file. Return None if the name does not match.

    Example:
        >>> from_name("ratio_0.05_seed_557_prediction.json")
        CurveFile(path='ratio_0.05_seed_557_prediction.json', ratio=0.05, seed='557', domain=None)
        >>> from_name("T5_result_zeroshot_attraction.json").domain, from_name("zero_shot_result.json")
        ('attraction', None)
    """
    name = Path(path).name
    ratio, seed, domain = _RATIO.search(name), _SEED.search(name), _ZERO.search(name)
    if not ratio and not domain:
        return None
    share = float(ratio[1]) if ratio else 0.0
    return CurveFile(path, share, seed[1] if seed else None, domain[1].lower() if domain else None)


def entries_of(paths: Sequence[str], beside: Iterable[str] = ()) -> tuple[list[CurveFile], list[Notice]]:
    """Return the files of a curve: those of a folder, those in a manifest, or the given files, named by ratio, seed and domain.

    Files that are not among ``beside`` and have other names are listed in a warning.

    Raises:
        DialmeterError: no name matches.
    """
    if len(paths) == 1 and Path(paths[0]).suffix.lower() in (".csv", ".tsv"):
        return in_manifest(paths[0])
    single = len(paths) == 1 and not Path(paths[0]).is_file()
    return from_names(files_of(paths[0], beside) if single else [Path(each) for each in paths], paths[0])


def from_names(files: Sequence[Path], where: str) -> tuple[list[CurveFile], list[Notice]]:
    """Return the files whose names match, sorted, and a warning that lists the others.

    Raises:
        DialmeterError: no name matches.
    """
    parsed = {path: from_name(str(path)) for path in files}
    entries = [entry for entry in parsed.values() if entry]
    if not entries:
        raise DialmeterError(
            f"{where}: no file is named like {EXPECTED}; for other names, give a CSV with the columns file, ratio, seed and domain"
        )
    others = tuple(one_line(path.name) for path, entry in parsed.items() if entry is None)
    message = f"{len(others)} of {len(parsed)} files are unscored because they are not named like {EXPECTED}"
    return sort_entries(entries), [Notice("other-files", len(others), message, others)] if others else []


def files_of(folder: str, beside: Iterable[str]) -> list[Path]:
    """Return the files of a folder, sorted, without those in ``beside``."""
    root = Path(folder)
    if not root.is_dir():
        raise DialmeterError(f"{folder}: no such folder")
    excluded = {Path(path).resolve() for path in beside}
    with reading(folder):
        return [path for path in sorted(root.iterdir()) if path.resolve() not in excluded]


def sort_entries(entries: Sequence[CurveFile]) -> list[CurveFile]:
    """Sort files by domain, ratio and seed, so that nothing depends on the order of a folder or a manifest.

    Raises:
        DialmeterError: two files have the same ratio, seed and domain.
    """
    seen: dict[tuple[object, ...], CurveFile] = {}
    for entry in entries:
        other = seen.setdefault(entry[1:], entry)
        if other is not entry:
            raise DialmeterError(
                f"{other.name} and {entry.name} are both {entry.label or 'without ratio and domain'}; "
                "give each its own seed in a CSV with the columns file, ratio, seed and domain"
            )

    def sort_key(entry: CurveFile) -> tuple[str, float, tuple[int, str]]:
        seed = entry.seed or ""
        is_number = seed.isascii() and seed.isdigit() and len(seed) < 20
        share = -1.0 if entry.ratio is None else entry.ratio
        return entry.domain or "", share, (int(seed) if is_number else -1, seed)

    return sorted(seen.values(), key=sort_key)


def in_manifest(manifest: str) -> tuple[list[CurveFile], list[Notice]]:
    """Return the files in a manifest: CSV with the columns file (relative to the manifest), ratio, seed and domain.

    Raises:
        InputError: an invalid row; the error has its line.
    """
    names, rows = read_csv(Source(manifest), lower=True)
    if "file" not in names or not {"ratio", "domain"} & set(names):
        raise InputError("expected the columns file and ratio or domain, and seed", file=manifest, line=1)
    entries = []
    for line, row in rows:
        with placing(file=manifest, line=line):
            cells = {name: row.get(name, "").strip() or None for name in _COLUMNS}
            entries.append(_entry(cells, Path(manifest).parent))
    if not entries:
        raise InputError("the manifest has no files", file=manifest)
    unknown = tuple(one_line(name) for name in sorted(set(names) - {*_COLUMNS, ""}))
    message = f"{manifest}: columns other than {', '.join(_COLUMNS)} are ignored"
    return sort_entries(entries), [Notice("other-columns", len(unknown), message, unknown)] if unknown else []


def _entry(row: dict[str, str | None], folder: Path) -> CurveFile:
    if not row["file"]:
        raise InputError("a row has no file")
    path = folder / row["file"]
    if not path.exists():
        raise InputError(f"no such file: {one_line(str(path), 200)}")
    if row["ratio"] is None and row["domain"] is None:
        raise InputError(f"{one_line(row['file'])} has neither ratio nor domain")
    text = row["ratio"]
    ratio = None if text is None else number_or_nan(text)
    if text is not None and not 0 <= number_or_nan(text) < math.inf:
        raise InputError(f"ratio must be a share of the training data such as 0.05, not {one_line(text)!r}")
    return CurveFile(str(path), ratio, row["seed"], row["domain"])


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
        unscored: number of files without a value.
    """

    value: Number
    seeds: Interval = field(name="ci_seeds")
    dialogues: Interval = field(name="ci_dialogues")
    n: Count
    unscored: Count
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
    progress: Callable[[Iterable[CurveFile]], Iterable[CurveFile]] = iter,
) -> tuple[list[ScoredFile], list[Notice]]:
    """Score every file. Files of one domain are scored on their common dialogues.

    Raises:
        DialmeterError: files of one domain have different gold, or no dialogue in common.
    """
    files: list[ScoredFile] = []
    for entry in progress(entries):
        files.append(ScoredFile(entry, score(entry, None)))
        if list(files[-1].values) != list(files[0].values):
            names = f"{files[0].entry.name} and {entry.name}"
            raise DialmeterError(f"{names} do not allow the same measures; use -m with measures of both")
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
    """Return the resampled sums of files, one row per resample; without rows if there are fewer than two dialogues.

    The same dialogues are drawn for all files from the sorted keys; a file has zeros for a missing dialogue.
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
        >>> round(estimate.value, 3), [round(limit, 4) for limit in estimate.seeds], estimate.n, estimate.unscored
        (0.65, [0.4446, 0.8554], 4, 1)
    """
    scored, present = _scored(values)
    unscored = len(values) - len(present)
    if not present:
        return CurveEstimate(None, None, None, 0, unscored, "no file has a value")
    if not confidence:
        return CurveEstimate(fsum(present) / len(present), None, None, len(present), unscored)
    over_seeds = student_interval(present, confidence=confidence)
    sampled_means = None if samples is None else samples[scored].mean(axis=0)
    over_dialogues, reason = _bootstrap_limits(sampled_means, confidence, dialogues, formula, columns)
    if over_seeds.low is None:
        seed_reason = "only one seed" if len(present) < 2 else "all seeds have the same value"
        reason = f"{seed_reason}; {reason}" if reason else seed_reason
    return CurveEstimate(over_seeds.value, over_seeds.ci, over_dialogues, len(present), unscored, reason)


def slope(
    positions: Sequence[float],
    values: Sequence[float | None],
    samples: Floats | None = None,
    *,
    confidence: float = 0.95,
    dialogues: int = 0,
) -> CurveEstimate:
    """Return the least-squares slope through files. Its ``seeds`` is the usual t interval from the residuals of the line.

    If the curve is not a line, the residuals are larger, so the interval is wider than seeds alone would make it. The positions
    are those of the files on the scale; for the others see :func:`mean`.

    Example:
        >>> estimate = slope([0, 1, 2, 3], [1.0, 2.1, 2.9, 4.0])
        >>> round(estimate.value, 2), [round(limit, 3) for limit in estimate.seeds]
        (0.98, [0.797, 1.163])
        >>> slope([1, 1], [0.5, 0.6]).reason
        'a trend needs two different shares of training data'
    """
    scored, y = _scored(values)
    x = np.array([positions[index] for index in scored], dtype=np.float64)
    n, unscored = len(y), len(values) - len(y)
    if len(set(x.tolist())) < 2:
        return CurveEstimate(None, None, None, n, unscored, "a trend needs two different shares of training data")
    centred = x - fsum(x.tolist()) / n
    spread = fsum((centred**2).tolist())
    weights = centred / spread
    value = fsum(w * v for w, v in zip(weights.tolist(), y, strict=True))
    if not confidence:
        return CurveEstimate(value, None, None, n, unscored)
    sampled_slopes = None if samples is None else weights @ samples[scored]
    over_dialogues, reason = _bootstrap_limits(sampled_slopes, confidence, dialogues)
    if n < 3:
        return CurveEstimate(value, None, over_dialogues, n, unscored, "an interval of a slope needs three files")
    level = fsum(y) / n
    residuals = fsum((v - level - value * c) ** 2 for c, v in zip(centred.tolist(), y, strict=True))
    half = student_quantile(confidence, n - 2) * sqrt(residuals / (n - 2) / spread)
    if half <= TIE:
        reason = "; ".join(filter(None, ("all files are on one line", reason)))
        return CurveEstimate(value, None, over_dialogues, n, unscored, reason)
    return CurveEstimate(value, (value - half, value + half), over_dialogues, n, unscored, reason)


def _scored(values: Sequence[float | None]) -> tuple[list[int], list[float]]:
    """Return the indices of the values that are not None, and these values."""
    present = {index: value for index, value in enumerate(values) if value is not None}
    return list(present), list(present.values())


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


MEAN, POOLED = "mean over domains", "pooled"
UNBALANCED = "domains have different seeds"


class DomainScores(Struct, frozen=True):
    """One measure by domain at one share of training data, the mean over domains, and the value over all files together."""

    ratio: Number
    measure: str
    domains: dict[str, CurveEstimate]
    mean: CurveEstimate
    pooled: CurveEstimate

    def of(self, name: str) -> CurveEstimate:
        """Return a domain's score, or one of the two scores over all domains."""
        return {**self.domains, MEAN: self.mean, POOLED: self.pooled}[name]


class DomainTable(Struct, frozen=True):
    """All measures over the domains, at one share of training data (0, or None if it is not given)."""

    ratio: float | None
    domains: dict[str, int]
    """Number of dialogues by domain."""
    rows: list[DomainScores]


def domain_tables(files: Sequence[ScoredFile], resampling: Resampling | None) -> list[DomainTable]:
    """Return a table for every share of training data.

    Dialogues are resampled across domains: a dialogue of two domains is drawn for both or for neither.
    """
    ratios = sorted({each.entry.ratio for each in files}, key=lambda ratio: -1.0 if ratio is None else ratio)
    return [_table(ratio, [each for each in files if each.entry.ratio == ratio], resampling) for ratio in ratios]


def _table(ratio: float | None, files: Sequence[ScoredFile], resampling: Resampling | None) -> DomainTable:
    keys = sorted(set().union(*(each.keys for each in files)))
    sums: Mapping[ScoredFile, Floats] = {}
    if resampling and len(keys) > 1:
        sums = dict(zip(files, resample_files(files, keys, resampling), strict=True))
    by_domain: dict[str, list[ScoredFile]] = {}
    for each in files:
        by_domain.setdefault(each.entry.domain or "", []).append(each)
    measures = [name for name in files[0].values if all(name in each.values for each in files)]
    level = resampling.confidence if resampling else 0.0
    rows = [_row((ratio, measure), by_domain, sums, level, len(keys)) for measure in measures]
    return DomainTable(ratio, {name: len(group[0].keys) for name, group in by_domain.items()}, rows)


def _row(
    label: tuple[Number, str],
    by_domain: Mapping[str, list[ScoredFile]],
    sums: Mapping[ScoredFile, Floats],
    level: float,
    dialogues: int,
) -> DomainScores:
    """Return one measure over the domains, from the resampled sums of the files; these are empty without resampling.

    The label is the share of training data and the measure.
    """
    measure = label[1]

    def samples(runs: Iterable[Sequence[ScoredFile]]) -> Floats | None:
        """Return resampled values, one row for each run: those of its files together."""
        rows = [
            evaluate(run[0].formulas[measure], sum((sums[each] for each in run[1:]), start=sums[run[0]]))
            for run in runs
            if sums
        ]
        return np.array(rows) if rows else None

    def mean_over_domains(runs: Sequence[Sequence[ScoredFile]]) -> CurveEstimate:
        """Return the mean over runs of the mean over domains of the mean over files."""
        values: list[float | None] = []
        rows: list[Floats] = []
        for run in runs:
            domains: dict[str | None, list[ScoredFile]] = {}
            for each in run:
                if each.values[measure] is not None:
                    domains.setdefault(each.entry.domain, []).append(each)
            means = [fsum(each.values[measure] or 0.0 for each in group) / len(group) for group in domains.values()]
            values.append(fsum(means) / len(means) if means else None)
            sampled = [samples([each] for each in group) for group in domains.values()]
            present = [each.mean(axis=0) for each in sampled if each is not None]
            rows += [np.array(present).mean(axis=0)] if present else []
        # No formula is passed: domains have equal weights whatever their size, so if all resamples are equal, the number of all
        # dialogues gives no valid interval at an end of the range.
        complete = np.array(rows) if rows and len(rows) == len(runs) else None
        return mean(values, complete, confidence=level, dialogues=dialogues)

    domains = {
        name: mean(
            [each.values[measure] for each in group],
            samples([each] for each in group),
            confidence=level,
            dialogues=len(group[0].keys),
            formula=group[0].formulas[measure],
            columns=group[0].columns,
        )
        for name, group in by_domain.items()
    }
    runs = _runs(by_domain)
    if runs is None:
        # Seeds cannot be paired, but a mean of means needs no pairs.
        over_domains = replace(mean_over_domains([[*chain(*by_domain.values())]]), reason=UNBALANCED)
        return DomainScores(*label, domains, over_domains, CurveEstimate(None, None, None, 0, 0, UNBALANCED))
    formula = runs[0][0].formulas[measure]
    columns = [np.vstack([each.columns for each in run]) for run in runs]
    pooled = mean(
        [point(formula, each) for each in columns],
        samples(runs),
        confidence=level,
        dialogues=dialogues,
        formula=formula,
        columns=columns[0],
    )
    return DomainScores(*label, domains, mean_over_domains(runs), pooled)


def _runs(by_domain: Mapping[str, list[ScoredFile]]) -> list[list[ScoredFile]] | None:
    """Return the files of each seed, one per domain, or None if seeds differ between domains."""
    groups = list(by_domain.values())
    seeds = [[each.entry.seed for each in group] for group in groups]
    if any(len(group) > 1 for group in groups) and any(each != seeds[0] for each in seeds):
        return None
    return [list(run) for run in zip(*groups, strict=True)]


Scale: TypeAlias = Literal["log", "linear"]
SCALES: tuple[str, ...] = get_args(Scale)
Kind: TypeAlias = Literal["value", "difference", "distance"]
"""A measure itself, the measure minus the reference, or the absolute size of that difference."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Verdict: TypeAlias = Literal["grows", "shrinks", "unclear"]
_VERDICTS: dict[int, Verdict] = {1: "grows", -1: "shrinks", 0: "unclear"}
"""Verdicts by the sign of a slope."""


class CurvePoint(Struct, frozen=True):
    """A measure at one share of the training data, over all seeds."""

    domain: str | None
    ratio: Number
    measure: str
    seeds: tuple[str | None, ...]
    value: CurveEstimate
    difference: CurveEstimate | None = None
    distance: CurveEstimate | None = None


class CurveTrend(Struct, frozen=True):
    """The trend of a measure, or of its difference from the reference, with more training data.

    Attributes:
        verdict: unclear if an interval contains zero or there is no interval.
    """

    domain: str | None
    measure: str
    of: Kind
    slope: CurveEstimate
    verdict: Verdict


class Curve(Struct, frozen=True):
    """The whole study: every file, points and trends if files have ratios, and tables if files have domains."""

    rules: Rules
    reference: str | None
    scale: Scale
    resampling: Resampling | None
    files: list[ScoredFile]
    points: list[CurvePoint]
    trends: list[CurveTrend]
    tables: list[DomainTable]
    notices: list[Notice]


def draw_curve(
    entries: Sequence[CurveFile],
    gold: str | None = None,
    *,
    format: str | None = None,
    gold_format: str | None = None,
    schema: str | None = None,
    only: frozenset[str] | None = None,
    measures: Sequence[str] | None = None,
    rules: str | Rules = "dialmeter",
    reference: str = "GCA",
    scale: Scale = "log",
    resampling: Resampling | None = None,
    progress: Callable[[Iterable[CurveFile]], Iterable[CurveFile]] = iter,
) -> Curve:
    """Score all files and relate their scores to the share of training data.

    Args:
        entries: the files, from ``entries_of``.
        gold: the file with gold states, if the other files have none.
        format: the format of the files (default: auto-detect).
        gold_format: the format of gold.
        schema: a schema file.
        only: keys of the dialogues to score.
        measures: measures to compute (default: those of the rule set).
        rules: a rule set.
        reference: the measure with which all others are compared.
        scale: slopes per tenfold training data (``log``), or per whole training set (``linear``).
        resampling: settings of intervals; None for no intervals.
        progress: wraps the files, for a progress bar.

    Raises:
        DialmeterError: files that cannot be scored, or that are not comparable.
    """
    rule_set = rules if isinstance(rules, Rules) else load(rules)
    all_measures, compared_with, notices = _with_reference(measures, rule_set, reference)

    def score(entry: CurveFile, keys: frozenset[str] | None) -> TrackerResult:
        try:
            return score_file(
                entry.path,
                gold,
                format=format,
                gold_format=gold_format,
                schema=schema,
                only=only if keys is None else keys,
                measures=all_measures,
                rules=rule_set,
            )
        except InputError:
            raise
        except DialmeterError as error:
            # The measure that cannot be computed may be the default reference, which the user did not type.
            raise DialmeterError(
                f"{entry.name}: {error} (--set reference=M sets the measure to compare with)"
            ) from None

    files, file_notices = score_entries(entries, score, resampling, progress)
    if compared_with and compared_with not in files[0].values:
        notices.append(
            Notice("no-reference", 1, f"{compared_with} cannot be computed from the files, so nothing is compared")
        )
        compared_with = None
    groups: dict[str | None, list[ScoredFile]] = {}
    for each in files:
        groups.setdefault(each.entry.domain, []).append(each)
    curves = {domain: group for domain, group in groups.items() if domain is None or len(ratios_of(group)) > 1}
    points = [point for group in curves.values() for point in points_of(group, compared_with, resampling)]
    trends = [trend for group in curves.values() for trend in trends_of(group, compared_with, scale, resampling)]
    tables = domain_tables([each for each in files if each.entry.domain is not None], resampling)
    for domain, group in groups.items():
        notices += _group_notices(domain, group, scale, domain in curves, resampling)
    return Curve(rule_set, compared_with, scale, resampling, files, points, trends, tables, [*notices, *file_notices])


def _with_reference(
    measures: Sequence[str] | None, rules: Rules, reference: str
) -> tuple[list[str | Measure] | None, str | None, list[Notice]]:
    """Return the requested measures with the reference added, and its name; no name if the rules do not allow it."""
    name = repr(parse(reference))
    requested: list[str | Measure] = [repr(parse(each)) for each in (measures or rules.main_measures)]
    if name in requested:
        return requested if measures else None, name, []
    try:
        resolve([name], rules)
    except DialmeterError as error:
        notice = Notice("no-reference", 1, f"there is no measure to compare with: {error}")
        return requested if measures else None, None, [notice]
    return [*requested, name], name, []


def _group_notices(
    domain: str | None, group: Sequence[ScoredFile], scale: Scale, is_curve: bool, resampling: Resampling | None
) -> Iterator[Notice]:
    """Yield warnings about the intervals of one curve."""
    where = f"domain {domain}: " if domain else ""
    dialogues = len(group[0].keys)
    if dialogues < FEW_DIALOGUES:
        problem = "no intervals over dialogues" if dialogues < 2 else "intervals over dialogues are unreliable"
        count = "1 dialogue" if dialogues == 1 else f"{dialogues} dialogues"
        yield Notice("few-dialogues", dialogues, f"{where}{count}: {problem}")
    ratios = ratios_of(group)
    one_seed = [ratio for ratio in ratios if sum(each.entry.ratio == ratio for each in group) == 1]
    if one_seed and resampling and (is_curve or any(each.entry.seed for each in group)):
        shares = ", ".join("–" if ratio is None else f"{ratio:g}" for ratio in one_seed)
        message = f"{where}no interval over seeds for ratios with only one seed: {shares}"
        yield Notice("one-seed", len(one_seed), message)
    if not is_curve:
        return
    if len(ratios) < 2:
        yield Notice("one-ratio", 1, f"{where}there is only one share of training data, so there is no trend")
    excluded = len(group) - len(files_on_scale(group, scale))
    if excluded and len(ratios) > 1:
        message = f"{where}{excluded} files at ratio 0 have no logarithm and are not in trends; see --set trend=linear"
        yield Notice("ratio-zero", excluded, message)


def ratios_of(group: Sequence[ScoredFile]) -> list[float | None]:
    """Return the different shares of training data, in the order of the files."""
    return list(dict.fromkeys(each.entry.ratio for each in group))


def files_on_scale(group: Sequence[ScoredFile], scale: Scale) -> list[ScoredFile]:
    """Return the files with a position on the scale of a trend. Zero has no logarithm."""
    return [each for each in group if each.entry.ratio is not None and (scale == "linear" or each.entry.ratio > 0)]


def points_of(
    group: Sequence[ScoredFile], reference: str | None, resampling: Resampling | None
) -> Iterator[CurvePoint]:
    """Yield every measure at every share of training data, for the files of one domain."""
    for measure in group[0].values:
        for ratio in ratios_of(group):
            files = [each for each in group if each.entry.ratio == ratio]
            estimates: dict[str, CurveEstimate] = {}
            for kind in KINDS if reference and measure != reference else KINDS[:1]:
                values, samples = _series(files, measure, reference, kind)
                estimates[kind] = mean(
                    values,
                    samples,
                    confidence=resampling.confidence if resampling else 0,
                    dialogues=len(files[0].keys),
                    formula=files[0].formulas[measure] if kind == "value" else None,
                    columns=files[0].columns,
                )
            seeds = tuple(each.entry.seed for each in files)
            yield CurvePoint(files[0].entry.domain, ratio, measure, seeds, **estimates)


def trends_of(
    group: Sequence[ScoredFile], reference: str | None, scale: Scale, resampling: Resampling | None
) -> Iterator[CurveTrend]:
    """Yield the slope of every measure, and of its difference from the reference, if there are two shares of training data."""
    files = files_on_scale(group, scale)
    ratios = [each.entry.ratio or 0.0 for each in files]
    if len(set(ratios)) < 2:
        return
    positions = [math.log10(ratio) if scale == "log" else ratio for ratio in ratios]
    confidence = resampling.confidence if resampling else 0
    for measure in files[0].values:
        for kind in KINDS if reference and measure != reference else KINDS[:1]:
            values, samples = _series(files, measure, reference, kind)
            estimate = slope(positions, values, samples, confidence=confidence, dialogues=len(files[0].keys))
            yield CurveTrend(files[0].entry.domain, measure, kind, estimate, _VERDICTS[estimate.sign])


def _series(
    files: Sequence[ScoredFile], measure: str, reference: str | None, kind: Kind
) -> tuple[list[float | None], Floats | None]:
    """Return one value per file, and one row of resampled values per file."""

    def of(name: str) -> tuple[list[float | None], Floats | None]:
        rows = [each.samples[name] for each in files if each.samples is not None]
        return [each.values[name] for each in files], np.array(rows) if rows else None

    values, samples = of(measure)
    if kind != "value" and reference:
        others, other_samples = of(reference)
        values = [None if a is None or b is None else a - b for a, b in zip(values, others, strict=True)]
        if samples is not None and other_samples is not None:
            samples = samples - other_samples
    if kind == "distance":
        values = [None if value is None else abs(value) for value in values]
        samples = None if samples is None else np.abs(samples)
    return values, samples
