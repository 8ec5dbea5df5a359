"""Few-shot curves: every measure against the share of training data, its difference to GCA, and the trend of both.

Published as a figure of absolute differences to GCA over the share of training data (Aksu and Chen 2024, figure 5), and for
zero-shot transfer as a mean over domains. Here every number has an interval over seeds and one over dialogues.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from msgspec import Struct

from ...core.comparison import Resampling
from ...core.document import Number
from ...errors import DialmeterError, InputError
from ...measure import Measure, parse
from ...model import Notice
from ...stats.formulas import Floats
from ...tracking.resolve_measures import resolve
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import Rules, load
from ...tracking.scoring import score_file
from .. import FEW_DIALOGUES
from .curve_files import CurveFile
from .curve_scores import CurveEstimate, ScoredFile, mean, score_entries, slope
from .zero_shot import DomainTable, domain_tables

Scale: TypeAlias = Literal["log", "linear"]
SCALES: tuple[str, ...] = get_args(Scale)
Kind: TypeAlias = Literal["value", "difference", "distance"]
"""A measure itself, the measure minus the reference, or the absolute size of that difference."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Verdict: TypeAlias = Literal["grows", "shrinks", "unclear"]
_VERDICTS: dict[int, Verdict] = {1: "grows", -1: "shrinks", 0: "unclear"}
"""By the sign of a slope."""


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
    """How a measure, or its difference to the reference, changes with more training data.

    Attributes:
        verdict: unclear where an interval holds zero or there is none.
    """

    domain: str | None
    measure: str
    of: Kind
    slope: CurveEstimate
    verdict: Verdict


