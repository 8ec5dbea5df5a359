"""Few-shot curves: every measure as a function of the share of training data, its difference from GCA, and the trends of both.

The original is a figure of absolute differences from GCA over the share of training data (Aksu and Chen 2024, figure 5), and for
zero-shot transfer a mean over domains. Here every number has an interval over seeds and one over dialogues.
The files are found by name, in a folder or in a manifest, then scored and resampled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from math import fsum, sqrt
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from ..core.comparison import Resampling
from ..core.document import Count, Interval, Number
from ..errors import DialmeterError, InputError, one_line, placing, reading
from ..measure import Measure, parse
from ..model import Notice, dialogue_key
from ..numeric import np
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
from ..tracking.vectors.measure_columns import columns, order_of
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
    first = Path(paths[0])
    if len(paths) == 1 and first.suffix.lower() in (".csv", ".tsv"):
        return in_manifest(paths[0])
    files = [Path(each) for each in paths]
    if len(paths) == 1 and not first.is_file():
        if not first.is_dir():
            raise DialmeterError(f"{paths[0]}: no such folder")
        excluded = {Path(path).resolve() for path in beside}
        with reading(paths[0]):
            files = [path for path in sorted(first.iterdir()) if path.resolve() not in excluded]
    parsed = {path: from_name(str(path)) for path in files}
    entries = [entry for entry in parsed.values() if entry]
    if not entries:
        raise DialmeterError(
            f"{paths[0]}: no file is named like {EXPECTED}; for other names, give a CSV with the columns file, ratio, seed and domain"
        )
    others = tuple(one_line(path.name) for path, entry in parsed.items() if entry is None)
    message = f"{len(others)} of {len(parsed)} files are unscored because they are not named like {EXPECTED}"
    return sort_entries(entries), [Notice("other-files", len(others), message, others)] if others else []


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
            file, text, seed, domain = (row.get(name, "").strip() or None for name in _COLUMNS)
            if not file:
                raise InputError("a row has no file")
            path = Path(manifest).parent / file
            if not path.exists():
                raise InputError(f"no such file: {one_line(str(path), 200)}")
            if text is None and domain is None:
                raise InputError(f"{one_line(file)} has neither ratio nor domain")
            ratio = None if text is None else number_or_nan(text)
            if text is not None and not 0 <= number_or_nan(text) < math.inf:
                raise InputError(f"ratio must be a share of the training data such as 0.05, not {one_line(text)!r}")
            entries.append(CurveFile(str(path), ratio, seed, domain))
    if not entries:
        raise InputError("the manifest has no files", file=manifest)
    unknown = tuple(one_line(name) for name in sorted(set(names) - {*_COLUMNS, ""}))
    message = f"{manifest}: columns other than {', '.join(_COLUMNS)} are ignored"
    return sort_entries(entries), [Notice("other-columns", len(unknown), message, unknown)] if unknown else []


ScoreFile: TypeAlias = Callable[[CurveFile, frozenset[str] | None], TrackerResult]
"""Function that scores one file, only on the dialogues with these keys if they are given."""


class ScoredFile:
    """One file's result, and its matrix for resampling with one row per dialogue, sorted by dialogue."""

    def __init__(self, entry: CurveFile, result: TrackerResult) -> None:
        names = [dialogue_key(name) for name in result.measure_columns.main.dialogues]
        self.entry = entry
        self.result = result
        self.keys = [names[index] for index in order_of(result.measure_columns)]
        self.columns, self.formulas = columns(result.measure_columns, result.measures)
        self.values = {score.measure: score.value for score in result.scores}

    def sums(self, keys: Sequence[str]) -> Floats | None:
        """Return resampled sums, one row per resample; None without resampling or for fewer than two dialogues.

        The same dialogues are drawn for all files from the same sorted keys; a file has zeros for a missing dialogue.
        """
        resampling = self.result.resampling
        if resampling is None or len(keys) < 2:
            return None
        indices = {key: index for index, key in enumerate(keys)}
        matrix = np.zeros((len(keys), self.columns.shape[1]))
        matrix[[indices[key] for key in self.keys]] = self.columns
        return resampled_sums(exact(matrix), resampling.resamples, resampling.seed)

    @cached_property
    def own_sums(self) -> Floats | None:
        """The resampled sums over the dialogues of the file."""
        return self.sums(self.keys)


def by_domain(files: Iterable[ScoredFile]) -> dict[str | None, list[ScoredFile]]:
    """Return the files of each domain."""
    groups: dict[str | None, list[ScoredFile]] = {}
    for each in files:
        groups.setdefault(each.entry.domain, []).append(each)
    return groups


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


