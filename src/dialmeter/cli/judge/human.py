"""The flows of ``score`` and ``compare`` for the ratings of people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

import click
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from ...core.document import Document, IntervalMethod, ScoreRecord, describe_intervals
from ...errors import DialmeterError, one_line
from ...judges.ask import unfinished
from ...judges.judge import Judge
from ...judges.people import record
from ...judges.people.columns import distinct_units
from ...judges.people.correlate import FacetAgreement, LeftOutComparison, PeopleSettings
from ...judges.people.labels import Kind, LabelRecord, Origin, label_settings
from ...judges.people.result import AgreementDifference, DifferingItem, PeopleResult
from ...judges.people.study import first_requested, parse_agreement, prepare_study, silent
from ...judges.requests import parse_requests
from ...readers.ratings.open_ratings import open_ratings
from ...stats.drift import Drift
from ...views.labels import drift_tables, figure_tables
from ...views.people import differing_table, every_correlation, people_charts, tables_of
from ...views.summaries.judge import agreement_headline
from .. import options as shared
from ..frame import CommandRun, fail_if
from ..printer import TEXT, Block, Output
from .options import (
    ModelUsage,
    ask_from_options,
    asking_options,
    dry_run,
    judge_options,
    judge_output,
    place_of_models,
    run_inputs,
    score_store_from_options,
    usage_line,
    usage_of,
)


class CorrelationScore(ScoreRecord, kw_only=True):
    """The correlation of a judge with the mean rating of people.

    Attributes:
        level: reply or dialogue (over items), system (over the means of systems), within-context (the mean over contexts).
        n: number of items, systems or contexts.
        p: the p value of no correlation, which assumes independent items; absent below five systems and within contexts.
    """

    judge: str
    facet: str
    level: Literal["reply", "dialogue", "system", "within-context"]
    p: float | UnsetType = UNSET
    signature: str


class JudgePeopleDocument(Document, kw_only=True):
    """Agreement of judges with people: one score per measure, judge, facet and level.

    Attributes:
        main_facet: the facet of the differing items.
        resample: the unit that is resampled for intervals and tests.
        intervals: the method of the intervals; null if there are none.
        raters: the agreement of the raters of every facet.
        left_out: the comparison of judges with a left-out rater.
        differences: the comparison of the first judge with the others on the same items.
        labels: judges against labels pass and fail; empty if ratings are a scale.
        drift: with `compare`: how the second judge differs from the first, as a new version of it; only for verdicts.
        differing: judge → items on which judge and people disagree most.
    """

    kind: str = "ratings"
    command: str = "score"
    scores: list[CorrelationScore]
    main_facet: str
    resample: Literal["contexts", "items"]
    intervals: IntervalMethod | None
    raters: list[FacetAgreement]
    left_out: list[LeftOutComparison]
    differences: list[AgreementDifference]
    labels: list[LabelRecord]
    drift: Drift | UnsetType = UNSET
    differing: dict[str, list[DifferingItem]]
    usage: list[ModelUsage]


class JudgePeopleComparison(JudgePeopleDocument, kw_only=True):
    """The comparison of the first judge with the others, by their agreement with people."""

    command: str = "compare"


label_options = shared.combine_options(
    shared.option("--label-kind", "What ratings are; auto decides by the ratings.", choices=get_args(Kind)),
    shared.option("--pass-if CONDITION", 'Make labels of ratings, such as "quality >= 4".'),
    shared.option("--judge-pass-if CONDITION*", 'Make verdicts of scores, such as "NAME >= 0.5".'),
    shared.option("--probability NAME*", "The scores of this judge are probabilities of a pass."),
    shared.option(
        "--labels", "Where the labelled items come from, to correct the pass rate.", choices=get_args(Origin)
    ),
)
_margin_option = shared.option(
    "--margin X", "Change of a rate that does not matter between two judges.", type=float, default=0.05
)


@shared.command()
@click.argument("ratings_file", metavar="RATINGS")
@judge_options
@label_options
@_margin_option
@shared.from_option("RATINGS")
@shared.measure_option
@shared.option("--resample", "Unit to resample for intervals and tests.", choices=["contexts", "items"])
@shared.interval_options(1000)
@shared.option("--limit differing", "Number of differing items to print for each judge.", least=0, default=3)
@asking_options
def human(**options: Any) -> Output:
    """Measure the agreement of judges with the people who rated the replies or dialogues of RATINGS, or compare the first judge with
    the others on the same items.

    Without -j, the scores in RATINGS are the judges. The trivial judges length, overlap, random and constant are always included.
    For rated dialogues, a judge of replies is averaged over the replies of the system.
    """
    file, compares = options["ratings_file"], shared.is_compare(click.get_current_context())
    items = open_ratings(file, options["format"])
    requests = parse_requests(options["judges"], items.carried)
    run = CommandRun(options, run_inputs("ratings", file, requests))
    measures = [parse_agreement(each) for each in options["measures"]]
    settings = PeopleSettings(options["resample"], options["resampling"], label_settings(options))
    facets = [facet for _, facet in measures if facet]
    study = prepare_study(items, requests, settings, offered=place_of_models(options), facets=facets)
    judges = study.judges
    if judges and not items.has_texts:
        raise DialmeterError(
            f"{one_line(file, 200)}: the items have no texts that a judge could read; give scores: -j NAME=FILE, or the "
            "field of the texts: --columns reply=NAME"
        )
    if options["dry_run"]:
        units = dict.fromkeys(judges, distinct_units(study.items))
        return dry_run("score", units, judges, {"items": len(items.items)}, options["store"])
    if options["judges"]:
        study = replace(study, first=first_requested(options["judges"][0], study))
    run.begin(lambda inputs: record.identity(inputs, study, requests))
    result = study.result(
        baselines=not compares,
        store=score_store_from_options(options, run.writer, judges),
        asking=lambda to_ask: ask_from_options(study.made, to_ask, file, options),
    )
    if compares and len(result.named_judges) < 2:
        raise DialmeterError("compare needs two judges or more, as in -j overlap -j length; the first is the baseline")
    asked = [each for each in result.columns if each.name in judges]
    silent_judges = silent(each for each in asked if not unfinished({each.name: result.accounts[each.name]}))
    chosen = _chosen_scores(result, measures)
    if not chosen and not silent_judges:
        raise DialmeterError(_why_no_score(result, measures[0][0]))
    return judge_output(
        JudgePeopleComparison if compares else JudgePeopleDocument,
        result,
        options,
        run,
        judges,
        silent=silent_judges,
        rows=record.rows(result, judges),
        compares=compares,
        file=file,
        parts=_parts(result, options, judges),
        charts=lambda: people_charts(result),
        check=lambda: fail_if(options, _condition_scores(result), _verdicts(result)),
        scores=chosen,
        resample=settings.resample,
        intervals=describe_intervals(settings.resampling),
        labels=[each.record() for each in result.labels.values()],
        drift=(result.drift if compares else None) or UNSET,
        differing={name: result.worst(options["differing"], name) for name in result.named_judges},
    )


def _chosen_scores(result: PeopleResult, measures: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return all scores, or those of the measures over items for the requested judges."""
    scores = result.to_dicts()
    if not measures:
        return scores
    return [
        each
        for each in scores
        if each["level"] == result.items.level
        and each["judge"] in result.named_judges
        and any(each["measure"] == name and facet in ("", each["facet"]) for name, facet in measures)
    ]


