"""``dialmeter user items``"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ....core.document import describe_intervals, make_document
from ....core.record import RunInput
from ....errors import DialmeterError, InputError, one_line
from ....readers.trajectories import open_trajectories
from ....users.items.log_items import BY_RULE, LogItems, dialogue_items
from ....users.items.record import finish_items_run, item_row, items_identity
from ....users.items.sheet import read_goal_sheet, sheet_digest
from ....views.pages.item_tables import (
    event_example_table,
    event_table,
    fault_tables,
    items_report,
    missed_table,
    recall_table,
    verdict_table,
)
from ....views.tables import records_table
from ... import options as shared
from ...main import EXIT_INPUT
from ...printer import CSV, LISTED, TEXT, Block, Output, signature, tables
from ...progress import watched
from ...run_files import KeptRun
from .documents import UserItemsDocument


@shared.command()
@click.argument("log")
@shared.from_option("the log")
@click.option(
    "--goals", "sheet", metavar="FILE.csv", help="Items by hand: a sheet of `dialmeter user goals --make-sheet`."
)
@shared.interval_options(resamples=10_000)
@shared.skip_bad_option
@shared.run_options
@shared.fail_if_option("ItemRecall < 0.9")
def items(**options: Any) -> Output:
    """Did the user of an agent's LOG convey the values that its goal in words names, and what did it say against its goal?

    An item is a value of an expected call that the instruction names. It is missed only if the agent asked for it, or if the
    user ended the dialogue with its call undone. ItemRecall = (conveyed + confirmed) / (conveyed + confirmed + missed).
    Events are what the user says against its instruction; `dialmeter list events` describes them. Dialogues that cannot be
    read are listed; the exit code is then 2.
    """
    sheet = read_goal_sheet(options["sheet"]) if options["sheet"] else None
    source = BY_RULE if sheet is None else f"sheet@{sheet_digest(sheet)}"
    paths = {"log": options["log"], "goals": options["sheet"]}
    run = KeptRun(options, [RunInput(role, path) for role, path in paths.items() if path])
    guards = shared.chosen_guards(options)
    run.begin(paths.values(), lambda inputs: items_identity(inputs, source))
    with run.abandoned_on(DialmeterError):
        log = open_trajectories(options["log"], options["format"])
        every = list(watched(log, log, options["quiet"]))
        pairs = dialogue_items(every, sheet)
        found = LogItems(
            [talk for _, talk in pairs],
            len(every) - len(pairs),
            source=source,
            resampling=shared.chosen_resampling(options),
            refused=log.refused,
            notices=log.notices,
        )
        if not found.dialogues:
            raise InputError(
                "no goal in words has an item: expected calls with values that the instruction names", file=log.name
            )
    if run.writer is not None:
        for each, talk in pairs:
            if each.id not in run.writer.done:
                run.writer.add(item_row(each, talk))
    name = Path(options["log"]).name
    run.finish(lambda writer, about: finish_items_run(writer, found, about, items_report(name, found)))
    accepted = options["skip_bad"] or not log.refused
    return Output(
        document=lambda _: make_document(
            UserItemsDocument,
            found,
            format=log.format,
            intervals=describe_intervals(found.resampling),
            faults=found.faults(),
            dialogues=found.every,
        ),
        parts=_parts(found, one_line(options["log"])),
        notices=log.notices,
        errors=[
            *(one_line(str(error), 1000) for error in log.refused[:LISTED]),
            *([] if accepted else [f"{len(log.refused)} dialogues cannot be read (--skip-bad accepts that)"]),
        ],
        check=lambda: shared.check_guards(guards, found.to_dicts()),
        exit_code=0 if accepted else EXIT_INPUT,
    )


def _parts(found: LogItems, name: str) -> Iterator[Block]:
    yield Block(f"{name}  {found.items} items in {len(found.dialogues)} dialogues", TEXT)
    yield Block(recall_table(found))
    yield Block(records_table(found.to_dicts()), CSV)
    yield from signature(found.signature)
    yield from tables([verdict_table(found), event_table(found), *fault_tables(found)])
    yield from tables([missed_table(found), event_example_table(found)], TEXT)
