"""``dialmeter tracker score``"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import click
from msgspec import UNSET
from msgspec.structs import replace

from ...core.document import describe_intervals, make_document
from ...core.record import RunInput
from ...core.result import score_dict
from ...errors import DialmeterError, one_line
from ...measure import Score, parse
from ...model import dialogue_key
from ...readers.corpus import split_tracker
from ...tracking import record
from ...tracking.result import TrackerResult
from ...tracking.scoring import TrackerSettings
from ...values import maps
from ...views.tables import percent, records_table, score_records
from ...views.tracker import (
    group_table,
    markdown_report,
    mistake_charts,
    mistakes_table,
    score_table,
    system_charts,
    worst_table,
)
from .. import options as shared
from ..printer import CSV, PROSE, TEXT, Block, Output, message_block, score_signature_blocks, table_blocks
from ..run_files import CommandRun
from ..work import work_options, workers_from_options
from .documents import TrackerScoreDocument
from .scoring import score_predictions

_GROUPS = ("domain", "slot", "turn", "without-domain", "service", "seen")
_MISTAKES = 10
"""Maximum number of pairs of gold and predicted values that are listed with scores by slot."""


@shared.command()
@shared.input_options
@shared.measure_option
@shared.rule_options
@shared.interval_options(resamples=1000)
@shared.by_option(_GROUPS)
@click.option(
    "--train-schema", metavar="FILE", help="Schema of the training data. Its services are the seen ones of --by seen."
)
@shared.turns_option
@click.option(
    "--dialogue", "shown", multiple=True, metavar="ID", help="Print this dialogue turn by turn; may be repeated."
)
@shared.paper_options
@shared.chart_options
@shared.run_options
@shared.fail_if_option("JGA < 0.5")
@shared.signatures_option
@click.option("-b", "--bare", is_flag=True, help="Print only the value of the one --measure.")
@work_options
def score(**options: Any) -> Output:
    """Score a prediction FILE (- for standard input).

    Gold and predictions may be in one file or in two files (--gold). The format is auto-detected.
    """
    command_line = _command_line(options)
    rules = shared.rules_from_options(options)
    file = options["file"]
    if options["bare"]:
        _check_bare(options)
    if "seen" in options["by"] and not options["train_schema"]:
        raise DialmeterError("--by seen needs --train-schema, the schema of the training data")
    conditions = [
        replace(condition, measure=repr(parse(condition.measure)))
        for condition in shared.conditions_from_options(options)
    ]
    measures = [repr(parse(each)) for each in (options["measures"] or rules.measures)]
    measures += [condition.measure for condition in conditions if condition.measure not in measures]
    paths = {
        "predictions": file,
        "gold": options["gold"],
        "schema": options["schema"],
        "only": options["only"],
        "patch": rules.patch,
        "map": None if rules.map in maps.names() else rules.map,
    }
    run = CommandRun(options, [RunInput(role, *split_tracker(path)) for role, path in paths.items() if path])
    run.begin(paths.values(), lambda inputs: record.identity(inputs, rules, measures))
    shown_ids = {dialogue_key(name): name for name in options["shown"]}
    settings = TrackerSettings(
        rules,
        tuple(measures) if options["measures"] or conditions else None,
        options["schema"],
        shared.dialogues_from_options(options),
        tuple(group for group in options["by"] if group not in ("turn", "service")),
        options["train_schema"],
        frozenset(shown_ids),
    )
    scored = score_predictions(settings, run.writer, options)
    result = scored.result
    result.threads = workers_from_options(options, [split_tracker(file)[0]])
    groups = {group: result.by(group, options["turns"]) for group in options["by"]}
    name = Path(file).name
    run.finish(lambda writer, about: record.finish(writer, result, about, markdown_report(name, result)))
    scores = [score_dict(each) for each in chain(result.scores, *groups.values())]
    shown_dialogues = [scored.printed[key] for key in shown_ids if key in scored.printed]

    def check() -> None:
        for key, name in shown_ids.items():
            if key not in scored.printed:
                raise DialmeterError(f"{file}: no dialogue {name!r} was scored")
        shared.check_conditions(conditions, scores)

    return Output(
        document=lambda _: _document(result, groups, scores, scored.format),
        parts=[message_block(_bare_value(result.scores[0]))]
        if options["bare"]
        else chain(
            _parts(result, groups, scored.format, options, command_line),
            (Block("\n".join(each), TEXT) for each in shown_dialogues),
        ),
        # The diagnosis has this warning too, with the points that it costs.
        notices=[*scored.notices, *result.notices],
        diagnosis=result.diagnosis,
        charts=lambda: chain(system_charts({one_line(file, 40): result}), mistake_charts(result.mistakes)),
        check=check,
    )


def _check_bare(options: dict[str, Any]) -> None:
    if len(options["measures"]) != 1:
        raise DialmeterError(f"--bare needs exactly one --measure, found {len(options['measures'])}")
    if options["style"] not in (None, "text"):
        raise DialmeterError(f"--bare prints one number; it cannot be combined with --as {options['style']}")
    for name, option in (("by", "--by"), ("shown", "--dialogue"), ("signatures", "--signatures")):
        if options[name]:
            raise DialmeterError(f"--bare prints one number; it cannot be combined with {option}")


def _bare_value(score: Score) -> str:
    """Return the value as in the table of scores."""
    if score.value is None:
        raise DialmeterError(f"{score.measure} has no value: {score.reason}")
    return percent(score.value)


def _document(
    result: TrackerResult, groups: dict[str, list[Score]], scores: list[dict[str, Any]], format: str
) -> TrackerScoreDocument:
    by_slot = "slot" in groups and result.values_known
    return make_document(
        TrackerScoreDocument,
        result,
        scores=scores,
        format=format,
        intervals=describe_intervals(result.resampling),
        worst={"measure": result.ranked_by, "dialogues": result.worst(3)},
        mistakes=result.mistakes.worst(_MISTAKES) if by_slot else UNSET,
    )


def _parts(
    result: TrackerResult, groups: dict[str, list[Score]], format: str, options: dict[str, Any], command_line: str
) -> Iterator[Block]:
    file = options["file"]
    heading = (one_line(file), f"format {format}", f"{result.turns} turns", f"rules {result.rules.name}")
    yield Block("  ".join(heading), TEXT)
    yield Block(records_table(score_records([({}, each) for each in chain(result.scores, *groups.values())])), CSV)
    yield Block(score_table(result.scores, result.account))
    yield from table_blocks(group_table(scores, group) for group, scores in groups.items() if scores)
    if "slot" in groups and result.values_known:
        yield Block(mistakes_table(result.mistakes.worst(_MISTAKES)), PROSE)
    yield from score_signature_blocks(result.scores, options["signatures"])
    worst = result.worst(3)
    yield Block(worst_table(result, 3) if worst else "No dialogue has a mistake.", TEXT)
    if worst and not options["shown"] and file != "-":
        yield Block(f"Next: {command_line} --dialogue {shlex.quote(one_line(worst[0].dialogue, 200))}", TEXT)


def _command_line(options: dict[str, Any]) -> str:
    """Return the command with the options that select what is scored and how."""
    names = {"format": "from", "gold_format": "gold-from", "rules_name": "rules"}
    words = ["dialmeter", "tracker", "score", options["file"]]
    for name in ("gold", "format", "gold_format", "schema", "only", "rules_name"):
        if options[name] and (name, options[name]) != ("rules_name", "dialmeter"):
            words += [f"--{names.get(name, name)}", options[name]]
    for name, option in shared.RULE_OPTIONS.items():
        if options[f"rule_{name}"]:
            words += [option, options[f"rule_{name}"]]
    return shlex.join(one_line(word, 1000) for word in words)
