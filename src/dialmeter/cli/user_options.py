"""What the commands on users share: which dialogues, and how they are scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from ..conversations import open_conversations
from ..errors import DialmeterError
from ..model import Conversation, dialogue_key
from ..resampling import Resampling
from ..runs import open_run
from ..users.canonical import ValueMap
from ..users.outcome import DialogueOutcome
from ..users.profile import load as load_profile
from ..users.record import UserRow, row_of, rows_of
from ..users.result import How, UserResult
from ..users.rules import changed
from ..users.rules import load as load_rules
from ..users.scorer import score_user
from .options import stacked
from .say import warn, watched

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
    file: str,
    how: How,
    options: dict[str, Any],
    resampling: Resampling | None,
    *,
    sink: Sink | None = None,
    only: frozenset[str] | None = None,
) -> tuple[UserResult, str]:
    """Scores a file, and says in which layout it was.

    Args:
        file: the dialogues.
        how: rules, profile and value map.
        options: of the command: layout, goals, quiet.
        resampling: of the intervals.
        sink: takes every scored dialogue.
        only: the keys of the dialogues to score; all where there are none.
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
        watch=lambda found: _chosen(watched(found, talks, options["quiet"]), only),
        sink=sink,
    )
    return result, talks.format


def _chosen(talks: Iterable[Conversation], only: frozenset[str] | None) -> Iterable[Conversation]:
    return talks if only is None else (talk for talk in talks if dialogue_key(talk.id) in only)


def rows_in(where: str, options: dict[str, Any]) -> Iterable[UserRow]:
    """The rows of a run, or of a file of dialogues that is scored for it.

    Raises:
        DialmeterError: a run of another kind, or an unfinished one.
    """
    folder = Path(where)
    if folder.is_dir() and ((folder / "run.json").exists() or (folder / "parts").exists()):
        run = open_run(folder)
        if run.manifest.get("kind") != "user":
            raise DialmeterError(f"{where}: a run of kind {run.manifest.get('kind')}, not of a user")
        return rows_of(run)
    found: list[UserRow] = []
    result, _ = scored(
        where, chosen_how(options), options, None, sink=lambda talk, outcome: found.append(row_of(talk, outcome))
    )
    warn(result.notices, options["quiet"])
    return found


def scoring_words(options: dict[str, Any]) -> list[str]:
    """The options that say how dialogues are read and scored, as they were typed."""
    words: list[str] = []
    for name, option, usual in (
        ("form", "--from", None),
        ("goals", "--goals", None),
        ("values", "--values", None),
        ("profile", "--profile", "multiwoz"),
        ("rules_name", "--rules", "dialmeter"),
    ):
        if options[name] and options[name] != usual:
            words += [option, options[name]]
    for change in options["changes"]:
        words += ["--set", change]
    return words + (["--from-text"] if options["from_text"] else [])
