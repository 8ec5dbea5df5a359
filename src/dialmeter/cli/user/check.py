"""``dialmeter user check``"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from ...core.document import make_document
from ...errors import one_line
from ...readers.formats import LOG_FORMATS
from ...users.analysis.check import UserCheck, check_talk
from ...views.tables import percent
from ..main import EXIT_INPUT
from ..options import CHECKING, command
from ..printer import Block, Output, refused_lines
from ..progress import track_reading
from .documents import UserCheckDocument
from .scoring import dialogue_options, scoring_options, user_settings_from_options


@command(last=CHECKING)
@click.argument("dialogues")
@dialogue_options
@scoring_options
def check(**options: Any) -> Output:
    """Validate DIALOGUES before scoring them, and score users that say exactly their goals.

    Exit code 0 if `score` would take every dialogue, 2 if not.
    """
    from ...readers.conversations import open_conversations

    talks = open_conversations(options["dialogues"], options["format"], options["goals"])
    found = check_talk(
        talks, user_settings_from_options(options), lambda each: track_reading(each, talks, options["quiet"])
    )
    dialogues = found.counts["dialogues"]
    printed = options["style"] != "json" and dialogues > 0
    errors = refused_lines(found.refused)
    if not dialogues and not errors:
        errors = [f"{one_line(options['dialogues'], 200)}: no dialogue can be scored"]
    return Output(
        document=lambda _: make_document(UserCheckDocument, found, scores=found.self_scores),
        parts=_parts(found, one_line(options["dialogues"], 200)),
        notices=found.notices if printed else [],
        errors=errors,
        exit_code=0 if found.fit else EXIT_INPUT,
    )


def _parts(found: UserCheck, file: str) -> Iterator[Block]:
    counts = found.counts
    yield Block(f"{file}: format {found.format}")
    if counts["dialogues"]:
        yield Block(
            f"{counts['dialogues']} dialogues, {counts['turns']} turns, {counts['turns'] / counts['dialogues']:.2f} turns per dialogue, "
            f"{counts['domains']} domains in goals, {counts['constraints']} constraints, {counts['requests']} requests",
            gap=(),
        )
        # A measure has no value where no goal wants anything of its kind.
        valued = [each for each in found.self_scores if each["value"] is not None]
        scores = "  ".join(f"{each['measure']} {percent(each['value'])}" for each in valued)
        yield Block(f"a user that says exactly its goal: {scores}", gap=())
    yield Block(f"account: {found.account.line}", gap=())
    if not counts["dialogues"]:
        yield Block("no dialogue can be scored", gap=())
        if found.format in LOG_FORMATS.builtin():
            yield Block(
                "a log of agents: `dialmeter user items` and `dialmeter system check` take goals in words", gap=()
            )
    else:
        yield Block("ready to be scored" if found.fit else "not ready to be scored", gap=())
