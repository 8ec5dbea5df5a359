"""``dialmeter user cross``"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from ...core.account import account_fields, format_accounts
from ...core.comparability import joint_signature
from ...core.comparison import TaskDifference
from ...core.document import Count, Document, Interval, Number, SignedScore, Text
from ...errors import DialmeterError
from ...model import Conversation
from ...simulation.outcome import describe_silence, outcome, play_account
from ...simulation.play import Setting, Task, play_all
from ...simulation.world import town
from ...studies.act_success import system_outcome
from ...studies.cross import CrossCell, CrossScore, as_dicts, compare_by_user, row, scores
from ...systems.compare import LogComparison
from ...systems.measures import SystemOutcome
from ...users.result import UserSettings
from ...users.scorer import UserScorer
from ...views import system as views
from ...views.tables import records_table
from .. import options as shared
from ..frame import document_output
from ..printer import CSV, PROSE, Block, Output, signature_blocks, table_blocks
from ..progress import track_count
from ..study import study_options
from ..work import cluster_from_options
from .play import agent_from_options, cores, play_dry_run, play_options, tasks_from_options
from .score import set_option, user_rules_option, user_settings_from_options


class CrossScoreRecord(SignedScore, kw_only=True):
    """A measure of a user with a system.

    Attributes:
        value: a fraction; for Turns, turns of the user per dialogue.
        n: number of dialogues, or of bookings in goals, that the value is a mean over.
        difference: the value minus that of the first user with the same system; null for the first user.
        difference_ci_reason: the reason why the difference has no interval.
    """

    user: str
    difference: Number
    difference_ci: Interval
    difference_ci_reason: Text | UnsetType = UNSET


class CrossSystemRecord(Struct, kw_only=True):
    """The scores of a system with one user, as in `system score`, and the number of dialogues by ending and outcome."""

    user: Text
    system: Text
    scores: list[SignedScore]
    endings: dict[str, dict[str, Count]]


class UserCrossDocument(Document, kw_only=True):
    """Every user with every system on the same goals.

    Attributes:
        systems: the scores of every system with each user.
        versus: user → comparison of every system with the first one on the same goals; ci and p are those of the t test over goals.
    """

    command: str = "user cross"
    scores: list[CrossScoreRecord]
    systems: list[CrossSystemRecord]
    versus: dict[str, list[TaskDifference]]


@shared.command()
@shared.option("--user AGENT* users", "Simulated user; may be repeated (default: agenda).")
@shared.option("--system AGENT* systems", "System; may be repeated (default: rule).")
@play_options
@shared.map_option
@shared.profile_option(default="town")
@user_rules_option
@set_option
@shared.interval_options(resamples=1000)
@study_options
def cross(**options: Any) -> Output:
    """Let every user talk to every system on the same goals, and print the measures in one table.

    Differences are relative to the first user with the same system. Their intervals come from paired resampling of goals. A
    star in the tables means that the interval excludes zero. With two systems or more, each system is also compared with the
    first one on the same goals, as in `dialmeter system compare`.
    """
    users, systems = options["users"] or ("agenda",), options["systems"] or ("rule",)
    chosen_users = [agent_from_options(each, "user", options) for each in users]
    chosen_systems = [agent_from_options(each, "system", options) for each in systems]
    for agents in (chosen_users, chosen_systems):
        name, count = Counter(each.text for each in agents).most_common(1)[0]
        if count > 1:
            raise DialmeterError(f"{name} is given twice; give each agent once")
    user_settings, resampling = user_settings_from_options(options), options["resampling"]
    tasks, notices = tasks_from_options(options)
    settings = [
        Setting(user, system, options["noise"], options["seed"], options["max_turns"])
        for system in chosen_systems
        for user in chosen_users
    ]
    if options["dry_run"]:
        return play_dry_run("user cross", options, tasks, settings)
    conversations = play_all(tasks, settings, options["workers"] or cores(), cluster_from_options(options))
    tracked_conversations = track_count(conversations, len(settings) * len(tasks), "playing", options["quiet"])
    cells = list(_cells(settings, tasks, tracked_conversations, user_settings))
    accounts = {f"{cell.user} with {cell.system}": cell.account for cell in cells}
    for name, account in accounts.items():
        if not account.scored:
            raise DialmeterError(f"{name}: none of {account.asked} dialogues was played: {account.why}")
    cross_scores = scores(cells, resampling)
    compared = compare_by_user(cells, resampling)
    counts = {
        "users": len(users),
        "systems": len(systems),
        "dialogues": len(settings) * len(tasks),
        "goals": len(tasks),
    }
    return document_output(
        UserCrossDocument,
        parts=_parts(cross_scores, tuple(format_accounts(accounts)), compared),
        notices=[each for each in notices if each.code != "value-not-in-town"],
        charts=lambda: views.cross_charts(cross_scores),
        scores=as_dicts(cross_scores),
        **account_fields(accounts),
        counts=counts,
        warnings=notices,
        systems=[
            {"user": user, "system": system, "scores": result.to_dicts(), "endings": result.endings}
            for user, each in compared.items()
            for system, result in each.results.items()
        ],
        versus={user: each.versus for user, each in compared.items()},
    )


def _parts(
    cross_scores: list[CrossScore], foot: tuple[str, ...], compared: dict[str, LogComparison]
) -> Iterator[Block]:
    yield from map(Block, views.cross_matrices(cross_scores))
    yield Block(replace(views.cross_table(cross_scores), foot=foot))
    yield Block(replace(records_table(as_dicts(cross_scores)), foot=foot), CSV)
    if any(len(each.results) > 1 for each in compared.values()):
        yield from table_blocks(views.system_tables(compared), PROSE)
    yield from signature_blocks(
        joint_signature([each.signature for each in cross_scores]), quoted=False, gap=("text", "markdown")
    )


def _cells(
    settings: list[Setting], tasks: list[Task], conversations: Iterator[Conversation], user_settings: UserSettings
) -> Iterator[CrossCell]:
    """Score the dialogues of all settings, which follow each other, and yield one cell per setting."""
    for setting in settings:
        scorer = UserScorer(user_settings.rules, user_settings.profile, user_settings.value_map)
        rows: list[tuple[float, ...]] = []
        silent: list[tuple[str, str]] = []
        outcomes: list[SystemOutcome] = []
        for conversation in islice(conversations, len(tasks)):
            goals = outcome(conversation, town())
            rows.append(row(conversation, scorer.add(conversation), goals))
            outcomes.append(system_outcome(conversation, goals))
            if reason := describe_silence(conversation):
                silent.append((conversation.id, reason))
        yield CrossCell(setting, rows, scorer.result(), play_account(len(tasks), len(rows), silent), outcomes)
