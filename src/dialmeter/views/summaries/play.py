"""The summary of played dialogues: what one pair reached, or how users and systems differ on the same goals."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from itertools import chain

from ...core.account import sum_accounts
from ...core.comparability import joint_signature
from ...core.ladder import Ladder, Rung, Verdict, make_ladder
from ...studies.cross import CrossCell, CrossScore
from ...systems.compare import LogComparison
from ..compare import verdict_on_many
from ..system import format_cross_interval, format_cross_value
from ..tables import Table
from .summary import Summary, account_text, fit

_NAME = 14
"""Maximum width of the name of a bot."""


def play_summary(
    scores: Sequence[CrossScore],
    compared: Mapping[str, LogComparison],
    cells: Sequence[CrossCell],
    *,
    command: str = "",
    out: str = "",
    foreign: str = "",
) -> Summary:
    """Return the verdict, and the measures of each user with each system.

    Args:
        scores: all measures of all cells.
        compared: user → comparison of the systems.
        cells: the dialogues of each user with each system.
        command: the command as typed.
        out: the file of the dialogues of one pair, or the folder of the tables of several; empty without one.
        foreign: what the demo data does not have of the goals of a file; empty if it has all.
    """
    users, systems = ladders_of_users(scores), [each for one in compared.values() for each in one.ladders]
    first = cells[0]
    goals = len(first.rows)
    if len(cells) == 1:
        reached = sum(bool(each.success) for each in first.outcomes)
        verdict = f"{first.user} with {first.system} completes {reached} of {goals} goals."
    else:
        ladders = users or systems
        verdict = ladders[0].headline if len(ladders) == 1 else verdict_on_many(ladders)
    findings = [
        ("systems", f"with {user}, {verdict_on_many(each.ladders).partition(': ')[2]}")
        for user, each in compared.items()
        if users and each.ladders
    ]
    findings += [("goals", foreign)] if foreign else []
    cut = sum(each.ending == "limit" for cell in cells for each in cell.outcomes)
    return Summary(
        verdict=verdict,
        findings=[*findings, *([("cut", f"{cut} dialogues reached the limit of turns")] if cut else [])],
        table=_one_pair(scores) if len(cells) == 1 else _table(scores),
        account=f"{account_text(sum_accounts(each.account for each in cells))}; {goals} goals",
        signature=_signature(scores),
        next=_next(cells, command, out),
    )


def ladders_of_users(scores: Sequence[CrossScore]) -> list[Ladder]:
    """Return the verdict on each later user with each system, under the first measure. The interval decides it."""
    measure, several = scores[0].measure, len({each.system for each in scores}) > 1
    base = scores[0].user
    ladders = []
    for each in scores:
        if each.measure is measure and each.difference is not None:
            verdict: Verdict = "cannot tell"
            if each.excludes_zero:
                verdict = "better" if each.difference > 0 else "worse"
            rung = Rung("as written", "as written", each.difference, each.difference_ci, None, verdict, each.n)
            name = f"{each.user} with {each.system}" if several else each.user
            ladders.append(make_ladder(measure.name, name, base, [rung]))
    return ladders


def _one_pair(scores: Sequence[CrossScore]) -> Table:
    rows = tuple(
        (each.measure.name, format_cross_value(each.measure, each.value), format_cross_interval(each.measure, each.ci))
        for each in scores
    )
    return Table("", ("", "", ""), rows, frozenset({1, 2}))


def _table(scores: Sequence[CrossScore]) -> Table:
    """Return one row per user and system: the measures, and the difference of the first from the first user."""
    measures = [each for each in dict.fromkeys(score.measure for score in scores) if each.name != "BookingRate"]
    by_cell = {(each.user, each.system, each.measure): each for each in scores}
    rows = []
    for user, system in dict.fromkeys((each.user, each.system) for each in scores):
        values = [format_cross_value(measure, by_cell[user, system, measure].value) for measure in measures]
        first = by_cell[user, system, measures[0]]
        change = "" if first.difference is None else format_cross_value(measures[0], first.difference, "+")
        rows.append((fit(user, _NAME), fit(system, _NAME), *values, change))
    headings = ("user", "system", "goals", *(each.name for each in measures[1:]), "difference")
    return Table("", headings, tuple(rows), frozenset(range(2, len(headings))))


def _signature(scores: Sequence[CrossScore]) -> str:
    measures = len(dict.fromkeys(each.measure for each in scores))
    _, *parts = joint_signature([each.signature for each in scores]).split("|")
    return "|".join([f"{scores[0].measure.name}+{measures - 1}", *parts])


def _next(cells: Sequence[CrossCell], command: str, out: str) -> str:
    """Return the command that scores the dialogues of one pair, shows the tables of several, or plays the last pair into a file."""
    if len(cells) == 1:
        return shlex.join(
            [
                "dialmeter",
                "score",
                out,
                "--subject",
                "user",
                "--set",
                f"profile={cells[0].result.settings.profile.name}",
            ]
        )
    if out:
        return shlex.join(["dialmeter", "view", out])
    words, kept = iter(shlex.split(command)), []
    for word in words:
        if word in ("--user", "--system"):
            next(words, None)
        else:
            kept.append(word)
    own = (("--user", cells[-1].user), ("--system", cells[-1].system), ("-o", "dialogues.jsonl"))
    return shlex.join([*kept, *chain.from_iterable(own)]) if command else ""
