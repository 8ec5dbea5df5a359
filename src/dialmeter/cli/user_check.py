"""``dialmeter user check``"""

from __future__ import annotations

from typing import Any

import click

from ..errors import InputError, one_line
from ..report.tables import percent
from ..users.check import Checked, check_talk
from .main import EXIT_INPUT
from .options import quiet_option
from .say import document, print_json, refusals, warn, watched
from .user_options import chosen_how, dialogue_options, scoring_options


@click.command()
@click.argument("dialogues")
@dialogue_options
@scoring_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@quiet_option
def check(**options: Any) -> int:
    """Validate DIALOGUES before scoring them, and score users that say exactly their goals.

    Exit code 0 if `score` would take every dialogue, 2 if not.
    """
    from ..conversations import open_conversations

    talks = open_conversations(options["dialogues"], options["form"], options["goals"])
    found = check_talk(talks, chosen_how(options), lambda each: watched(each, talks, options["quiet"]))
    if options["as_json"]:
        more = {"format": found.format, "fit": found.fit, "problems": [str(error) for error in found.refused]}
        print_json(
            document("user", "user check", found.self_scores, counts=found.counts, warnings=found.notices, **more)
        )
        warn(refusals(found.refused), quiet=False)
    else:
        _print(found, options)
    return 0 if found.fit else EXIT_INPUT


def _print(found: Checked, options: dict[str, Any]) -> None:
    counts = found.counts
    click.echo(f"{one_line(options['dialogues'], 200)}: layout {found.format}")
    per_dialogue = counts["turns"] / counts["dialogues"] if counts["dialogues"] else 0
    click.echo(
        f"{counts['dialogues']} dialogues, {counts['turns']} turns, {per_dialogue:.2f} turns per dialogue, "
        f"{counts['domains']} domains in goals, {counts['constraints']} constraints, {counts['requests']} requests"
    )
    scores = "  ".join(f"{score['measure']} {percent(score['value'])}" for score in found.self_scores)
    click.echo(f"a user that says exactly its goal: {scores}")
    warn(found.notices, options["quiet"])
    for error in found.refused:
        click.echo(f"dialmeter: {_line(error)}", err=True)
    click.echo("ready to be scored" if found.fit else "not ready to be scored")


def _line(error: InputError) -> str:
    return one_line(str(error), 1000)
