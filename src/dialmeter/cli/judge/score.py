"""``dialmeter judge score``"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from ...conditions import Condition
from ...core.document import make_document
from ...errors import DialmeterError, one_line
from ...judges import record
from ...judges.case_files import read_cases, read_scores
from ...judges.cases import case_id
from ...judges.judge import Judge
from ...judges.judged_items import units_by_judge
from ...judges.matrix import VerdictSettings
from ...judges.result import JudgeResult
from ...judges.scorer import run_judges, with_trivial_judges
from ...judges.show import case_lines, find_case
from ...judges.verdict import RULES, parse_threshold
from ...views.chart_files import Chart
from ...views.judge import comparison_table, detail_table, failing_table, markdown_report, matrix_tables
from ...views.tables import interval, percent, records_table
from .. import options as shared
from ..dry_run import dry_run_option
from ..main import EXIT_INPUT, EXIT_UNFINISHED
from ..printer import CSV, TEXT, Block, Output, warn
from ..progress import watching
from ..run_files import KeptRun
from .asking import (
    asking,
    asking_options,
    check_cells,
    chosen_store,
    named_files,
    run_inputs,
    scores_option,
    unfinished_lines,
)
from .documents import JudgeScoreDocument
from .endpoints import checked_models, dry_run, usage_line, usage_of
from .options import chosen_judges, judge_options


@shared.command()
@click.argument("cases_file", metavar="CASES")
@judge_options
@scores_option("Scores made elsewhere: case, human, adversarial.")
@click.option(
    "--threshold",
    default="paper",
    show_default=True,
    metavar="paper|sd[=X]|noise[=Q]|fixed=X",
    help="The least difference that counts.",
)
@shared.choice_option("--verdict", RULES, "What is expected of entrainment.")
@shared.ci_option
@click.option(
    "--show", "shown", multiple=True, metavar="CASE", help="Print a case with all scores, prompts and answers."
)
@dry_run_option
@shared.number_option("--failing", least=0, default=3, about="How many failing cases to print per judge.")
@click.option("--details", is_flag=True, help="Also print counts, intervals and mean differences of every cell.")
@shared.chart_options
@asking_options
@shared.run_options
@shared.fail_if_option("error[contradiction] > 0.3", "error[contradiction, pang-c] > 0.3", of=" of a judge")
def score(**options: Any) -> Output:
    """Error rates of judges on CASES, which `dialmeter judge attack` makes (- for standard input).

    The trivial judges constant, random and length are always scored too. With --workers or --cluster, batches of cases are
    scored in other processes, with the same scores. Exit code 2 if a judge scored nothing; a run in --out is then
    unfinished. A neural network uses one core in each process: use --workers for more. A language model behind an endpoint
    is always called from this process.
    """
    confidence = shared.chosen_confidence(options)
    how = VerdictSettings(parse_threshold(options["threshold"]), options["verdict"], confidence)
    guards = shared.chosen_guards(options)
    run = KeptRun(options, run_inputs("cases", options["cases_file"], options))
    cases = read_cases(options["cases_file"])
    chosen = chosen_judges(options, cases, pairwise=True)
    judges = chosen.judges
    if options["dry_run"]:
        units = units_by_judge(cases, checked_models(judges))
        return dry_run("judge score", units, judges, {"cases": len(cases)}, options["store"])
    elsewhere = {
        Path(path).stem if name is None else name: read_scores(path, cases) for name, path in named_files(options)
    }
    asked, known = with_trivial_judges(judges, elsewhere, options["lower"])
    run.begin([options["cases_file"]], lambda inputs: record.identity(inputs, known, how))
    result = run_judges(
        cases,
        asked,
        known,
        elsewhere,
        settings=how,
        store=chosen_store(options, run.writer, judges),
        watch=watching("scoring", options["quiet"], len(asked)),
        ask=asking(chosen, asked, options["cases_file"], options),
    )
    silent, spent = unfinished_lines(run.writer, result.silent, result.over_budget)
    if len(silent) == len(result.accounts):
        warn(result.notices, options["quiet"])
        raise DialmeterError("; ".join(silent))
    name = Path(options["cases_file"]).name
    if not silent and not spent:
        run.finish(lambda writer, about: record.finish(writer, result, about, markdown_report(name, result), judges))

    def charts() -> Iterator[Chart]:
        from ...views.judge import error_charts

        return error_charts(result)

    return Output(
        document=lambda _: _document(result, options["failing"], judges),
        parts=_parts(result, options, judges),
        notices=result.notices,
        charts=charts,
        errors=[one_line(line, 1000) for line in (*silent, *spent)],
        check=lambda: _check(guards, result),
        exit_code=EXIT_INPUT if silent else EXIT_UNFINISHED if spent else 0,
    )


def _named(result: JudgeResult) -> list[str]:
    """The judges that were named; the first where all are trivial."""
    return [judge.name for judge in result.judges if not judge.trivial] or [result.judges[0].name]


def _document(result: JudgeResult, failing: int, judges: Mapping[str, Judge]) -> JudgeScoreDocument:
    return make_document(
        JudgeScoreDocument,
        result,
        threshold=str(result.how.threshold),
        verdict=result.how.verdict,
        failing={
            name: [_failing(result, name, case) for case in result.failing(name)[:failing]] for name in _named(result)
        },
        stability=_stability(judges),
        usage=usage_of(judges),
    )


def _parts(result: JudgeResult, options: dict[str, Any], judges: Mapping[str, Judge]) -> Iterator[Block]:
    named, most = _named(result), options["failing"]
    yield Block(records_table(result.to_dicts()), CSV)
    yield from map(Block, matrix_tables(result))
    if options["details"]:
        yield Block(detail_table(result))
    if compared := [each for each in result.comparisons if each.other in named]:
        yield Block(comparison_table(compared))
    yield from (Block(failing_table(result, name, most)) for name in named if result.failing(name)[:most])
    for name, found in _stability(judges).items():
        yield Block(_stability_line(name, found), raw=True)
    yield from (Block(usage_line(used), raw=True) for used in usage_of(judges))
    for name in options["shown"]:
        yield Block("\n".join(case_lines(result, find_case(result, name), judges)), TEXT)
    settings = f"threshold {result.how.threshold}; verdict rules {result.how.verdict}"
    cells = (
        "an empty cell is outside what a judge claims to judge; – no value; (n) fewer cases scored; ° one score for all"
    )
    yield Block(f"{settings}; {cells}")


def _failing(result: JudgeResult, name: str, number: int) -> dict[str, Any]:
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
    """How far judges that are asked several times agree with themselves."""
    found: dict[str, dict[str, Any]] = {name: getattr(judge, "stability", dict)() for name, judge in judges.items()}
    return {name: each for name, each in found.items() if each}


def _stability_line(name: str, found: Mapping[str, Any]) -> str:
    alpha = "–" if found["alpha"] is None else f"{found['alpha']:.3f}"
    same = f"the same answers on {percent(found['same'])} % [{interval(found['same_ci'])}]"
    spread = f"standard deviation {found['sd']:.3f}"
    return f"{name}: {found['asked']} asked {found['repeats']} times, {same}, {spread}, alpha with itself {alpha}"


def _check(guards: Iterable[Condition], result: JudgeResult) -> None:
    """Checks the conditions of --fail-if on the judges that were named, not on the trivial ones."""
    named = {judge.name for judge in result.judges if not judge.trivial}
    keys = ("judge", "attack", "corpus", "facet")
    cells = [
        {"measure": "error", "value": cell.value, **{key: getattr(cell, key) for key in keys}}
        for cell in result.cells
        if cell.judge in named and cell.value is not None
    ]
    means = [
        {"measure": "error", "value": each.value}
        for each in result.averages
        if each.judge in named and each.facet == "overall" and each.value is not None
    ]
    check_cells(guards, cells, means)
