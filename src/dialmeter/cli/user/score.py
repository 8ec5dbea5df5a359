"""``dialmeter user check`` and ``user score``"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from msgspec import UNSET, Struct, UnsetType

from ...core.document import CheckedDocument, Count, ScoredDocument
from ...errors import DialmeterError, one_line
from ...readers.conversations import open_conversations
from ...readers.formats import LOG_FORMATS
from ...users import record
from ...users.analysis.check import UserCheck, check_talk
from ...users.blame import Confusion, Loss
from ...users.events import COMBINED
from ...users.result import UserResult, WorstDialogue
from ...views.tables import count_table, percent, records_table, score_records
from ...views.user import event_table, markdown_report, score_table, summarise_verdicts, verdict_tables, worst_table
from ...views.user_figures import UserCounts, user_charts
from .. import options as shared
from ..dry_run import dry_run_option, price_option
from ..frame import CommandRun, checked_output, scored_output
from ..printer import CSV, EVERY, TEXT, Block, Output, refused_lines, score_signature_blocks, table_blocks
from ..progress import track_reading
from ..work import work_options
from .scoring import (
    dialogue_options,
    next_line,
    reading_dry_run,
    score_dialogues,
    scoring_options,
    user_settings_from_options,
)


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

    command: str = "user score"
    events: dict[str, dict[str, Count]]
    worst: list[WorstDialogue]
    verdicts: BlameRecord | UnsetType = UNSET


class UserCheckDocument(CheckedDocument, kw_only=True):
    """The validation of a file. The scores are those of users that say exactly their goals; there are no scores if no
    dialogue can be scored."""

    command: str = "user check"


@shared.command()
@click.argument("dialogues")
@dialogue_options
@scoring_options
def check(**options: Any) -> Output:
    """Validate DIALOGUES before scoring them, and score users that say exactly their goals.

    The exit code is 0 if `score` would accept every dialogue, and 2 otherwise.
    """
    talks = open_conversations(options["dialogues"], options["format"], options["goals"])
    checked = check_talk(
        talks, user_settings_from_options(options), lambda each: track_reading(each, talks, options["quiet"])
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
        yield Block("ready to be scored" if checked.fit else "not ready to be scored", gap=())
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
@shared.option("--logs", "Also show events that are only notes.")
@shared.skip_bad_option
@shared.chart_options
@shared.run_options
@shared.fail_if_option("I-GCDF1 < 0.8")
@shared.signatures_option
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
        talks = open_conversations(options["dialogues"], options["format"], options["goals"])
        return reading_dry_run("user score", options, list(talks))
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
        with_rows=bool(options["charts"]),
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
    yield from score_signature_blocks(result.scores, options["signatures"])
    yield from table_blocks([event_table(result.events, options["logs"])])
    yield from table_blocks(verdict_tables(verdicts) if verdicts is not None else [])
    yield from table_blocks([worst_table(result, 3)], TEXT)
    worst, where = result.worst(1), options["out"] or options["dialogues"]
    if not worst:
        yield Block("No dialogue lost a point.", TEXT)
    elif where != "-":
        yield Block(next_line(where, worst[0].dialogue, options), TEXT)
