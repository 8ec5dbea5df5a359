"""The flows of ``score`` and ``compare`` for cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import click
from msgspec import UNSET, Struct, UnsetType

from ...core.comparison import SystemComparison
from ...core.document import Count, Document, Interval, Number, ScoreRecord, Text
from ...core.ladder import Ladder
from ...errors import DialmeterError, one_line
from ...judges import record
from ...judges.ask import unfinished
from ...judges.case_files import read_cases, read_scores
from ...judges.cases import RULES, case_id, parse_threshold
from ...judges.compare import Average, JudgeComparison, PositionBias
from ...judges.judge import Judge
from ...judges.judged_items import units_by_judge
from ...judges.matrix import VerdictSettings
from ...judges.requests import parse_requests, without_duplicates
from ...judges.result import JudgeResult
from ...judges.scorer import offered_by_cases, run_judges, with_trivial_judges
from ...views.chart_files import Chart
from ...views.judge import comparison_table, detail_table, failing_table, markdown_report, matrix_tables
from ...views.ladder import ladder_charts
from ...views.summaries.judge import compare_summary, named_judges, score_summary
from ...views.summaries.summary import Summary
from ...views.tables import interval, percent, records_table
from .. import options as shared
from ..dry_run import dry_run_option
from ..frame import CommandRun, document_output, verdict_blocks
from ..main import EXIT_INPUT, EXIT_UNFINISHED
from ..printer import CSV, Block, Output, typed_command
from ..progress import call_progress
from .options import (
    ModelUsage,
    ask_from_options,
    asking_options,
    check_cells,
    check_verdicts,
    checked_models,
    dry_run,
    judge_options,
    judges_from_options,
    run_inputs,
    score_store_from_options,
    unfinished_lines,
    usage_line,
    usage_of,
)


class ErrorScore(ScoreRecord, kw_only=True):
    """The error rate of a judge under an attack.

    Attributes:
        expected: the score that an ideal judge gives to the adversarial reply: lower, similar or at-most.
        value: the error rate; null with a reason.
        higher: the share of cases in which the human reply has the higher rating.
        difference: the mean difference between the replies. A positive value favours the human reply, also for judges for
            which lower is better.
        difference_ci_reason: the reason why the difference has no interval.
    """

    judge: str
    attack: str
    corpus: str
    facet: str
    expected: str
    higher: Number
    similar: Number
    lower: Number
    difference: Number
    difference_ci: Interval
    difference_ci_reason: Text | UnsetType = UNSET
    threshold: Number
    degenerate: bool
    trivial: bool
    signature: str


class FailingCase(Struct, kw_only=True):
    """A case in which a judge did not score as expected."""

    case: str
    attack: str
    reply: str
    adversarial: str
    human_score: Number
    adversarial_score: Number


class Stability(Struct, kw_only=True):
    """The agreement of a judge with itself over repeats.

    Attributes:
        sd: the mean standard deviation of the answers about one reply.
        same: the share of replies with equal answers in all repeats.
        alpha: Krippendorff's alpha (interval), with the repeats as raters; null if all answers are equal.
    """

    repeats: Count
    asked: Count
    sd: float
    same: float
    same_ci: Interval
    alpha: Number


class JudgeScoreDocument(Document, kw_only=True):
    """Error rates of judges under attack: one score per corpus, attack and judge. Values are fractions."""

    kind: str = "judge"
    command: str = "score"
    scores: list[ErrorScore]
    threshold: str
    verdict: Literal["paper", "published"]
    averages: list[Average]
    ladder: list[Ladder]
    comparisons: list[JudgeComparison]
    position_bias: list[PositionBias]
    failing: dict[str, list[FailingCase]]
    stability: dict[str, Stability]
    usage: list[ModelUsage]


class JudgeCompareDocument(JudgeScoreDocument, kw_only=True):
    """The comparison of judges with the first on the same cases."""

    command: str = "compare"


_OPTIONS = shared.combine_options(
    click.argument("cases_file", metavar="CASES"),
    judge_options,
    shared.option(
        "--threshold paper|sd[=X]|noise[=Q]|fixed=X", "Minimum difference between scores that counts.", default="paper"
    ),
    shared.option("--verdict", "Rules for the expected score under entrainment.", choices=RULES),
    shared.ci_option,
    dry_run_option,
    shared.option("--limit failing", "Number of failing cases to print per judge.", least=0, default=3),
    asking_options,
    shared.run_options,
)
_EXAMPLES = "error[contradiction] > 0.3", "error[contradiction, pang-c] > 0.3"


@shared.command()
@_OPTIONS
@shared.fail_if_option(*_EXAMPLES, of=" of a judge")
def score(**options: Any) -> Output:
    """Measure error rates of judges on CASES from `dialmeter judge attack` (- for standard input).

    The trivial judges constant, random and length are always scored too. With --workers, other processes score batches of cases and
    give the same scores. The exit code is 2 if a judge scored nothing; a run in --out is then unfinished. A neural network uses one
    core in each process: use --workers for more. A language model at an endpoint is always called from this process.
    """
    return _score(JudgeScoreDocument, score_summary, options)


@shared.command()
@_OPTIONS
@shared.fail_if_option(*_EXAMPLES, of=" of a judge", verdicts=True)
def compare(**options: Any) -> Output:
    """Compare the first judge of -j with the others on the same CASES. The difference is tested over dialogues."""
    return _score(JudgeCompareDocument, compare_summary, options)


def _score(kind: type[JudgeScoreDocument], summarise: Callable[..., Summary], options: dict[str, Any]) -> Output:
    confidence = options["ci"]
    settings = VerdictSettings(parse_threshold(options["threshold"]), options["verdict"], confidence)
    requests = parse_requests(options["judges"])
    if requests.carried or requests.references:
        raise DialmeterError("carried(…) and measures of references are judges of rated items, not of cases")
    if kind is JudgeCompareDocument and len(options["judges"]) < 2:
        raise DialmeterError(
            "compare needs two judges or more, as in -j overlap -j distinct; the first is the baseline"
        )
    run = CommandRun(options, run_inputs("cases", options["cases_file"], requests))
    cases = read_cases(options["cases_file"])
    chosen = judges_from_options(options, requests.calls, offered_by_cases(cases), pairwise=True)
    judges = chosen.judges
    if options["dry_run"]:
        units = units_by_judge(cases, checked_models(judges))
        return dry_run("score", units, judges, {"cases": len(cases)}, options["store"])
    names = [each.name or Path(each.path).stem for each in requests.files]
    file_scores = without_duplicates(
        *({name: read_scores(each.path, cases)} for name, each in zip(names, requests.files, strict=True))
    )
    lower = [name for name, each in zip(names, requests.files, strict=True) if each.lower]
    judges_to_ask, judge_facts = with_trivial_judges(cases, judges, file_scores, lower)
    run.begin(lambda inputs: record.identity(inputs, judge_facts, settings))
    result = run_judges(
        cases,
        judges_to_ask,
        judge_facts,
        file_scores,
        settings=settings,
        store=score_store_from_options(options, run.writer, judges),
        progress=call_progress("scoring", options["quiet"], len(judges_to_ask)),
        ask=ask_from_options(chosen, judges_to_ask, options["cases_file"], options),
    )
    silent_lines, open_lines = unfinished_lines(run.writer, result.silent, unfinished(result.accounts))
    if len(silent_lines) == len(result.accounts):
        return Output(notices=result.notices, errors=[one_line("; ".join(silent_lines), 4000)], exit_code=EXIT_INPUT)
    name = Path(options["cases_file"]).name
    if not silent_lines and not open_lines:
        run.finish(lambda writer, about: record.finish(writer, result, about, markdown_report(name, result), judges))

    def charts() -> Iterator[Chart]:
        from ...views.judge import error_charts

        yield from error_charts(result)
        yield from ladder_charts(result.ladders)

    return document_output(
        kind,
        result,
        summary=summarise(result, typed_command(), options["cases_file"], options["out"] or ""),
        parts=_parts(result, options, judges),
        notices=result.notices,
        charts=charts,
        errors=[one_line(line, 1000) for line in (*silent_lines, *open_lines)],
        check=lambda: _check_conditions(options, result),
        exit_code=EXIT_INPUT if silent_lines else EXIT_UNFINISHED if open_lines else 0,
        threshold=str(result.settings.threshold),
        verdict=result.settings.verdict,
        ladder=result.ladders,
        failing={
            name: [_failing_case(result, name, case) for case in result.failing(name)[: options["failing"]]]
            for name in named_judges(result)
        },
        stability=_stability(judges),
        usage=usage_of(judges),
    )


def _parts(result: JudgeResult, options: dict[str, Any], judges: Mapping[str, Judge]) -> Iterator[Block]:
    named, most = named_judges(result), options["failing"]
    if result.ladders:
        yield from verdict_blocks(SystemComparison(results={}, versus=[], notices=[], ladders=result.ladders))
    yield Block(records_table(result.to_dicts()), CSV)
    yield from map(Block, matrix_tables(result))
    if options["verbose"]:
        yield Block(detail_table(result))
    if compared := [each for each in result.comparisons if each.other in named]:
        yield Block(comparison_table(compared))
    yield from (Block(failing_table(result, name, most)) for name in named if result.failing(name)[:most])
    for name, stability in _stability(judges).items():
        yield Block(_stability_line(name, stability), raw=True)
    yield from (Block(usage_line(used), raw=True) for used in usage_of(judges))
    settings_text = f"threshold {result.settings.threshold}; verdict rules {result.settings.verdict}"
    cells = "empty cell: outside the facets of the judge; –: no value; (n): fewer cases scored; °: one score for all replies"
    yield Block(f"{settings_text}; {cells}")


def _failing_case(result: JudgeResult, name: str, number: int) -> dict[str, Any]:
    case, pair = result.cases[number], result.scored.pairs[name][number]
    return {
        "case": case_id(case),
        "attack": case.attack,
        "reply": case.reply,
        "adversarial": case.adversarial,
        "human_score": pair.human,
        "adversarial_score": pair.adversarial,
    }


def _stability(judges: Mapping[str, Judge]) -> dict[str, dict[str, Any]]:
    """Return the agreement of judges with themselves, if they answer several times."""
    found: dict[str, dict[str, Any]] = {name: getattr(judge, "stability", dict)() for name, judge in judges.items()}
    return {name: each for name, each in found.items() if each}


def _stability_line(name: str, stability: Mapping[str, Any]) -> str:
    alpha = "–" if stability["alpha"] is None else f"{stability['alpha']:.3f}"
    same = f"equal answers on {percent(stability['same'])} % [{interval(stability['same_ci'])}]"
    spread = f"standard deviation {stability['sd']:.3f}"
    return f"{name}: {stability['asked']} replies scored {stability['repeats']} times, {same}, {spread}, alpha with itself {alpha}"


def _check_conditions(options: Mapping[str, Any], result: JudgeResult) -> None:
    """Check the conditions of --fail-if on all judges that are not trivial, and on verdicts."""
    check_verdicts(options["fail_if"], ((each.verdict, each.headline) for each in result.ladders))
    named = {judge.name for judge in result.judges if not judge.trivial}
    keys = ("judge", "attack", "corpus", "facet")
    cells = [
        {"measure": "error", "value": cell.value, **{key: getattr(cell, key) for key in keys}}
        for cell in result.scores
        if cell.judge in named and cell.value is not None
    ]
    means = [
        {"measure": "error", "value": each.value}
        for each in result.averages
        if each.judge in named and each.facet == "overall" and each.value is not None
    ]
    check_cells(options["conditions"], cells, means)
