"""What the commands on users share: which dialogues, and how they are scored."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from ...core.account import Account, read_account
from ...core.comparison import Resampling
from ...core.engine import note
from ...core.open_runs import open_run
from ...core.run_writer import RunWriter
from ...core.shards import ShardTask
from ...errors import DialmeterError, InputError, one_line
from ...model import Notice
from ...readers.conversations import open_conversations, spans_of
from ...simulation.world.database import matches
from ...users.blame import BlameVerdict
from ...users.profile import load as load_profile
from ...users.record import UserRow
from ...users.result import UserResult, UserSettings
from ...users.rules import changed
from ...users.rules import load as load_rules
from ...users.scorer import UserScorer, UserShard, UserShardSettings, score_shard
from ...views.tables import Table
from ..options import Option, chosen_map, from_option, map_option, rules_option, stacked
from ..printer import EVERY, TEXT, Block, message
from ..progress import watched
from ..work import worked
from .reading import chosen_maker, measured_accuracy, reading_options

goals_option = click.option("--goals", metavar="FILE", help="Goals by dialogue, where the dialogues have none.")
dialogue_options = stacked(from_option("the file"), goals_option)


def profile_option(
    about: str = "How the corpus names acts, slots and services: multiwoz, town, sgd.", default: str = "multiwoz"
) -> Option:
    """The option that names the profile of a corpus."""
    return click.option("--profile", default=default, show_default=True, metavar="NAME|FILE.toml", help=about)


set_option = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="SWITCH=VALUE",
    help="Change one switch of the rule set, as repetitions.max=4.",
)

scoring_options = stacked(
    map_option,
    profile_option(),
    rules_option("The rule set: dialmeter, or gcdf1-repo for the published evaluator."),
    set_option,
    click.option("--from-text", is_flag=True, help="Where a turn has no acts, find them in its words."),
    reading_options,
    click.option(
        "--accuracy",
        metavar="FILE",
        help="What `user understand --json` measured of the reader, to be said beside the scores.",
    ),
)


def chosen_how(options: dict[str, Any]) -> UserSettings:
    """The settings for scoring dialogues, from a command's options."""
    return UserSettings(
        rules=changed(load_rules(options["rules_name"]), *options["changes"]),
        profile=load_profile(options["profile"]),
        value_map=chosen_map(options),
        **_chosen_reading(options),
    )


def _chosen_reading(options: dict[str, Any]) -> dict[str, Any]:
    """With --from-text: the reader that finds acts in words, and its measured accuracy."""
    if not options.get("from_text"):
        if options.get("accuracy"):
            raise DialmeterError("--accuracy goes with --from-text")
        return {}
    maker = chosen_maker(options)
    return {
        "from_text": maker,
        "accuracy": measured_accuracy(options["accuracy"], maker.name) if options["accuracy"] else "",
    }


class ScoredUser(NamedTuple):
    """The format of a file, its result, and what else was requested."""

    format: str
    result: UserResult
    verdicts: list[BlameVerdict]
    rows: list[UserRow]


def scored(
    file: str,
    how: UserSettings,
    options: dict[str, Any],
    resampling: Resampling | None,
    *,
    writer: RunWriter | None = None,
    only: frozenset[str] | None = None,
    blamed: bool = False,
    kept: bool = False,
) -> ScoredUser:
    """Scores a file, in shards where it is large.

    Args:
        file: the dialogues.
        how: rules, profile and value map.
        options: of the command: format, goals, workers, quiet.
        resampling: of the intervals.
        writer: takes the rows of the run.
        only: the keys of the dialogues to score; all where it is None.
        blamed: say who lost each point.
        kept: give the rows back.
    """
    opened = open_conversations(file, options["format"], options["goals"])
    format, goals = opened.format, options["goals"]
    spans = spans_of(file, format, goals)
    if len(spans) > 1:
        opened.close()
    parts = None if writer is None else str(writer.begin())
    # Only the tables of the town are known.
    database = matches if blamed and how.profile.name == "town" else None
    limit = _turn_limit(file, format, goals) if blamed else None
    settings = UserShardSettings(format, how, goals, only, blamed, kept, database, limit)
    tasks = [ShardTask(span, place, settings, parts) for place, span in enumerate(spans)]

    def alone(task: ShardTask[UserShardSettings]) -> UserShard:
        return score_shard(task, opened, lambda each: watched(each, opened, options["quiet"]))

    scorer = UserScorer.under(how)
    notices: dict[Notice, None] = {}
    verdicts: list[BlameVerdict] = []
    rows: list[UserRow] = []
    try:
        for part in worked(_work, tasks, options, [file], alone=alone):
            scorer.score_table.merge(part.score_table)
            scorer.refused += part.refused
            notices.update(dict.fromkeys(part.notices))
            verdicts += part.verdicts
            rows += part.rows
        return ScoredUser(format, scorer.result(list(notices), resampling, only), verdicts, rows)
    except InputError as error:
        if writer is not None:
            writer.abandon()
        raise error.at(file=opened.name) from None