def _why_no_score(result: PeopleResult, measure: str) -> str:
    """Return why no judge has a measure of labels, and what to do."""
    facet, judge = (one_line(each) for each in (result.main_facet, (result.named_judges or ["NAME"])[0]))
    if not result.labels:
        return f'{measure} needs labels pass and fail; make them: --set "pass-if={facet} >= NUMBER"'
    if measure in ("auroc", "average_precision"):
        return f"{measure} needs scores, and {judge} gives verdicts; write kappa, sensitivity or specificity"
    return f'{measure} needs verdicts, and {judge} gives scores; make them: --set "judge-pass-if={judge} >= NUMBER"'


def _parts(result: PeopleResult, options: dict[str, Any], judges: Mapping[str, Judge]) -> Iterator[Block]:
    counts = result.counts
    unit = "replies" if result.items.level == "reply" else "dialogues"
    heading = [one_line(options["ratings_file"], 200), f"{counts['items']} {unit}", f"{counts['contexts']} contexts"]
    heading += [f"{counts['systems']} systems"] if counts["systems"] else []
    yield Block("  ".join(heading), TEXT)
    yield Block(every_correlation(result), ("csv",))
    yield from map(Block, tables_of(result, everything=options["verbose"]))
    yield from (Block(table) for table in figure_tables(result) if table.rows)
    compares = shared.is_compare(click.get_current_context())
    yield from (
        Block(table) for table in (drift_tables(result.drift) if compares and result.drift else ()) if table.rows
    )
    if options["differing"]:
        judge_names = [column.name for column in result.columns if column.asked and not column.trivial]
        names = judge_names or [result.first_judge(result.main_facet).name]
        tables = (differing_table(result, name, options["differing"]) for name in names)
        yield from (Block(table) for table in tables if table.rows)
    interval_note = (
        f"intervals by resampling {result.settings.resample}" if result.settings.resampling else "no intervals"
    )
    yield Block(f"{interval_note}; p values are corrected by Holm; –: no value")
    yield from (Block(usage_line(used), raw=True) for used in usage_of(judges))


def _condition_scores(result: PeopleResult) -> Iterator[dict[str, Any]]:
    """Yield the correlations over items of judges that are not trivial, those of the main facet also without groups."""
    for each in result.scores:
        if each.level == result.items.level and each.judge in result.named_judges and each.value is not None:
            score = {"measure": each.measure, "value": each.value}
            yield {**score, "judge": each.judge, "facet": each.facet}
            if each.facet == result.main_facet:
                yield score


def _verdicts(result: PeopleResult) -> Iterator[tuple[str, str]]:
    for each in result.differences:
        if (each.facet, each.measure) == (result.main_facet, "Spearman"):
            yield each.verdict, agreement_headline(each)
