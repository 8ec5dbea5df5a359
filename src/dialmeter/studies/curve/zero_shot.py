"""Scores by held-out domain: each domain, the unweighted mean over domains, and the pooled value.

The unweighted mean gives a small domain the same weight as a large one. The pooled value is the measure over the turns of
all domains together. Papers publish either of them as "the" zero-shot score.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ...core.comparison import Resampling
from ...stats.formulas import Floats, evaluate, point
from .curve_scores import CurveEstimate, ScoredFile, mean, resample_files

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