class Curve(Struct, frozen=True):
    """The whole study: every file, points and trends where files have ratios, tables where they have domains."""

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
    """Scores all files and relates their scores to the share of training data.

    Args:
        entries: the files, from ``curve_files.in_folder`` or ``curve_files.in_manifest``.
        gold: the file with gold states, where the others have none.
        format: the format of the files; detected if not given.
        gold_format: the format of gold.
        schema: a schema file.
        only: keys of the dialogues to score.
        measures: what to compute; without it the measures of the rule set.
        rules: a rule set.
        reference: the measure that all others are compared with.
        scale: slopes per tenfold training data (``log``), or per whole training set (``linear``).
        resampling: how intervals are made; without it there are none.
        watch: wraps the files, for a progress bar.

    Raises:
        DialmeterError: files that cannot be scored, or not be compared with each other.
    """
    chosen = rules if isinstance(rules, Rules) else load(rules)
    wanted, compared_with, notices = _with_reference(measures, chosen, reference)

    def score(entry: CurveFile, keys: frozenset[str] | None) -> TrackerResult:
        try:
            return score_file(
                entry.path,
                gold,
                format=format,
                gold_format=gold_format,
                schema=schema,
                only=only if keys is None else keys,
                measures=wanted,
                rules=chosen,
            )
        except InputError:
            raise
        except DialmeterError as error:
            # The user may not have typed the reference that cannot be computed.
            raise DialmeterError(f"{entry.name}: {error} (--reference chooses what to compare with)") from None

    files, more = score_entries(entries, score, resampling, watch)
    if compared_with and compared_with not in files[0].values:
        notices.append(
            Notice("no-reference", 1, f"the files do not allow {compared_with}, so that nothing is compared")
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
    return Curve(compared_with, scale, resampling, files, points, trends, tables, [*notices, *more])


def _with_reference(
    measures: Sequence[str] | None, rules: Rules, reference: str
) -> tuple[list[str | Measure] | None, str | None, list[Notice]]:
    """The requested measures with the reference added, and its name; no name if the rules do not allow it."""
    name = repr(parse(reference))
    asked: list[str | Measure] = [repr(parse(each)) for each in (measures or rules.measures)]
    if name in asked:
        return asked if measures else None, name, []
    try:
        resolve([name], rules)
    except DialmeterError as error:
        said = Notice("no-reference", 1, f"nothing to compare with: {error}")
        return asked if measures else None, None, [said]
    return [*asked, name], name, []


def _group_notices(
    domain: str | None, group: Sequence[ScoredFile], scale: Scale, is_curve: bool, how: Resampling | None
) -> Iterator[Notice]:
    """Warnings about the intervals of one curve."""
    where = f"domain {domain}: " if domain else ""
    dialogues = len(group[0].keys)
    if dialogues < FEW_DIALOGUES:
        what = "no intervals over dialogues" if dialogues < 2 else "intervals over dialogues mean little"
        count = "1 dialogue" if dialogues == 1 else f"{dialogues} dialogues"
        yield Notice("few-dialogues", dialogues, f"{where}{count}: {what}")
    ratios = ratios_of(group)
    alone = [ratio for ratio in ratios if sum(each.entry.ratio == ratio for each in group) == 1]
    if alone and how and (is_curve or any(each.entry.seed for each in group)):
        shares = ", ".join("–" if ratio is None else f"{ratio:g}" for ratio in alone)
        yield Notice("one-seed", len(alone), f"{where}no interval over seeds where there is one seed: ratio {shares}")
    if not is_curve:
        return
    if len(ratios) < 2:
        yield Notice("one-ratio", 1, f"{where}one share of training data only, so that there is no trend")
    left_out = len(group) - len(placed(group, scale))
    if left_out and len(ratios) > 1:
        said = f"{where}{left_out} files at ratio 0 have no logarithm and are not in trends; see --trend linear"
        yield Notice("ratio-zero", left_out, said)


def ratios_of(group: Sequence[ScoredFile]) -> list[float | None]:
    """The different shares of training data, in the order of the files."""
    return list(dict.fromkeys(each.entry.ratio for each in group))


def placed(group: Sequence[ScoredFile], scale: Scale) -> list[ScoredFile]:
    """The files that have a place on the scale of a trend; zero has no logarithm."""
    return [each for each in group if each.entry.ratio is not None and (scale == "linear" or each.entry.ratio > 0)]


def points_of(group: Sequence[ScoredFile], reference: str | None, how: Resampling | None) -> Iterator[CurvePoint]:
    """Every measure at every share of training data.

    Args:
        group: files of one domain.
        reference: the measure that the others are compared with.
        how: how intervals are made; without it there are none.
    """
    for measure in group[0].values:
        for ratio in ratios_of(group):
            here = [each for each in group if each.entry.ratio == ratio]
            found: dict[str, CurveEstimate] = {}
            for kind in _kinds(measure, reference):
                values, samples = _series(here, measure, reference, kind)
                found[kind] = mean(
                    values,
                    samples,
                    confidence=how.confidence if how else 0,
                    dialogues=len(here[0].keys),
                    formula=here[0].formulas[measure] if kind == "value" else None,
                    columns=here[0].columns,
                )
            yield CurvePoint(here[0].entry.domain, ratio, measure, tuple(each.entry.seed for each in here), **found)


def trends_of(
    group: Sequence[ScoredFile], reference: str | None, scale: Scale, how: Resampling | None
) -> Iterator[CurveTrend]:
    """The slope of every measure, and of its difference to the reference; none below two shares of training data.

    Args:
        group: files of one domain.
        reference: the measure that the others are compared with.
        scale: the logarithm of the share to base ten, or the share itself.
        how: how intervals are made; without it there are none.
    """
    files = placed(group, scale)
    ratios = [each.entry.ratio or 0.0 for each in files]
    if len(set(ratios)) < 2:
        return
    places = [math.log10(ratio) if scale == "log" else ratio for ratio in ratios]
    for measure in files[0].values:
        for kind in _kinds(measure, reference):
            values, samples = _series(files, measure, reference, kind)
            found = slope(
                places, values, samples, confidence=how.confidence if how else 0, dialogues=len(files[0].keys)
            )
            yield CurveTrend(files[0].entry.domain, measure, kind, found, _VERDICTS[found.sign])


def _kinds(measure: str, reference: str | None) -> tuple[Kind, ...]:
    return KINDS if reference and measure != reference else ("value",)


def _series(
    files: Sequence[ScoredFile], measure: str, reference: str | None, kind: Kind
) -> tuple[list[float | None], Floats | None]:
    """One value per file, and one row of resampled values per file."""
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
