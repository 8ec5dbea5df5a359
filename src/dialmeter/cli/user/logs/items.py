"""``dialmeter user items``"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ....core.document import describe_intervals, make_document
from ....core.record import RunInput
from ....errors import DialmeterError, InputError, one_line
from ....readers.conversations import open_trajectories
from ....users.items.goal_items import read_goal_sheet, sheet_digest
from ....users.items.log_items import BY_RULE, LogItems, dialogue_items, language_notices
from ....users.items.record import finish_items_run, item_row, items_identity
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
from ...printer import CSV, LISTED, TEXT, Block, Output, signature_blocks, table_blocks
from ...progress import track_reading
from ...run_files import CommandRun
from .documents import UserItemsDocument


@shared.command()
@click.argument("log")
@shared.from_option("the log")
@click.option(
    "--goals", "sheet", metavar="FILE.csv", help="Edited sheet of items from `dialmeter user goals --make-sheets`."
)
@shared.interval_options(resamples=10_000)
@shared.skip_bad_option
@shared.run_options
@shared.fail_if_option("ItemRecall < 0.9")
def items(**options: Any) -> Output:
    """Measure whether the user of an agent's LOG says the values in its goal, and what it says that contradicts the goal.

    An item is a value of an expected call that the instruction names. An item is missed only if the agent asked for it, or if
    the user ended the dialogue before its call was made. ItemRecall = (conveyed + confirmed) / (conveyed + confirmed + missed).
    Events are statements of the user that contradict its instruction; `dialmeter list events` describes them. Dialogues that
    cannot be read are listed, and the exit code is then 2.
    """
    sheet = read_goal_sheet(options["sheet"]) if options["sheet"] else None
    source = BY_RULE if sheet is None else f"sheet@{sheet_digest(sheet)}"
    paths = {"log": options["log"], "goals": options["sheet"]}
    run = CommandRun(options, [RunInput(role, path) for role, path in paths.items() if path])
    conditions = shared.conditions_from_options(options)
    run.begin(paths.values(), lambda inputs: items_identity(inputs, source))
    with run.abandoned_on(DialmeterError):
        log = open_trajectories(options["log"], options["format"])
        trajectories = list(track_reading(log, log, options["quiet"]))
        pairs = dialogue_items(trajectories, sheet)
        log_items = LogItems(
            [talk for _, talk in pairs],
            len(trajectories) - len(pairs),
            source=source,
            resampling=shared.resampling_from_options(options),
            refused=log.refused,
            notices=[*log.notices, *language_notices(trajectories)],
        )
        if not log_items.dialogues:
            raise InputError(
                "no goal in words has an item (an item is a value of an expected call that the instruction names)",
                file=log.name,
            )
    if run.writer is not None:
        for each, talk in pairs:
            if each.id not in run.writer.done:
                run.writer.add(item_row(each, talk))
    name = Path(options["log"]).name
    run.finish(lambda writer, about: finish_items_run(writer, log_items, about, items_report(name, log_items)))
    is_accepted = options["skip_bad"] or not log.refused
    return Output(
        document=lambda _: make_document(
            UserItemsDocument,
            log_items,
            format=log.format,
            intervals=describe_intervals(log_items.resampling),
            faults=log_items.faults(),
            dialogues=log_items.all_dialogues,
        ),
        parts=_parts(log_items, one_line(options["log"])),
        notices=log_items.notices,
        errors=[
            *(one_line(str(error), 1000) for error in log.refused[:LISTED]),
            *([] if is_accepted else [f"{len(log.refused)} dialogues cannot be read (use --skip-bad to accept this)"]),
        ],
        check=lambda: shared.check_conditions(conditions, log_items.to_dicts()),
        exit_code=0 if is_accepted else EXIT_INPUT,
    )


def _parts(log_items: LogItems, name: str) -> Iterator[Block]:
    yield Block(f"{name}  {log_items.items} items in {len(log_items.dialogues)} dialogues", TEXT)
    yield Block(recall_table(log_items))
    yield Block(records_table(log_items.to_dicts()), CSV)
    yield from signature_blocks(log_items.signature)
    yield from table_blocks([verdict_table(log_items), event_table(log_items), *fault_tables(log_items)])
    yield from table_blocks([missed_table(log_items), event_example_table(log_items)], TEXT)
