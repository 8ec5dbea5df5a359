"""The commands ``dialmeter user check`` and ``user score``, and what all commands on users share: options, documents, scoring"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from msgspec import UNSET, Struct, UnsetType, field

from ...core.account import Account, read_account
from ...core.comparison import Resampling
from ...core.document import CheckedDocument, ComparedDocument, Count, Document, Number, ScoredDocument, Text
from ...core.engine import note
from ...core.open_runs import open_run
from ...core.run_writer import RunWriter
from ...core.shards import ShardTask
from ...errors import DialmeterError, InputError, one_line
from ...model import Conversation, Notice
from ...readers.conversations import open_conversations, spans_of
from ...readers.formats import LOG_FORMATS
from ...readers.source import Source
from ...readers.strict_json import parse_as
from ...simulation.understand import TownMaker
from ...simulation.world import matches
from ...users import record
from ...users.analysis.check import UserCheck, check_conversations
from ...users.blame import BlameVerdict, Confusion, Loss
from ...users.events import COMBINED, Event
from ...users.profile import load as load_profile
from ...users.record import UserRow
from ...users.result import UserResult, UserSettings, WorstDialogue
from ...users.rules import changed
from ...users.rules import load as load_rules
from ...users.scorer import UserScorer, UserShard, UserShardSettings, score_shard
from ...users.text import ActMaker, RuleMaker, TextReader
from ...views.tables import Table, count_table, percent, records_table, score_records
from ...views.user import event_table, markdown_report, score_table, summarise_verdicts, verdict_tables, worst_table
from ...views.user_figures import UserCounts, user_charts
from .. import options as shared
from ..dry_run import dry_run_option, dry_run_output, price_option
from ..frame import CommandRun, checked_output, scored_output
from ..options import (
    Command,
    combine_options,
    from_option,
    goals_option,
    map_option,
    option,
    profile_option,
    repeated_words,
    rules_option,
    value_map_from_options,
)
from ..printer import (
    CSV,
    EVERY,
    TEXT,
    Block,
    Output,
    message_block,
    refused_lines,
    score_signature_blocks,
    table_blocks,
)
from ..progress import track_reading
from ..work import run_shards, work_options


class UserCompareDocument(ComparedDocument, kw_only=True):
    """A comparison of users on the dialogues with the same goals, each with the first user.

    Attributes:
        domain: the domain that was compared, or combined.
    """

    kind: str = "user"
    command: str = "compare"
    domain: Text


class MatchingDialogue(Struct, kw_only=True):
    """A dialogue that matches the query.

    Attributes:
        goal: the domains of the goal.
        events: the events that match the query.
        losses: the lost points that match the query, with --party or --why.
    """

    dialogue: str
    goal: list[str]
    inform: Number = field(name="I-GCDF1")
    request: Number = field(name="R-GCDF1")
    events: list[Event]
    losses: list[Loss] | UnsetType = UNSET


class UserQueryDocument(Document, kw_only=True):
    """The dialogues that match a query, in the order of the file or run, at most --limit."""

    command: str = "user query"
    dialogues: list[MatchingDialogue]


def endpoint_options(purpose: str) -> Callable[[Command], Command]:
    """Return the options for a language model."""
    return combine_options(
        option("--endpoint URL", f"URL of a language model for {purpose}. Needs --model."),
        option("--model NAME", "Name of the model at --endpoint."),
        option(
            "--key-variable NAME", "Environment variable with the API key for --endpoint.", default="OPENAI_API_KEY"
        ),
    )


cache_option = option(
    "--cache DIR", "Cache the answers of the model in this folder, to continue after an interruption.", default=""
)
reading_options = combine_options(
    option(
        "--reader",
        "Reader that finds acts in text: rules, the templates of the town, or a language model at --endpoint.",
        choices=["rules", "town", "model"],
    ),
    endpoint_options("--reader model"),
    cache_option,
)


def act_maker_from_options(options: dict[str, Any]) -> ActMaker:
    """Return the reader of --reader."""
    profile = load_profile(options["profile"])
    if options["reader"] == "town":
        return TownMaker()
    if options["reader"] == "rules":
        return RuleMaker(profile, value_map_from_options(options))
    if not options["endpoint"] or not options["model"]:
        raise DialmeterError("--reader model needs --endpoint URL and --model NAME")
    from ...users.text.model_maker import ModelMaker

    return ModelMaker(profile, options["endpoint"], options["model"], options["key_variable"], options["cache"])


def reading_dry_run(command: str, options: dict[str, Any], conversations: Sequence[Conversation]) -> Output:
    """Estimate the calls of a language model that finds acts in turns without acts. Nothing is sent."""
    if options["reader"] != "model":
        raise DialmeterError(
            "--dry-run estimates calls of language models; give --reader model, --endpoint and --model"
        )
    from ...users.text.model_maker import ModelMaker

    maker = act_maker_from_options(options)
    assert isinstance(maker, ModelMaker)
    counter = maker.count_requests()
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
    reader: str
    summary: str
    kind: str = ""
    command: str = ""


def measured_accuracy(file: str, reader: str) -> str:
    """Return the accuracy of a reader from a file of ``user understand --json``."""
    source = Source(file)
    measured = parse_as(source.read_all(), _Measured, source.name, what="JSON of `dialmeter user understand --json`")
    if measured.command != "user understand":
        raise InputError("expected the output of `dialmeter user understand --json`", file=source.name)
    if measured.reader != reader:
        raise InputError(f"the accuracy is of the reader {measured.reader}, not of {reader}", file=source.name)
    return measured.summary


dialogue_options = combine_options(from_option("the file"), goals_option)


set_option = option(
    "--set SWITCH=VALUE* changes", "Change one switch of the rule set, such as repetitions.max=4; may be repeated."
)

user_rules_option = rules_option("Rule set: dialmeter, or gcdf1-repo for the published evaluator.")
scoring_options = combine_options(
    map_option,
    profile_option(),
    user_rules_option,
    set_option,
    option("--from-text", "Find acts in the text of turns without acts."),
    reading_options,
    option("--accuracy FILE", "Accuracy of the reader from `user understand --json`, to print with the scores."),
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
    """Score a file, in shards if it is large; ``blamed`` finds out who lost each point."""
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
    lengths = Counter(len(conversation.moves) for conversation in open_conversations(file, format, goals))
    longest = max(lengths, default=0)
    return longest if lengths[longest] > 1 else None


def _score_shard_noted(task: ShardTask[UserShardSettings]) -> UserShard:
    return score_shard(task, at=note)


def read_user_rows(
    where: str, options: dict[str, Any], *, blamed: bool = False
) -> tuple[Iterable[UserRow], Account | None, list[Notice]]:
    """Return rows, account and notices of a run, or score a file of dialogues to get them. Old runs have no account."""
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
    """Yield the dialogues that match a query: turn by turn if requested, and as a table."""
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
    """Return the command that prints a dialogue turn by turn. For a file, it repeats the options for reading and scoring."""
    words = ["dialmeter", "user", "query", where, "--dialogue", dialogue]
    if not is_run(where):
        words += repeated_words("format goals value_map profile rules_name changes")
        words += ["--from-text", "--reader", options["reader"]] if options["from_text"] else []
    return f"Next: {shlex.join(one_line(word, 1000) for word in words)}"


def is_run(where: str) -> bool:
    """Return True for the folder of a run, finished or not."""
    folder = Path(where)
    return folder.is_dir() and ((folder / "run.json").exists() or (folder / "parts").exists())


class BlameRecord(Struct, kw_only=True):
    """The parties that lost points, and the reasons.

    Attributes:
        first: a sentence about the confusion that lost the most points; empty if nobody misheard.
        failed: number of dialogues in which a unit of the goal is missing, or that were cut.
        dialogues: number of dialogues by the party with most of their losses: missing units (recall), surplus units (precision).
        points: number of lost points by side, measure and party.
        confusions: number of lost points by what was said and heard, the most frequent first, with the gain if it were mended.
        reasons: number of lost points by reason.
        examples: the dialogue and the lost point of one example for each reason.
    """

    first: str
    failed: Count
    dialogues: dict[str, dict[str, Count]]
    points: dict[str, dict[str, dict[str, Count]]]
    confusions: list[Confusion]
    reasons: dict[str, Count]
    examples: list[dict[str, Loss | str]]


class UserScoreDocument(ScoredDocument, kw_only=True):
    """The six measures over all domains together, then by domain.

    Attributes:
        events: number of events by class and domain.
        worst: up to three dialogues that lost points, the worst first; null if a measure has no value.
        verdicts: with --blame.
    """

    kind: str = "user"
    command: str = "score"
    events: dict[str, dict[str, Count]]
    worst: list[WorstDialogue]
    verdicts: BlameRecord | UnsetType = UNSET


class UserCheckDocument(CheckedDocument, kw_only=True):
    """The validation of a file. The scores are those of users that say exactly their goals; there are no scores if no
    dialogue can be scored."""

    kind: str = "user"
    command: str = "check"


@shared.command()
@click.argument("dialogues")
@dialogue_options
@scoring_options
def check(**options: Any) -> Output:
    """Validate DIALOGUES before scoring them, and score users that say exactly their goals.

    The exit code is 0 if `score` would accept every dialogue, and 2 otherwise.
    """
    conversations = open_conversations(options["dialogues"], options["format"], options["goals"])
    checked = check_conversations(
        conversations,
        user_settings_from_options(options),
        lambda each: track_reading(each, conversations, options["quiet"]),
    )
    dialogues = checked.counts["dialogues"]
    printed = options["style"] != "json" and dialogues > 0
    errors = refused_lines(checked.refused)
    if not dialogues and not errors:
        errors = [f"{one_line(options['dialogues'], 200)}: no dialogue can be scored"]
    return checked_output(
        UserCheckDocument,
        checked,
        parts=_check_parts(checked, one_line(options["dialogues"], 200)),
        notices=checked.notices if printed else [],
        errors=errors,
        scores=checked.self_scores,
    )


def _check_parts(checked: UserCheck, file: str) -> Iterator[Block]:
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
        yield Block("ready to be scored" if checked.valid else "not ready to be scored", gap=())
    yield Block(count_table("", ("content", "count"), counts), EVERY[1:])


@shared.command()
@click.argument("dialogues")
@dialogue_options
@scoring_options
@dry_run_option
@price_option
@work_options
@shared.interval_options(resamples=1000)
@shared.option("--blame blamed", "Report who lost each point, at which turn, and why.")
@shared.missing_option
@shared.run_options
@shared.fail_if_option("I-GCDF1 < 0.8")
def score(**options: Any) -> Output:
    """Score a user simulator on DIALOGUES with goals (- for standard input).

    I-GCDF1 measures whether the user says all constraints of its goal and nothing else. R-GCDF1 measures whether it asks for
    everything that it should. Dialogues that cannot be scored are listed. The exit code is then 2, but the scores of the other
    dialogues are printed.
    """
    if options["dry_run"]:
        if not options["from_text"]:
            raise DialmeterError(
                "--dry-run estimates calls of language models that find acts in text; it needs --from-text"
            )
        conversations = open_conversations(options["dialogues"], options["format"], options["goals"])
        return reading_dry_run("user score", options, list(conversations))
    paths = {"dialogues": options["dialogues"], "goals": options["goals"], "map": shared.value_map_file(options)}
    run = CommandRun(options, paths)
    settings = user_settings_from_options(options)
    run.begin(lambda inputs: record.identity(inputs, settings, options["blamed"]))
    scored = score_dialogues(
        options["dialogues"],
        settings,
        options,
        options["resampling"],
        writer=run.writer,
        blamed=options["blamed"],
    )
    result = scored.result
    verdicts = summarise_verdicts(scored.verdicts, result) if options["blamed"] else None
    name = Path(options["dialogues"]).name
    extra = {"verdicts": verdicts} if verdicts is not None else {}
    run.finish(lambda writer, about: record.finish(writer, result, about, markdown_report(name, result), **extra))

    def check() -> None:
        combined = ("domain", COMBINED)
        scores = [{key: value for key, value in each.items() if (key, value) != combined} for each in result.to_dicts()]
        shared.check_conditions(options["conditions"], scores)

    return scored_output(
        UserScoreDocument,
        result,
        options,
        f"{result.account.unscored} of {result.account.asked} dialogues cannot be scored",
        {"format": scored.format, "worst": result.worst(3), **extra},
        parts=_score_parts(result, verdicts, scored.format, options),
        charts=lambda: user_charts(UserCounts.of(scored.rows)),
        check=check,
    )


def _score_parts(
    result: UserResult, verdicts: dict[str, Any] | None, format: str, options: dict[str, Any]
) -> Iterator[Block]:
    heading = (one_line(options["dialogues"]), f"format {format}", f"{result.turns} turns")
    yield Block("  ".join([*heading, f"rules {result.rules.name}", f"profile {result.settings.profile.name}"]), TEXT)
    if verdicts is not None and verdicts["first"]:
        yield Block(verdicts["first"])
    yield Block(score_table(result.scores, result.account))
    yield Block(records_table(score_records([({}, each) for each in result.scores])), CSV)
    if verdicts is not None:
        rows = [{**each, **each["gains"]} for each in verdicts["confusions"]]
        keys = ("party", "said", "heard", "points", "dialogues", "I-GCDF1", "R-GCDF1", "example")
        yield from table_blocks([records_table(rows, keys)], CSV)
    yield from score_signature_blocks(result.scores, options["verbose"])
    yield from table_blocks([event_table(result.events, options["verbose"])])
    yield from table_blocks(verdict_tables(verdicts) if verdicts is not None else [])
    yield from table_blocks([worst_table(result, 3)], TEXT)
    worst, where = result.worst(1), options["out"] or options["dialogues"]
    if not worst:
        yield Block("No dialogue lost a point.", TEXT)
    elif where != "-":
        yield Block(next_line(where, worst[0].dialogue, options), TEXT)
