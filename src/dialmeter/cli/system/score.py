"""``dialmeter system score``"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ...core.document import bootstrap, make_document
from ...core.record import RunInput, RunInputs
from ...errors import DialmeterError, one_line
from ...model import Trajectory
from ...systems.outcome import SystemOutcome
from ...systems.record import SystemRow, finish_system_run, system_identity
from ...systems.result import SystemResult
from ...views.system import (
    effort_table,
    ending_table,
    markdown_report,
    system_charts,
    system_score_table,
    task_table,
)
from ...views.tables import records_table, score_records
from ...views.tracker import signature_of
from .. import options as shared
from ..main import EXIT_INPUT
from ..printer import CSV, TEXT, Block, Output, signature, tables
from ..run_files import run_writer, with_inputs
from .documents import SystemScoreDocument
from .scoring import chosen_settings, log_options, scored_log


@shared.command()
@click.argument("log")
@log_options
@shared.interval_options(resamples=10_000)
@click.option("--skip-bad", is_flag=True, help="Exit 0 although some dialogues cannot be read.")
@click.option("--by-task", is_flag=True, help="Show every task, and not only the worst.")
@shared.chart_options
@shared.run_options
@shared.fail_if_option("Success < 0.5")
@shared.signatures_option
def score(**options: Any) -> Output:
    """Score an agent on its LOG of dialogues with rewards (- for standard input).

    Success: the share of successful dialogues. Pass(k): all of k trials of a task succeed. Both are means over tasks, and
    intervals resample tasks. Dialogues that cannot be read are listed; the exit code is then 2.

    LOG may be a file of dialogues with goals and acts instead: then GoalCompletion, BookingRate, InformRate and MatchRate are
    given. With --profile town the town's tables decide what was reached; otherwise the acts do.
    """
    how = chosen_settings(options["log"], options)
    paths = {"log": options["log"], "goals": options["goals"], "map": shared.map_file(options)}
    inputs = RunInputs([RunInput(role, path) for role, path in paths.items() if path] if options["out"] else [])
    guards = shared.chosen_guards(options)
    writer, about = run_writer(
        options,
        paths.values(),
        lambda: system_identity(inputs.described(), how, options["measures"], options["profile"]),
    )

    def keep(found: Trajectory, outcome: SystemOutcome) -> None:
        if writer is not None and found.id not in writer.done:
            writer.add(SystemRow(id=found.id, trajectory=found, outcome=outcome))

    try:
        form, result = scored_log(options["log"], options, keep)
    except DialmeterError:
        if writer is not None:
            writer.abandon()
        raise
    if writer is not None:
        about = with_inputs(about, inputs, writer)
        finish_system_run(writer, result, about, markdown_report(Path(options["log"]).name, result))
    accepted = options["skip_bad"] or not result.refused
    errors = [] if accepted else [one_line(str(error), 1000) for error in result.refused[:20]]

    def check() -> None:
        for guard in guards:
            guard.check(result.to_dicts())

    return Output(
        document=lambda _: _document(result, form),
        parts=_parts(result, form, options),
        notices=[each for each in result.notices if accepted or each.code != "refused"],
        charts=lambda: system_charts({Path(options["log"]).name.split(".")[0]: result}),
        errors=[
            *errors,
            *([] if accepted else [f"{len(result.refused)} dialogues cannot be read (--skip-bad accepts that)"]),
        ],
        check=check,
        exit_code=0 if accepted else EXIT_INPUT,
    )


def _document(result: SystemResult, form: str) -> SystemScoreDocument:
    return make_document(
        SystemScoreDocument,
        scores=result.to_dicts(),
        account=result.account,
        counts=result.counts,
        warnings=result.notices,
        format=form,
        intervals=bootstrap(result.resampling),
        efforts=result.efforts,
        endings=result.endings,
        tasks=result.tasks,
        refused=[str(error) for error in result.refused],
    )


def _parts(result: SystemResult, form: str, options: dict[str, Any]) -> Iterator[Block]:
    yield Block(f"{one_line(options['log'])}  layout {form}  {len(result.by_task)} tasks", TEXT)
    yield Block(system_score_table(result))
    yield Block(records_table(score_records([({}, each) for each in result.scores])), CSV)
    lines = [each.signature for each in result.scores] if options["signatures"] else [signature_of(result.scores)]
    yield from signature(*lines)
    yield from tables([effort_table(result), ending_table(result)])
    yield from tables([task_table(result, every=options["by_task"])])
    if options["out"]:
        yield Block(f"Next: dialmeter view {one_line(str(Path(options['out']).parent))}", TEXT)
