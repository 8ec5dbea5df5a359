"""The flow of ``compare`` for users"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from ..._version import __version__
from ...core.account import Account, account_fields, count_reasons, refused_dialogues
from ...core.comparison import PairedDifference, Resampling
from ...core.document import ComparedDocument, describe_intervals
from ...core.result import score_dict
from ...errors import DialmeterError, InputError, one_line
from ...model import Conversation, Notice
from ...readers.conversations import is_log, open_conversations
from ...users.analysis.distance import Distance, distances, paired_measures, score_divergences
from ...users.compare import SHOWN_MEASURES, common_goals
from ...users.compare import compare as compare_users
from ...users.events import COMBINED
from ...users.result import UserResult, UserSettings
from ...users.score_table import column
from ...users.scorer import UserScorer
from ...views.ladder import ladder_charts
from ...views.summaries.user import compare_summary
from ...views.tables import table_of
from ...views.user import comparison_chart, comparison_table
from ..frame import (
    check_count,
    compared_output,
    comparison_parts,
    document_output,
    name_files,
    named_notices,
)
from ..options import (
    command,
    fail_if_option,
    interval_options,
    latex_option,
    measure_option,
    option,
)
from ..printer import EVERY, TEXT, Block, Output, typed_command
from ..progress import expect_files, track_reading
from ..study import study_options
from ..work import work_options
from .inputs import (
    measures_from_options,
    only_from_options,
    only_option,
    score_dialogues,
    scoring_options,
    settings_from_options,
)
from .logs import compare_logs


class UserCompareDocument(ComparedDocument, kw_only=True):
    """A comparison of users on the dialogues with the same goals, each with the first user."""

    kind: str = "user"
    command: str = "compare"


@command()
@click.argument("files", nargs=-1, required=True)
@option("--name NAME* names", "Name of a user; give one for each file.")
@option("--distance", "Measure how a simulated user (second file) differs from people (first file).")
@only_option
@measure_option
@scoring_options
@work_options
@interval_options(resamples=10_000)
@latex_option
@fail_if_option("I-GCDF1 < 0.8", verdicts=True)
@study_options
def compare(**options: Any) -> Output:
    """Compare users on the same goals. FILES are their dialogues. The first file is the baseline.

    Dialogues are matched by id, and only dialogues with equal goals are compared. p values are two-sided, paired, and
    corrected by Holm over the whole table.

    If FILES are logs of agents, their users are compared on the same tasks: ItemRecall, and the shares of dialogues without
    events, with the t test over tasks.
    """
    files = options["files"]
    check_count(files, "files")
    if "-" in files:
        raise DialmeterError("compare reads its files twice; standard input can be read only once")
    names = dict(zip(name_files(files, options["names"], "users"), files, strict=True))
    if options["distance"]:
        return compare_distance(names, options)
    if is_log(files[0], options["format"], unknown=False):
        return compare_logs(UserCompareDocument, names, options)
    settings, resampling = settings_from_options(options), options["resampling"] or Resampling()
    keys = measures_from_options(options) or SHOWN_MEASURES
    expect_files(len(files))

    def score_users(only: frozenset[str] | None, other: UserSettings | None = None) -> dict[str, UserResult]:
        # Scores with other settings need no intervals, because only their differences are shown.
        drawn = resampling if other is None else None
        return {
            name: score_dialogues(file, other or settings, options, drawn, only=only).result
            for name, file in names.items()
        }

    chosen = None if options["only"] == COMMON else only_from_options(options)
    results = whole_results = score_users(chosen)
    common = common_goals(results)
    if any(result.account.asked > len(common.keys) for result in results.values()):
        results = score_users(common.keys)
    only = common.keys if results is not whole_results else chosen
    comparison = compare_users(results, resampling, keys, lambda other: score_users(only, other))
    notices = [*common.notices, *comparison.notices, *_notices(whole_results, results)]
    scores = {name: [result.score(key) for key in keys] for name, result in results.items()}
    return compared_output(
        UserCompareDocument,
        comparison,
        options,
        resampling=resampling,
        notices=notices,
        fields={
            "counts": {"dialogues": len(common.keys), "systems": len(results)},
            "scores": [{**score_dict(each), "system": name} for name, listed in scores.items() for each in listed],
        },
        summary=compare_summary(comparison, typed_command(), keys, common.notices),
        parts=comparison_parts(
            comparison_table(comparison, keys),
            scores,
            comparison,
            f"{len(common.keys)} dialogues with the same goal for every user",
            who="user",
        ),
        charts=lambda: [*ladder_charts(comparison.ladders), comparison_chart(comparison, keys)],
    )


COMMON = "common"
"""The value of --only for the dialogues that all files have. Users are always compared on the goals that all have."""


def _notices(whole_results: Mapping[str, UserResult], results: Mapping[str, UserResult]) -> list[Notice]:
    """Return the warnings about each user, with its name.

    Warnings about unscored dialogues come from the whole file, all others from the compared dialogues.
    """
    return [
        each
        for name, result in results.items()
        for refused, notices in ((True, whole_results[name].notices), (False, result.notices))
        for each in named_notices(name, notices)
        if (each.code == "refused") is refused
    ]


def compare_distance(names: Mapping[str, str], options: dict[str, Any]) -> Output:
    """Measure how the user of the second file differs from the people of the first file."""
    if len(names) != 2:
        raise DialmeterError("--distance takes two files: dialogues of people, then those of the simulated user")
    resampling = options["resampling"] or Resampling()
    expect_files(len(names))
    conversations: dict[str, list[Conversation]] = {}
    accounts: dict[str, Account] = {}
    notices: list[Notice] = []
    for name, path in names.items():
        file = open_conversations(path, options["format"], options["goals"])
        conversations[name] = list(track_reading(file, file, options["quiet"]))
        refused = refused_dialogues(file.refused)
        total = len(conversations[name]) + len(refused)
        accounts[name] = Account("dialogue", total, total, len(conversations[name]), count_reasons(refused), "read")
        notices += named_notices(name, file.notices)
    human, simulated = names
    paired, unpaired = paired_measures(conversations[human], conversations[simulated], resampling)
    settings = settings_from_options(options)
    scores, unscored = _scores(conversations, settings)
    measured = [
        *distances(conversations[human], conversations[simulated], resampling),
        *paired,
        *score_divergences(scores, resampling, settings.signed),
    ]
    notices += [*unpaired, *unscored]
    return document_output(
        UserCompareDocument,
        parts=_parts(measured, names, accounts),
        notices=notices,
        ladder=[],
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
            for name, value in ((human, each.human), (simulated, each.simulated))
        ],
        **account_fields(accounts),
        counts={"dialogues": sum(map(len, conversations.values())), "systems": 2},
        versus=[
            PairedDifference(
                each.measure, simulated, human, each.difference, each.ci, each.p, None, 0, 0, 0, _chance_text(each)
            )
            for each in measured
            if each.difference is not None
        ],
        intervals=describe_intervals(resampling),
    )


def _scores(
    conversations: Mapping[str, Sequence[Conversation]], settings: UserSettings
) -> tuple[dict[str, tuple[list[float], list[float]]], list[Notice]]:
    """Return I-GCDF1 and R-GCDF1 of every dialogue of both users, and warnings about unscored dialogues."""
    score_tables, notices = [], []
    for name, side in conversations.items():
        scorer = UserScorer.under(settings)
        for conversation in side:
            try:
                scorer.add(conversation)
            except InputError as error:
                scorer.refuse(error)
        score_tables.append(scorer.score_table.rows)
        if scorer.refused:
            reason = one_line(scorer.refused[0].message, 200)
            message = (
                f"{name}: {len(scorer.refused)} of {len(side)} dialogues are unscored for CvM; first reason: {reason}"
            )
            notices.append(Notice("unscored", len(scorer.refused), message))
    human, simulated = score_tables
    return {
        measure: (
            list(column(human, measure, COMBINED).values()),
            list(column(simulated, measure, COMBINED).values()),
        )
        for measure in ("I-GCDF1", "R-GCDF1")
    }, notices


def _chance_text(measured: Distance) -> str:
    return "" if measured.chance is None else f"by chance up to {measured.chance:.4g}"


def _parts(measured: Sequence[Distance], names: Mapping[str, str], accounts: Mapping[str, Account]) -> Iterator[Block]:
    human, simulated = names
    table = table_of(
        "",
        measured,
        "<measure",
        (human, "human:number"),
        (simulated, "simulated:number"),
        "difference:number",
        ("interval", lambda each: f"{each.ci[0]:.4g} to {each.ci[1]:.4g}" if each.ci else _chance_text(each)),
        "<meaning=title",
        foot=tuple(f"{name}: {account.line}" for name, account in accounts.items()),
    )
    yield Block(table, EVERY)
    yield Block("Goals are not matched: a difference may come from different goals. Numbers are not percentages.", TEXT)
