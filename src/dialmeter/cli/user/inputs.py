"""The options of the flows on users, and functions that read their values, score their files and return the rows of their runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from ...api.users import database_of
from ...core.comparison import Resampling
from ...core.open_runs import is_run, open_run
from ...core.run_writer import RunWriter, ShardTask
from ...errors import DialmeterError, InputError, did_you_mean, one_line
from ...model import Conversation, Notice
from ...readers.conversations import open_conversations, spans_of
from ...readers.layouts.multiwoz import ids_of_list
from ...readers.source import Source
from ...readers.strict_json import parse_as
from ...simulation.understand import TownMaker
from ...users.measures import Key, key_of
from ...users.profile import load as load_profile
from ...users.result import ScoreTable, UserResult, UserRow, UserSettings
from ...users.rules import changed
from ...users.rules import load as load_rules
from ...users.scorer import ScoringJob, score_conversations, score_shard, turn_limit_of_file
from ...users.text.reader import ActMaker, TextReader
from ...users.text.rules import RuleMaker
from ..dry_run import dry_run_output
from ..options import (
    combine_options,
    from_option,
    goals_option,
    map_option,
    option,
    profile_option,
    rules_option,
    value_map_from_options,
)
from ..printer import Output
from ..work import run_shards

endpoint_options = combine_options(
    option("--endpoint URL", "URL of a language model. Needs a model."),
    option("--model NAME", "Name of the model at the endpoint."),
    option("--key-variable NAME", "Environment variable with the API key.", default="OPENAI_API_KEY"),
)
"""Where a language model is."""
cache_option = option("--cache DIR", "Cache the answers of the model in this folder.", default="")
dialogue_options = combine_options(from_option("the file"), goals_option)
only_option = option("--only LIST", "Use only the dialogues in this file, one id per line.")
scoring_options = combine_options(
    dialogue_options,
    map_option,
    profile_option(),
    rules_option("Rule set: dialmeter, or gcdf1-repo for the published evaluator."),
    option("--set KEY=VALUE* changes", "Change one setting of the rule set, such as repetitions.max=4."),
    option(
        "--acts READER",
        "Read the acts of turns without acts from text: rules, town (the templates of the demo data), or model (the language "
        "model at DIALMETER_ENDPOINT); rules(accuracy=FILE) prints the accuracy from `check --set acts=rules -f json`.",
    ),
    endpoint_options,
    cache_option,
)

READERS = ("rules", "town", "model")
"""The readers that find acts in text."""


def parse_acts(text: str) -> tuple[str, str]:
    """Return the name of a reader, and the file with its accuracy if it is given, from the setting ``acts``.

    Raises:
        DialmeterError: there is no such reader.

    Example:
        >>> parse_acts("rules"), parse_acts("rules(accuracy=a.json)")
        (('rules', ''), ('rules', 'a.json'))
    """
    found = re.fullmatch(r"(\w+)\s*(?:\(\s*accuracy\s*=(.+)\))?", text.strip())
    if not found:
        raise DialmeterError(f"--set acts={one_line(text)}: write acts=rules, or acts=rules(accuracy=FILE)")
    if found[1] not in READERS:
        raise DialmeterError(f"--set acts={one_line(text)}: no such reader; {did_you_mean(found[1], READERS)}")
    return found[1], (found[2] or "").strip()


def maker_from_options(options: dict[str, Any]) -> ActMaker:
    """Return the reader of the setting ``acts``."""
    profile, reader = load_profile(options["profile"]), parse_acts(options["acts"])[0]
    if reader == "town":
        return TownMaker()
    if reader == "rules":
        return RuleMaker(profile, value_map_from_options(options))
    if not options["endpoint"] or not options["model"]:
        raise DialmeterError("acts=model needs the environment variables DIALMETER_ENDPOINT and DIALMETER_MODEL")
    from ...users.text.model_maker import ModelMaker

    return ModelMaker(profile, place_from_options(options))


def place_from_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options about a language model and its endpoint."""
    return {name: options[name] for name in ("endpoint", "model", "key_variable", "cache")}


