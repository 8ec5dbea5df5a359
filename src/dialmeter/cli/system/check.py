"""``dialmeter system check``"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from ...core.document import make_document
from ...errors import InputError, one_line
from ...readers.conversations import is_log, open_trajectories
from ...systems.scorer import LogCheck, check_log
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
    """Validate the LOG of an agent, and list its content and the dialogues that cannot be scored.

    The exit code is 0 if `score` would accept every dialogue, and 2 otherwise.
    """
    if not is_log(options["log"], options["format"]):
        raise InputError(
            "dialogues with acts, not a log; check them with `dialmeter user check`", file=one_line(options["log"])
        )
    log = open_trajectories(options["log"], options["format"])
    checked = check_log(log, lambda each: track_reading(each, log, options["quiet"]))
    return Output(
        document=lambda _: make_document(SystemCheckDocument, checked),
        parts=_parts(checked, one_line(options["log"], 200)),
        notices=checked.notices,
        errors=refused_lines([each.message for each in checked.problems]),
        exit_code=0 if checked.fit else EXIT_INPUT,
    )


def _parts(checked: LogCheck, file: str) -> Iterator[Block]:
    counts = checked.counts
    yield Block(f"{file}: format {checked.format}")
    yield Block(
        f"{counts['dialogues']} dialogues, {counts['tasks']} tasks, up to {counts['trials']} trials of a task\n"
        f"{counts['goals']} with a goal in words, {counts['actions']} with expected calls, {counts['rewards']} with a reward\n"
        f"{counts['tool_calls']} tool calls, {counts['tool_errors']} with an error; "
        f"{counts['unseen_texts']} messages have text that the other side does not see",
        gap=(),
    )
    yield Block(count_table("messages", ("role", "count"), checked.roles), EVERY)
    yield from table_blocks(
        [
            count_table("endings of dialogues", ("ending", "count"), checked.endings),
            count_table("endings as named in the log", ("source", "count"), checked.sources),
            count_table("tools", ("tool", "count"), checked.tools),
            count_table("rewards", ("scorer", "count"), checked.scorers),
            count_table("parts of rewards", ("parts", "count"), checked.basis),
        ]
    )
    yield Block(f"account: {checked.account.line}")
    yield Block("ready to be scored" if checked.fit else "not ready to be scored", gap=())
