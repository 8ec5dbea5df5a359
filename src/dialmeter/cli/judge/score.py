"""``dialmeter judge score``"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from msgspec import to_builtins
from msgspec.structs import replace

from ...conditions import Condition, parse_condition
from ...core.account import in_documents
from ...core.inputs import RunInput, RunInputs
from ...errors import DialmeterError, one_line
from ...judges import record
from ...judges.ask import ScorePair
from ...judges.case_files import read_cases, read_scores
from ...judges.cases import Case, case_id
from ...judges.judge import Judge
from ...judges.matrix import VerdictSettings
from ...judges.result import JudgeResult
from ...judges.scorer import assembled, judges_of
from ...judges.verdict import RULES, parse_threshold
from ...views.headings import distinct
from ...views.judge import comparison_table, detail_table, failing_table, markdown_report, matrix_tables
from ...views.tables import render
from ..judge_progress import watching
from ..main import EXIT_INPUT
from ..option_kinds import choice_option, max_bytes_option, number_option
from ..options import chart_options, quiet_option, run_options, run_writer, style_options, with_inputs
from ..say import document, draw, print_json, warn
from ..work import work_options
from .asking import asking
from .options import chosen_judges, judge_options


@click.command()
@click.argument("cases_file", metavar="CASES")
@judge_options
@click.option(
    "--scores",
    "score_files",
    multiple=True,
    metavar="[NAME=]FILE",
    help="Scores made elsewhere: case, human, adversarial.",
)
@click.option(
    "--threshold",
    default="paper",
    show_default=True,
    metavar="paper|sd[=X]|noise[=Q]|fixed=X",
    help="The least difference that counts.",
)
@choice_option("--verdict", RULES, "What is expected of entrainment.")
@click.option("--ci", type=float, default=0.95, show_default=True, help="The confidence of intervals; 0 for none.")
@number_option("--failing", least=0, default=3, about="How many failing cases to print per judge.")
@click.option("--details", is_flag=True, help="Also print counts, intervals and mean differences of every cell.")
@chart_options
@work_options
@click.option(
    "--cluster-resource",
    metavar="NAME=N",
    help="On a cluster, neural judges go only to workers that declare this, as in GPU=1.",
)
@click.option("--store", metavar="DIR", help="Keep scores in this folder, for this run and others.")
@run_options
@click.option(
    "--fail-if",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help='Exit 1 if it holds of a judge, e.g. "error[contradiction] > 0.3" or "error[contradiction, pang-c] > 0.3".',
)
@style_options
@max_bytes_option
@quiet_option
def score(**options: Any) -> int:
    """Error rates of judges on CASES, which `dialmeter judge attack` makes (- for standard input).

    The trivial judges constant, random and length always stand beside those that are named. With --workers or --cluster, batches of
    cases are scored elsewhere, and every score is the same. Exit code 2 if a judge scored nothing; a run in --out is then unfinished. A network computes on one core in each process, so that --workers is how it
    uses more; a language model at an endpoint is always asked from here.
    """
    if not 0 <= options["ci"] < 1:
        raise DialmeterError("--ci lies between 0 and 1, as in 0.95; 0 gives no intervals")
    how = VerdictSettings(parse_threshold(options["threshold"]), options["verdict"], options["ci"])
    guards = [parse_condition(text) for text in options["conditions"]]
    inputs = RunInputs(_inputs(options) if options["out"] else [])
    cases = read_cases(options["cases_file"])
    chosen = chosen_judges(options, cases)
    judges = chosen.judges
    elsewhere = dict(_elsewhere(text, cases) for text in options["score_files"])
    asked, known = judges_of(judges, elsewhere, options["lower"])
    writer, about = run_writer(
        options, [options["cases_file"]], lambda: record.identity(inputs.described(), known, how)
    )
    store = options["store"] or (writer.begin() / "scores" if writer else None)
    result = assembled(
        cases,
        asked,
        known,
        elsewhere,
        how=how,
        store=store,
        watch=watching("scoring", options["quiet"]),
        ask=asking(chosen, asked, options),
    )
    more = "; the run is unfinished, go on with --resume" if writer is not None else ""
    silent = [f"{line}{more}" for line in result.silent]
    warn(result.notices, options["quiet"])
    if writer is not None and silent:
        writer.close()
    if len(silent) == len(result.accounts):
        raise DialmeterError("; ".join(silent))
    if writer is not None and not silent:
        about = with_inputs(about, inputs, writer)
        record.finish(writer, result, about, markdown_report(Path(options["cases_file"]).name, result))
    if options["charts"]:
        from ...views.judge import error_charts

        draw(error_charts(result), options)
    _print(result, options, judges)
    for guard in guards:
        _check(guard, result)
    for line in silent:
        click.echo(f"dialmeter: {one_line(line, 1000)}", err=True)
    return EXIT_INPUT if silent else 0


def _elsewhere(text: str, cases: list[Case]) -> tuple[str, list[ScorePair]]:
    name, equals, path = text.partition("=")
    return (name, read_scores(path, cases)) if equals else (Path(text).stem, read_scores(text, cases))


def _inputs(options: dict[str, Any]) -> list[RunInput]:
    files = [text.partition("=")[2] or text for text in options["score_files"]]
    roles = [("cases", options["cases_file"]), *(("scores", file) for file in files)]
    return [RunInput(role, path) for role, path in roles]


def _print(result: JudgeResult, options: dict[str, Any], judges: Mapping[str, Judge]) -> None:
    style = options["style"]
    named = [judge.name for judge in result.judges if not judge.trivial] or [result.judges[0].name]
    if style == "json":
        more = {
            "threshold": str(result.how.threshold),
            "verdict": result.how.verdict,
            "averages": [to_builtins(each) for each in result.averages],
            "comparisons": [to_builtins(each) for each in result.comparisons],
            "failing": {
                name: [_failing(result, name, case) for case in _worst(result, name, options)] for name in named
            },
            "stability": _stability(judges),
        }
        more |= in_documents(result.accounts)
        counts, notices = result.counts, result.notices
        print_json(document("judge", "judge score", result.to_dicts(), counts=counts, warnings=notices, **more))
        return
    if style == "csv":
        click.echo(render(distinct(detail_table(result, everything=True)), style))
        return
    tables = [*matrix_tables(result), *([detail_table(result)] if options["details"] else [])]
    compared = [each for each in result.comparisons if each.other in named]
    tables += [comparison_table(compared)] if compared else []
    tables += [failing_table(result, name, options["failing"]) for name in named if _worst(result, name, options)]
    click.echo("\n\n".join(render(table, style) for table in tables))
    for name, found in _stability(judges).items():
        click.echo(
            f"\n{name}: {found['asked']} replies asked {found['repeats']} times, standard deviation {found['sd']:.3f}"
        )
    settings = f"threshold {result.how.threshold}; verdict rules {result.how.verdict}"
    click.echo(
        f"\n{'% ' if style == 'latex' else ''}{settings}; an empty cell is outside what a judge claims to judge; – no value; (n) fewer cases scored; ° one score for all"
    )


def _worst(result: JudgeResult, name: str, options: dict[str, Any]) -> list[int]:
    return result.failing(name)[: options["failing"]]


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
    """What judges that are asked several times say of their own spread."""
    found: dict[str, dict[str, Any]] = {name: getattr(judge, "stability", dict)() for name, judge in judges.items()}
    return {name: told for name, told in found.items() if told}


def _check(guard: Condition, result: JudgeResult) -> None:
    """Conditions hold of the judges that were named; the trivial ones are yardsticks, not candidates."""
    *others, last = [part.strip() for part in guard.group.split(",")] if guard.group else [None]
    named = {judge.name for judge in result.judges if not judge.trivial}
    keys = ("judge", "attack", "corpus", "facet")
    cells = [
        {"measure": "error", "value": cell.value, **{key: getattr(cell, key) for key in keys}}
        for cell in result.cells
        if cell.judge in named and cell.value is not None
    ]
    means: list[dict[str, Any]] = [
        {"measure": "error", "value": each.value}
        for each in result.averages
        if each.judge in named and each.facet == "overall" and each.value is not None
    ]
    chosen = means if last is None else [each for each in cells if all(part in each.values() for part in others)]
    replace(guard, group=last).check(chosen)
