"""Few-shot curves: every measure as a function of the share of training data, its difference from GCA, and the trends of both.

The original is a figure of absolute differences from GCA over the share of training data (Aksu and Chen 2024, figure 5), and for
zero-shot transfer a mean over domains. Here every number has an interval over seeds and one over dialogues.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import fsum
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ...core.comparison import Resampling
from ...core.document import Number
from ...errors import DialmeterError, InputError
from ...measure import Measure, parse
from ...model import Notice
from ...stats.formulas import Floats, evaluate, point
from ...tracking.resolve_measures import resolve
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import Rules, load
from ...tracking.scoring import score_file
from .. import FEW_DIALOGUES
from .curve_files import CurveEstimate, CurveFile, ScoredFile, mean, resample_files, score_entries, slope

MEAN, POOLED = "mean over domains", "pooled"
UNBALANCED = "domains have different seeds"


class DomainScores(Struct, frozen=True):
    """One measure over the domains."""

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


class _ResampledFile(NamedTuple):
    """A file and its resampled sums."""

    file: ScoredFile
    sums: Floats | None


def domain_tables(files: Sequence[ScoredFile], resampling: Resampling | None) -> list[DomainTable]:
    """Return a table for every share of training data.

    Dialogues are resampled across domains: a dialogue of two domains is drawn for both or for neither.
    """
    ratios = sorted({each.entry.ratio for each in files}, key=lambda ratio: -1.0 if ratio is None else ratio)
    return [_table(ratio, [each for each in files if each.entry.ratio == ratio], resampling) for ratio in ratios]


def _table(ratio: float | None, files: Sequence[ScoredFile], resampling: Resampling | None) -> DomainTable:
    keys = sorted(set().union(*(each.keys for each in files)))
    all_sums: Sequence[Floats | None] = [None] * len(files)
    if resampling and len(keys) > 1:
        all_sums = resample_files(files, keys, resampling)
    by_domain: dict[str, list[_ResampledFile]] = {}
    for file, sums in zip(files, all_sums, strict=True):
        by_domain.setdefault(file.entry.domain or "", []).append(_ResampledFile(file, sums))
    measures = [name for name in files[0].values if all(name in each.values for each in files)]
    level = resampling.confidence if resampling else 0.0
    rows = [_row(measure, by_domain, level, len(keys)) for measure in measures]
    return DomainTable(ratio, {name: len(group[0].file.keys) for name, group in by_domain.items()}, rows)


def _row(measure: str, by_domain: dict[str, list[_ResampledFile]], level: float, dialogues: int) -> DomainScores:
    domains = {
        name: mean(
            [each.file.values[measure] for each in group],
            _stack([_values(measure, [each]) for each in group]),
            confidence=level,
            dialogues=len(group[0].file.keys),
            formula=group[0].file.formulas[measure],
            columns=group[0].file.columns,
        )
        for name, group in by_domain.items()
    }
    runs = _runs(by_domain)
    if runs is None:
        # Seeds cannot be paired, but a mean of means needs no pairs.
        groups = [[each for group in by_domain.values() for each in group]]
        over_domains = replace(_mean_over_domains(measure, groups, level, dialogues), reason=UNBALANCED)
        return DomainScores(measure, domains, over_domains, CurveEstimate(None, None, None, 0, 0, UNBALANCED))
    formula = runs[0][0].file.formulas[measure]
    columns = [np.vstack([each.file.columns for each in run]) for run in runs]
    pooled = mean(
        [point(formula, each) for each in columns],
        _stack([_values(measure, run) for run in runs]),
        confidence=level,
        dialogues=dialogues,
        formula=formula,
        columns=columns[0],
    )
    return DomainScores(measure, domains, _mean_over_domains(measure, runs, level, dialogues), pooled)


def _mean_over_domains(
    measure: str, runs: Sequence[Sequence[_ResampledFile]], level: float, dialogues: int
) -> CurveEstimate:
    """Return the mean over runs of the mean over domains of the mean over files."""
    values: list[float | None] = []
    samples: list[Floats | None] = []
    for run in runs:
        domains: dict[str | None, list[_ResampledFile]] = {}
        for each in run:
            if each.file.values[measure] is not None:
                domains.setdefault(each.file.entry.domain, []).append(each)
        means = [fsum(each.file.values[measure] or 0.0 for each in group) / len(group) for group in domains.values()]
        values.append(fsum(means) / len(means) if means else None)
        rows = [_stack([_values(measure, [each]) for each in group]) for group in domains.values()]
        row = _stack([None if each is None else each.mean(axis=0) for each in rows])
        samples.append(None if row is None else row.mean(axis=0))
    # No formula is passed: domains have equal weights whatever their size, so if all resamples are equal, the number of all
    # dialogues gives no valid interval at an end of the range.
    return mean(values, _stack(samples), confidence=level, dialogues=dialogues)


def _runs(by_domain: dict[str, list[_ResampledFile]]) -> list[list[_ResampledFile]] | None:
    """Return the files of each seed, one per domain, or None if seeds differ between domains."""
    groups = list(by_domain.values())
    if all(len(group) == 1 for group in groups):
        return [[group[0] for group in groups]]
    seeds = [[each.file.entry.seed for each in group] for group in groups]
    if any(each != seeds[0] for each in seeds):
        return None
    return [list(run) for run in zip(*groups, strict=True)]


def _values(measure: str, run: Sequence[_ResampledFile]) -> Floats | None:
    """Return a measure's resampled values over one file, or over several files together."""
    sums = [each.sums for each in run if each.sums is not None]
    return evaluate(run[0].file.formulas[measure], sum(sums[1:], start=sums[0])) if sums else None


