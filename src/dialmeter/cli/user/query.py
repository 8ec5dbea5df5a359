"""``dialmeter user query``"""

from __future__ import annotations

from typing import Any

import click
from msgspec import to_builtins
from msgspec.structs import replace

from ...core.account import Account
from ...errors import DialmeterError
from ...users.analysis.query import GOAL_PARTS, UserQuery
from ...users.analysis.show import lines
from ...users.events import Event
from ...users.record import UserRow
from ...views.tables import render
from ...views.user import found_table
from ..option_kinds import max_bytes_option, number_option
from ..options import quiet_option, style_options
from ..say import document, print_json
from ..work import work_options
from .scoring import dialogue_options, next_line, rows_in, scoring_options


@click.command()
@click.argument("where", metavar="RUN|DIALOGUES")
@click.option(
    "--event", "events", multiple=True, metavar="CLASS", help="A class of events; may be repeated (any of them)."
)
@click.option("--domain", default="", metavar="D", help="Of the event, of the score, or in the goal.")
@click.option("--slot", default="", metavar="S", help="Of the event.")
@click.option("--measure", default="I-GCDF1", show_default=True, metavar="M", help="Of --min and --max.")
@click.option("--min", "low", type=click.FloatRange(0, 1), help="The least value of the measure.")
@click.option("--max", "high", type=click.FloatRange(0, 1), help="The greatest value of the measure.")
@click.option("--goal", default="", metavar="D+D", help="The goal's domains, no more and no fewer: hotel+train.")
@click.option("--goal-has", multiple=True, type=click.Choice(GOAL_PARTS), help="A part that the goal must have.")
@click.option("--dialogue", default="", metavar="ID", help="One dialogue, printed turn by turn.")
@click.option("--show", "shown", is_flag=True, help="Print the dialogues that are found turn by turn.")
@number_option("--limit", least=1, default=20, about="How many to print.")
@dialogue_options
@scoring_options
@work_options
@style_options
@max_bytes_option
@quiet_option
def query(**options: Any) -> None:
    """Find the dialogues behind a number, in a RUN of `user score --out` or in a file of DIALOGUES.

    \b
    dialmeter user query RUN --event unmatched --domain restaurant
    dialmeter user query RUN --measure R-GCDF1 --max 0.5 --goal hotel+train
    dialmeter user query RUN --dialogue MUL0021.json
    """
    wanted = UserQuery(
        events=options["events"],
        domain=options["domain"],
        slot=options["slot"],
        measure=options["measure"],
        low=options["low"],
        high=options["high"],
        goal=frozenset(part.strip() for part in options["goal"].split("+") if part.strip()),
        goal_has=options["goal_has"],
        dialogue=options["dialogue"],
    )
    total = 0
    kept: list[tuple[UserRow, list[Event]]] = []
    rows, account = rows_in(options["where"], options)
    for row in rows:
        events = wanted.found_in(row)
        if events is not None:
            total += 1
            if len(kept) < options["limit"]:
                kept.append((row, events))
    if options["dialogue"] and not total:
        raise DialmeterError(f"{options['where']}: no dialogue {options['dialogue']!r} that fits")
    _print(kept, total, account, options)


def _print(
    kept: list[tuple[UserRow, list[Event]]], total: int, account: Account | None, options: dict[str, Any]
) -> None:
    style = options["style"]
    if style == "json":
        found = [
            {"dialogue": row.id, "goal": sorted(row.goal), **_scores(row), "events": to_builtins(events)}
            for row, events in kept
        ]
        told = {"account": account.plain()} if account is not None else {}
        counts = {"found": total, "shown": len(kept)}
        print_json(document("user", "user query", [], counts=counts, dialogues=found, **told))
        return
    if not total:
        click.echo("no dialogue fits" + (f"; {account.line}" if account is not None else ""))
        return
    if style == "text" and (options["dialogue"] or options["shown"]):
        click.echo("\n\n".join("\n".join(lines(row)) for row, _ in kept))
    else:
        click.echo(render(replace(found_table(kept), foot=(account.line,) if account is not None else ()), style))
    if style == "text" and not options["dialogue"]:
        more = f", {len(kept)} shown (--limit)" if len(kept) < total else ""
        click.echo(f"\n{total} dialogue{'s' if total > 1 else ''} found{more}")
        if not options["shown"] and options["where"] != "-":
            click.echo(next_line(options["where"], kept[0][0].id, options))


def _scores(row: UserRow) -> dict[str, float | None]:
    inform, request = row.score("I"), row.score("R")
    return {"I-GCDF1": inform.f1 if inform else None, "R-GCDF1": request.f1 if request else None}
