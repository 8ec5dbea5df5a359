"""``dialmeter user query`` and ``user patterns``: what the dialogues of a run say"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from msgspec import UNSET
from msgspec.structs import replace

from ...core.account import Account
from ...core.document import Count, Document
from ...errors import one_line
from ...users.analysis.query import GOAL_PARTS, UserQuery, lines
from ...users.record import UserRow
from ...views.user import QueryMatch, match_table, pattern_tables
from ...views.user_figures import UserCounts, user_charts
from ..frame import document_output
from ..main import EXIT_INPUT
from ..options import command, option
from ..printer import EVERY, TEXT, Block, Output, message_block, table_blocks
from ..work import work_options
from .logs import is_log_or_items_run, query_logs
from .score import UserQueryDocument, dialogue_options, next_line, query_parts, read_user_rows, scoring_options


@command()
@click.argument("where", metavar="RUN|DIALOGUES")
@option("--event CLASS* events", "Class of events; may be repeated (one match is enough).")
@option("--domain D", "Domain of the event, of the score, or of the goal.", default="")
@option("--slot S", "Slot of the event.", default="")
@option("--measure M", "Measure of --min and --max.", default="I-GCDF1")
@option("--min low", "Minimum value of the measure.", type=click.FloatRange(0, 1))
@option("--max high", "Maximum value of the measure.", type=click.FloatRange(0, 1))
@option("--goal D+D", "Exactly these domains of the goal, such as hotel+train.", default="")
@option("--goal-has *", "Part that the goal must have; may be repeated.", choices=GOAL_PARTS)
@option("--party P", "Party that lost a point: user, system, 'user misheard system', goal, ….", default="")
@option("--why REASON", "Reason of a lost point, such as no_answer.", default="")
@option("--dialogue ID", "Print this dialogue turn by turn.", default="")
@option("--show shown", "Print the matching dialogues turn by turn.")
@option("--limit", "Maximum number of dialogues to print.", least=1, default=20)
@dialogue_options
@scoring_options
@work_options
def query(**options: Any) -> Output:
    """Find the dialogues that explain a score, in a RUN of `user score --out` or in a file of DIALOGUES.

    \b
    dialmeter user query RUN --event unmatched --domain restaurant
    dialmeter user query RUN --measure R-GCDF1 --max 0.5 --goal hotel+train
    dialmeter user query RUN --party system --why no_answer
    dialmeter user query RUN --dialogue MUL0021.json

    A log of an agent and a RUN of `user items --out` are accepted too. Their events are those of goals in words.
    """
    if is_log_or_items_run(options["where"], options):
        return query_logs(options)
    user_query = UserQuery(
        events=options["events"],
        domain=options["domain"],
        slot=options["slot"],
        measure=options["measure"],
        low=options["low"],
        high=options["high"],
        goal=frozenset(part.strip() for part in options["goal"].split("+") if part.strip()),
        goal_has=options["goal_has"],
        dialogue=options["dialogue"],
        party=options["party"],
        why=options["why"],
    )
    total = 0
    matches: list[QueryMatch] = []
    rows, account, notices = read_user_rows(
        options["where"], options, blamed=user_query.asks_blame or bool(options["dialogue"])
    )
    for row in rows:
        events = user_query.found_in(row)
        if events is not None:
            total += 1
            if len(matches) < options["limit"]:
                matches.append(QueryMatch(row, events, user_query.losses_in(row)))
    if options["dialogue"] and not total:
        error = f"{options['where']}: no dialogue {options['dialogue']!r} matches"
        return Output(notices=notices, errors=[one_line(error, 1000)], exit_code=EXIT_INPUT)
    return document_output(
        UserQueryDocument,
        parts=_parts(matches, total, account, options),
        notices=notices,
        account=UNSET if account is None else account,
        counts={"found": total, "shown": len(matches)},
        dialogues=[
            {
                "dialogue": row.id,
                "goal": sorted(row.goal),
                **_scores(row),
                "events": events,
                **({"losses": losses} if user_query.asks_blame else {}),
            }
            for row, events, losses in matches
        ],
        warnings=[],
    )


def _parts(matches: list[QueryMatch], total: int, account: Account | None, options: dict[str, Any]) -> Iterator[Block]:
    table = replace(match_table(matches), foot=() if account is None else (account.line,))
    yield from query_parts(table, (lines(row) for row, _, _ in matches), total, options)
    if matches and not options["dialogue"] and not options["shown"] and options["where"] != "-":
        yield Block(next_line(options["where"], matches[0].row.id, options), TEXT, gap=())


def _scores(row: UserRow) -> dict[str, float | None]:
    inform, request = row.score("I"), row.score("R")
    return {"I-GCDF1": inform.f1 if inform else None, "R-GCDF1": request.f1 if request else None}


class UserPatternsDocument(Document, kw_only=True):
    """Patterns of constraints and requests, information that the system gives without a request, and domains that the
    dialogues never mention.

    Attributes:
        patterns: kind → domain → pattern → count.
        goals: domain → number of goals with it.
    """

    command: str = "user patterns"
    patterns: dict[str, dict[str, dict[str, Count]]]
    goals: dict[str, Count]


@command()
@click.argument("where", metavar="RUN|DIALOGUES")
@dialogue_options
@scoring_options
@work_options
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
    return document_output(
        UserPatternsDocument,
        parts=table_blocks(filled_tables, EVERY) or [message_block("")],
        notices=notices,
        charts=lambda: user_charts(tally),
        account=UNSET if account is None else account,
        counts={"dialogues": dialogues},
        patterns=tally.patterns,
        goals=dict(sorted(tally.goals.items())),
        warnings=[],
    )