def reading_dry_run(command: str, options: dict[str, Any], conversations: Sequence[Conversation]) -> Output:
    """Estimate the calls of a language model that finds acts in turns without acts. Nothing is sent."""
    if not options["acts"] or parse_acts(options["acts"])[0] != "model":
        raise DialmeterError("--dry-run estimates calls of language models; it needs --set acts=model")
    from ...users.text.model_maker import ModelMaker

    maker = maker_from_options(options)
    assert isinstance(maker, ModelMaker)
    counter = maker.requests.count_requests()
    reader = TextReader(maker, load_profile(options["profile"]))
    for conversation in conversations:
        reader.read(conversation)
    return dry_run_output(
        command,
        {maker.name: counter.estimate},
        {"dialogues": len(conversations)},
        who="reader",
        price=options["price"],
        notes=("a prompt names the domain of earlier turns; it is shorter here if their answers are not cached",),
    )


class _Measured(Struct):
    reader: str = ""
    accuracy: str = ""
    kind: str = ""
    command: str = ""


def measured_accuracy(file: str, reader: str) -> str:
    """Return the accuracy of a reader from a file of ``check --set acts=READER -f json``."""
    source, made_by = Source(file), "`dialmeter check FILE --set acts=READER -f json`"
    measured = parse_as(source.read_all(), _Measured, source.name, what=f"JSON of {made_by}")
    if (measured.command, measured.kind) != ("check", "user") or not measured.reader:
        raise InputError(f"expected the output of {made_by}", file=source.name)
    if measured.reader != reader:
        raise InputError(f"the accuracy is of the reader {measured.reader}, not of {reader}", file=source.name)
    return measured.accuracy


def settings_from_options(options: dict[str, Any]) -> UserSettings:
    """Return the settings for scoring dialogues."""
    maker = maker_from_options(options) if options["acts"] else None
    accuracy = parse_acts(options["acts"])[1] if options["acts"] else ""
    return UserSettings(
        rules=changed(load_rules(options["rules_name"]), *options["changes"]),
        profile=load_profile(options["profile"]),
        value_map=value_map_from_options(options),
        from_text=maker,
        accuracy=measured_accuracy(accuracy, maker.name) if maker is not None and accuracy else "",
    )


def measures_from_options(options: dict[str, Any]) -> tuple[Key, ...]:
    """Return the requested measures with their domains; empty if none is requested."""
    return tuple(dict.fromkeys(key for text in options.get("measures", ()) for key in key_of(text)))


def only_from_options(options: dict[str, Any]) -> frozenset[str] | None:
    """Return the keys of the dialogues in the file of --only; None without it."""
    return frozenset(ids_of_list(options["only"])) if options.get("only") else None


def score_dialogues(
    file: str,
    settings: UserSettings,
    options: dict[str, Any],
    resampling: Resampling | None,
    *,
    writer: RunWriter | None = None,
    only: frozenset[str] | None = None,
    blamed: bool = False,
    keep_rows: bool = False,
    keep_talk: bool = False,
) -> tuple[str, UserResult]:
    """Score a file, in shards if it is large, and return its format and the result; see :class:`ScoringJob`."""
    goals = options["goals"]
    opened = open_conversations(file, options["format"], goals)
    spans = spans_of(file, opened.format, goals)
    if len(spans) > 1:
        opened.close()
    parts = None if writer is None else str(writer.begin())
    job = ScoringJob(
        settings,
        opened.format,
        goals,
        only,
        blamed,
        keep_rows=keep_rows,
        keep_talk=keep_talk,
        database=database_of(settings) if blamed else None,
        limit=turn_limit_of_file(file, opened.format, goals) if blamed else None,
    )
    tasks = [ShardTask(span, place, job, parts) for place, span in enumerate(spans)]

    def score_single(task: ShardTask[ScoringJob]) -> ScoreTable:
        with task.open_rows() as run_rows:
            return score_conversations(opened, job, run_rows)

    table = ScoreTable()
    try:
        for part in run_shards(score_shard, tasks, options, [file], run_single=score_single):
            table.merge(part)
        return opened.format, UserResult(settings, table, resampling, only, measures_from_options(options))
    except InputError as error:
        if writer is not None:
            writer.abandon()
        raise error.at(file=opened.name) from None


def read_user_rows(where: str, options: dict[str, Any]) -> tuple[Iterable[UserRow], list[Notice]]:
    """Return the rows of a run, or score a file of dialogues to get them, and warnings about that."""
    if is_run(where):
        run = open_run(where)
        if run.manifest.get("kind") != "user":
            raise DialmeterError(f"{where}: the run is of kind {run.manifest.get('kind')}, not user")
        return run.rows_as(UserRow), []
    settings, only = settings_from_options(options), only_from_options(options)
    _, result = score_dialogues(where, settings, options, None, only=only, blamed=True, keep_rows=True, keep_talk=True)
    return result.score_table.run_rows, result.notices
