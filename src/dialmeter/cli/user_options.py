"""What the commands on users share: which dialogues, and how they are scored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..conversations import open_conversations
from ..model import Conversation
from ..resampling import Resampling
from ..users.canonical import ValueMap
from ..users.outcome import DialogueOutcome
from ..users.profile import load as load_profile
from ..users.result import How, UserResult
from ..users.rules import changed
from ..users.rules import load as load_rules
from ..users.scorer import score_user
from .options import stacked
from .say import watched

Sink = Callable[[Conversation, DialogueOutcome], None]

dialogue_options = stacked(
    click.option("--from", "form", metavar="LAYOUT", help="The layout of the file; found where it is not named."),
    click.option("--goals", metavar="FILE", help="Goals by dialogue, where the dialogues have none."),
)

scoring_options = stacked(
    click.option("--values", metavar="MAP", help="A map of values and their surface forms (see `user values`)."),
    click.option(
        "--profile",
        default="multiwoz",
        show_default=True,
        metavar="NAME|FILE.toml",
        help="How the corpus names acts, slots and services: multiwoz, town, sgd.",
    ),
    click.option(
        "--rules",
        "rules_name",
        default="dialmeter",
        show_default=True,
        metavar="NAME|FILE.toml",
        help="The rule set: dialmeter, or gcdf1-repo for the published evaluator.",
    ),
    click.option(
        "--set", "changes", multiple=True, metavar="SWITCH=VALUE", help="Change one switch, as repetitions.max=4."
    ),
    click.option("--from-text", is_flag=True, help="Where a turn has no acts, find them in its words."),
)


def chosen_how(options: dict[str, Any]) -> How:
    """All that dialogues are scored with, from a command's options."""
    return How(
        rules=changed(load_rules(options["rules_name"]), *options["changes"]),
        profile=load_profile(options["profile"]),
        values=ValueMap.read(options["values"]) if options["values"] else None,
        from_text=options["from_text"],
    )


def scored(
    file: str, how: How, options: dict[str, Any], resampling: Resampling | None, sink: Sink | None = None
) -> tuple[UserResult, str]:
    """Scores a file, and says in which layout it was.

    Args:
        file: the dialogues.
        how: rules, profile and value map.
        options: of the command: layout, goals, quiet.
        resampling: of the intervals.
        sink: takes every scored dialogue.
    """
    talks = open_conversations(file, options["form"], options["goals"])
    result = score_user(
        talks,
        how.rules,
        how.profile,
        how.values,
        from_text=how.from_text,
        ci=resampling.confidence if resampling else 0,
        resamples=resampling.resamples if resampling else 0,
        seed=resampling.seed if resampling else 0,
        keep=False,
        watch=lambda found: watched(found, talks, options["quiet"]),
        sink=sink,
    )
    return result, talks.format