def score_entries(entries: Sequence[CurveFile], score: ScoreFile) -> tuple[list[ScoredFile], list[Notice]]:
    """Score every file. Files of one domain are scored on their common dialogues, and warnings are merged by kind.

    Raises:
        DialmeterError: files of one domain have different gold, or no dialogue in common.
    """
    files: list[ScoredFile] = []
    for entry in entries:
        files.append(ScoredFile(entry, score(entry, None)))
        if list(files[-1].values) != list(files[0].values):
            names = f"{files[0].entry.name} and {entry.name}"
            raise DialmeterError(f"{names} do not allow the same measures; use -m with measures of both")
    scored: list[ScoredFile] = []
    notices: list[Notice] = []
    for of_domain in by_domain(files).values():
        all_keys = set().union(*(each.keys for each in of_domain))
        common = frozenset(all_keys).intersection(*(each.keys for each in of_domain))
        first, group = of_domain[0], of_domain
        if not common:
            raise DialmeterError(f"{first.entry.name} and the other files have no dialogue in common")
        if others := tuple(one_line(key) for key in sorted(all_keys - common)):
            group = [ScoredFile(each.entry, score(each.entry, common)) for each in of_domain]
            message = (
                f"{len(others)} dialogues are unscored because they are not in every file; {len(common)} are scored"
            )
            notices.append(Notice("unequal-dialogues", len(others), message, others))
        data = group[0].result.data
        for each in group:
            if each.result.data != data:
                raise DialmeterError(
                    f"{first.entry.name} and {each.entry.name} have different gold for the same dialogues "
                    f"(data: {data} ≠ {each.result.data}); a curve needs the same gold, see --gold"
                )
        scored += group
    by_code: dict[str, list[tuple[str, Notice]]] = {}
    for each in scored:
        for notice in each.result.notices:
            by_code.setdefault(notice.code, []).append((each.entry.name, notice))
    for code, ((name, one), *more) in by_code.items():
        also = f" (and {len(more)} more files with this warning)" if more else ""
        count = one.count + sum(notice.count for _, notice in more)
        notices.append(Notice(code, count, f"{name}: {one.message}{also}", one.where))
    return scored, notices


