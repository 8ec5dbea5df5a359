"""``dialmeter user cross``"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import click
from msgspec.structs import replace

from ...core.account import account_fields, format_accounts
from ...core.comparability import joint_signature
from ...core.document import make_document
from ...errors import DialmeterError
from ...model import Conversation
from ...simulation.outcome import outcome, played, silence
from ...simulation.play import Setting, Task, play_all
from ...simulation.world import town
from ...studies.act_success import system_outcome
from ...studies.cross import CrossCell, CrossScore, as_dicts, compare_by_user, row, scores
from ...systems.compare import LogComparison
from ...systems.outcome import SystemOutcome
from ...users.result import UserSettings
from ...users.scorer import UserScorer
from ...views import cross as views
from ...views.tables import records_table
from .. import options as shared
from ..printer import CSV, PROSE, Block, Output, signature, tables
from ..progress import counted
from ..study import study_options
from ..work import chosen_cluster
from .documents import UserCrossDocument
from .play import chosen_agent, chosen_tasks, cores, talk_dry_run, talk_options
from .scoring import chosen_how, profile_option, set_option


@shared.command()
@click.option("--user", "users", multiple=True, metavar="AGENT", help="A user; may be repeated, agenda by default.")
@click.option("--system", "systems", multiple=True, metavar="AGENT", help="A system; may be repeated, rule by default.")
@talk_options
@shared.map_option
@profile_option(default="town")
@shared.rules_option("The rule set of I- and R-GCDF1.")
@set_option
@shared.interval_options(resamples=1000)
@shared.chart_options
@study_options
def cross(**options: Any) -> Output:
    """Let every user talk with every system on the same goals, and put the measures side by side.

    Differences are to the first user with the same system, with intervals from drawing goals in pairs. A star in the tables
    says that such an interval excludes zero. With two systems or more, systems are compared within the goals, too, as by
    `dialmeter system compare`, each with the first one.
    """
    users, systems = options["users"] or ("agenda",), options["systems"] or ("rule",)
    chosen_users = [chosen_agent(each, "user", options) for each in users]
    chosen_systems = [chosen_agent(each, "system", options) for each in systems]
    for chosen in (chosen_users, chosen_systems):
        name, count = Counter(each.text for each in chosen).most_common(1)[0]
        if count > 1:
            raise DialmeterError(f"{name} is there twice")
    how, resampling = chosen_how(options), shared.chosen_resampling(options)
    tasks, notices = chosen_tasks(options)
    settings = [
        Setting(user, system, options["noise"], options["seed"], options["max_turns"])
        for system in chosen_systems
        for user in chosen_users
    ]
    if options["dry_run"]:
        return talk_dry_run("user cross", options, tasks, settings)
    talks = play_all(tasks, settings, options["workers"] or cores(), chosen_cluster(options))
    watched = counted(talks, len(settings) * len(tasks), "playing", options["quiet"])
    cells = list(_cells(settings, tasks, watched, how))
    accounts = {f"{cell.user} with {cell.system}": cell.account for cell in cells}
    for name, account in accounts.items():
        if not account.scored:
            raise DialmeterError(f"{name}: none of {account.asked} dialogues was played: {account.why}")
    found = scores(cells, resampling)
    compared = compare_by_user(cells, resampling)
    counts = {
        "users": len(users),
        "systems": len(systems),
        "dialogues": len(settings) * len(tasks),
        "goals": len(tasks),
    }
    return Output(
        document=lambda _: make_document(
            UserCrossDocument,
            scores=as_dicts(found),
            **account_fields(accounts),
            counts=counts,
            warnings=notices,
            systems=[
                {"user": user, "system": system, "scores": result.to_dicts(), "endings": result.endings}
                for user, each in compared.items()
                for system, result in each.results.items()
            ],
            versus={user: each.versus for user, each in compared.items()},
        ),
        parts=_parts(found, tuple(format_accounts(accounts)), compared),
        notices=notices,
        charts=lambda: views.charts(found),
    )


def _parts(found: list[CrossScore], foot: tuple[str, ...], compared: dict[str, LogComparison]) -> Iterator[Block]:
    yield from map(Block, views.matrices(found))
    yield Block(replace(views.long_table(found), foot=foot))
    yield Block(replace(records_table(as_dicts(found)), foot=foot), CSV)
    if any(len(each.results) > 1 for each in compared.values()):
        yield from tables(views.system_tables(compared), PROSE)
    yield from signature(joint_signature([each.signature for each in found]), quoted=False, gap=("text", "markdown"))


def _cells(
    settings: list[Setting], tasks: list[Task], talks: Iterable[Conversation], how: UserSettings
) -> Iterator[CrossCell]:
    """The dialogues of all settings, which come one after the other, as cells."""
    scorers = [UserScorer(how.rules, how.profile, how.value_map) for _ in settings]
    rows: list[list[tuple[float, ...]]] = [[] for _ in settings]
    silent: list[list[tuple[str, str]]] = [[] for _ in settings]
    systems: list[list[SystemOutcome]] = [[] for _ in settings]
    for number, talk in enumerate(talks):
        place = number // len(tasks)
        goals = outcome(talk, town())
        rows[place].append(row(talk, scorers[place].add(talk), goals))
        systems[place].append(system_outcome(talk, goals))
        if reason := silence(talk):
            silent[place].append((talk.id, reason))
    for setting, scorer, found, quiet, reached in zip(settings, scorers, rows, silent, systems, strict=True):
        yield CrossCell(setting, found, scorer.result(), played(len(tasks), len(found), quiet), reached)
