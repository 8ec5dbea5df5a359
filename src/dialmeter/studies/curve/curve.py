"""Few-shot curves: every measure against the share of training data, its difference to GCA, and the trend of both.

Published as a figure of absolute differences to GCA over the share of training data (Aksu and Chen 2024, figure 5), and for
zero-shot transfer as a mean over domains. Here every number has an interval over seeds and one over dialogues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from ...core.comparison import Resampling
from ...errors import DialmeterError, InputError
from ...measure import Measure, parse
from ...model import Notice
from ...rules import Rules, load
from ...tracking.resolve_measures import resolve
from ...tracking.result import TrackerResult
from ...tracking.scoring import score_file
from .curve_files import Entry
from .curve_points import Point, Scale, Trend, placed, points_of, ratios_of, trends_of
from .curve_scores import Scored, score_entries
from .zero_shot import DomainTable, domain_tables

FEW = 5
"""Fewer dialogues than these give intervals that mean little."""


class Curve(Struct, frozen=True):
    """The whole study: every file, points and trends where files have ratios, tables where they have domains."""

    reference: str | None
    scale: Scale
    resampling: Resampling | None
    files: list[Scored]
    points: list[Point]
    trends: list[Trend]
    tables: list[DomainTable]
    notices: list[Notice]


def draw_curve(
    entries: Sequence[Entry],
    gold: str | None = None,
    *,
    form: str | None = None,
    gold_form: str | None = None,
    schema: str | None = None,
    only: frozenset[str] | None = None,
    measures: Sequence[str] | None = None,
    rules: str | Rules = "dialmeter",
    reference: str = "GCA",
    scale: Scale = "log",
    resampling: Resampling | None = None,
    watch: Callable[[Iterable[Entry]], Iterable[Entry]] = iter,
) -> Curve:
    """Scores all files and relates their scores to the share of training data.

    Args:
        entries: the files, from ``curve_files.in_folder`` or ``curve_manifest.in_manifest``.
        gold: the file with gold states, where the others have none.
        form: the format of the files; found where it is not named.
        gold_form: the format of gold.
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
    wanted, yardstick, notices = _with_reference(measures, chosen, reference)

    def score(entry: Entry, keys: frozenset[str] | None) -> TrackerResult:
        try:
            return score_file(
                entry.path,
                gold,
                form=form,
                gold_form=gold_form,
                schema=schema,
                only=only if keys is None else keys,
                measures=wanted,
                rules=chosen,
            )
        except InputError:
            raise
        except DialmeterError as error:
            # The reference may be what cannot be had, and nobody has typed it.
            raise DialmeterError(f"{entry.name}: {error} (--reference chooses what to compare with)") from None

    files, more = score_entries(entries, score, resampling, watch)
    if yardstick and yardstick not in files[0].values:
        notices.append(Notice("no-reference", 1, f"the files do not allow {yardstick}, so that nothing is compared"))
        yardstick = None
    groups = {domain: [each for each in files if each.entry.domain == domain] for domain in _domains(files)}
    curves = {domain: group for domain, group in groups.items() if domain is None or len(ratios_of(group)) > 1}
    points = [point for group in curves.values() for point in points_of(group, yardstick, resampling)]
    trends = [trend for group in curves.values() for trend in trends_of(group, yardstick, scale, resampling)]
    tables = domain_tables([each for each in files if each.entry.domain is not None], resampling)
    for domain, group in groups.items():
        notices += _of_group(domain, group, scale, domain in curves, resampling)
    return Curve(yardstick, scale, resampling, files, points, trends, tables, [*notices, *more])


def _domains(files: Sequence[Scored]) -> list[str | None]:
    return list(dict.fromkeys(each.entry.domain for each in files))


def _with_reference(
    measures: Sequence[str] | None, rules: Rules, reference: str
) -> tuple[list[str | Measure] | None, str | None, list[Notice]]:
    """The measures with the reference among them, and its name; no name where the rules do not have it."""
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


def _of_group(
    domain: str | None, group: Sequence[Scored], scale: Scale, is_curve: bool, how: Resampling | None
) -> Iterator[Notice]:
    """What one should know before believing the intervals of one curve."""
    where = f"domain {domain}: " if domain else ""
    dialogues = len(group[0].keys)
    if dialogues < FEW:
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
        said = f"{where}{left_out} files at ratio 0 have no logarithm and are left out of trends; see --trend linear"
        yield Notice("ratio-zero", left_out, said)
