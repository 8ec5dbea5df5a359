"""``dialmeter study audit`` of logs of agents, and of the sheets that people fill."""

from __future__ import annotations

from typing import Any

import click
from msgspec import UNSET, UnsetType

from ...core.document import Count, Document, Text
from ...core.output import write_file
from ...errors import DialmeterError, one_line
from ...systems.task_audit import AuditedRun, AuditedTask, agent_name, audit_tasks
from ...systems.task_patch import SHEET, patch_digest, read_task_sheets, sheet_rows
from ...views import system as views
from ...views.summaries import system as summaries
from .. import options as shared
from ..frame import document_output, name_files, named_notices
from ..printer import CSV, Block, Output, message_block, table_blocks, typed_command
from ..sheets import make_sheet_option, sheet_option, write_sheet
from ..study import study_options
from .score import reading_options, score_file


class TaskAuditDocument(Document, kw_only=True):
    """Tasks whose expected calls or facts may be wrong, the most suspicious first. It is a list for screening.

    Attributes:
        tasks: the tasks with their signals and evidence.
        verdicts: with --sheet, number of tasks by verdict.
        patch: with --sheet, the digest that signatures show.
    """

    kind: str = "system"
    command: str = "study audit"
    tasks: list[AuditedTask] | UnsetType = UNSET
    verdicts: dict[str, Count] | UnsetType = UNSET
    patch: Text | UnsetType = UNSET


@shared.command("audit")
@click.argument("logs", nargs=-1, required=True)
@shared.option("--name NAME* names", "Name of an agent; give one for each log. Logs of the same agent share a name.")
@reading_options
@shared.option("--limit", "Number of tasks to print.", least=0, default=10)
@make_sheet_option
@study_options
def audit(**options: Any) -> Output:
    """Find tasks whose expected calls or facts may be wrong, from the LOGS of agents. More agents show more.

    It is a list for screening: people must read the tasks. Write a sheet with --make-sheet, let people fill it, and make a patch
    of tasks with `study audit --sheet FILE -o PATCH`. `score` and `compare` leave them out with --set tasks=PATCH.
    """
    names = options["names"] or [agent_name(each) for each in name_files(options["logs"], (), "agents")]
    if len(names) != len(options["logs"]):
        raise DialmeterError("give every file a name (NAME=FILE), or none")
    runs: list[AuditedRun] = []
    notices = []
    given = {**options, "measures": (), "infrastructure": "both", "goals": None, "profile": "multiwoz", "left_out": ()}
    for name, path in zip(names, options["logs"], strict=True):

        def take(*row: Any, name: str = name) -> None:
            runs.append(AuditedRun(name, *row))

        _, result = score_file(path, {**given, "value_map": None}, take)
        if not result.call_counts:
            raise DialmeterError(f"{one_line(path, 200)}: the log does not say which calls are expected")
        notices += named_notices(name, result.notices)
    tasks = audit_tasks(runs)
    if options["sheet"]:
        write_sheet(SHEET, sheet_rows(tasks), options)
    everything = len({run.trajectory.task for run in runs})
    return document_output(
        TaskAuditDocument,
        summary=summaries.audit_summary(tasks, everything, sorted(set(names)), options, typed_command()),
        parts=[
            *table_blocks([views.signal_table(tasks), views.evidence_table(tasks, options["limit"])]),
            Block(views.evidence_table(tasks), CSV),
        ],
        charts=lambda: views.task_charts(tasks, runs),
        notices=notices,
        counts={"tasks": everything, "suspicious": len(tasks), "agents": len(set(names)), "dialogues": len(runs)},
        tasks=tasks,
    )


@shared.command("audit")
@click.argument("files", nargs=-1)
@sheet_option
@shared.option("--out FILE", "Write the patch of tasks to this file.")
@shared.force_option
def patch(**options: Any) -> Output:
    """Make a patch of tasks from filled sheets: the tasks that all readers call wrong."""
    if options["files"]:
        raise DialmeterError(
            f"filled sheets are read without other files; leave out {one_line(options['files'][0], 200)}"
        )
    if not options["out"]:
        raise DialmeterError("--sheet needs -o FILE for the patch of tasks")
    found, verdicts = read_task_sheets(options["sheets"])
    write_file(options["out"], found.encoded(), force=options["force"])
    summary = summaries.patch_summary(options["out"], found, verdicts)
    return document_output(
        TaskAuditDocument,
        summary=summary,
        parts=[message_block(summary.verdict)],
        counts={"sheets": len(options["sheets"]), "left_out": len(found.left_out)},
        verdicts=verdicts,
        patch=patch_digest(found.tasks),
    )
