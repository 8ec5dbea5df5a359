"""The files of a learning curve: found by name, in a folder or in a manifest, then scored and resampled."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import fsum, sqrt
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct, field

from ...core.comparison import Resampling
from ...core.document import Count, Interval, Number
from ...errors import DialmeterError, InputError, one_line, placing, reading
from ...model import Notice, dialogue_key
from ...readers.csv_files import read_csv
from ...readers.parts import as_mapping
from ...readers.source import Source
from ...readers.strict_json import parse_unique
from ...stats import Formula, student_interval
from ...stats.draws import resampled_sums
from ...stats.formulas import Floats, evaluate, exact
from ...stats.intervals import student_quantile
from ...stats.resampling import TIE, percentile_interval
from ...tracking.result import TrackerResult
from ...tracking.vectors.measure_columns import columns, order_of, with_interval

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


def in_folder(folder: str, beside: Iterable[str] = ()) -> tuple[list[CurveFile], list[Notice]]:
    """Return the files of a folder whose names match, sorted, and a warning that lists the others.

    Args:
        folder: the folder with the prediction files.
        beside: other files that may be in the folder, such as gold.

    Raises:
        DialmeterError: the folder does not exist, or no name matches.
    """
    parsed = {path: from_name(str(path)) for path in files_of(folder, beside)}
    entries = [entry for entry in parsed.values() if entry]
    if not entries:
        raise DialmeterError(f"{folder}: no file is named like {EXPECTED}; use a --manifest for other names")
    others = tuple(one_line(path.name) for path, entry in parsed.items() if entry is None)
    message = f"{len(others)} of {len(parsed)} files were skipped because they are not named like {EXPECTED}"
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
                "give each its own seed in a --manifest"
            )

    def sort_key(entry: CurveFile) -> tuple[str, float, tuple[int, str]]:
        seed = entry.seed or ""
        is_number = seed.isascii() and seed.isdigit() and len(seed) < 20
        share = -1.0 if entry.ratio is None else entry.ratio
        return entry.domain or "", share, (int(seed) if is_number else -1, seed)

    return sorted(seen.values(), key=sort_key)


def in_manifest(manifest: str, folder: str, beside: Iterable[str] = ()) -> tuple[list[CurveFile], list[Notice]]:
    """Return the files in a manifest: CSV with column names, or JSON lines, with file, ratio, seed and domain.

    Args:
        manifest: the file; paths in it are relative to ``folder``.
        folder: the folder with the prediction files.
        beside: other files that may be in the folder.

    Raises:
        InputError: an invalid row; the error has its line.
    """
    entries: list[CurveFile] = []
    unknown: set[str] = set()
    for line, row in _rows(manifest):
        try:
            unknown |= {name for name in row if name not in _COLUMNS}
            entries.append(_entry({name: _cell(name, row.get(name)) for name in _COLUMNS}, folder))
        except InputError as error:
            raise error.at(file=manifest, line=line) from None
    if not entries:
        raise InputError("the manifest has no files", file=manifest)
    notices = []
    if unknown:
        names = tuple(sorted(one_line(str(name)) for name in unknown))
        message = f"{manifest}: columns other than {', '.join(_COLUMNS)} are ignored"
        notices.append(Notice("other-columns", len(names), message, names))
    others = tuple(
        one_line(path.name) for path in files_of(folder, [manifest, *beside, *(each.path for each in entries)])
    )
    if others:
        message = f"{len(others)} files were skipped because they are not in the manifest"
        notices.append(Notice("other-files", len(others), message, others))
    return sort_entries(entries), notices


def _rows(manifest: str) -> Iterator[tuple[int, dict[str, object]]]:
    source = Source(manifest)
    text = source.text
    if text.lstrip()[:1] == "{":
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                with placing(file=manifest, line=number):
                    yield number, dict(as_mapping(parse_unique(line.encode(), manifest, number), "a line"))
        return
    names, rows = read_csv(source, lower=True)
    if "file" not in names or not {"ratio", "domain"} & set(names):
        raise InputError("expected the columns file and ratio or domain, and seed", file=manifest, line=1)
    for number, row in rows:
        yield number, dict(row)


def _cell(name: str, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return (value or "").strip() or None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(value)
    raise InputError(f"{name} must be text or a number, not {one_line(repr(value))}")


def _entry(row: dict[str, str | None], folder: str) -> CurveFile:
    if not row["file"]:
        raise InputError("a row has no file")
    path = Path(folder, row["file"])
    if not path.exists():
        raise InputError(f"no such file: {one_line(str(path), 200)}")
    if row["ratio"] is None and row["domain"] is None:
        raise InputError(f"{one_line(row['file'])} has neither ratio nor domain")
    return CurveFile(str(path), _parse_ratio(row["ratio"]), row["seed"], row["domain"])


def _parse_ratio(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        ratio = float(text)
    except ValueError:
        ratio = math.nan
    if not 0 <= ratio < math.inf:
        raise InputError(f"ratio must be a share of the training data such as 0.05, not {one_line(text)!r}")
    return ratio


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
