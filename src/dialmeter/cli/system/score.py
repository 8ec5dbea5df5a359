"""``dialmeter system score``"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ...core.document import describe_intervals, make_document
from ...core.record import RunInput
from ...errors import DialmeterError, one_line
from ...model import Trajectory
from ...systems.measures import SystemOutcome
from ...systems.result import SystemResult
from ...systems.scorer import SystemRow, finish_system_run, system_identity
from ...views.system import (
    effort_table,
    ending_table,
    markdown_report,
    system_charts,
    system_score_table,
    task_table,
)
from ...views.tables import records_table, score_records
from .. import options as shared
from ..main import EXIT_INPUT
from ..printer import CSV, LISTED, TEXT, Block, Output, score_signature_blocks, table_blocks
from ..run_files import CommandRun
from .documents import SystemScoreDocument
from .scoring import log_options, score_log, system_settings_from_options


@shared.command()
@click.argument("log")
@log_options
@shared.interval_options(resamples=10_000)
@shared.skip_bad_option
@click.option("--by-task", is_flag=True, help="Show every task, not only the worst tasks.")
@shared.chart_options
@shared.run_options
@shared.fail_if_option("Success < 0.5")
@shared.signatures_option
def score(**options: Any) -> Output:
    """Score an agent on its LOG of dialogues with rewards (- for standard input).

    Success is the share of successful dialogues. Pass(k) is the chance that all of k trials of a task succeed. Both are means
    over tasks, and intervals resample tasks. Dialogues that cannot be read are listed, and the exit code is then 2.

    LOG may also be a file of dialogues with goals and acts. The measures are then GoalCompletion, BookingRate, InformRate and
    MatchRate. With --profile town the tables of the town decide what was reached; with other profiles the acts decide.
    """
    settings = system_settings_from_options(options["log"], options)
    paths = {"log": options["log"], "goals": options["goals"], "map": shared.value_map_file(options)}
    run = CommandRun(options, [RunInput(role, path) for role, path in paths.items() if path])
    conditions = shared.conditions_from_options(options)
    run.begin(paths.values(), lambda inputs: system_identity(inputs, settings, options["measures"], options["profile"]))

    def write_row(trajectory: Trajectory, outcome: SystemOutcome) -> None:
        if run.writer is not None and trajectory.id not in run.writer.done:
            run.writer.add(SystemRow(id=trajectory.id, trajectory=trajectory, outcome=outcome))

    with run.abandoned_on(DialmeterError):
        format, result = score_log(options["log"], options, write_row)
    name = Path(options["log"]).name
    run.finish(lambda writer, about: finish_system_run(writer, result, about, markdown_report(name, result)))
    is_accepted = options["skip_bad"] or not result.refused
    errors: list[str] = []
    if not is_accepted:
        unread = f"{len(result.refused)} dialogues cannot be read (use --skip-bad to accept this)"
        errors = [*(one_line(str(error), 1000) for error in result.refused[:LISTED]), unread]
    return Output(
        document=lambda _: make_document(
            SystemScoreDocument,
            result,
            format=format,
            intervals=describe_intervals(result.resampling),
            refused=[str(error) for error in result.refused],
        ),
        parts=_parts(result, format, options),
        notices=[each for each in result.notices if is_accepted or each.code != "refused"],
        charts=lambda: system_charts({name.split(".")[0]: result}),
        errors=errors,
        check=lambda: shared.check_conditions(conditions, result.to_dicts()),
        exit_code=0 if is_accepted else EXIT_INPUT,
    )


def _parts(result: SystemResult, format: str, options: dict[str, Any]) -> Iterator[Block]:
    yield Block(f"{one_line(options['log'])}  format {format}  {len(result.by_task)} tasks", TEXT)
    yield Block(system_score_table(result))
    yield Block(records_table(score_records([({}, each) for each in result.every_score])), CSV)
    yield from score_signature_blocks(result.every_score, options["signatures"])
    yield from table_blocks([effort_table(result), ending_table(result)])
    yield from table_blocks([task_table(result, every=options["by_task"])])
    if options["out"]:
        yield Block(f"Next: dialmeter view {one_line(str(Path(options['out']).parent))}", TEXT)
