"""``dialmeter user check``"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from ...core.document import make_document
from ...errors import one_line
from ...readers.formats import LOG_FORMATS
from ...users.analysis.check import UserCheck, check_talk
from ...views.tables import count_table, percent
from ..main import EXIT_INPUT
from ..options import command
from ..printer import EVERY, TEXT, Block, Output, refused_lines
from ..progress import track_reading
from .documents import UserCheckDocument
from .scoring import dialogue_options, scoring_options, user_settings_from_options


@command()
@click.argument("dialogues")
@dialogue_options
@scoring_options
def check(**options: Any) -> Output:
    """Validate DIALOGUES before scoring them, and score users that say exactly their goals.

    The exit code is 0 if `score` would accept every dialogue, and 2 otherwise.
    """
    from ...readers.conversations import open_conversations

    talks = open_conversations(options["dialogues"], options["format"], options["goals"])
    checked = check_talk(
        talks, user_settings_from_options(options), lambda each: track_reading(each, talks, options["quiet"])
    )
    dialogues = checked.counts["dialogues"]
    printed = options["style"] != "json" and dialogues > 0
    errors = refused_lines(checked.refused)
    if not dialogues and not errors:
        errors = [f"{one_line(options['dialogues'], 200)}: no dialogue can be scored"]
    return Output(
        document=lambda _: make_document(UserCheckDocument, checked, scores=checked.self_scores),
        parts=_parts(checked, one_line(options["dialogues"], 200)),
        notices=checked.notices if printed else [],
        errors=errors,
        exit_code=0 if checked.fit else EXIT_INPUT,
    )


def _parts(checked: UserCheck, file: str) -> Iterator[Block]:
    counts = checked.counts
    yield Block(f"{file}: format {checked.format}")
    if counts["dialogues"]:
        yield Block(
            f"{counts['dialogues']} dialogues, {counts['turns']} turns, {counts['turns'] / counts['dialogues']:.2f} turns per dialogue, "
            f"{counts['domains']} domains in goals, {counts['constraints']} constraints, {counts['requests']} requests",
            TEXT,
            gap=(),
        )
        # A measure has no value if no goal has constraints or requests that it counts.
        valued = [each for each in checked.self_scores if each["value"] is not None]
        scores = "  ".join(f"{each['measure']} {percent(each['value'])}" for each in valued)
        yield Block(f"a user that says exactly its goal: {scores}", gap=())
    yield Block(f"account: {checked.account.line}", gap=())
    if not counts["dialogues"]:
        yield Block("no dialogue can be scored", gap=())
        if checked.format in LOG_FORMATS.names():
            yield Block("this is a log of an agent; use `dialmeter user items` or `dialmeter system check`", gap=())
    else:
        yield Block("ready to be scored" if checked.fit else "not ready to be scored", gap=())
    yield Block(count_table("", ("content", "count"), counts), EVERY[1:])
