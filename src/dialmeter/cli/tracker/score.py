"""``dialmeter tracker check`` and ``tracker score``

A whole file is scored here. A large file of native lines is scored in shards, which other processes may score.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import click
from msgspec import UNSET
from msgspec.structs import replace

from ...core.document import describe_intervals, make_document
from ...core.record import RunInput
from ...core.result import score_dict
from ...core.run_writer import RunWriter
from ...core.shards import ShardTask
from ...errors import DialmeterError, InputError, one_line
from ...measure import Score, parse
from ...model import Notice, dialogue_key
from ...readers.corpus import Corpus, open_corpus, spans_of, split_tracker
from ...readers.pairs.vocabulary import PairDialogue
from ...readers.source import Span
from ...tracking.align import PairFiles
from ...tracking.check import Checked, check_file
from ...tracking.compared import ComparedDialogue, dialogue_lines
from ...tracking.result import TrackerResult
from ...tracking.scoring import (
    TrackerSettings,
    finish_tracker_run,
    score_file,
    score_shard,
    tracker_identity,
    tracker_row,
)
from ...values import maps
from ...views.tables import count_table, percent, records_table, score_records
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
from ..main import EXIT_INPUT
from ..printer import CSV, EVERY, PROSE, TEXT, Block, Output, message_block, score_signature_blocks, table_blocks
from ..progress import track_reading
from ..run_files import CommandRun
from ..work import cluster_from_options, run_shards, work_options, workers_from_options
from .documents import TrackerCheckDocument, TrackerScoreDocument


@shared.command()
@shared.input_options
@shared.rule_options
def check(**options: Any) -> Output:
    """Validate a prediction FILE before scoring it, and score gold against itself.

    The exit code is 0 if `score` would accept the file, and 2 otherwise.
    """
    rules = shared.rules_from_options(options)
    checked = check_file(
        options["file"],
        options["gold"],
        format=options["format"],
        gold_format=options["gold_format"],
        schema=options["schema"],
        only=shared.dialogues_from_options(options),
        rules=rules,
        watch=lambda dialogues, corpus: track_reading(dialogues, corpus, options["quiet"]),
    )
    exit_code = 0 if checked.fit else EXIT_INPUT
    if options["style"] == "json":
        return Output(
            document=lambda _: make_document(
                TrackerCheckDocument, checked, scores=[score_dict(score) for score in checked.self_scores]
            ),
            notices=checked.problems,
            loud=True,
            exit_code=exit_code,
        )
    file = one_line(options["file"], 200)
    problems = [f"{each.message}: {'; '.join(each.where)}" if each.where else each.message for each in checked.problems]
    return Output(
        parts=_check_parts(checked, file),
        notices=checked.notices,
        diagnosis=checked.diagnosis,
        errors=[f"{file}: {one_line(problem, 1000)}" for problem in problems],
        exit_code=exit_code,
    )


def _check_parts(checked: Checked, file: str) -> Iterator[Block]:
    counts = checked.counts
    grave_findings = [finding for finding in checked.diagnosis if finding.is_grave]
    gold = f", gold {checked.gold_format}" if checked.gold_format else ""
    yield Block(f"{file}: format {checked.format}{gold}", TEXT)
    yield Block(
        f"{counts['dialogues']} dialogues, {counts['turns']} turns, {counts['turns'] / counts['dialogues']:.2f} turns per dialogue, "
        f"{counts['slots']} slots, {counts['values']} slot-value pairs",
        TEXT,
        gap=(),
    )
    scores = "  ".join(f"{score.measure} {percent(score.value)}" for score in checked.self_scores)
    yield Block(f"gold against itself: {scores}", gap=())
    yield Block(f"account: {checked.account.line}", gap=())
    if checked.fit and grave_findings:
        points = grave_findings[0].points
        reason = "slots are never predicted" if points is None else f"{points:+.2f} points of JGA depend on it"
        yield Block(f"can be scored, but check the diagnosis first: {reason}", gap=())
    else:
        yield Block("ready to be scored" if checked.fit else "not ready to be scored", gap=())
    yield Block(count_table("", ("content", "count"), counts), EVERY[1:])


_ONE_SHARD = Notice("one-shard", 1, "the input is one shard; it is scored here and not on the cluster")


class ScoredTracker(NamedTuple):
    """The format of a file, its result, the lines of the dialogues to print, and warnings about the work."""

    format: str
    result: TrackerResult
    printed: dict[str, list[str]]
    notices: tuple[Notice, ...] = ()


def score_predictions(settings: TrackerSettings, writer: RunWriter | None, options: dict[str, Any]) -> ScoredTracker:
    """Score a file: in shards if it is large and native, otherwise as a whole, with its gold file if there is one."""
    file = options["file"]
    spans = _spans(options)
    if len(spans) < 2:
        scored = _score_whole_file(settings, writer, options)
        return scored if cluster_from_options(options) is None else scored._replace(notices=(_ONE_SHARD,))
    parts = None if writer is None else str(writer.begin())
    tasks = [ShardTask(span, number, settings, parts) for number, span in enumerate(spans)]
    scorer = settings.scorer()
    printed: dict[str, list[str]] = {}
    notices: dict[Notice, None] = {}

    try:
        for each in run_shards(score_shard, tasks, options, [split_tracker(file)[0]]):
            scorer.merge_part(each.part)
            notices.update(dict.fromkeys(each.notices))
            printed.update(each.printed)
        result = scorer.result(file, notices, shared.resampling_from_options(options), settings.only)
        result.files = PairFiles(file, format="native", only=settings.only, patch=result.rules.gold_patch)
    except InputError as error:
        if writer is not None:
            writer.abandon()
        raise error.at(file=file) from None
    return ScoredTracker("native", result, printed)


def _spans(options: dict[str, Any]) -> list[Span]:
    """Return the spans of a large file of native lines with gold and predictions; an empty list for other files."""
    file = split_tracker(options["file"])[0]
    if options["gold"] or not Path(file).is_file() or len(spans_of(options["file"], "native")) < 2:
        return []
    opened = open_corpus(options["file"], format=options["format"])
    opened.close()
    return spans_of(options["file"], opened.format)


def _score_whole_file(
    settings: TrackerSettings,
    writer: RunWriter | None,
    options: dict[str, Any],
) -> ScoredTracker:
    printed: dict[str, list[str]] = {}
    formats: list[str] = []

    def watch(dialogues: Iterable[Any], corpus: Corpus) -> Iterator[Any]:
        formats.append(corpus.format)
        return track_reading(dialogues, corpus, options["quiet"])

    def take(dialogue: PairDialogue, compared: ComparedDialogue) -> None:
        if writer is not None and dialogue.id not in writer.done:
            writer.add(tracker_row(dialogue, compared))
        if dialogue_key(dialogue.id) in settings.shown:
            printed[dialogue_key(dialogue.id)] = list(dialogue_lines(dialogue, compared))

    try:
        result = score_file(
            options["file"],
            options["gold"],
            format=options["format"],
            gold_format=options["gold_format"],
            schema=settings.schema,
            only=settings.only,
            measures=settings.measures,
            rules=settings.rules,
            by=settings.by,
            train_schema=settings.train_schema,
            resampling=shared.resampling_from_options(options),
            sink=take if writer is not None or settings.shown else None,
            watch=watch,
        )
    except InputError:
        if writer is not None:
            writer.abandon()
        raise
    return ScoredTracker(formats[0], result, printed)


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
    run.begin(paths.values(), lambda inputs: tracker_identity(inputs, rules, measures))
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
    run.finish(lambda writer, about: finish_tracker_run(writer, result, about, markdown_report(name, result)))
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
