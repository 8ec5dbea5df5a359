"""``dialmeter tracker score``"""

from __future__ import annotations

import shlex
from itertools import chain
from pathlib import Path
from typing import Any

import click
from msgspec import to_builtins
from msgspec.structs import replace

from ...conditions import Condition, parse_condition
from ...core.inputs import RunInput, RunInputs
from ...core.result import score_dict
from ...errors import DialmeterError, one_line
from ...measure import Score, parse
from ...model import dialogue_key
from ...readers.corpus import split_tracker
from ...rules import Rules
from ...tracking import record
from ...tracking.result import TrackerResult
from ...tracking.scoring import TrackerSettings
from ...values import maps
from ...views.tables import render
from ...views.tracker import (
    group_table,
    markdown_report,
    mistake_charts,
    mistakes_table,
    score_table,
    shared_signature,
    system_charts,
    worst_table,
)
from ..option_kinds import max_bytes_option
from ..options import (
    RULE_OPTIONS,
    chart_options,
    chosen_dialogues,
    chosen_rules,
    input_options,
    interval_options,
    measure_option,
    quiet_option,
    rule_options,
    run_options,
    run_writer,
    style_options,
    with_inputs,
)
from ..say import diagnose, document, draw, print_json, warn
from ..work import chosen_workers, work_options
from .scoring import scored

_GROUPS = ("domain", "slot", "turn", "without-domain", "service", "seen")


@click.command()
@input_options
@measure_option
@rule_options
@interval_options(resamples=1000)
@click.option("--by", multiple=True, type=click.Choice(_GROUPS), help="Also score by group; may be repeated.")
@click.option(
    "--train-schema", metavar="FILE", help="The schema of training, whose services are seen ones for --by seen."
)
@click.option(
    "--turns", type=click.Choice(["active", "all"]), default="active", show_default=True, help="Turns of a group."
)
@click.option(
    "--show", "shown", multiple=True, metavar="DIALOGUE", help="Print a dialogue turn by turn; may be repeated."
)
@chart_options
@run_options
@click.option(
    "--fail-if", "conditions", multiple=True, metavar="CONDITION", help='Exit 1 if it holds, e.g. "JGA < 0.5".'
)
@click.option("--signatures", is_flag=True, help="Print the full signature of every score.")
@work_options
@style_options
@max_bytes_option
@quiet_option
def score(**options: Any) -> None:
    """Score a prediction FILE (- for standard input).

    Gold and predictions may stand in one file or in two (--gold). The format is found by looking at the file.
    """
    again = _command_again(options)
    rules = chosen_rules(options)
    file, quiet = options["file"], options["quiet"]
    if "seen" in options["by"] and not options["train_schema"]:
        raise DialmeterError("--by seen needs --train-schema, the schema of training")
    guards = [_in_one_spelling(parse_condition(text)) for text in options["conditions"]]
    measures = _with_guards(options["measures"], rules, [guard.measure for guard in guards])
    paths = {
        "predictions": file,
        "gold": options["gold"],
        "schema": options["schema"],
        "only": options["only"],
        "map": None if rules.map in maps.names() else rules.map,
    }

    given = [RunInput(role, *split_tracker(path)) for role, path in paths.items() if path]
    inputs = RunInputs(given if options["out"] else [])

    def identity() -> dict[str, Any]:
        return record.identity(inputs.described(), rules, measures)

    writer, about = run_writer(options, paths.values(), identity)
    wanted = {dialogue_key(name): name for name in options["shown"]}
    settings = TrackerSettings(
        rules,
        tuple(measures) if options["measures"] or guards else None,
        options["schema"],
        chosen_dialogues(options),
        tuple(group for group in options["by"] if group not in ("turn", "service")),
        options["train_schema"],
        frozenset(wanted),
    )
    found = scored(settings, writer, options)
    result, printed = found.result, found.printed
    result.threads = chosen_workers(options, [split_tracker(file)[0]])
    # The diagnosis says it too, with the points that hang on it.
    warn([notice for notice in result.notices if notice.code != "turn-level"], quiet)
    diagnose(result.diagnosis, quiet)
    groups = {group: result.by(group, options["turns"]) for group in options["by"]}
    if writer is not None:
        about = with_inputs(about, inputs, writer)
        record.finish(writer, result, about, markdown_report(Path(file).name, result))
    if options["charts"]:
        draw(chain(system_charts({one_line(file, 40): result}), mistake_charts(result.mistakes)), options)
    _print(result, groups, found.form, options, again)
    for key, name in wanted.items():
        if key not in printed:
            raise DialmeterError(f"{file}: no dialogue {name!r} was scored")
        if options["style"] == "text":
            click.echo("\n" + "\n".join(printed[key]))
    scores = [score_dict(each) for each in (*result.scores, *(each for found in groups.values() for each in found))]
    for guard in guards:
        guard.check(scores)


