"""``dialmeter study distance``, ``study people`` of simulated users, and ``study audit`` of users: text and acts that do not agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

import click

from ..._version import __version__
from ...core.account import Account, account_fields, count_reasons, refused_dialogues
from ...core.comparison import Resampling
from ...core.document import Count, Document, IntervalMethod, Number, SignedScore, describe_intervals
from ...english import KnownWords, english_notices, words_of_dialogue
from ...errors import DialmeterError, InputError, one_line
from ...model import Conversation, Notice
from ...progress import track_reading
from ...readers.conversations import open_conversations
from ...studies.prediction import PredictionScore, read_systems, study_prediction
from ...users.analysis.distance import Distance, act_perplexity, distances, paired_measures, score_divergences
from ...users.blame.words import LabelFinding, LabelKind, label_findings
from ...users.events import COMBINED
from ...users.result import UserSettings, column
from ...users.scorer import ScoringJob, UserScorer, score_conversations
from ...views.summaries.user import distance_summary, labels_summary, prediction_summary, prediction_table
from ...views.tables import Table, table_of
from ..frame import document_output, name_files, named_notices
from ..main import EXIT_INPUT
from ..options import ci_option, command, interval_options, option
from ..printer import EVERY, TEXT, Block, Output, message_block, refused_lines, typed_command
from ..progress import expect_files
from ..study import study_options
from .inputs import scoring_options, settings_from_options


class UserDistanceDocument(Document, kw_only=True):
    """The distance of a simulated user (the second file) from people (the first file).

    Attributes:
        scores: every measure of both users; it has no value if it is a distance or is measured against people.
        distances: every measure with its difference, interval or p value. Values are not fractions.
        intervals: the method of the intervals.
    """

    kind: str = "user"
    command: str = "study distance"
    scores: list[SignedScore]
    distances: list[Distance]
    intervals: IntervalMethod | None


@command()
@click.argument("files", nargs=-1, required=True)
@option("--name NAME* names", "Name of a user; give one for each file.")
@scoring_options
@interval_options(resamples=10_000)
@study_options
def distance(**options: Any) -> Output:
    """Measure how a simulated user (second file) differs from people (first file).

    Turn lengths, acts per turn, vocabulary, diversity, repetitions, questions and the order of slots are compared. The goals may
    differ. If both files have the same dialogues, acts are also compared turn by turn.
    """
    files = options["files"]
    if len(files) != 2:
        raise DialmeterError("study distance takes two files: dialogues of people, then those of the simulated user")
    names = dict(zip(name_files(files, options["names"], "users"), files, strict=True))
    resampling = options["resampling"] or Resampling()
    expect_files(len(names))
    conversations: dict[str, list[Conversation]] = {}
    accounts: dict[str, Account] = {}
    notices: list[Notice] = []
    for name, path in names.items():
        file = open_conversations(path, options["format"], options["goals"])
        conversations[name] = list(track_reading(file))
        if not conversations[name]:
            raise file.refused[0] if file.refused else InputError("no dialogue", file=file.name)
        refused = refused_dialogues(file.refused)
        total = len(conversations[name]) + len(refused)
        accounts[name] = Account("dialogue", total, total, len(conversations[name]), count_reasons(refused), "read")
        notices += named_notices(name, file.notices)
    people, bot = names
    paired, unpaired = paired_measures(conversations[people], conversations[bot], resampling)
    settings = settings_from_options(options)
    scores, unscored = _scores(conversations, settings)
    perplexity, unknown = act_perplexity(conversations[people], conversations[bot], settings.profile)
    measured = [
        *distances(conversations[people], conversations[bot], resampling),
        *paired,
        *perplexity,
        *score_divergences(scores, resampling, settings.signed),
    ]
    notices += [*unpaired, *unknown, *unscored]
    return document_output(
        UserDistanceDocument,
        summary=distance_summary(
            measured,
            (people, bot),
            sum(map(len, conversations.values())),
            1 - resampling.confidence,
            typed_command(),
        ),
        parts=_distance_parts(measured, names, accounts),
        notices=notices,
        scores=[
            {
                "measure": each.measure,
                "value": value,
                "ci": each.ci if value is not None and each.difference is None else None,
                "n": len(conversations[name]),
                "unscored": 0,
                "domain": COMBINED,
                "signature": "|".join(
                    [each.measure, *each.signed, f"d:{len(conversations[name])}", f"v:{__version__}"]
                ),
                "system": name,
            }
            for each in measured
            for name, value in ((people, each.people), (bot, each.bot))
        ],
        **account_fields(accounts),
        counts={"dialogues": sum(map(len, conversations.values())), "systems": 2},
        distances=measured,
        intervals=describe_intervals(resampling),
    )


def _scores(
    conversations: Mapping[str, Sequence[Conversation]], settings: UserSettings
) -> tuple[dict[str, tuple[list[float], list[float]]], list[Notice]]:
    """Return I-GCDF1 and R-GCDF1 of every dialogue of both users, and warnings about unscored dialogues."""
    score_tables, notices = [], []
    for name, side in conversations.items():
        table = score_conversations(side, ScoringJob(settings))
        score_tables.append(table.rows)
        if count := len(table.refused):
            reason = one_line(table.refused[0].message, 200)
            message = f"{name}: {count} of {len(side)} dialogues are unscored for CvM; first reason: {reason}"
            notices.append(Notice("unscored", count, message))
    people, bot = score_tables
    return {
        measure: (
            list(column(people, measure, COMBINED).values()),
            list(column(bot, measure, COMBINED).values()),
        )
        for measure in ("I-GCDF1", "R-GCDF1")
    }, notices


def _distance_parts(
    measured: Sequence[Distance], names: Mapping[str, str], accounts: Mapping[str, Account]
) -> Iterator[Block]:
    people, bot = names

    def interval_or_chance(each: Distance) -> str:
        if each.ci:
            return f"{each.ci[0]:.4g} to {each.ci[1]:.4g}"
        return "" if each.chance is None else f"by chance up to {each.chance:.4g}"

    table = table_of(
        "",
        measured,
        "<measure",
        (people, "people:number"),
        (bot, "bot:number"),
        "difference:number",
        ("interval", interval_or_chance),
        "<meaning=title",
        foot=tuple(f"{name}: {account.line}" for name, account in accounts.items()),
    )
    yield Block(table, EVERY)
    yield Block("Goals are not matched: a difference may come from different goals. Numbers are not percentages.", TEXT)


KINDS: tuple[str, ...] = get_args(LabelKind)


class UserLabelsDocument(Document, kw_only=True):
    """Turns of users whose text and acts do not agree.

    Attributes:
        kinds: number of findings by kind.
        findings: all findings, in the order of the file.
    """

    kind: str = "user"
    command: str = "study audit"
    kinds: dict[str, Count]
    findings: list[LabelFinding]


@command()
@click.argument("file")
@option("--limit", "Maximum number of findings in the summary; other output has all.", least=0, default=8)
@scoring_options
@study_options
def labels(**options: Any) -> Output:
    """Find turns of FILE whose text and acts do not agree. The output is a sheet for correcting labels.

    \b
    not labelled            the text has a value of the goal, but no act has it
    not said                an act has a value, but no word of it is in the text
    reference not resolved  the value refers to another value: "same area"
    """
    settings = settings_from_options(options)
    scorer = UserScorer(settings.rules, settings.profile, settings.value_map)
    conversations = open_conversations(options["file"], options["format"], options["goals"])
    findings: list[LabelFinding] = []
    spoken: dict[str, KnownWords] = {}
    refused: list[InputError] = []
    for conversation in track_reading(conversations):
        try:
            prepared = scorer.prepare(conversation)
        except InputError as error:
            refused.append(error.at(file=conversations.name))
            continue
        spoken[conversation.id] = words_of_dialogue(conversation)
        findings += label_findings(prepared)
    refused += conversations.refused
    dialogues = len(spoken)
    if not dialogues:
        raise refused[0] if refused else InputError("no dialogue", file=conversations.name)
    total = dialogues + len(refused)
    account = Account("dialogue", total, total, dialogues, count_reasons(refused_dialogues(refused)))
    notices = [*conversations.notices, *english_notices(spoken, "values are searched for with English words")]
    kinds: Counter[str] = Counter(each.kind for each in findings)
    return document_output(
        UserLabelsDocument,
        summary=labels_summary(findings, account, options["limit"], typed_command()),
        parts=_label_parts(findings, account),
        notices=notices,
        errors=refused_lines(refused),
        exit_code=EXIT_INPUT if refused else 0,
        account=account,
        counts={"dialogues": dialogues, "findings": len(findings)},
        kinds={kind: kinds[kind] for kind in KINDS},
        findings=findings,
    )


def _label_parts(findings: list[LabelFinding], account: Account) -> Iterator[Block]:
    if findings:
        columns = "<dialogue | turn | <finding=kind | <domain | <slot | <value | <words | <utterance"
        yield Block(table_of("", findings, columns, foot=(account.line,)), EVERY)
    else:
        yield message_block(f"no findings; {account.line}")


class UserPredictionDocument(Document, kw_only=True):
    """Whether a simulated user ranks systems as people do. Values are correlations over systems.

    Attributes:
        scores: Kendall's tau, which decides, Spearman's and Pearson's correlation.
        systems: system → its success with the simulated user, and the number from people.
        same: number of pairs of systems in the same order on both sides.
        opposite: number of pairs in the opposite order.
        least: the lowest tau with p below .05 that so many systems can show; null if there is none.
    """

    kind: str = "user"
    command: str = "study people"
    scores: list[PredictionScore]
    systems: dict[str, tuple[float, float]]
    same: Count
    opposite: Count
    least: Number


@command()
@click.argument("file")
@ci_option
@study_options
def people(**options: Any) -> Output:
    """Does a simulated user rank systems as people do? FILE is a table with the columns system, simulated and people."""
    study = study_prediction(read_systems(options["file"]), options["ci"])
    systems = [(name, *map("{:g}".format, both)) for name, both in study.systems.items()]
    table = Table("", ("system", "simulated", "people"), tuple(systems), frozenset({1, 2}))
    return document_output(
        UserPredictionDocument,
        summary=prediction_summary(study),
        parts=[Block(prediction_table(study), ("markdown", "latex", "csv")), Block(table, ("text", "markdown"))],
        scores=study.correlations,
        counts={"systems": len(systems)},
        systems=study.systems,
        same=study.same,
        opposite=study.opposite,
        least=study.least,
    )