class Series(Struct, frozen=True):
    """A number for each of several files.

    Attributes:
        values: one value per file; None if it is unscored.
        samples: values under resampled dialogues, one row per file; None for no interval over dialogues.
        columns: the resampled matrix of each file.
        formula: the measure, for its range; None for other numbers, such as a difference.
        dialogues: number of dialogues.
        confidence: coverage of the intervals; 0 for none.
    """

    values: Sequence[float | None]
    samples: Floats | None = None
    columns: Sequence[Floats] = ()
    formula: Formula | None = None
    dialogues: int = 0
    confidence: float = 0.95

    def of(self, files: Sequence[int]) -> Series:
        """Return the series of some of the files."""
        samples = None if self.samples is None else self.samples[files]
        values, columns = ([each[file] for file in files] for each in (self.values, self.columns))
        return replace(self, values=values, samples=samples, columns=columns)

    def minus(self, other: Series) -> Series:
        """Return the differences from another series of the same files."""
        values = [None if a is None or b is None else a - b for a, b in zip(self.values, other.values, strict=True)]
        samples = None if self.samples is None or other.samples is None else self.samples - other.samples
        return replace(self, values=values, samples=samples, formula=None)

    def absolute(self) -> Series:
        """Return the absolute values."""
        values = [None if value is None else abs(value) for value in self.values]
        return replace(self, values=values, samples=None if self.samples is None else np.abs(self.samples))

    def mean(self) -> CurveEstimate:
        """Return the mean over files.

        Example:
            >>> estimate = Series([0.5, 0.7, 0.6, 0.8, None]).mean()
            >>> round(estimate.value, 3), [round(limit, 4) for limit in estimate.seeds], estimate.n, estimate.unscored
            (0.65, [0.4446, 0.8554], 4, 1)
        """
        scored, present = self._scored()
        n, unscored = len(present), len(self.values) - len(present)
        if not present:
            return CurveEstimate(None, None, None, 0, unscored, "no file has a value")
        if not self.confidence:
            return CurveEstimate(fsum(present) / n, None, None, n, unscored)
        over_seeds = student_interval(present, confidence=self.confidence)
        means = None if self.samples is None else self.samples[scored].mean(axis=0)
        over_dialogues, reason = self._limits(means)
        if over_seeds.low is None:
            reason = _join("only one seed" if n < 2 else "all seeds have the same value", reason)
        return CurveEstimate(over_seeds.value, over_seeds.ci, over_dialogues, n, unscored, reason)

    def slope(self, positions: Sequence[float]) -> CurveEstimate:
        """Return the least-squares slope through files. Its ``seeds`` is the usual t interval from the residuals of the line.

        If the curve is not a line, the residuals are larger, so the interval is wider than seeds alone would make it. The
        positions are those of the files on the scale.

        Example:
            >>> estimate = Series([1.0, 2.1, 2.9, 4.0]).slope([0, 1, 2, 3])
            >>> round(estimate.value, 2), [round(limit, 3) for limit in estimate.seeds]
            (0.98, [0.797, 1.163])
            >>> Series([0.5, 0.6]).slope([1, 1]).reason
            'a trend needs two different shares of training data'
        """
        scored, y = self._scored()
        x = np.array([positions[index] for index in scored], dtype=np.float64)
        n, unscored = len(y), len(self.values) - len(y)
        if len(set(x.tolist())) < 2:
            return CurveEstimate(None, None, None, n, unscored, "a trend needs two different shares of training data")
        centred = x - fsum(x.tolist()) / n
        spread = fsum((centred**2).tolist())
        weights = centred / spread
        value = fsum(w * v for w, v in zip(weights.tolist(), y, strict=True))
        if not self.confidence:
            return CurveEstimate(value, None, None, n, unscored)
        over_dialogues, reason = self._limits(None if self.samples is None else weights @ self.samples[scored])
        if n < 3:
            return CurveEstimate(value, None, over_dialogues, n, unscored, "an interval of a slope needs three files")
        level = fsum(y) / n
        residuals = fsum((v - level - value * c) ** 2 for c, v in zip(centred.tolist(), y, strict=True))
        half = student_quantile(self.confidence, n - 2) * sqrt(residuals / (n - 2) / spread)
        if half <= TIE:
            reason = _join("all files are on one line", reason)
            return CurveEstimate(value, None, over_dialogues, n, unscored, reason)
        return CurveEstimate(value, (value - half, value + half), over_dialogues, n, unscored, reason)

    def _scored(self) -> tuple[list[int], list[float]]:
        """Return the indices of the values that are not None, and these values."""
        present = {index: value for index, value in enumerate(self.values) if value is not None}
        return list(present), list(present.values())

    def _limits(self, samples: Floats | None) -> tuple[Interval, str]:
        """Return the interval of resampled values, or the reason why there is none. Both are empty without resampling."""
        if samples is None or self.dialogues < 2:
            return None, ""
        columns = self.columns[0] if self.columns else None
        interval = percentile_interval(samples, self.confidence, self.dialogues, self.formula, columns)
        return interval.ci, interval.reason or ""


def _join(*reasons: str) -> str:
    return "; ".join(filter(None, reasons))


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


def domain_tables(files: Sequence[ScoredFile], level: float) -> Iterator[DomainTable]:
    """Yield a table for every share of training data.

    Dialogues are resampled across domains: a dialogue of two domains is drawn for both or for neither.
    """
    for ratio in sorted({each.entry.ratio for each in files}, key=lambda ratio: -1.0 if ratio is None else ratio):
        of_ratio = [each for each in files if each.entry.ratio == ratio]
        keys = sorted(set().union(*(each.keys for each in of_ratio)))
        sums = {each: drawn for each in of_ratio if (drawn := each.sums(keys)) is not None}
        domains = {str(name): group for name, group in by_domain(of_ratio).items()}
        measures = [name for name in of_ratio[0].values if all(name in each.values for each in of_ratio)]
        rows = [_domain_row(ratio, measure, domains, sums, level=level, dialogues=len(keys)) for measure in measures]
        yield DomainTable(ratio, {name: len(group[0].keys) for name, group in domains.items()}, rows)


