"""``dialmeter user check``"""

from __future__ import annotations

from typing import Any

import click
from msgspec import to_builtins

from ...errors import one_line
from ...users.check import UserCheck, check_talk
from ...views.tables import percent
from ..main import EXIT_INPUT
from ..option_kinds import max_bytes_option
from ..options import quiet_option
from ..say import document, print_json, warn, watched
from .scoring import chosen_how, complain, dialogue_options, scoring_options


@click.command()
@click.argument("dialogues")
@dialogue_options
@scoring_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@max_bytes_option
@quiet_option
def check(**options: Any) -> int:
    """Validate DIALOGUES before scoring them, and score users that say exactly their goals.

    Exit code 0 if `score` would take every dialogue, 2 if not.
    """
    from ...readers.conversations import open_conversations

    talks = open_conversations(options["dialogues"], options["form"], options["goals"])
    found = check_talk(talks, chosen_how(options), lambda each: watched(each, talks, options["quiet"]))
    if options["as_json"]:
        more = {
            "account": found.account.plain(),
            "format": found.format,
            "fit": found.fit,
            "problems": to_builtins(found.problems),
        }
        print_json(
            document("user", "user check", found.self_scores, counts=found.counts, warnings=found.notices, **more)
        )
    else:
        _print(found, options)
    complain(found.refused)
    return 0 if found.fit else EXIT_INPUT


def _print(found: UserCheck, options: dict[str, Any]) -> None:
    counts = found.counts
    click.echo(f"{one_line(options['dialogues'], 200)}: layout {found.format}")
    if not counts["dialogues"]:
        click.echo(f"account: {found.account.line}")
        click.echo("no dialogue can be scored")
        return
    click.echo(
        f"{counts['dialogues']} dialogues, {counts['turns']} turns, {counts['turns'] / counts['dialogues']:.2f} turns per dialogue, "
        f"{counts['domains']} domains in goals, {counts['constraints']} constraints, {counts['requests']} requests"
    )
    # A measure has no value where no goal wants anything of its kind.
    scores = [f"{each['measure']} {percent(each['value'])}" for each in found.self_scores if each["value"] is not None]
    click.echo(f"a user that says exactly its goal: {'  '.join(scores)}")
    warn(found.notices, options["quiet"])
    click.echo(f"account: {found.account.line}")
    click.echo("ready to be scored" if found.fit else "not ready to be scored")
