"""The flows of ``check``, ``score`` and ``compare`` for users"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any

import click
from click.core import ParameterSource
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from ...core.account import Account, count_reasons, refused_dialogues
from ...core.comparison import Resampling, make_resampling
from ...core.document import CheckedDocument, ComparedDocument, Count, ScoredDocument, Text
from ...core.record import finish_run
from ...core.result import score_dict
from ...english import english_notices, words_of_dialogue
from ...errors import DialmeterError, InputError, one_line
from ...measure import Score
from ...model import USER, Conversation, Notice
from ...progress import track_reading
from ...readers.conversations import is_log, open_conversations
from ...users.analysis.check import UserCheck, check_conversations
from ...users.blame.verdict import Confusion, Loss
from ...users.compare import SHOWN_MEASURES, compare_users
from ...users.events import COMBINED
from ...users.result import UserResult, UserSettings, WorstDialogue, column, identity
from ...users.scorer import ScoringJob, UserScorer, score_conversations
from ...users.text.reader import (
    ReadingAccuracy,
    ReadUnits,
    ScoreEffect,
    TextReader,
    measure_reading,
    score_effect,
    short,
    without_acts,
)
from ...views.ladder import ladder_charts
from ...views.summaries.user import check_summary, compare_summary, measure_table, reading_summary, score_summary
from ...views.tables import Table, count_table, percent, records_table, score_records, table_of
from ...views.user import (
    UserCounts,
    comparison_chart,
    comparison_table,
    event_table,
    pattern_tables,
    score_table,
    summarise_verdicts,
    user_charts,
    verdict_tables,
    worst_table,
)
from .. import options as shared
from ..dry_run import dry_run_option, price_option
from ..frame import (
    CommandRun,
    check_count,
    checked_output,
    compared_output,
    comparison_parts,
    document_output,
    fail_if,
    name_files,
    named_notices,
    scored_output,
)
from ..main import EXIT_INPUT
from ..printer import (
    CSV,
    EVERY,
    TEXT,
    Block,
    Output,
    refused_lines,
    score_signature_blocks,
    table_blocks,
    typed_command,
)
from ..progress import expect_files
from ..study import study_options
from ..work import work_options
from .inputs import (
    maker_from_options,
    measures_from_options,
    only_from_options,
    only_option,
    parse_acts,
    reading_dry_run,
    score_dialogues,
    scoring_options,
    settings_from_options,
)
from .logs import compare_logs, score_log


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
    """The six measures over all domains together, then by domain; with -m only the requested ones.

    Attributes:
        events: number of events by class and domain.
        worst: up to three dialogues that lost points, the worst first; null if a measure has no value.
        verdicts: who lost the points; absent with --set blame=no.
        patterns: with --by pattern: kind → domain → pattern → number of parts of goals.
        goals: with --by pattern: domain → number of goals with it.
    """

    kind: str = "user"
    command: str = "score"
    events: dict[str, dict[str, Count]]
    worst: list[WorstDialogue]
    verdicts: BlameRecord | UnsetType = UNSET
    patterns: dict[str, dict[str, dict[str, Count]]] | UnsetType = UNSET
    goals: dict[str, Count] | UnsetType = UNSET


class UserCheckDocument(CheckedDocument, kw_only=True):
    """The validation of a file. The scores are those of users that say exactly their goals; there are no scores if no
    dialogue can be scored.

    Attributes:
        reader: with --set acts=READER on dialogues with acts: the name of the reader that finds acts in text.
        accuracy: precision and recall of the reader as a text.
        reading: the accuracy of all units together, then by domain and slot.
        effects: the effect of the reader on the scores of dialogues with goals.
    """

    kind: str = "user"
    command: str = "check"
    reader: Text | UnsetType = UNSET
    accuracy: str | UnsetType = UNSET
    reading: list[ReadUnits] | UnsetType = UNSET
    effects: list[ScoreEffect] | UnsetType = UNSET


@shared.command()
@click.argument("dialogues")
@scoring_options
@dry_run_option
@price_option
def check(**options: Any) -> Output:
    """Validate DIALOGUES before scoring them, and score users that say exactly their goals.

    With --set acts=READER, the accuracy of the reader is measured on dialogues that have acts.

    The exit code is 0 if `score` would accept every dialogue, and 2 otherwise.
    """
    file = one_line(options["dialogues"], 200)
    if options["acts"] and options["dialogues"] != "-":
        with closing(open_conversations(options["dialogues"], options["format"], options["goals"])) as conversations:
            is_labelled = any(map(_has_acts, conversations))
        if is_labelled:
            return check_reading(options)
    conversations = open_conversations(options["dialogues"], options["format"], options["goals"])
    if options["dry_run"]:
        return reading_dry_run("check", options, list(conversations))
    checked = check_conversations(conversations, settings_from_options(options))
    errors = refused_lines(checked.refused)
    if not checked.counts["dialogues"] and not errors:
        errors = [f"{file}: no dialogue can be scored"]
    return checked_output(
        UserCheckDocument,
        checked,
        summary=check_summary(checked, typed_command()),
        parts=_check_parts(checked, file),
        notices=checked.notices if options["style"] != "json" and checked.counts["dialogues"] else [],
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
    else:
        yield Block("ready to be scored" if checked.valid else "not ready to be scored", gap=())
    yield Block(count_table("", ("content", "count"), counts), EVERY[1:])


@shared.command()
@click.argument("dialogues")
@only_option
@shared.measure_option
@scoring_options
@dry_run_option
@price_option
@work_options
@shared.interval_options(resamples=1000)
@shared.by_option(("domain", "pattern", "kind"))
@shared.option("--blame", "Find out who lost each point (it takes most of the time).", choices=["yes", "no"])
@shared.missing_option
@shared.latex_option
@shared.run_options
@shared.fail_if_option
def score(**options: Any) -> Output:
    """Score a user simulator on DIALOGUES with goals (- for standard input), or the user in a system's log.

    I-GCDF1 measures whether the user says all constraints of its goal and nothing else. R-GCDF1 measures whether it asks for
    everything that it should. Dialogues that cannot be scored are listed. The exit code is then 2, but the scores of the other
    dialogues are printed.
    """
    if is_log(options["dialogues"], options["format"], unknown=False):
        return score_log(options, _log_resampling(options))
    if options["dry_run"]:
        conversations = open_conversations(options["dialogues"], options["format"], options["goals"])
        return reading_dry_run("score", options, list(conversations))
    settings, blamed = settings_from_options(options), options["blame"] == "yes"
    paths = {"dialogues": options["dialogues"], "gold": options["goals"], "only": options["only"]}
    run = CommandRun(options, {**paths, "map": shared.value_map_file(options)})
    run.begin(lambda inputs: identity(inputs, settings, blamed))
    format, result = score_dialogues(
        options["dialogues"],
        settings,
        options,
        options["resampling"],
        writer=run.writer,
        only=only_from_options(options),
        blamed=blamed,
        keep_rows="pattern" in options["by"] or run.writer is not None,
    )
    verdicts = None if result.verdicts is None else summarise_verdicts(result.verdicts, result)
    extra = {"verdicts": verdicts} if verdicts is not None else {}
    run.finish(lambda writer, about: finish_run(writer, about, result, **extra))
    tally = UserCounts.of(result.score_table.run_rows)
    scores = [*result.scores, *(_domain_scores(result) if "domain" in options["by"] else [])]
    has_patterns = "pattern" in options["by"]

    def check() -> None:
        combined = ("domain", COMBINED)
        every = map(score_dict, result.all_scores)
        fail_if(options, [{key: value for key, value in each.items() if (key, value) != combined} for each in every])

    return scored_output(
        UserScoreDocument,
        result,
        options,
        f"{result.account.unscored} of {result.account.asked} dialogues cannot be scored",
        {
            "format": format,
            "worst": result.worst(3),
            "scores": list(map(score_dict, scores)),
            **({"patterns": tally.patterns, "goals": dict(sorted(tally.goals.items()))} if has_patterns else {}),
            "verdicts": UNSET if verdicts is None else verdicts,
        },
        summary=score_summary(result, typed_command()),
        parts=_score_parts(result, scores, verdicts, _group_tables(result, tally, options["by"]), options),
        charts=lambda: user_charts(tally),
        check=check,
    )


def _log_resampling(options: dict[str, Any]) -> Resampling | None:
    """Return the settings of the intervals of a log, which has fewer tasks than a corpus has dialogues, so more resamples."""
    is_default = click.get_current_context().get_parameter_source("resamples") is ParameterSource.DEFAULT
    return make_resampling(options["ci"], 10_000 if is_default else options["resamples"], options["seed"])


_HEADINGS = ("measure", "value", "interval", "unscored")


def _domain_scores(result: UserResult) -> list[Score]:
    """Return the requested measures in every domain, without those that were requested."""
    measures = dict.fromkeys(measure for measure, _ in result.measures)
    keys = [(measure, domain) for measure in measures for domain in result.domains]
    return [result.score(key) for key in keys if key not in result.measures]


def _group_tables(result: UserResult, tally: UserCounts, groups: Sequence[str]) -> Iterator[Table]:
    if "domain" in groups and result.measures:
        yield replace(measure_table(_domain_scores(result)), headings=_HEADINGS, foot=(result.account.line,))
    elif "domain" in groups:
        yield score_table(result.all_scores, result.account)
    if "pattern" in groups:
        yield from pattern_tables(tally.patterns, tally.goals)


def _score_parts(
    result: UserResult,
    scores: Sequence[Score],
    verdicts: dict[str, Any] | None,
    groups: Iterable[Table],
    options: dict[str, Any],
) -> Iterator[Block]:
    heading = (one_line(options["dialogues"]), f"{result.turns} turns")
    yield Block("  ".join([*heading, f"rules {result.rules.name}", f"profile {result.settings.profile.name}"]), TEXT)
    if verdicts is not None and verdicts["first"]:
        yield Block(verdicts["first"])
    if result.measures:
        yield Block(replace(measure_table(result.scores), headings=_HEADINGS, foot=(result.account.line,)))
    elif "domain" not in options["by"]:
        yield Block(score_table(result.scores, result.account))
    yield Block(records_table(score_records([({}, each) for each in scores])), CSV)
    if verdicts is not None:
        rows = [{**each, **each["gains"]} for each in verdicts["confusions"]]
        keys = ("lost_by", "said", "heard", "points", "dialogues", "I-GCDF1", "R-GCDF1", "example")
        yield from table_blocks([records_table(rows, keys)], CSV)
    yield from table_blocks(groups, asked=True)
    yield from score_signature_blocks(result.scores, options["verbose"])
    yield from table_blocks([event_table(result.events, options["verbose"])])
    yield from table_blocks(verdict_tables(verdicts) if verdicts is not None else [])
    yield from table_blocks([worst_table(result, 3)], TEXT)


def check_reading(options: dict[str, Any]) -> Output:
    """Measure how well a reader finds acts in the text of dialogues that have acts.

    The reader gets the text of all turns without their acts. The acts that it finds for the user are compared with the user's
    acts. Dialogues with goals are scored twice, from acts and from text.
    """
    reader, accuracy_file = parse_acts(options["acts"])
    if accuracy_file:
        raise DialmeterError(f"`dialmeter check` measures the accuracy of the reader; write --set acts={reader}")
    settings = settings_from_options({**options, "acts": ""})
    conversations = open_conversations(options["dialogues"], options["format"], options["goals"])
    matcher = UserScorer.under(settings).setup.matcher
    maker = maker_from_options(options)
    found = [each for each in track_reading(conversations) if each.moves]
    usable = [each for each in found if _has_acts(each)]
    refused = [*conversations.refused]
    refused += [
        InputError("no acts", dialogue=each.id).at(file=conversations.name) for each in found if not _has_acts(each)
    ]
    if options["dry_run"]:
        return reading_dry_run("check", options, [without_acts(each) for each in usable])
    notices = list(conversations.notices)
    if reader != "model":
        words = {each.id: words_of_dialogue(each) for each in usable}
        notices += english_notices(words, "the reader knows only English words")
    accuracy, pairs = measure_reading(usable, TextReader(maker, settings.profile), settings.profile, matcher)
    # Dialogues with goals are scored twice.
    by_acts, from_text = (
        score_conversations([pair[side] for pair in pairs if pair[0].goal], ScoringJob(settings)).rows
        for side in (0, 1)
    )
    effects = []
    for name in ("I-GCDF1", "R-GCDF1"):
        one, other = column(by_acts, name, COMBINED), column(from_text, name, COMBINED)
        if both := [(one[each], other[each]) for each in one if each in other]:
            effects.append(score_effect(name, both))
    accuracy = replace(accuracy, effects=tuple(effects))
    account = Account("dialogue", len(found), len(found), len(usable), count_reasons(refused_dialogues(refused)))
    return document_output(
        UserCheckDocument,
        summary=reading_summary(accuracy, account, typed_command()),
        parts=_reading_parts(accuracy, account),
        notices=notices,
        errors=refused_lines(refused),
        exit_code=EXIT_INPUT if refused else 0,
        account=account,
        counts={"dialogues": accuracy.dialogues, "turns": accuracy.turns},
        scores=[],
        format=conversations.format,
        valid=not refused,
        problems=[Notice("unscored", 1, each.message, (str(each),)) for each in refused],
        reader=accuracy.maker,
        accuracy=accuracy.summary,
        reading=accuracy.units,
        effects=accuracy.effects,
    )


def _has_acts(conversation: Conversation) -> bool:
    return any(move.acts for move in conversation.moves if move.speaker == USER)


def _reading_parts(accuracy: ReadingAccuracy, account: Account) -> Iterator[Block]:
    yield Block(f"reader {accuracy.maker}: {accuracy.summary}")
    table = table_of(
        "",
        accuracy.units,
        ("<unit", lambda each: {"inform": "said", "request": "requested"}[each.kind]),
        *((f"<{name}", lambda each, name=name: getattr(each, name) or "all") for name in ("domain", "slot")),
        *((name, lambda each, name=name: short(getattr(each, name))) for name in ("precision", "recall")),
        "right | found | given",
        foot=(account.line,),
    )
    yield Block(table, EVERY)
    if accuracy.effects:
        table = table_of(
            "effect of the reader on scores",
            accuracy.effects,
            "<measure | by acts=by_acts:percent | from text=from_text:percent | bias:signed",
            ("correlation", lambda each: "–" if each.correlation is None else f"{each.correlation:.2f}"),
            "dialogues=n",
        )
        yield Block(table, EVERY)


class UserCompareDocument(ComparedDocument, kw_only=True):
    """A comparison of users on the dialogues with the same goals, each with the first user."""

    kind: str = "user"
    command: str = "compare"


@shared.command()
@click.argument("files", nargs=-1, required=True)
@shared.option("--name NAME* names", "Name of a user; give one for each file.")
@only_option
@shared.measure_option
@scoring_options
@work_options
@shared.interval_options(resamples=10_000)
@shared.latex_option
@shared.fail_if_option
@study_options
def compare(**options: Any) -> Output:
    """Compare users on the same goals. FILES are their dialogues. The first file is the baseline.

    Dialogues are matched by id, and only dialogues with equal goals are compared. p values are two-sided, paired, and
    corrected by Holm over the whole table.

    If FILES are logs of systems, their users are compared on the same tasks: GoalRecall, and the shares of dialogues without
    events, with the t test over tasks.
    """
    files = options["files"]
    check_count(files, "files")
    if "-" in files:
        raise DialmeterError("compare reads its files twice; standard input can be read only once")
    names = dict(zip(name_files(files, options["names"], "users"), files, strict=True))
    if is_log(files[0], options["format"], unknown=False):
        return compare_logs(UserCompareDocument, names, options)
    settings, resampling = settings_from_options(options), options["resampling"] or Resampling()
    keys = measures_from_options(options) or SHOWN_MEASURES
    expect_files(len(files))

    def score_all(only: frozenset[str] | None, other: UserSettings | None) -> dict[str, UserResult]:
        # Scores with other settings need no intervals, because only their differences are shown.
        drawn = resampling if other is None else None
        scored = (score_dialogues(file, other or settings, options, drawn, only=only) for file in names.values())
        return {name: result for name, (_, result) in zip(names, scored, strict=True)}

    chosen = None if options["only"] == COMMON else only_from_options(options)
    comparison, uncommon, whole_results = compare_users(score_all, chosen, resampling, keys)
    results = comparison.results
    dialogues = next(iter(results.values())).account.asked
    # Warnings about unscored dialogues come from the whole file, all others from the compared dialogues.
    own = [
        named
        for name, result in results.items()
        for refused, notices in ((True, whole_results[name].notices), (False, result.notices))
        for named in named_notices(name, notices)
        if (named.code == "unscored") is refused
    ]
    scores = {name: [result.score(key) for key in keys] for name, result in results.items()}
    return compared_output(
        UserCompareDocument,
        comparison,
        options,
        resampling=resampling,
        notices=[*uncommon, *comparison.notices, *own],
        fields={
            "counts": {"dialogues": dialogues, "systems": len(results)},
            "scores": [{**score_dict(each), "system": name} for name, listed in scores.items() for each in listed],
        },
        summary=compare_summary(comparison, typed_command(), keys, uncommon),
        parts=comparison_parts(
            comparison_table(comparison, keys),
            scores,
            comparison,
            f"{dialogues} dialogues with the same goal for every user",
            who="user",
        ),
        charts=lambda: [*ladder_charts(comparison.ladders), comparison_chart(comparison, keys)],
    )


COMMON = "common"
"""The value of --only for the dialogues that all files have. Users are always compared on the goals that all have."""
