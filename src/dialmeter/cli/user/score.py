"""``dialmeter user score``"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from msgspec import to_builtins

from ...conditions import parse_condition
from ...core.record import RunInput, RunInputs
from ...errors import one_line
from ...users import record
from ...users.outcome import COMBINED
from ...users.result import UserResult
from ...views.tables import render
from ...views.tracker import shared_signature
from ...views.user import (
    UserCounts,
    event_table,
    markdown_report,
    score_table,
    user_charts,
    verdict_table,
    verdicts_of,
    worst_table,
)
from ..main import EXIT_INPUT
from ..map_options import map_file
from ..option_kinds import max_bytes_option
from ..options import (
    chart_options,
    chosen_resampling,
    interval_options,
    quiet_option,
    run_options,
    run_writer,
    style_options,
    with_inputs,
)
from ..say import document, draw, print_json, warn
from ..work import work_options
from .scoring import chosen_how, complain, dialogue_options, next_line, scored, scoring_options


@click.command()
@click.argument("dialogues")
@dialogue_options
@scoring_options
@work_options
@interval_options(resamples=1000)
@click.option("--blame", "blamed", is_flag=True, help="Say who lost each point: goal, understanding, system or user.")
@click.option("--logs", is_flag=True, help="Show events that are mere notes, too.")
@click.option("--skip-bad", is_flag=True, help="Exit 0 although some dialogues cannot be scored.")
@chart_options
@run_options
@click.option(
    "--fail-if", "conditions", multiple=True, metavar="CONDITION", help='Exit 1 if it holds, e.g. "I-GCDF1 < 0.8".'
)
@click.option("--signatures", is_flag=True, help="Print the full signature of every score.")
@style_options
@max_bytes_option
@quiet_option
def score(**options: Any) -> int:
    """Score a user simulator on DIALOGUES with goals (- for standard input).

    I-GCDF1: does the user say all that its goal wants, and nothing else? R-GCDF1: does it ask for all that it should?
    Dialogues that cannot be scored are listed; the exit code is then 2, the rest is printed all the same.
    """
    paths = {"dialogues": options["dialogues"], "goals": options["goals"], "map": map_file(options)}
    given = [RunInput(role, path) for role, path in paths.items() if path]
    inputs = RunInputs(given if options["out"] else [])
    how = chosen_how(options)
    guards = [parse_condition(text) for text in options["conditions"]]

    def identity() -> dict[str, Any]:
        return record.identity(inputs.described(), how, options["blamed"])

    writer, about = run_writer(options, paths.values(), identity)
    found = scored(
        options["dialogues"],
        how,
        options,
        chosen_resampling(options),
        writer=writer,
        blamed=options["blamed"],
        kept=bool(options["charts"]),
    )
    result = found.result
    accepted = options["skip_bad"] or not result.refused
    warn([each for each in result.notices if accepted or each.code != "refused"], options["quiet"])
    verdicts = verdicts_of(found.verdicts) if options["blamed"] else None
    if writer is not None:
        more = {"verdicts": verdicts} if verdicts is not None else {}
        about = with_inputs(about, inputs, writer)
        report = markdown_report(Path(options["dialogues"]).name, result)
        record.finish(writer, result, about, report, **more)
    if options["charts"]:
        draw(user_charts(UserCounts.of(found.rows)), options)
    _print(result, verdicts, found.form, options)
    if not accepted:
        complain(result.refused)
        account = result.account
        click.echo(
            f"dialmeter: {account.unscored} of {account.asked} dialogues cannot be scored (--skip-bad accepts that)",
            err=True,
        )
    scores = [
        {key: value for key, value in each.items() if (key, value) != ("domain", COMBINED)}
        for each in result.to_dicts()
    ]
    for guard in guards:
        guard.check(scores)
    return 0 if accepted else EXIT_INPUT


def _print(result: UserResult, verdicts: dict[str, Any] | None, form: str, options: dict[str, Any]) -> None:
    style = options["style"]
    if style == "json":
        _print_json(result, verdicts, form)
        return
    if style == "text":
        parts = [one_line(options["dialogues"]), f"layout {form}", f"{result.turns} turns"]
        click.echo("  ".join([*parts, f"rules {result.rules.name}", f"profile {result.how.profile.name}"]) + "\n")
    click.echo(render(score_table(result.scores, result.account), style))
    if style == "csv":
        return
    lines = [each.signature for each in result.scores] if options["signatures"] else [shared_signature(result.scores)]
    click.echo("")
    for line in lines:
        click.echo(
            f"Signature: `{line}`" if style == "markdown" else f"{'% ' if style == 'latex' else ''}signature  {line}"
        )
    tables = [event_table(result.events, options["logs"])]
    tables += [verdict_table(verdicts)] if verdicts is not None else []
    tables += [worst_table(result, 3)] if style == "text" else []
    for table in tables:
        if table.rows:
            click.echo("\n" + render(table, style))
    if style == "text":
        _print_next(result, options)


def _print_json(result: UserResult, verdicts: dict[str, Any] | None, form: str) -> None:
    worst = [{"dialogue": each.dialogue, "inform": each.inform, "request": each.request} for each in result.worst(3)]
    how = result.resampling and {"method": "bootstrap", **to_builtins(result.resampling)}
    more: dict[str, Any] = {"format": form, "intervals": how, "events": result.events, "worst": worst}
    more["account"] = result.account.plain()
    more["refused"] = [str(error) for error in result.refused]
    if verdicts is not None:
        more["verdicts"] = verdicts
    print_json(document("user", "user score", result.to_dicts(), counts=result.counts, warnings=result.notices, **more))


def _print_next(result: UserResult, options: dict[str, Any]) -> None:
    worst = result.worst(1)
    if not worst:
        click.echo("\nNo dialogue lost a point.")
    elif options["out"] or options["dialogues"] != "-":
        click.echo("\n" + next_line(options["out"] or options["dialogues"], worst[0].dialogue, options))