def _in_one_spelling(guard: Condition) -> Condition:
    return replace(guard, measure=repr(parse(guard.measure)))


_MISTAKES = 10
"""How many pairs of gold and predicted value are listed with scores by slot."""


def _with_guards(measures: tuple[str, ...], rules: Rules, guarded: list[str]) -> list[str]:
    """The measures asked for, or the rule set's, and those that conditions name."""
    asked = [repr(parse(each)) for each in (measures or rules.measures)]
    return [*asked, *(each for each in guarded if each not in asked)]


def _print(
    result: TrackerResult, groups: dict[str, list[Score]], form: str, options: dict[str, Any], again: str
) -> None:
    style = options["style"]
    if style == "json":
        scores = [score_dict(each) for each in (*result.scores, *(each for found in groups.values() for each in found))]
        worst = [
            {"dialogue": each.dialogue, "value": each.value, "wrong_turns": each.wrong_turns}
            for each in result.worst(3)
        ]
        how = result.resampling and {"method": "bootstrap", **to_builtins(result.resampling)}
        more: dict[str, Any] = {
            "format": form,
            "intervals": how,
            "worst": {"measure": result.ranked_by, "dialogues": worst},
        }
        more["diagnosis"] = to_builtins(result.diagnosis)
        if "slot" in groups and result.values_known:
            more["mistakes"] = to_builtins(result.mistakes.worst(_MISTAKES))
        more |= {"account": result.account.plain(), "counts": result.counts, "warnings": result.notices}
        print_json(document("tracker", "tracker score", scores, **more))
        return
    if style == "text":
        click.echo(_heading(result, form, options["file"]) + "\n")
    click.echo(render(score_table(result.scores, result.account), style))
    for group, scores_of_group in groups.items():
        if scores_of_group:
            click.echo("\n" + render(group_table(scores_of_group, group), style))
    if "slot" in groups and result.values_known and style != "csv":
        click.echo("\n" + render(mistakes_table(result.mistakes.worst(_MISTAKES)), style))
    if style == "csv":
        return
    comment = {"latex": "% "}.get(style, "")
    lines = [each.signature for each in result.scores] if options["signatures"] else [shared_signature(result.scores)]
    click.echo("")
    for line in lines:
        click.echo(f"{comment}signature  {line}" if style != "markdown" else f"Signature: `{line}`")
    if style == "text":
        _print_end(result, options, again)


def _heading(result: TrackerResult, form: str, file: str) -> str:
    return "  ".join([one_line(file), f"format {form}", f"{result.turns} turns", f"rules {result.rules.name}"])


def _print_end(result: TrackerResult, options: dict[str, Any], again: str) -> None:
    worst = result.worst(3)
    if not worst:
        click.echo("\nNo dialogue has a mistake.")
        return
    click.echo("\n" + render(worst_table(result, 3), "text"))
    if options["shown"] or options["file"] == "-":
        return
    click.echo(f"\nNext: {again} --show {shlex.quote(one_line(worst[0].dialogue, 200))}")


def _command_again(options: dict[str, Any]) -> str:
    """The command as it was typed, as far as it says what is scored and how."""
    names = {"form": "from", "gold_form": "gold-from", "rules_name": "rules"}
    words = ["dialmeter", "tracker", "score", options["file"]]
    for name in ("gold", "form", "gold_form", "schema", "only", "rules_name"):
        if options[name] and (name, options[name]) != ("rules_name", "dialmeter"):
            words += [f"--{names.get(name, name)}", options[name]]
    for name, option in RULE_OPTIONS.items():
        if options[f"rule_{name}"]:
            words += [option, options[f"rule_{name}"]]
    return shlex.join(one_line(word, 1000) for word in words)
