"""``dialmeter user patterns``"""

from __future__ import annotations

from typing import Any

import click
from msgspec import UNSET
from msgspec.structs import replace

from ...core.document import make_document
from ...views.user import pattern_tables
from ...views.user_figures import UserCounts, user_charts
from ..options import chart_options, command
from ..printer import EVERY, Output, message_block, table_blocks
from ..work import work_options
from .documents import UserPatternsDocument
from .scoring import dialogue_options, read_user_rows, scoring_options


@command()
@click.argument("where", metavar="RUN|DIALOGUES")
@dialogue_options
@scoring_options
@work_options
@chart_options
def patterns(**options: Any) -> Output:
    """Count how users express constraints and requests: all at once or one after the other, with gaps or without.

    The input is a RUN of `user score --out` or a file of DIALOGUES. Parts of a goal with one constraint have no pattern.
    """
    tally = UserCounts()
    dialogues = 0
    rows, account, notices = read_user_rows(options["where"], options)
    for row in rows:
        tally.add(row)
        dialogues += 1
    filled_tables = [table for table in pattern_tables(tally.patterns, tally.goals) if table.rows]
    if filled_tables and account is not None:
        filled_tables[-1] = replace(filled_tables[-1], foot=(account.line,))
    return Output(
        document=lambda _: make_document(
            UserPatternsDocument,
            account=UNSET if account is None else account,
            counts={"dialogues": dialogues},
            patterns=tally.patterns,
            goals=dict(sorted(tally.goals.items())),
        ),
        parts=table_blocks(filled_tables, EVERY) or [message_block("")],
        notices=notices,
        charts=lambda: user_charts(tally),
    )
