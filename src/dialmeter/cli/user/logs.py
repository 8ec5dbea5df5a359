"""Users of agents: ``score``, ``compare`` and ``find`` on logs with ``--subject user``"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from ...core.comparison import Resampling
from ...core.document import ComparedDocument, Count, ScoredDocument
from ...core.open_runs import is_run, open_run
from ...core.record import run_identity
from ...core.result import score_dict
from ...errors import DialmeterError, InputError, one_line
from ...measure import Score
from ...model import Notice, dialogue_key
from ...progress import track_reading
from ...readers.conversations import Trajectories, open_trajectories
from ...users.events import COMBINED, Event
from ...users.items.goal_items import GoalItem, ItemOutcome, read_goal_sheet
from ...users.items.log_items import (
    KIND,
    FaultTable,
    ItemComparison,
    ItemRow,
    LogItems,
    compare_items,
    finish_items_run,
    item_rows,
    read_items,
    score_of,
    source_of,
)
from ...views.compare import task_test_lines
from ...views.pages.item_tables import (
    event_example_table,
    event_table,
    fault_tables,
    item_comparison_table,
    missed_table,
    recall_table,
    verdict_table,
)
from ...views.summaries.user import compare_items_summary, items_summary
from ...views.tables import records_table
from ..frame import CommandRun, compared_output, named_notices, scored_output
from ..printer import CSV, EVERY, TEXT, Block, Output, signature_blocks, table_blocks, typed_command
from ..progress import expect_files
from .inputs import only_from_options


class ItemsRecord(Struct, kw_only=True):
    """The goal values and events of one dialogue.

    Attributes:
        success: null if the log has no reward.
        outcomes: the verdicts on the values of its goal; empty if it has none.
        events: violations of the instruction by the user.
        lost_by: the party to blame for a failure, according to the events; empty if the dialogue did not fail.
        goal: digest of the instruction.
    """

    id: str
    task: str
    success: bool | None
    outcomes: tuple[ItemOutcome, ...]
    events: tuple[Event, ...]
    lost_by: str
    goal: str


class UserItemsDocument(ScoredDocument, kw_only=True):
    """GoalRecall, the goal values of a log, and their verdicts. n counts values that were conveyed, confirmed or missed.

    Attributes:
        verdicts: verdict → kind of goal value → count.
        events: class of events → count.
        faults: the association of faults of the user with failure, over all dialogues and within tasks that have both outcomes.
        lost_by: party → number of failed dialogues that are its fault according to the events.
        dialogues: every dialogue that has an instruction, with its goal values and events.
    """

    kind: str = "items"
    command: str = "score"
    verdicts: dict[str, dict[str, Count]]
    events: dict[str, Count]
    faults: list[FaultTable]
    lost_by: dict[str, Count]
    dialogues: list[ItemsRecord]


def score_log(options: dict[str, Any], resampling: Resampling | None) -> Output:
    """Measure whether the user in a system's log says the values in its goal, and what it says that contradicts the goal.

    A goal value is a value of an expected call that the instruction names. It is missed only if the system asked for it, or if
    the user ended the dialogue before its call was made. GoalRecall = (conveyed + confirmed) / (conveyed + confirmed + missed).
    Events are statements of the user that contradict its instruction; `dialmeter list events` describes them. Dialogues that
    cannot be read are listed, and the exit code is then 2.
    """
    sheet = read_goal_sheet(options["goals"]) if options["goals"] else None
    run = CommandRun(options, {"log": options["dialogues"], "gold": options["goals"], "only": options["only"]})
    run.begin(lambda inputs: run_identity(KIND, inputs, items=source_of(sheet)))
    with run.abandoned_on(DialmeterError):
        log, log_items = _read_log(options["dialogues"], options, sheet, resampling, only_from_options(options))
    if run.writer is not None:
        for each in log_items.all_dialogues:
            if each.id not in run.writer.done:
                run.writer.add(each)
    run.finish(lambda writer, about: finish_items_run(writer, log_items, about))
    groups = log_items.by("kind") if "kind" in options["by"] else []
    return scored_output(
        UserItemsDocument,
        log_items,
        options,
        f"{len(log.refused)} dialogues cannot be read",
        {
            "format": log.format,
            "unscored_dialogues": UNSET,
            "scores": [score_dict(each) for each in (*log_items.scores, *groups)],
            "faults": log_items.faults(),
            "dialogues": log_items.all_dialogues,
        },
        summary=items_summary(log_items, typed_command()),
        parts=_item_parts(log_items, one_line(options["dialogues"]), groups),
    )


def _read_log(
    path: str,
    options: dict[str, Any],
    sheet: dict[str, list[GoalItem]] | None,
    resampling: Resampling | None,
    only: frozenset[str] | None = None,
) -> tuple[Trajectories, LogItems]:
    """Read the goal values of a log that has any."""
    log = open_trajectories(path, options["format"])
    items = read_items(log, sheet, only=only, resampling=resampling, progress=track_reading)
    if not items.dialogues:
        message = (
            "no goal in words has a value that can be checked: a value of an expected call that the instruction names"
        )
        raise InputError(message, file=log.name)
    return log, items


GOAL_RECALL = "GoalRecall"
"""The measure of users of logs."""
LOG_PARTIES = ("user", "unknown", "nobody")
"""The parties that a failed dialogue of a log can be the fault of."""


def _item_parts(log_items: LogItems, name: str, groups: Sequence[Score]) -> Iterator[Block]:
    yield Block(f"{name}  {log_items.items} goal values in {len(log_items.dialogues)} dialogues", TEXT)
    if not groups:
        yield Block(recall_table(log_items))
    yield from table_blocks([recall_table(log_items, groups)] if groups else [], asked=True)
    yield Block(records_table([score_dict(each) for each in (*log_items.scores, *groups)]), CSV)
    yield from signature_blocks(log_items.signature)
    yield from table_blocks([verdict_table(log_items), event_table(log_items), *fault_tables(log_items)])
    yield from table_blocks([missed_table(log_items), event_example_table(log_items)], TEXT)


def read_item_rows(where: str, options: dict[str, Any]) -> Iterator[ItemRow]:
    """Yield the rows of a log, or of a run of its goal values."""
    if is_run(where):
        yield from open_run(where).rows_as(ItemRow)
        return
    log = open_trajectories(where, options["format"])
    sheet = read_goal_sheet(options["goals"]) if options["goals"] else None
    trajectories, only = list(track_reading(log)), only_from_options(options)
    yield from (each for each in item_rows(trajectories, sheet) if only is None or dialogue_key(each.id) in only)


def compare_logs(kind: type[ComparedDocument], names: Mapping[str, str], options: dict[str, Any]) -> Output:
    """Compare the users of several logs on the same tasks, each with the first user."""
    resampling = options["resampling"] or Resampling()
    expect_files(len(names))
    results: dict[str, LogItems] = {}
    notices: list[Notice] = []
    for name, path in names.items():
        log, results[name] = _read_log(path, options, None, options["resampling"])
        notices += named_notices(name, results[name].notices)
        if count := len(log.refused):
            where = tuple(str(error) for error in log.refused[:5])
            notices += named_notices(name, [Notice("unscored", count, f"{count} dialogues cannot be read", where)])
    comparison = compare_items(results, resampling)
    tasks = len({dialogue.task for result in comparison.results.values() for dialogue in result.all_dialogues})
    measures = list(dict.fromkeys(each.measure for each in comparison.versus))
    scores = [
        {**score_dict(replace(score_of(result, measure), group={"domain": COMBINED})), "system": name}
        for name, result in comparison.results.items()
        for measure in measures
    ]
    dialogues = sum(len(result.all_dialogues) for result in comparison.results.values())
    return compared_output(
        kind,
        comparison,
        options,
        resampling=resampling,
        notices=[*comparison.notices, *notices],
        fields={"scores": scores, "counts": {"dialogues": dialogues, "systems": len(names)}},
        summary=compare_items_summary(comparison, tasks, typed_command(), 1 - resampling.confidence),
        parts=_comparison_parts(comparison, tasks),
    )


def _comparison_parts(comparison: ItemComparison, tasks: int) -> Iterator[Block]:
    yield Block(item_comparison_table(comparison), EVERY)
    yield Block(f"{tasks} tasks are in every log; {task_test_lines(comparison.versus)}", TEXT)
    first = next(iter(comparison.results.values()))
    yield from signature_blocks("|".join(["…", *first.signature.split("|")[1:]]), gap=("markdown",))
