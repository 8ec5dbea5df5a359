"""``dialmeter user patterns``"""

from __future__ import annotations

from typing import Any

import click
from msgspec.structs import replace

from ...views.tables import render
from ...views.user import UserCounts, pattern_tables, user_charts
from ..option_kinds import max_bytes_option
from ..options import chart_options, quiet_option, style_options
from ..say import document, draw, print_json
from ..work import work_options
from .scoring import dialogue_options, rows_in, scoring_options


@click.command()
@click.argument("where", metavar="RUN|DIALOGUES")
@dialogue_options
@scoring_options
@work_options
@chart_options
@style_options
@max_bytes_option
@quiet_option
def patterns(**options: Any) -> None:
    """How constraints and requests are expressed: all at once or bit by bit, with gaps or without.

    Takes a RUN of `user score --out` or a file of DIALOGUES. Parts of a goal with one constraint have no pattern.
    """
    tally = UserCounts()
    dialogues = 0
    rows, account = rows_in(options["where"], options)
    for row in rows:
        tally.add(row)
        dialogues += 1
    draw(user_charts(tally), options)
    if options["style"] == "json":
        told = {"account": account.plain()} if account is not None else {}
        more = {**told, "patterns": tally.patterns, "goals": dict(sorted(tally.goals.items()))}
        print_json(document("user", "user patterns", [], counts={"dialogues": dialogues}, **more))
        return
    tables = [table for table in pattern_tables(tally.patterns, tally.goals) if table.rows]
    if tables and account is not None:
        tables[-1] = replace(tables[-1], foot=(account.line,))
    click.echo("\n\n".join(render(table, options["style"]) for table in tables))
