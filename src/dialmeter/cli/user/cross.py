"""``dialmeter user cross``"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import click
from msgspec.structs import replace

from ...core.account import in_documents, lines
from ...errors import DialmeterError
from ...model import Conversation
from ...simulation.outcome import played, silence
from ...simulation.play import Setting, Task, play_all
from ...simulation.world import town
from ...studies.cross import CrossCell, as_dicts, row, scores
from ...users.profile import load as load_profile
from ...users.result import UserSettings
from ...users.rules import changed
from ...users.rules import load as load_rules
from ...users.scorer import UserScorer
from ...views import cross as report
from ...views.tables import render
from ..map_options import chosen_map, map_option, old_map_option
from ..option_kinds import max_bytes_option
from ..options import chart_options, chosen_resampling, interval_options, quiet_option, stacked, style_options
from ..progress import counted
from ..say import document, draw, print_json, warn
from ..work import chosen_cluster
from .play import chosen_agent, chosen_tasks, cores, talk_options

scoring_options = stacked(
    map_option,
    old_map_option,
    click.option("--profile", default="town", show_default=True, metavar="NAME|FILE.toml", help="How acts are named."),
    click.option(
        "--rules",
        default="dialmeter",
        show_default=True,
        metavar="NAME|FILE.toml",
        help="The rule set of I- and R-GCDF1.",
    ),
    click.option("--set", "changes", multiple=True, metavar="SWITCH=VALUE", help="Change one switch of the rule set."),
)


@click.command()
@click.option("--user", "users", multiple=True, metavar="AGENT", help="A user; may be repeated, agenda by default.")
@click.option("--system", "systems", multiple=True, metavar="AGENT", help="A system; may be repeated, rule by default.")
@talk_options
@scoring_options
@interval_options(resamples=1000)
@chart_options
@style_options
@max_bytes_option
@quiet_option
def cross(**options: Any) -> None:
    """Let every user talk with every system on the same goals, and put the measures side by side.

    Differences are to the first user with the same system, with intervals from drawing goals in pairs. A star in the tables
    says that such an interval leaves out zero.
    """
    users, systems = options["users"] or ("agenda",), options["systems"] or ("rule",)
    chosen_users = [chosen_agent(each, "user", options) for each in users]
    chosen_systems = [chosen_agent(each, "system", options) for each in systems]
    for chosen in (chosen_users, chosen_systems):
        name, count = Counter(each.text for each in chosen).most_common(1)[0]
        if count > 1:
            raise DialmeterError(f"{name} is there twice")
    how, resampling = _chosen_how(options), chosen_resampling(options)
    tasks, notices = chosen_tasks(options)
    settings = [
        Setting(user, system, options["noise"], options["seed"], options["max_turns"])
        for system in chosen_systems
        for user in chosen_users
    ]
    talks = play_all(tasks, settings, options["workers"] or cores(), chosen_cluster(options))
    watched = counted(talks, len(settings) * len(tasks), "playing", options["quiet"])
    cells = list(_cells(settings, tasks, watched, how))
    accounts = {f"{cell.user} with {cell.system}": cell.account for cell in cells}
    for name, account in accounts.items():
        if not account.scored:
            raise DialmeterError(f"{name}: none of {account.asked} dialogues was played: {account.why}")
    found = scores(cells, resampling)
    draw(report.charts(found), options)
    warn(notices, options["quiet"])
    counts = {
        "users": len(users),
        "systems": len(systems),
        "dialogues": len(settings) * len(tasks),
        "goals": len(tasks),
    }
    if options["style"] == "json":
        more = {**in_documents(accounts), "counts": counts, "warnings": notices}
        print_json(document("user", "user cross", as_dicts(found), **more))
        return
    if options["style"] != "csv":
        for table in report.matrices(found):
            click.echo(render(table, options["style"]) + "\n")
    click.echo(render(replace(report.long_table(found), foot=tuple(lines(accounts))), options["style"]))
    if options["style"] != "csv":
        fields = [part for part in found[0].signature.split("|")[1:] if not part.startswith(("user:", "system:", "t:"))]
        click.echo({"latex": "% "}.get(options["style"], "\n") + f"signature  …|{'|'.join(fields)}")


def _chosen_how(options: dict[str, Any]) -> UserSettings:
    return UserSettings(
        rules=changed(load_rules(options["rules"]), *options["changes"]),
        profile=load_profile(options["profile"]),
        value_map=chosen_map(options),
    )


def _cells(
    settings: list[Setting], tasks: list[Task], talks: Iterable[Conversation], how: UserSettings
) -> Iterator[CrossCell]:
    """The dialogues of all settings, which come one after the other, as cells."""
    scorers = [UserScorer(how.rules, how.profile, how.value_map) for _ in settings]
    rows: list[list[tuple[float, ...]]] = [[] for _ in settings]
    silent: list[list[tuple[str, str]]] = [[] for _ in settings]
    for number, talk in enumerate(talks):
        place = number // len(tasks)
        rows[place].append(row(talk, scorers[place].add(talk), town()))
        if told := silence(talk):
            silent[place].append((talk.id, told))
    for setting, scorer, found, quiet in zip(settings, scorers, rows, silent, strict=True):
        yield CrossCell(setting, found, scorer.result(), played(len(tasks), len(found), quiet))
