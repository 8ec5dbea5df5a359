"""The flows of systems: dialogue systems, also those that call tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..core.comparison import Resampling, TaskDifference
from ..core.document import (
    CheckedDocument,
    ComparedDocument,
    Count,
    ScoredDocument,
    SignedScore,
)
from ..core.open_runs import open_run
from ..errors import DialmeterError, InputError, one_line
from ..model import Trajectory
from ..progress import track_reading
from ..readers.conversations import is_log, open_trajectories
from ..readers.layouts.multiwoz import ids_of_list
from ..studies.log_score import log_settings, score_log
from ..systems.compare import compare_systems
from ..systems.measures import SystemOutcome, SystemSettings, parse_system_measure
from ..systems.result import Effort, SystemResult, TaskOutcome
from ..systems.scorer import LogCheck, SystemRow, check_log, finish_system_run, system_identity
from ..views import system as views
from ..views.compare import task_test_lines
from ..views.ladder import ladder_charts
from ..views.summaries import system as summaries
from ..views.tables import count_table, records_table, score_records
from . import options as shared
from .find import FindRequest, FoundRow, find_options, find_output
from .frame import (
    CommandRun,
    check_count,
    checked_output,
    compared_output,
    comparison_parts,
    name_files,
    named_notices,
    scored_output,
)
from .printer import CSV, EVERY, TEXT, Block, Output, refused_lines, score_signature_blocks, table_blocks, typed_command
from .progress import expect_files
from .study import study_options


class SystemScoreDocument(ScoredDocument, kw_only=True):
    """Success and Pass(k), with intervals over tasks; n counts tasks, and unscored those with fewer trials than Pass(k) needs.

    Attributes:
        scores_without_infrastructure: the scores without infrastructure errors; empty if there are none, or if the setting
            infrastructure requests one value.
        efforts: turns, tool calls, costs and seconds per dialogue.
        endings: number of dialogues by ending and outcome.
        tasks: every task with its trials and successes.
    """

    kind: str = "system"
    command: str = "score"
    scores_without_infrastructure: list[SignedScore]
    efforts: list[Effort]
    endings: dict[str, dict[str, Count]]
    tasks: list[TaskOutcome]


class SystemCompareDocument(ComparedDocument, kw_only=True):
    """A comparison of systems on their common tasks, each with the first system.

    Attributes:
        versus: the paired differences: the mean over tasks of the system's value minus the base's; ci and p are those of the
            t test over tasks.
        intervals: the method of the intervals of scores, and of bootstrap_ci.
    """

    kind: str = "system"
    command: str = "compare"
    versus: list[TaskDifference]  # type: ignore[assignment]


class SystemCheckDocument(CheckedDocument, kw_only=True):
    """The content of a log, and the dialogues that cannot be used.

    Attributes:
        counts: number of dialogues by content; trials is the maximum number of dialogues of a task, and unseen_texts the number
            of messages with a call whose text the other side does not see.
        roles: number of messages by role.
        endings: number of dialogues by ending.
        tools: number of calls by tool.
        scorers: number of dialogues with a reward, by scorer.
        sources: number of dialogues by ending, as named in the log.
        basis: the parts of rewards, if the log lists them.
    """

    kind: str = "system"
    command: str = "check"
    roles: dict[str, Count]
    endings: dict[str, Count]
    tools: dict[str, Count]
    scorers: dict[str, Count]
    sources: dict[str, Count]
    basis: dict[str, Count]


log_options = shared.combine_options(
    shared.from_option("the log"),
    shared.option("--measure M* measures", "Measure, such as Success, Pass(k=2) or BookingRate; may be repeated."),
    shared.option("--only FILE", "Use only these dialogues: a file with an id, or a task, per line."),
    shared.option(
        "--scorer NAME",
        "Scorer whose reward decides, if the log has several. Dialogues without its reward are unscored.",
        default="",
    ),
    shared.option(
        "--infrastructure",
        "Dialogues that an infrastructure error ended are failures, are unscored (skipped), or both values are given.",
        choices=["both", "failed", "skipped"],
    ),
    shared.profile_option(
        "For dialogues with acts: profile of the corpus, with its names of acts, slots and services."
    ),
    shared.map_option,
    shared.goals_option,
)


def score_file(
    path: str, options: dict[str, Any], on_row: Callable[[Trajectory, SystemOutcome], None] | None = None
) -> tuple[str, SystemResult]:
    """Score a log with the options of the command, and return its format and its result."""
    return score_log(
        path,
        options["measures"],
        SystemSettings(options["scorer"], options["infrastructure"]),
        format=options["format"],
        goals=options["goals"],
        profile=options["profile"],
        value_map=shared.value_map_from_options(options),
        only=frozenset(ids_of_list(options["only"])) if options["only"] not in (None, "common") else None,
        resampling=options.get("resampling"),
        on_row=on_row,
    )


@shared.command()
@click.argument("log")
@shared.from_option("the log")
def check(**options: Any) -> Output:
    """Validate the LOG of a system, and list its content and the dialogues that cannot be scored.

    The exit code is 0 if `score` would accept every dialogue, and 2 otherwise.
    """
    if not is_log(options["log"], options["format"]):
        raise InputError(
            "dialogues with acts, not a log; check them with `dialmeter check --subject user`",
            file=one_line(options["log"]),
        )
    log = open_trajectories(options["log"], options["format"])
    checked = check_log(log, track_reading)
    return checked_output(
        SystemCheckDocument,
        checked,
        summary=summaries.check_summary(checked, typed_command()),
        parts=_check_parts(checked, one_line(options["log"], 200)),
        notices=checked.notices,
        errors=refused_lines([each.message for each in checked.problems]),
    )


def _check_parts(checked: LogCheck, file: str) -> Iterator[Block]:
    yield Block(f"{file}: format {checked.format}")
    yield Block(
        "{dialogues} dialogues, {tasks} tasks, up to {trials} trials of a task\n"
        "{goals} with a goal in words, {actions} with expected calls, {rewards} with a reward\n"
        "{tool_calls} tool calls, {tool_errors} with an error; "
        "{unseen_texts} messages have text that the other side does not see".format(**checked.counts),
        gap=(),
    )
    yield Block(count_table("messages", ("role", "count"), checked.roles), EVERY)
    tables = (
        ("endings of dialogues", "ending", checked.endings),
        ("endings as named in the log", "source", checked.sources),
        ("tools", "tool", checked.tools),
        ("rewards", "scorer", checked.scorers),
        ("parts of rewards", "parts", checked.basis),
    )
    yield from table_blocks([count_table(title, (heading, "count"), counted) for title, heading, counted in tables])
    yield Block(f"account: {checked.account.line}")
    yield Block("ready to be scored" if checked.valid else "not ready to be scored", gap=())


@shared.command()
@click.argument("log")
@log_options
@shared.interval_options(resamples=10_000)
@shared.missing_option
@shared.by_option(["task", "ending"])
@shared.option("--limit", "Number of the worst tasks in the full output.", least=0, default=views.WORST)
@shared.run_options
@shared.latex_option
@shared.fail_if_option
def score(**options: Any) -> Output:
    """Score a system on its LOG of dialogues with rewards (- for standard input).

    Success is the share of successful dialogues. Pass(k) is the chance that all of k trials of a task succeed. Both are means
    over tasks, and intervals resample tasks. Dialogues that cannot be read are listed, and the exit code is then 2.

    LOG may also be a file of dialogues with goals and acts. The measures are then GoalCompletion, BookingRate, InformRate and
    MatchRate. With profile=town the tables of the demo data decide what was reached; with other profiles the acts decide.
    """
    settings = log_settings(
        options["log"],
        SystemSettings(options["scorer"], options["infrastructure"]),
        options["format"],
        options["profile"],
        shared.value_map_from_options(options),
    )
    paths = {
        "log": options["log"],
        "goals": options["goals"],
        "only": options["only"],
        "map": shared.value_map_file(options),
    }
    run = CommandRun(options, paths)
    run.begin(lambda inputs: system_identity(inputs, settings, options["measures"], options["profile"]))

    def write_row(trajectory: Trajectory, outcome: SystemOutcome) -> None:
        if run.writer is not None and trajectory.id not in run.writer.done:
            run.writer.add(SystemRow(id=trajectory.id, trajectory=trajectory, outcome=outcome))

    with run.abandoned_on(DialmeterError):
        format, result = score_file(options["log"], options, write_row)
    name = Path(options["log"]).name
    run.finish(lambda writer, about: finish_system_run(writer, result, about))
    return scored_output(
        SystemScoreDocument,
        result,
        options,
        f"{len(result.refused)} dialogues cannot be read",
        {"format": format},
        summary=summaries.score_summary(result, typed_command(), options["by"]),
        parts=_score_parts(result, format, options),
        charts=lambda: views.system_charts({name.split(".")[0]: result}),
    )


def _score_parts(result: SystemResult, format: str, options: dict[str, Any]) -> Iterator[Block]:
    yield Block(f"{one_line(options['log'])}  format {format}  {len(result.by_task)} tasks", TEXT)
    yield Block(views.system_score_table(result))
    groups = [score for group in options["by"] for score in result.by(group)]
    yield Block(records_table(score_records([({}, each) for each in (*result.every_score, *groups)])), CSV)
    yield from score_signature_blocks(result.every_score, options["verbose"])
    yield from table_blocks(views.detail_tables(result, None if "task" in options["by"] else options["limit"]))


@shared.command()
@click.argument("logs", nargs=-1, required=True)
@shared.option("--name NAME* names", "Name of a system; give one for each log.")
@log_options
@shared.fail_if_option
@shared.interval_options(resamples=10_000)
@shared.latex_option
@study_options
def compare(**options: Any) -> Output:
    """Compare systems on the same tasks. LOGS are their dialogues. The first log is the baseline.

    Tasks are matched by id, and only tasks that are in all logs are compared. Intervals of differences and p values are those of
    the t test over tasks, corrected by Holm over the whole table. If an infrastructure error ended some dialogues, the verdict is
    repeated without them.
    """
    logs = options["logs"]
    check_count(logs, "logs")
    names = dict(zip(name_files(logs, options["names"], "systems"), logs, strict=True))
    resampling = options["resampling"] or Resampling(resamples=options["resamples"], seed=options["seed"])
    expect_files(len(names))
    results = {name: score_file(path, options)[1] for name, path in names.items()}
    comparison = compare_systems(results, resampling)
    tasks = len(next(iter(comparison.results.values())).by_task)
    log_notices = (each for name, result in results.items() for each in named_notices(name, result.notices))
    notices = [*comparison.notices, *log_notices]
    return compared_output(
        SystemCompareDocument,
        comparison,
        options,
        resampling=resampling,
        notices=notices,
        fields={"counts": {"tasks": tasks, "systems": len(comparison.results)}},
        summary=summaries.compare_summary(comparison, typed_command()),
        parts=comparison_parts(
            views.system_comparison_table(comparison),
            {name: result.scores for name, result in comparison.results.items()},
            comparison,
            f"{tasks} tasks are in every log; {task_test_lines(comparison.versus)}",
            unit="tasks",
        ),
        charts=lambda: [*ladder_charts(comparison.ladders), *views.system_charts(comparison.results)],
    )


@shared.command("find")
@find_options
@log_options
def find(**options: Any) -> Output:
    """Find dialogues of systems by task, ending, outcome and tool, or by the value of a measure."""
    return find_output(_rows, options)


def _rows(file: str, request: FindRequest) -> Iterator[FoundRow]:
    """Yield the dialogues of a log or of a run with their task, ending, outcome and tools."""
    options = dict(request.options)
    rows: list[tuple[Trajectory, SystemOutcome]] = []
    if (Path(file) / "run.json").is_file():
        rows = [(each.trajectory, each.outcome) for each in open_run(file).rows_as(SystemRow)]
    else:
        score_file(file, {**options, "measures": (), "resampling": None}, lambda *row: rows.append(row))
    measures = {text: parse_system_measure(text) for text in request.measures}
    by_task: dict[str, list[SystemOutcome]] = {}
    for _, outcome in rows:
        if outcome.success is not None:
            by_task.setdefault(outcome.task, []).append(outcome)
    for trajectory, outcome in rows:
        values = {
            # Pass(k) is a value of a task; the others are values of one dialogue.
            text: measure.value(by_task.get(outcome.task, []) if measure.name.startswith("Pass(") else [outcome])
            if outcome.success is not None
            else None
            for text, measure in measures.items()
        }
        facts = {
            "task": outcome.task,
            "ending": outcome.ending,
            "outcome": views.OUTCOMES[outcome.success],
            "tool": [call.name for step in trajectory.steps for call in step.calls],
        }
        yield FoundRow(trajectory.id, facts, (), values, partial(views.dialogue_lines, trajectory, outcome))