def _domain_row(
    ratio: Number,
    measure: str,
    domains: Mapping[str, list[ScoredFile]],
    sums: Mapping[ScoredFile, Floats],
    *,
    level: float,
    dialogues: int,
) -> DomainScores:
    """Return one measure over the domains, from the resampled sums of the files; these are empty without resampling."""
    formula = next(iter(domains.values()))[0].formulas[measure]

    def samples(runs: Iterable[Sequence[ScoredFile]]) -> Floats | None:
        """Return resampled values, one row for each run: those of its files together."""
        rows = [evaluate(formula, sum((sums[each] for each in run[1:]), start=sums[run[0]])) for run in runs if sums]
        return np.array(rows) if rows else None

    def over_files(group: Sequence[ScoredFile]) -> CurveEstimate:
        values, matrices = [each.values[measure] for each in group], [each.columns for each in group]
        return Series(values, samples([each] for each in group), matrices, formula, len(group[0].keys), level).mean()

    def over_domains(runs: Sequence[Iterable[ScoredFile]]) -> CurveEstimate:
        """Return the mean over runs of the mean over domains of the mean over files."""
        values: list[float | None] = []
        rows: list[Floats] = []
        for run in runs:
            groups = by_domain(each for each in run if each.values[measure] is not None).values()
            means = [fsum(each.values[measure] or 0.0 for each in group) / len(group) for group in groups]
            values.append(fsum(means) / len(means) if means else None)
            sampled = [each.mean(axis=0) for group in groups if (each := samples([one] for one in group)) is not None]
            rows += [np.array(sampled).mean(axis=0)] if sampled else []
        # No formula is passed: domains have equal weights whatever their size, so if all resamples are equal, the number of all
        # dialogues gives no valid interval at an end of the range.
        complete = np.array(rows) if rows and len(rows) == len(runs) else None
        return Series(values, complete, dialogues=dialogues, confidence=level).mean()

    scores = {name: over_files(group) for name, group in domains.items()}
    runs = _runs(list(domains.values()))
    if runs is None:
        # Seeds cannot be paired, but a mean of means needs no pairs.
        unpaired = replace(over_domains([chain(*domains.values())]), reason=UNBALANCED)
        return DomainScores(ratio, measure, scores, unpaired, CurveEstimate(None, None, None, 0, 0, UNBALANCED))
    matrices = [np.vstack([each.columns for each in run]) for run in runs]
    pooled = Series([point(formula, each) for each in matrices], samples(runs), matrices, formula, dialogues, level)
    return DomainScores(ratio, measure, scores, over_domains(runs), pooled.mean())


def _runs(groups: Sequence[list[ScoredFile]]) -> list[list[ScoredFile]] | None:
    """Return the files of each seed, one per domain, or None if seeds differ between domains."""
    seeds = [[each.entry.seed for each in group] for group in groups]
    if any(len(group) > 1 for group in groups) and any(each != seeds[0] for each in seeds):
        return None
    return [list(run) for run in zip(*groups, strict=True)]


Scale: TypeAlias = Literal["log", "linear"]
SCALES: tuple[str, ...] = get_args(Scale)
Kind: TypeAlias = Literal["value", "difference", "distance"]
"""A measure itself, the measure minus the reference, or the absolute size of that difference."""
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
    measures: Sequence[str] | None = None,
    rules: str | Rules = "dialmeter",
    reference: str = "GCA",
    scale: Scale = "log",
    only: frozenset[str] | None = None,
    resampling: Resampling | None = None,
    **given: Any,
) -> Curve:
    """Score all files and relate their scores to the share of training data.

    Args:
        entries: the files, from ``entries_of``.
        gold: the file with gold states, if the other files have none.
        measures: measures to compute (default: those of the rule set).
        rules: a rule set.
        reference: the measure with which all others are compared.
        scale: slopes per tenfold training data (``log``), or per whole training set (``linear``).
        only: keys of the dialogues to score.
        resampling: settings of intervals; None for no intervals.
        given: the other arguments of :func:`dialmeter.tracking.scoring.score_file`.

    Raises:
        DialmeterError: files that cannot be scored, or that are not comparable.
    """
    rule_set = rules if isinstance(rules, Rules) else load(rules)
    all_measures, compared_with, notices = _with_reference(measures, rule_set, reference)
    given |= {"measures": all_measures, "rules": rule_set, "resampling": resampling}

    def score(entry: CurveFile, keys: frozenset[str] | None) -> TrackerResult:
        try:
            return score_file(entry.path, gold, only=only if keys is None else keys, **given)
        except InputError:
            raise
        except DialmeterError as error:
            # The measure that cannot be computed may be the default reference, which the user did not type.
            raise DialmeterError(
                f"{entry.name}: {error} (--set reference=M sets the measure to compare with)"
            ) from None

    files, file_notices = score_entries(entries, score)
    if compared_with and compared_with not in files[0].values:
        notices.append(
            Notice("no-reference", 1, f"{compared_with} cannot be computed from the files, so nothing is compared")
        )
        compared_with = None
    level = resampling.confidence if resampling else 0.0
    points: list[CurvePoint] = []
    trends: list[CurveTrend] = []
    for domain, group in by_domain(files).items():
        is_curve = domain is None or len(ratios_of(group)) > 1
        for measure in group[0].values if is_curve else ():
            series = _series_of(group, measure, compared_with, level)
            points += _points(group, measure, series)
            trends += _trends(group, measure, series, scale)
        notices += _group_notices(domain, group, scale, is_curve)
    tables = list(domain_tables([each for each in files if each.entry.domain is not None], level))
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