def _stack(rows: Sequence[Floats | None]) -> Floats | None:
    """Stack rows, or return None if there are none or one is missing."""
    present = [row for row in rows if row is not None]
    return np.array(present) if present and len(present) == len(rows) else None


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
    watch: Callable[[Iterable[CurveFile]], Iterable[CurveFile]] = iter,
) -> Curve:
    """Score all files and relate their scores to the share of training data.

    Args:
        entries: the files, from ``curve_files.in_folder`` or ``curve_files.in_manifest``.
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
        watch: wraps the files, for a progress bar.

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
            raise DialmeterError(f"{entry.name}: {error} (--reference sets the measure to compare with)") from None

    files, file_notices = score_entries(entries, score, resampling, watch)
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
    return Curve(compared_with, scale, resampling, files, points, trends, tables, [*notices, *file_notices])


def _with_reference(
    measures: Sequence[str] | None, rules: Rules, reference: str
) -> tuple[list[str | Measure] | None, str | None, list[Notice]]:
    """Return the requested measures with the reference added, and its name; no name if the rules do not allow it."""
    name = repr(parse(reference))
    requested: list[str | Measure] = [repr(parse(each)) for each in (measures or rules.measures)]
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
        message = f"{where}{excluded} files at ratio 0 have no logarithm and are not in trends; see --trend linear"
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
    """Yield every measure at every share of training data.

    Args:
        group: files of one domain.
        reference: the measure with which the others are compared.
        resampling: settings of intervals; None for no intervals.
    """
    for measure in group[0].values:
        for ratio in ratios_of(group):
            files = [each for each in group if each.entry.ratio == ratio]
            estimates: dict[str, CurveEstimate] = {}
            for kind in _kinds(measure, reference):
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
    """Yield the slope of every measure, and of its difference from the reference, if there are two shares of training data.

    Args:
        group: files of one domain.
        reference: the measure with which the others are compared.
        scale: the logarithm of the share to base ten, or the share itself.
        resampling: settings of intervals; None for no intervals.
    """
    files = files_on_scale(group, scale)
    ratios = [each.entry.ratio or 0.0 for each in files]
    if len(set(ratios)) < 2:
        return
    positions = [math.log10(ratio) if scale == "log" else ratio for ratio in ratios]
    confidence = resampling.confidence if resampling else 0
    for measure in files[0].values:
        for kind in _kinds(measure, reference):
            values, samples = _series(files, measure, reference, kind)
            estimate = slope(positions, values, samples, confidence=confidence, dialogues=len(files[0].keys))
            yield CurveTrend(files[0].entry.domain, measure, kind, estimate, _VERDICTS[estimate.sign])


def _kinds(measure: str, reference: str | None) -> tuple[Kind, ...]:
    return KINDS if reference and measure != reference else ("value",)


def _series(
    files: Sequence[ScoredFile], measure: str, reference: str | None, kind: Kind
) -> tuple[list[float | None], Floats | None]:
    """Return one value per file, and one row of resampled values per file."""
    values, samples = _of_measure(files, measure)
    if kind != "value" and reference:
        others, other_samples = _of_measure(files, reference)
        values = [None if a is None or b is None else a - b for a, b in zip(values, others, strict=True)]
        if samples is not None and other_samples is not None:
            samples = samples - other_samples
    if kind == "distance":
        values = [None if value is None else abs(value) for value in values]
        samples = None if samples is None else np.abs(samples)
    return values, samples


def _of_measure(files: Sequence[ScoredFile], measure: str) -> tuple[list[float | None], Floats | None]:
    rows = [each.samples[measure] for each in files if each.samples is not None]
    return [each.values[measure] for each in files], np.array(rows) if rows else None
