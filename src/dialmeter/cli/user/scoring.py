"""Options and functions that the commands on users share: finding acts in text, and scoring a file of dialogues."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from msgspec import Struct

from ...core.account import Account, read_account
from ...core.comparison import Resampling
from ...core.engine import note
from ...core.open_runs import open_run
from ...core.run_writer import RunWriter
from ...core.shards import ShardTask
from ...errors import DialmeterError, InputError, one_line
from ...model import Conversation, Notice
from ...readers.conversations import open_conversations, spans_of
from ...readers.source import Source
from ...readers.strict_json import parse_as
from ...simulation.understand import TownMaker
from ...simulation.world import matches
from ...users.blame import BlameVerdict
from ...users.profile import load as load_profile
from ...users.record import UserRow
from ...users.result import UserResult, UserSettings
from ...users.rules import changed
from ...users.rules import load as load_rules
from ...users.scorer import UserScorer, UserShard, UserShardSettings, score_shard
from ...users.text import ActMaker, RuleMaker, TextReader
from ...views.tables import Table
from ..dry_run import dry_run_output
from ..options import (
    Command,
    Option,
    choice_option,
    combine_options,
    from_option,
    map_option,
    rules_option,
    value_map_from_options,
)
from ..printer import EVERY, TEXT, Block, Output, message_block
from ..progress import track_reading
from ..work import run_shards


def endpoint_options(purpose: str) -> Callable[[Command], Command]:
    """Return the options for a language model.

    Args:
        purpose: the purpose of the model, for the help.
    """
    return combine_options(
        click.option("--endpoint", metavar="URL", help=f"URL of a language model for {purpose}. Needs --model."),
        click.option("--model", metavar="NAME", help="Name of the model at --endpoint."),
        click.option(
            "--key-variable",
            default="OPENAI_API_KEY",
            show_default=True,
            metavar="NAME",
            help="Environment variable with the API key for --endpoint.",
        ),
    )


cache_option = click.option(
    "--cache",
    metavar="DIR",
    default="",
    help="Cache the answers of the model in this folder, to continue after an interruption.",
)
reading_options = combine_options(
    choice_option(
        "--reader",
        ["rules", "town", "model"],
        "Reader that finds acts in text: rules, the templates of the town, or a language model at --endpoint.",
    ),
    endpoint_options("--reader model"),
    cache_option,
)


def act_maker_from_options(options: dict[str, Any]) -> ActMaker:
    """Return the reader of --reader.

    Raises:
        DialmeterError: a language model has no URL or no name.
    """
    profile = load_profile(options["profile"])
    if options["reader"] == "town":
        return TownMaker()
    if options["reader"] == "rules":
        return RuleMaker(profile, value_map_from_options(options))
    if not options["endpoint"] or not options["model"]:
        raise DialmeterError("--reader model needs --endpoint URL and --model NAME")
    from ...users.text.model_maker import ModelMaker

    return ModelMaker(profile, options["endpoint"], options["model"], options["key_variable"], options["cache"])


def reading_dry_run(command: str, options: dict[str, Any], talks: Sequence[Conversation]) -> Output:
    """Estimate the calls of a language model that finds acts in turns without acts. Nothing is sent.

    Raises:
        DialmeterError: the reader is not a language model.
    """
    if options["reader"] != "model":
        raise DialmeterError(
            "--dry-run estimates calls of language models; give --reader model, --endpoint and --model"
        )
    from ...users.text.model_maker import ModelMaker

    maker = act_maker_from_options(options)
    assert isinstance(maker, ModelMaker)
    counter = maker.count_requests()
    reader = TextReader(maker, load_profile(options["profile"]))
    for talk in talks:
        reader.read(talk)
    return dry_run_output(
        command,
        {maker.name: counter.estimate},
        {"dialogues": len(talks)},
        who="reader",
        price=options["price"],
        notes=("a prompt names the domain of earlier turns; it is shorter here if their answers are not cached",),
    )


class _Measured(Struct):
    reader: str
    summary: str
    kind: str = ""
    command: str = ""


def measured_accuracy(file: str, reader: str) -> str:
    """Return the accuracy of a reader from a file of ``user understand --json``.

    Raises:
        InputError: the file has other content, or is about another reader.
    """
    source = Source(file)
    measured = parse_as(source.read_all(), _Measured, source.name, what="JSON of `dialmeter user understand --json`")
    if measured.command != "user understand":
        raise InputError("expected the output of `dialmeter user understand --json`", file=source.name)
    if measured.reader != reader:
        raise InputError(f"the accuracy is of the reader {measured.reader}, not of {reader}", file=source.name)
    return measured.summary


goals_option = click.option("--goals", metavar="FILE", help="File with goals by dialogue, if the dialogues have none.")
dialogue_options = combine_options(from_option("the file"), goals_option)


def profile_option(
    about: str = "Profile of the corpus, with its names of acts, slots and services: multiwoz, town, sgd.",
    default: str = "multiwoz",
) -> Option:
    """Return the option for the profile of a corpus."""
    return click.option("--profile", default=default, show_default=True, metavar="NAME|FILE.toml", help=about)


set_option = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="SWITCH=VALUE",
    help="Change one switch of the rule set, such as repetitions.max=4; may be repeated.",
)

user_rules_option = rules_option("Rule set: dialmeter, or gcdf1-repo for the published evaluator.")
scoring_options = combine_options(
    map_option,
    profile_option(),
    user_rules_option,
    set_option,
    click.option("--from-text", is_flag=True, help="Find acts in the text of turns without acts."),
    reading_options,
    click.option(
        "--accuracy",
        metavar="FILE",
        help="Accuracy of the reader from `user understand --json`, to print with the scores.",
    ),
)


def user_settings_from_options(options: dict[str, Any]) -> UserSettings:
    """Return the settings for scoring dialogues."""
    return UserSettings(
        rules=changed(load_rules(options["rules_name"]), *options["changes"]),
        profile=load_profile(options["profile"]),
        value_map=value_map_from_options(options),
        **_text_settings(options),
    )


def _text_settings(options: dict[str, Any]) -> dict[str, Any]:
    """Return the reader that finds acts in text and its measured accuracy; empty without --from-text."""
    if not options.get("from_text"):
        if options.get("accuracy"):
            raise DialmeterError("--accuracy needs --from-text")
        return {}
    maker = act_maker_from_options(options)
    return {
        "from_text": maker,
        "accuracy": measured_accuracy(options["accuracy"], maker.name) if options["accuracy"] else "",
    }


class ScoredUser(NamedTuple):
    """The format of a file and its result, with verdicts and rows if they were requested."""

    format: str
    result: UserResult
    verdicts: list[BlameVerdict]
    rows: list[UserRow]


def score_dialogues(
    file: str,
    settings: UserSettings,
    options: dict[str, Any],
    resampling: Resampling | None,
    *,
    writer: RunWriter | None = None,
    only: frozenset[str] | None = None,
    blamed: bool = False,
    with_rows: bool = False,
) -> ScoredUser:
    """Score a file, in shards if it is large.

    Args:
        file: the dialogues.
        settings: rules, profile and value map.
        options: the options of the command: format, goals, workers, quiet.
        resampling: the settings of the intervals.
        writer: writes the rows of the run.
        only: the keys of the dialogues to score; None for all.
        blamed: find out who lost each point.
        with_rows: return the rows.
    """
    opened = open_conversations(file, options["format"], options["goals"])
    format, goals = opened.format, options["goals"]
    spans = spans_of(file, format, goals)
    if len(spans) > 1:
        opened.close()
    parts = None if writer is None else str(writer.begin())
    # Only the town has a database.
    database = matches if blamed and settings.profile.name == "town" else None
    limit = _turn_limit(file, format, goals) if blamed else None
    shard_settings = UserShardSettings(format, settings, goals, only, blamed, with_rows, database, limit)
    tasks = [ShardTask(span, place, shard_settings, parts) for place, span in enumerate(spans)]

    def score_single(task: ShardTask[UserShardSettings]) -> UserShard:
        return score_shard(task, opened, lambda each: track_reading(each, opened, options["quiet"]))

    scorer = UserScorer.under(settings)
    notices: dict[Notice, None] = {}
    verdicts: list[BlameVerdict] = []
    rows: list[UserRow] = []
    try:
        for part in run_shards(_score_shard_noted, tasks, options, [file], run_single=score_single):
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
    """Return the maximum number of turns: the length of the longest dialogues, if at least two have this length.

    None if it is unknown, if the file can be read only once, or if its format says of each dialogue whether it was cut.
    """
    if file == "-" or format == "native":
        return None
    lengths = Counter(len(talk.moves) for talk in open_conversations(file, format, goals))
    longest = max(lengths, default=0)
    return longest if lengths[longest] > 1 else None


def _score_shard_noted(task: ShardTask[UserShardSettings]) -> UserShard:
    return score_shard(task, at=note)


def read_user_rows(
    where: str, options: dict[str, Any], *, blamed: bool = False
) -> tuple[Iterable[UserRow], Account | None, list[Notice]]:
    """Return rows, account and notices of a run, or score a file of dialogues to get them. Old runs have no account.

    Raises:
        DialmeterError: the run is of another kind, or unfinished.
    """
    if is_run(where):
        run = open_run(where)
        if run.manifest.get("kind") != "user":
            raise DialmeterError(f"{where}: the run is of kind {run.manifest.get('kind')}, not user")
        if blamed and not options.get("dialogue") and not run.manifest.get("blame"):
            raise DialmeterError(f"{where}: the run has no data on who lost points; score again with --blame")
        return run.rows_as(UserRow), read_account(run.manifest), []
    scored = score_dialogues(where, user_settings_from_options(options), options, None, with_rows=True, blamed=blamed)
    return scored.rows, scored.result.account, scored.result.notices


def query_parts(
    table: Table, dialogues: Iterable[Iterable[str]], total: int, options: dict[str, Any]
) -> Iterator[Block]:
    """Yield the dialogues that match a query: turn by turn if requested, and as a table.

    Args:
        table: a row for each dialogue that is shown.
        dialogues: the lines of each dialogue, turn by turn.
        total: number of matching dialogues.
        options: the options of the command.
    """
    if not total:
        yield message_block("; ".join(["no dialogue matches", *table.foot]))
        return
    turn_by_turn = bool(options["dialogue"] or options["shown"])
    if turn_by_turn:
        yield Block("\n\n".join("\n".join(lines) for lines in dialogues), TEXT)
    yield Block(table, EVERY[1:] if turn_by_turn else EVERY)
    if not options["dialogue"]:
        more = f", {len(table.rows)} shown (--limit)" if len(table.rows) < total else ""
        yield Block(f"{total} dialogue{'s' if total > 1 else ''} found{more}", TEXT)


def next_line(where: str, dialogue: str, options: dict[str, Any]) -> str:
    """Return the command that prints a dialogue turn by turn. For a file, it repeats the options for reading and scoring.

    Args:
        where: a run or a file of dialogues.
        dialogue: the id of the dialogue.
        options: the options of the command.
    """
    words = ["dialmeter", "user", "query", where, "--dialogue", dialogue]
    words += [] if is_run(where) else _repeated_options(options)
    return f"Next: {shlex.join(one_line(word, 1000) for word in words)}"


def is_run(where: str) -> bool:
    """Return True for the folder of a run, finished or not."""
    folder = Path(where)
    return folder.is_dir() and ((folder / "run.json").exists() or (folder / "parts").exists())


def _repeated_options(options: dict[str, Any]) -> list[str]:
    words: list[str] = []
    for name, option, default in (
        ("format", "--from", None),
        ("goals", "--goals", None),
        ("value_map", "--map", None),
        ("profile", "--profile", "multiwoz"),
        ("rules_name", "--rules", "dialmeter"),
    ):
        if options[name] and options[name] != default:
            words += [option, options[name]]
    for change in options["changes"]:
        words += ["--set", change]
    return words + (["--from-text", "--reader", options["reader"]] if options["from_text"] else [])
