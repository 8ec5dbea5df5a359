"""``dialmeter system check``"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from ...core.document import make_document
from ...errors import InputError, one_line
from ...readers.trajectories import is_log, open_trajectories
from ...systems.check import LogCheck, check_log
from ...views.tables import count_table
from ..main import EXIT_INPUT
from ..options import command, from_option
from ..printer import EVERY, Block, Output, refused_lines, table_blocks
from ..progress import track_reading
from .documents import SystemCheckDocument


@command()
@click.argument("log")
@from_option("the log")
def check(**options: Any) -> Output:
    """Say what the LOG of an agent holds, and which dialogues cannot be scored.

    Exit code 0 if `score` would take every dialogue, 2 if not.
    """
    if not is_log(options["log"], options["format"]):
        raise InputError(
            "dialogues with acts, not a log; `dialmeter user check` says what they hold", file=one_line(options["log"])
        )
    log = open_trajectories(options["log"], options["format"])
    found = check_log(log, lambda each: track_reading(each, log, options["quiet"]))
    return Output(
        document=lambda _: make_document(SystemCheckDocument, found),
        parts=_parts(found, one_line(options["log"], 200)),
        notices=found.notices,
        errors=refused_lines([each.message for each in found.problems]),
        exit_code=0 if found.fit else EXIT_INPUT,
    )


def _parts(found: LogCheck, file: str) -> Iterator[Block]:
    counts = found.counts
    yield Block(f"{file}: format {found.format}")
    yield Block(
        f"{counts['dialogues']} dialogues, {counts['tasks']} tasks, up to {counts['trials']} trials of a task\n"
        f"{counts['goals']} with a goal in words, {counts['actions']} with expected calls, {counts['rewards']} with a reward\n"
        f"{counts['tool_calls']} calls of tools, {counts['tool_errors']} of them answered with an error; "
        f"{counts['unseen_texts']} messages have text that the other side never sees",
        gap=(),
    )
    yield Block(count_table("messages", ("role", "count"), found.roles), EVERY)
    yield from table_blocks(
        [
            count_table("how dialogues ended", ("ending", "count"), found.endings),
            count_table("what ended dialogues, in the words of the log", ("source", "count"), found.sources),
            count_table("tools", ("tool", "count"), found.tools),
            count_table("rewards", ("scorer", "count"), found.scorers),
            count_table("parts of rewards", ("parts", "count"), found.basis),
        ]
    )
    yield Block(f"account: {found.account.line}")
    yield Block("ready to be scored" if found.fit else "not ready to be scored", gap=())
