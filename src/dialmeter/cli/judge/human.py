"""The flows of ``score`` and ``compare`` for the ratings of people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import click
from msgspec import UNSET, UnsetType

from ...core.document import (
    Document,
    IntervalMethod,
    ScoreRecord,
    describe_intervals,
)
from ...errors import DialmeterError, one_line
from ...judges.ask import ScoreStore, unfinished
from ...judges.judge import identity_of
from ...judges.people import record
from ...judges.people.columns import distinct_units
from ...judges.people.correlate import FacetAgreement, LeftOutComparison, PeopleSettings
from ...judges.people.result import AgreementDifference, DifferingItem, PeopleResult, first_judge
from ...judges.people.study import (
    checked_names,
    chosen_facets,
    compare_with_people,
    dialogues_of_items,
    first_requested,
    open_items,
    parse_agreement,
    patterns_of,
    references_of,
    scores_of_files,
    silent,
    with_requested_references,
)
from ...judges.requests import parse_requests
from ...views.people import differing_table, every_correlation, markdown_report, people_charts, tables_of
from ...views.summaries.judge import agreement_headline, compare_summary, score_summary
from ...views.summaries.summary import Summary
from .. import options as shared
from ..dry_run import dry_run_option
from ..frame import CommandRun, document_output
from ..main import EXIT_INPUT, EXIT_UNFINISHED
from ..printer import TEXT, Block, Output, typed_command
from ..progress import judge_progress
from .options import (
    ModelUsage,
    ask_from_options,
    asking_options,
    check_cells,
    check_verdicts,
    dry_run,
    judge_options,
    judges_from_options,
    run_inputs,
    score_store_from_options,
    unfinished_lines,
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
    differing: dict[str, list[DifferingItem]]
    usage: list[ModelUsage]


class JudgePeopleComparison(JudgePeopleDocument, kw_only=True):
    """The comparison of the first judge with the others, by their agreement with people."""

    command: str = "compare"


_OPTIONS = shared.combine_options(
    click.argument("ratings_file", metavar="RATINGS"),
    judge_options,
    shared.from_option("RATINGS"),
    shared.measure_option,
    shared.option("--resample", "Unit to resample for intervals and tests.", choices=["contexts", "items"]),
    shared.interval_options(1000),
    shared.option("--limit differing", "Number of differing items to print for each judge.", least=0, default=3),
    asking_options,
    dry_run_option,
    shared.run_options,
)


@shared.command()
@_OPTIONS
@shared.fail_if_option("Spearman[overall, mine] < 0.3", of=" of a judge")
def human(**options: Any) -> Output:
    """Measure the agreement of judges with the people who rated the replies or dialogues of RATINGS.

    Without -j, the scores in RATINGS are the judges. The trivial judges length, overlap, random and constant are always included.
    For rated dialogues, a judge of replies is averaged over the replies of the system.
    """
    return _compare_with_people(JudgePeopleDocument, score_summary, options)


@shared.command()
@_OPTIONS
@shared.fail_if_option("Spearman[overall, mine] < 0.3", of=" of a judge", verdicts=True)
def compare(**options: Any) -> Output:
    """Compare the first judge of -j with the others by their agreement with people, on the same items."""
    return _compare_with_people(JudgePeopleComparison, compare_summary, options)


def _compare_with_people(
    kind: type[JudgePeopleDocument], summarise: Callable[..., Summary], options: dict[str, Any]
) -> Output:
    settings = PeopleSettings(options["resample"], options["resampling"])
    rated = open_items(options["ratings_file"], options["format"])
    requests = parse_requests(options["judges"], rated.carried)
    run = CommandRun(options, run_inputs("ratings", options["ratings_file"], requests))
    items = with_requested_references(rated, requests)
    measures = [parse_agreement(each) for each in options["measures"]]
    facets = chosen_facets(items, [facet for _, facet in measures if facet])
    offered = {"dialogues": dialogues_of_items(items)}
    chosen = judges_from_options(options, requests.calls, offered, level=items.level)
    if options["dry_run"]:
        units = dict.fromkeys(chosen.judges, distinct_units(items))
        return dry_run("score", units, chosen.judges, {"items": len(items.items)}, options["store"])
    scores, lower = scores_of_files(items, requests.files)
    carried, references = patterns_of(requests), references_of(requests)
    checked_names(items, [*chosen.judges, *scores, *(references or ())], carried)
    first = first_requested(options["judges"][0], items, chosen.judges, scores) if options["judges"] else None
    run.begin(
        lambda inputs: record.identity(
            inputs,
            {name: identity_of(judge) for name, judge in chosen.judges.items()},
            facets,
            settings,
            carried=carried,
            references=requests.references,
            lower_is_better=sorted(lower),
            first=first,
        ),
    )
    compares = kind is JudgePeopleComparison
    store = score_store_from_options(options, run.writer, chosen.judges)
    result = compare_with_people(
        items,
        chosen.judges,
        scores,
        carried=carried,
        references=references,
        facets=facets,
        settings=settings,
        first=first,
        baselines=not compares,
        lower_is_better=lower,
        store=ScoreStore(store) if store else None,
        progress=judge_progress("scoring", options["quiet"], len(chosen.judges)),
        asking=lambda judges: ask_from_options(chosen, judges, options["ratings_file"], options),
    )
    open_judges = [name for name, account in result.accounts.items() if unfinished({name: account})]
    without_lines = [each for each in result.columns if each.name in chosen.judges and each.name not in open_judges]
    silent_lines, open_lines = unfinished_lines(run.writer, silent(without_lines), unfinished(result.accounts))
    name = Path(options["ratings_file"]).name
    if not silent_lines and not open_lines:
        run.finish(lambda writer, about: record.finish(writer, result, about, markdown_report(name, result)))
    if compares and len(_judge_names(result)) < 2:
        raise DialmeterError("compare needs two judges or more, as in -j overlap -j length; the first is the baseline")
    return document_output(
        kind,
        result,
        summary=summarise(result, typed_command(), options["ratings_file"], options["out"] or ""),
        parts=[*_parts(result, options), *(Block(usage_line(used), raw=True) for used in usage_of(chosen.judges))],
        notices=result.notices,
        charts=lambda: people_charts(result),
        errors=[one_line(line, 1000) for line in (*silent_lines, *open_lines)],
        check=lambda: _check_conditions(options, result),
        exit_code=EXIT_INPUT if silent_lines else EXIT_UNFINISHED if open_lines else 0,
        scores=_chosen_scores(result, measures),
        resample=result.settings.resample,
        intervals=describe_intervals(result.settings.resampling),
        differing={name: result.worst(options["differing"], name) for name in _judge_names(result)},
        usage=usage_of(chosen.judges),
    )


def _chosen_scores(result: PeopleResult, measures: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return all scores, or those of the measures over items for the requested judges."""
    scores = result.to_dicts()
    if not measures:
        return scores
    named = set(_judge_names(result))
    return [
        each
        for each in scores
        if each["level"] == result.items.level
        and each["judge"] in named
        and any(each["measure"] == name and facet in ("", each["facet"]) for name, facet in measures)
    ]


