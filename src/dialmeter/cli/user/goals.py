"""``dialmeter user goals``"""

from __future__ import annotations

from typing import Any

import click

from ...core.document import make_document
from ...core.output import write_file
from ...errors import DialmeterError, InputError, one_line
from ...readers.trajectories import open_trajectories
from ...users.items.sheet import goal_rows, goal_sheet
from .. import options as shared
from ..printer import Output, message
from ..progress import watched
from .item_documents import UserGoalsDocument


@shared.command()
@click.argument("log")
@shared.from_option("the log", "layout")
@click.option("--make-sheet", is_flag=True, help="Write the items of all tasks to --out, a CSV file to be edited.")
@click.option("--out", metavar="FILE.csv", help="The sheet.")
@shared.force_option("a file in --out")
def goals(**options: Any) -> Output:
    """Write the items of the goals in words of an agent's LOG to a sheet, to be edited by hand.

    A row is an item: task, kind, value, condition (nothing, asked, fallback or secret), forms (other ways to say it, with |
    between them), and keys (the arguments that it is a value of; the agent's questions are recognised by them). Rows may be
    changed, added and removed. `dialmeter user items LOG --goals FILE.csv` reads the sheet.
    """
    if not (options["make_sheet"] and options["out"]):
        raise DialmeterError("say --make-sheet and --out FILE.csv")
    log = open_trajectories(options["log"], options["form"])
    rows = goal_rows(list(watched(log, log, options["quiet"])))
    if not rows:
        raise InputError("no dialogue has a goal in words", file=log.name)
    write_file(options["out"], goal_sheet(rows), force=options["force"])
    return Output(
        document=lambda _: make_document(UserGoalsDocument, counts={"rows": len(rows)}, warnings=log.notices),
        parts=[message(f"{len(rows)} rows written to {one_line(options['out'])}")],
        notices=log.notices,
        errors=[one_line(str(error), 1000) for error in log.refused[:20]],
    )