def _turn_limit(file: str, format: str, goals: str | None) -> int | None:
    """How many turns a dialogue can have: as many as the longest ones have, where at least two have so many.

    None where that is not known: the file can be read only once, or its format says of each dialogue whether it was cut.
    """
    if file == "-" or format == "native":
        return None
    lengths = Counter(len(talk.moves) for talk in open_conversations(file, format, goals))
    longest = max(lengths, default=0)
    return longest if lengths[longest] > 1 else None


def _work(task: ShardTask[UserShardSettings]) -> UserShard:
    return score_shard(task, at=note)


def rows_in(
    where: str, options: dict[str, Any], *, blamed: bool = False
) -> tuple[Iterable[UserRow], Account | None, list[Notice]]:
    """The rows of a run, or of a file of dialogues that is scored for it; their account, which old runs do not have; notices.

    Raises:
        DialmeterError: a run of another kind, or an unfinished one.
    """
    if is_run(where):
        run = open_run(where)
        if run.manifest.get("kind") != "user":
            raise DialmeterError(f"{where}: a run of kind {run.manifest.get('kind')}, not of a user")
        if blamed and not options.get("dialogue") and not run.manifest.get("blame"):
            raise DialmeterError(f"{where}: the run does not say who lost the points; score with --blame")
        return run.rows_as(UserRow), read_account(run.manifest), []
    found = scored(where, chosen_how(options), options, None, kept=True, blamed=blamed)
    return found.rows, found.result.account, found.result.notices


def found_parts(
    table: Table, dialogues: Iterable[Iterable[str]], total: int, options: dict[str, Any]
) -> Iterator[Block]:
    """The dialogues that a query found: turn by turn where it is asked for, and as a table.

    Args:
        table: has a row for each that is shown.
        dialogues: the lines of each, turn by turn.
        total: how many were found.
        options: of the command.
    """
    if not total:
        yield message("; ".join(["no dialogue fits", *table.foot]))
        return
    turn_by_turn = bool(options["dialogue"] or options["shown"])
    if turn_by_turn:
        yield Block("\n\n".join("\n".join(lines) for lines in dialogues), TEXT)
    yield Block(table, EVERY[1:] if turn_by_turn else EVERY)
    if not options["dialogue"]:
        more = f", {len(table.rows)} shown (--limit)" if len(table.rows) < total else ""
        yield Block(f"{total} dialogue{'s' if total > 1 else ''} found{more}", TEXT)


def next_line(where: str, dialogue: str, options: dict[str, Any]) -> str:
    """The command that prints a dialogue turn by turn; a run knows by itself how it was scored, a file does not.

    Args:
        where: a run or a file of dialogues.
        dialogue: its id.
        options: of the command, for the ones that say how a file is read and scored.
    """
    words = ["dialmeter", "user", "query", where, "--dialogue", dialogue]
    words += [] if is_run(where) else _scoring_words(options)
    return f"Next: {shlex.join(one_line(word, 1000) for word in words)}"


def is_run(where: str) -> bool:
    """Is this the folder of a run, finished or not?"""
    folder = Path(where)
    return folder.is_dir() and ((folder / "run.json").exists() or (folder / "parts").exists())


def _scoring_words(options: dict[str, Any]) -> list[str]:
    words: list[str] = []
    for name, option, usual in (
        ("format", "--from", None),
        ("goals", "--goals", None),
        ("value_map", "--map", None),
        ("profile", "--profile", "multiwoz"),
        ("rules_name", "--rules", "dialmeter"),
    ):
        if options[name] and options[name] != usual:
            words += [option, options[name]]
    for change in options["changes"]:
        words += ["--set", change]
    return words + (["--from-text", "--reader", options["reader"]] if options["from_text"] else [])