def _judge_names(result: PeopleResult) -> list[str]:
    return [column.name for column in result.columns if not column.trivial]


def _parts(result: PeopleResult, options: dict[str, Any]) -> Iterator[Block]:
    counts = result.counts
    unit = "replies" if result.items.level == "reply" else "dialogues"
    heading = [one_line(options["ratings_file"], 200), f"{counts['items']} {unit}", f"{counts['contexts']} contexts"]
    heading += [f"{counts['systems']} systems"] if counts["systems"] else []
    yield Block("  ".join(heading), TEXT)
    yield Block(every_correlation(result), ("csv",))
    yield from map(Block, tables_of(result, everything=options["verbose"]))
    if options["differing"]:
        judge_names = [column.name for column in result.columns if column.asked and not column.trivial]
        base = first_judge(result.columns, result.main_facet, result.first)
        tables = (
            differing_table(result, name, options["differing"]) for name in judge_names or ([base.name] if base else [])
        )
        yield from (Block(table) for table in tables if table.rows)
    interval_note = (
        f"intervals by resampling {result.settings.resample}" if result.settings.resampling else "no intervals"
    )
    yield Block(f"{interval_note}; p values are corrected by Holm; –: no value")


def _check_conditions(options: Mapping[str, Any], result: PeopleResult) -> None:
    """Check the conditions of --fail-if: on correlations over items for judges that are not trivial, and on verdicts."""
    check_verdicts(
        options["fail_if"],
        (
            (each.verdict, agreement_headline(each))
            for each in result.differences
            if (each.facet, each.measure) == (result.main_facet, "Spearman")
        ),
    )
    named = set(_judge_names(result))
    cells = [
        {"measure": each.measure, "value": each.value, "judge": each.judge, "facet": each.facet}
        for each in result.scores
        if each.level == result.items.level and each.judge in named and each.value is not None
    ]
    main = [{key: each[key] for key in ("measure", "value")} for each in cells if each["facet"] == result.main_facet]
    check_cells(options["conditions"], cells, main)
