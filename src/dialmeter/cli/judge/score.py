"""The flows of ``score`` and ``compare`` for cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import click
from msgspec import UNSET, Struct, UnsetType

from ...core.comparison import SystemComparison
from ...core.document import Count, Document, Interval, Number, ScoreRecord, Text
from ...core.ladder import Ladder
from ...errors import DialmeterError
from ...judges import record
from ...judges.case_files import read_cases, read_scores
from ...judges.cases import RULES, parse_threshold
from ...judges.judge import Judge
from ...judges.judged_items import units_by_judge
from ...judges.matrix import VerdictSettings
from ...judges.requests import make_judges, parse_requests, without_duplicates
from ...judges.result import Average, JudgeComparison, JudgeResult, PositionBias
from ...judges.scorer import offered_by_cases, run_judges, with_trivial_judges
from ...views.judge import comparison_table, detail_table, error_charts, failing_table, matrix_tables
from ...views.ladder import ladder_charts
from ...views.tables import interval, percent, records_table
from .. import options as shared
from ..frame import CommandRun, fail_if, verdict_blocks
from ..printer import CSV, Block, Output
from .options import (
    ModelUsage,
    ask_from_options,
    asking_options,
    checked_models,
    dry_run,
    judge_options,
    judge_output,
    place_of_models,
    run_inputs,
    score_store_from_options,
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


@shared.command()
@click.argument("cases_file", metavar="CASES")
@judge_options
@shared.option(
    "--threshold paper|sd[=X]|noise[=Q]|fixed=X", "Minimum difference between scores that counts.", default="paper"
)
@shared.option("--verdict", "Rules for the expected score under entrainment.", choices=RULES)
@shared.ci_option
@shared.option("--limit failing", "Number of failing cases to print per judge.", least=0, default=3)
@asking_options
def score(**options: Any) -> Output:
    """Measure error rates of judges on CASES from `dialmeter judge attack` (- for standard input), or compare the first judge with
    the others. The differences are tested over dialogues.

    The trivial judges constant, random and length are always scored too. With --workers, other processes score batches of cases and
    give the same scores. The exit code is 2 if a judge scored nothing; a run in --out is then unfinished. A neural network uses one
    core in each process: use --workers for more. A language model at an endpoint is always called from this process.
    """
    file, compares = options["cases_file"], shared.is_compare(click.get_current_context())
    if compares and len(options["judges"]) < 2:
        raise DialmeterError(
            "compare needs two judges or more, as in -j overlap -j distinct; the first is the baseline"
        )
    settings = VerdictSettings(parse_threshold(options["threshold"]), options["verdict"], options["ci"])
    requests = parse_requests(options["judges"])
    if requests.carried or requests.references:
        raise DialmeterError("carried(…) and measures of references are judges of rated items, not of cases")
    run = CommandRun(options, run_inputs("cases", file, requests))
    cases = read_cases(file)
    chosen = make_judges(requests.calls, {**offered_by_cases(cases), **place_of_models(options)})
    judges = chosen.judges
    if options["dry_run"]:
        units = units_by_judge(cases, checked_models(judges))
        return dry_run("score", units, judges, {"cases": len(cases)}, options["store"])
    names = [each.name or Path(each.path).stem for each in requests.files]
    given = [{name: read_scores(each.path, cases)} for name, each in zip(names, requests.files, strict=True)]
    file_scores = without_duplicates(*given)
    lower = [name for name, each in zip(names, requests.files, strict=True) if each.lower]
    to_ask, descriptions = with_trivial_judges(cases, judges, file_scores, lower)
    run.begin(lambda inputs: record.identity(inputs, descriptions, settings))
    result = run_judges(
        cases,
        to_ask,
        descriptions,
        file_scores,
        settings=settings,
        store=score_store_from_options(options, run.writer, judges),
        ask=ask_from_options(chosen, to_ask, file, options),
    )
    return judge_output(
        JudgeCompareDocument if compares else JudgeScoreDocument,
        result,
        options,
        run,
        judges,
        silent=result.silent,
        rows=record.rows(result, judges),
        compares=compares,
        file=file,
        parts=_parts(result, options, judges),
        charts=lambda: chain(error_charts(result), ladder_charts(result.ladders)),
        check=lambda: fail_if(
            options, _condition_scores(result), [(each.verdict, each.headline) for each in result.ladders]
        ),
        threshold=str(result.settings.threshold),
        verdict=result.settings.verdict,
        ladder=result.ladders,
        failing={name: result.worst(options["failing"], name) for name in result.named_judges},
        stability=_stability(judges),
    )


def _parts(result: JudgeResult, options: dict[str, Any], judges: Mapping[str, Judge]) -> Iterator[Block]:
    named, most = result.named_judges, options["failing"]
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


def _stability(judges: Mapping[str, Judge]) -> dict[str, dict[str, Any]]:
    """Return the agreement of judges with themselves, if they answer several times."""
    found: dict[str, dict[str, Any]] = {name: getattr(judge, "stability", dict)() for name, judge in judges.items()}
    return {name: each for name, each in found.items() if each}


def _stability_line(name: str, stability: Mapping[str, Any]) -> str:
    alpha = "–" if stability["alpha"] is None else f"{stability['alpha']:.3f}"
    same = f"equal answers on {percent(stability['same'])} % [{interval(stability['same_ci'])}]"
    spread = f"standard deviation {stability['sd']:.3f}"
    return f"{name}: {stability['asked']} replies scored {stability['repeats']} times, {same}, {spread}, alpha with itself {alpha}"


def _condition_scores(result: JudgeResult) -> Iterator[dict[str, Any]]:
    """Yield the error rates of all judges that are not trivial, and their means over attacks."""
    trivial = {judge.name for judge in result.judges if judge.trivial}
    for cell in result.scores:
        if not cell.trivial and cell.value is not None:
            groups = {key: getattr(cell, key) for key in ("judge", "attack", "corpus", "facet")}
            yield {"measure": "error", "value": cell.value, **groups}
    for each in result.averages:
        if each.judge not in trivial and each.facet == "overall" and each.value is not None:
            yield {"measure": "error", "value": each.value}
