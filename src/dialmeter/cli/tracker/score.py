"""The flows of ``dialmeter check`` and ``dialmeter score`` for trackers

A whole file is scored here. A large file of native lines is scored in shards, which other processes may score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from ...core.document import CheckedDocument, Count, ScoredDocument, Text, describe_intervals
from ...core.open_runs import is_run
from ...core.record import finish_run
from ...core.result import score_dict
from ...errors import DialmeterError, InputError, one_line
from ...measure import Score, parse
from ...model import Notice
from ...readers.corpus import open_corpus, spans_of, split_tracker
from ...readers.pairs.vocabulary import PairDialogue
from ...readers.source import Span
from ...tracking.align import ShardFiles
from ...tracking.check import Checked, check_file
from ...tracking.compared import ComparedDialogue
from ...tracking.diagnosis.findings import Mistake
from ...tracking.diagnosis.suspicions import Finding
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import Rules, load
from ...tracking.saved_result import saved_result
from ...tracking.scoring import (
    TrackerSettings,
    score_file,
    score_shard,
    tracker_identity,
)
from ...values import maps
from ...views.summaries.tracker import check_summary, score_summary
from ...views.tables import count_table, percent, records_table, score_records
from ...views.tracker import (
    group_table,
    mistake_charts,
    mistakes_table,
    score_table,
    system_charts,
    worst_table,
)
from .. import options as shared
from ..frame import CommandRun, checked_output, document_output, fail_if
from ..printer import (
    CSV,
    EVERY,
    TEXT,
    Block,
    Output,
    score_signature_blocks,
    table_blocks,
    typed_command,
)
from ..work import LARGE, cluster_from_options, is_local_work, run_shards, work_options, workers_from_options
from . import inputs
from .systems import SystemFiles, is_trivial, scoring_arguments

if TYPE_CHECKING:
    from ...core.run_writer import RunWriter


class WorstTrackerDialogue(Struct, kw_only=True):
    """A dialogue with mistakes."""

    dialogue: str
    value: float
    wrong_turns: Count


class WorstTrackerDialogues(Struct, kw_only=True):
    """Up to three dialogues with mistakes, the worst first.

    Attributes:
        measure: the measure that ranks them.
    """

    measure: Text
    dialogues: list[WorstTrackerDialogue]


class TrackerScoreDocument(ScoredDocument, kw_only=True):
    """The scores of one prediction file: first of the whole file, then of every group of --by.

    Attributes:
        counts: number of dialogues and turns, and of changes of slots by outcome.
        diagnosis: likely faults of the files, rather than of the tracker; see docs/why.md.
        mistakes: with --by slot: the pairs of different gold and predicted values that occur at most turns; null is no value.
    """

    kind: str = "tracker"
    command: str = "score"
    worst: WorstTrackerDialogues
    diagnosis: list[Finding]
    mistakes: list[Mistake] | UnsetType = UNSET


class TrackerCheckDocument(CheckedDocument, kw_only=True):
    """The validation of a file. The scores are those of gold against itself.

    Attributes:
        problems: faults that `score` would reject.
        diagnosis: likely faults of the files, rather than of the tracker; see docs/why.md.
    """

    kind: str = "tracker"
    command: str = "check"
    diagnosis: list[Finding]


@shared.command()
@inputs.input_options
@inputs.rule_options
def check(**options: Any) -> Output:
    """Validate a prediction FILE before scoring it, and score gold against itself.

    The exit code is 0 if `score` would accept the file, and 2 otherwise.
    """
    checked = check_file(options["file"], options["gold"], **inputs.prediction_arguments(options))
    scores = [score_dict(score) for score in checked.self_scores]
    if options["style"] == "json":
        return checked_output(TrackerCheckDocument, checked, notices=checked.problems, ignore_quiet=True, scores=scores)
    file = one_line(options["file"], 200)
    problems = [f"{each.message}: {'; '.join(each.where)}" if each.where else each.message for each in checked.problems]
    return checked_output(
        TrackerCheckDocument,
        checked,
        summary=check_summary(checked, typed_command()),
        parts=_check_parts(checked, file),
        notices=checked.notices,
        diagnosis=[each.message for each in checked.diagnosis],
        errors=[f"{file}: {one_line(problem, 1000)}" for problem in problems],
        scores=scores,
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
    if checked.valid and grave_findings:
        points = grave_findings[0].points
        reason = "slots are never predicted" if points is None else f"{points:+.2f} points of JGA depend on it"
        yield Block(f"can be scored, but check the diagnosis first: {reason}", gap=())
    else:
        yield Block("ready to be scored" if checked.valid else "not ready to be scored", gap=())
    yield Block(count_table("", ("content", "count"), counts), EVERY[1:])


_ONE_SHARD = Notice("one-shard", 1, "the input is one shard; it is scored here and not on the cluster")


def _saved_run(options: dict[str, Any], rules: Rules) -> Output:
    """Return the output of a run that was saved: its summary again, without reading its input."""
    changed = [f"--{name}" for name in ("gold", "only", "by", "out") if options[name]]
    if rules != load("dialmeter") or changed:
        raise DialmeterError(
            f"{one_line(options['file'], 200)}: a saved run cannot be changed; give its prediction file for "
            f"{', '.join(changed) or '--rules and --set'}"
        )
    result = saved_result(options["file"], tuple(repr(parse(each)) for each in options["measures"] if each != "all"))
    return _output(result, {}, options)


def score_predictions(settings: TrackerSettings, writer: RunWriter | None, options: dict[str, Any]) -> TrackerResult:
    """Score a file: in shards if it is large and native, otherwise as a whole, with its gold file if there is one."""
    spans = _spans(options, writer is not None)
    if len(spans) < 2:
        result = _score_whole_file(settings, writer, options)
        if cluster_from_options(options) is not None:
            result.notices.insert(0, _ONE_SHARD)
        return result
    file = options["file"]
    parts = None if writer is None else str(writer.begin())
    from ...core.run_writer import ShardTask

    tasks = [ShardTask(span, number, settings, parts) for number, span in enumerate(spans)]
    scorer = settings.scorer()
    notices: dict[Notice, None] = {}

    try:
        for each in run_shards(score_shard, tasks, options, [split_tracker(file)[0]]):
            scorer.merge_part(each)
            notices.update(dict.fromkeys(each.notices))
        result = scorer.result(file, notices, options["resampling"], settings.only)
        quiet = {**options, "quiet": True}
        result.files = ShardFiles(
            file,
            format="native",
            only=settings.only,
            patch=result.rules.gold_patch,
            spans=spans,
            run=lambda work, parts: run_shards(work, parts, quiet, [split_tracker(file)[0]]),
        )
    except InputError as error:
        if writer is not None:
            writer.abandon()
        raise error.at(file=file) from None
    result.format = "native"
    return result


def _spans(options: dict[str, Any], for_run: bool) -> list[Span]:
    """Return the spans of a large file of native lines with gold and predictions; an empty list for other files.

    If this process does all the work and writes no run, only a file that is too large to be kept in memory is divided.
    """
    file = split_tracker(options["file"])[0]
    if (
        not for_run
        and is_local_work(options, [file], 2)
        and Path(file).is_file()
        and Path(file).stat().st_size <= LARGE
    ):
        return []
    if options["gold"] or is_trivial(file) or not Path(file).is_file() or len(spans_of(options["file"], "native")) < 2:
        return []
    opened = open_corpus(options["file"], format=options["format"])
    opened.close()
    return spans_of(options["file"], opened.format)


def _score_whole_file(settings: TrackerSettings, writer: RunWriter | None, options: dict[str, Any]) -> TrackerResult:
    files = {name: options[name] for name in ("file", "gold", "format", "gold_format")}
    system = SystemFiles(system="", **files)

    def take(dialogue: PairDialogue, compared: ComparedDialogue) -> None:
        if writer is not None and dialogue.id not in writer.done:
            writer.add(compared.tracked(dialogue))

    try:
        return score_file(
            **scoring_arguments(system, inputs.rules_from_options(options), options["seed"]),
            **asdict(settings),
            resampling=options["resampling"],
            on_row=take if writer is not None else None,
        )
    except InputError:
        if writer is not None:
            writer.abandon()
        raise


_GROUPS = ("domain", "slot", "turn", "without-domain", "service", "seen")
_MISTAKES = 10
"""Maximum number of pairs of gold and predicted values that are listed with scores by slot."""


@shared.command()
@inputs.input_options
@shared.measure_option
@inputs.rule_options
@shared.interval_options(resamples=1000)
@shared.by_option(_GROUPS)
@shared.option(
    "--schema.train FILE train_schema", "Schema of the training data. Its services are the seen ones of --by seen."
)
@inputs.turns_option
@shared.latex_option
@shared.run_options
@shared.fail_if_option
@work_options
def score(**options: Any) -> Output:
    """Score a prediction FILE (- for standard input).

    Gold and predictions may be in one file or in two files (--gold). The format is auto-detected.
    """
    rules = inputs.rules_from_options(options)
    file = options["file"]
    if is_run(file):
        return _saved_run(options, rules)
    if "seen" in options["by"] and not options["train_schema"]:
        raise DialmeterError("--by seen needs --set schema.train=FILE, the schema of the training data")
    conditions = [replace(condition, measure=repr(parse(condition.measure))) for condition in options["conditions"]]
    requested = inputs.measures_from_options(options, rules)
    measures = [repr(parse(each)) for each in (requested or rules.main_measures)]
    measures += [condition.measure for condition in conditions if condition.measure not in measures]
    value_map = None if rules.map in maps.names() else rules.map
    paths = {
        "predictions": None if is_trivial(file) else file,
        **{name: options[name] for name in ("gold", "schema", "only")},
    }
    run = CommandRun(options, {**paths, "patch": rules.patch, "map": value_map})
    baseline = {"baseline": file} if is_trivial(file) else {}
    run.begin(lambda inputs: {**tracker_identity(inputs, rules, measures), **baseline})
    settings = TrackerSettings(
        rules,
        tuple(measures) if requested or conditions else None,
        options["schema"],
        inputs.dialogues_from_options(options),
        tuple(group for group in options["by"] if group not in ("turn", "service")),
        options["train_schema"],
    )
    result = score_predictions(settings, run.writer, options)
    result.threads = workers_from_options(options, [split_tracker(file)[0]])
    groups = {group: result.by(group, options["turns"]) for group in options["by"]}
    run.finish(lambda writer, about: finish_run(writer, about, result))
    scores = [score_dict(each) for each in chain(result.scores, *groups.values())]
    return _output(result, groups, options, lambda: fail_if({**options, "conditions": conditions}, scores))


def _output(
    result: TrackerResult,
    groups: dict[str, list[Score]],
    options: dict[str, Any],
    check: Callable[[], None] | None = None,
) -> Output:
    """Return the output of a result, with the scores of groups; ``check`` ends the command."""
    by_slot = "slot" in groups and result.values_known
    return document_output(
        TrackerScoreDocument,
        result,
        scores=[score_dict(each) for each in chain(result.scores, *groups.values())],
        format=result.format,
        intervals=describe_intervals(result.resampling),
        worst={"measure": result.ranked_by, "dialogues": result.worst(3)},
        mistakes=result.mistakes.worst(_MISTAKES) if by_slot else UNSET,
        summary=score_summary(result, typed_command()),
        parts=_parts(result, groups, options),
        # The diagnosis has this warning too, with the points that it costs.
        notices=[*result.notices, *inputs.empty_groups(groups)],
        diagnosis=[each.message for each in result.diagnosis],
        charts=lambda: chain(system_charts({one_line(options["file"], 40): result}), mistake_charts(result.mistakes)),
        check=check,
    )


def _parts(result: TrackerResult, groups: dict[str, list[Score]], options: dict[str, Any]) -> Iterator[Block]:
    file = options["file"]
    heading = (one_line(file), f"format {result.format}", f"{result.turns} turns", f"rules {result.rules.name}")
    yield Block("  ".join(heading), TEXT)
    yield Block(records_table(score_records([({}, each) for each in chain(result.scores, *groups.values())])), CSV)
    yield Block(score_table(result.scores, result.account))
    yield from table_blocks((group_table(scores, group) for group, scores in groups.items() if scores), asked=True)
    if "slot" in groups and result.values_known:
        yield Block(mistakes_table(result.mistakes.worst(_MISTAKES)), asked=True)
    yield from score_signature_blocks(result.scores, options["verbose"])
    worst = result.worst(3)
    yield Block(worst_table(result, 3) if worst else "No dialogue has a mistake.", TEXT)