def _group_notices(domain: str | None, group: Sequence[ScoredFile], scale: Scale, is_curve: bool) -> Iterator[Notice]:
    """Yield warnings about the intervals of one curve."""
    where = f"domain {domain}: " if domain else ""
    dialogues = len(group[0].keys)
    if dialogues < FEW_DIALOGUES:
        problem = "no intervals over dialogues" if dialogues < 2 else "intervals over dialogues are unreliable"
        count = "1 dialogue" if dialogues == 1 else f"{dialogues} dialogues"
        yield Notice("few-dialogues", dialogues, f"{where}{count}: {problem}")
    ratios = ratios_of(group)
    one_seed = [ratio for ratio in ratios if sum(each.entry.ratio == ratio for each in group) == 1]
    if one_seed and group[0].result.resampling and (is_curve or any(each.entry.seed for each in group)):
        shares = ", ".join("–" if ratio is None else f"{ratio:g}" for ratio in one_seed)
        message = f"{where}no interval over seeds for ratios with only one seed: {shares}"
        yield Notice("one-seed", len(one_seed), message)
    if not is_curve:
        return
    if len(ratios) < 2:
        yield Notice("one-ratio", 1, f"{where}there is only one share of training data, so there is no trend")
    excluded = sum(_position(each, scale) is None for each in group)
    if excluded and len(ratios) > 1:
        message = f"{where}{excluded} files at ratio 0 have no logarithm and are not in trends; see --set trend=linear"
        yield Notice("ratio-zero", excluded, message)


def ratios_of(group: Sequence[ScoredFile]) -> list[float | None]:
    """Return the different shares of training data, in the order of the files."""
    return list(dict.fromkeys(each.entry.ratio for each in group))


def _position(file: ScoredFile, scale: Scale) -> float | None:
    """Return the position of a file on the scale of a trend. Zero has no logarithm."""
    ratio = file.entry.ratio
    return ratio if ratio is None or scale == "linear" else math.log10(ratio) if ratio > 0 else None


def _series_of(group: Sequence[ScoredFile], measure: str, reference: str | None, level: float) -> dict[Kind, Series]:
    """Return the values of a measure, and their differences and distances from the reference, if there is one."""

    def of(name: str) -> Series:
        samples = [evaluate(each.formulas[name], each.own_sums) for each in group if each.own_sums is not None]
        return Series(
            [each.values[name] for each in group],
            np.array(samples) if samples else None,
            [each.columns for each in group],
            group[0].formulas[name],
            len(group[0].keys),
            level,
        )

    values = of(measure)
    if not reference or measure == reference:
        return {"value": values}
    differences = values.minus(of(reference))
    return {"value": values, "difference": differences, "distance": differences.absolute()}


def _points(group: Sequence[ScoredFile], measure: str, series: Mapping[Kind, Series]) -> Iterator[CurvePoint]:
    """Yield a measure at every share of training data, for the files of one domain."""
    for ratio in ratios_of(group):
        files = [file for file, each in enumerate(group) if each.entry.ratio == ratio]
        estimates: dict[str, CurveEstimate] = {kind: each.of(files).mean() for kind, each in series.items()}
        seeds = tuple(group[file].entry.seed for file in files)
        yield CurvePoint(group[0].entry.domain, ratio, measure, seeds, **estimates)


def _trends(
    group: Sequence[ScoredFile], measure: str, series: Mapping[Kind, Series], scale: Scale
) -> Iterator[CurveTrend]:
    """Yield the slope of a measure, and of its difference from the reference, if there are two shares of training data."""
    positions = {file: at for file, each in enumerate(group) if (at := _position(each, scale)) is not None}
    if len(set(positions.values())) < 2:
        return
    for kind, each in series.items():
        # A slope is no value of the measure, so it has no range.
        estimate = replace(each, formula=None).of(list(positions)).slope(list(positions.values()))
        yield CurveTrend(group[0].entry.domain, measure, kind, estimate, _VERDICTS[estimate.sign])
