"""``dialmeter user score``"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from msgspec import UNSET

from ...core.document import describe_intervals, make_document
from ...core.record import RunInput
from ...errors import DialmeterError, one_line
from ...readers.conversations import open_conversations
from ...users import record
from ...users.outcome import COMBINED
from ...users.result import UserResult
from ...views.tables import records_table, score_records
from ...views.user import (
    event_table,
    markdown_report,
    score_table,
    verdict_tables,
    verdicts_of,
    worst_table,
)
from ...views.user_figures import UserCounts, user_charts
from .. import options as shared
from ..dry_run import dry_run_option, price_option
from ..main import EXIT_INPUT
from ..printer import CSV, TEXT, Block, Output, refused_lines, score_signatures, tables
from ..run_files import KeptRun
from ..work import work_options
from .documents import UserScoreDocument
from .reading import reading_dry_run
from .scoring import chosen_how, dialogue_options, next_line, scored, scoring_options


@shared.command()
@click.argument("dialogues")
@dialogue_options
@scoring_options
@dry_run_option
@price_option
@work_options
@shared.interval_options(resamples=1000)
@click.option("--blame", "blamed", is_flag=True, help="Say who lost each point, at which turn, and why.")
@click.option("--logs", is_flag=True, help="Show events that are mere notes, too.")
@shared.skip_bad_option
@shared.chart_options
@shared.run_options
@shared.fail_if_option("I-GCDF1 < 0.8")
@shared.signatures_option
def score(**options: Any) -> Output:
    """Score a user simulator on DIALOGUES with goals (- for standard input).

    I-GCDF1: does the user say all that its goal wants, and nothing else? R-GCDF1: does it ask for all that it should?
    Dialogues that cannot be scored are listed; the exit code is then 2, the rest is printed all the same.
    """
    if options["dry_run"]:
        if not options["from_text"]:
            raise DialmeterError("--dry-run is about language models that find acts in words; it goes with --from-text")
        talks = open_conversations(options["dialogues"], options["format"], options["goals"])
        return reading_dry_run("user score", options, list(talks))
    paths = {"dialogues": options["dialogues"], "goals": options["goals"], "map": shared.map_file(options)}
    run = KeptRun(options, [RunInput(role, path) for role, path in paths.items() if path])
    how = chosen_how(options)
    guards = shared.chosen_guards(options)
    run.begin(paths.values(), lambda inputs: record.identity(inputs, how, options["blamed"]))
    found = scored(
        options["dialogues"],
        how,
        options,
        shared.chosen_resampling(options),
        writer=run.writer,
        blamed=options["blamed"],
        kept=bool(options["charts"]),
    )
    result = found.result
    verdicts = verdicts_of(found.verdicts) if options["blamed"] else None
    name = Path(options["dialogues"]).name
    more = {"verdicts": verdicts} if verdicts is not None else {}
    run.finish(lambda writer, about: record.finish(writer, result, about, markdown_report(name, result), **more))
    accepted = options["skip_bad"] or not result.refused
    errors: list[str] = []
    if not accepted:
        unscored = f"{result.account.unscored} of {result.account.asked} dialogues cannot be scored"
        errors = [*refused_lines(result.refused), f"{unscored} (--skip-bad accepts that)"]

    def check() -> None:
        combined = ("domain", COMBINED)
        scores = [{key: value for key, value in each.items() if (key, value) != combined} for each in result.to_dicts()]
        shared.check_guards(guards, scores)

    return Output(
        document=lambda _: make_document(
            UserScoreDocument,
            result,
            format=found.format,
            intervals=describe_intervals(result.resampling),
            worst=result.worst(3),
            refused=[str(error) for error in result.refused],
            verdicts=UNSET if verdicts is None else verdicts,
        ),
        parts=_parts(result, verdicts, found.format, options),
        notices=[each for each in result.notices if accepted or each.code != "refused"],
        charts=lambda: user_charts(UserCounts.of(found.rows)),
        errors=errors,
        check=check,
        exit_code=0 if accepted else EXIT_INPUT,
    )


def _parts(
    result: UserResult, verdicts: dict[str, Any] | None, format: str, options: dict[str, Any]
) -> Iterator[Block]:
    heading = (one_line(options["dialogues"]), f"format {format}", f"{result.turns} turns")
    yield Block("  ".join([*heading, f"rules {result.rules.name}", f"profile {result.how.profile.name}"]), TEXT)
    yield Block(score_table(result.scores, result.account))
    yield Block(records_table(score_records([({}, each) for each in result.scores])), CSV)
    yield from score_signatures(result.scores, options["signatures"])
    yield from tables([event_table(result.events, options["logs"])])
    yield from tables(verdict_tables(verdicts) if verdicts is not None else [])
    yield from tables([worst_table(result, 3)], TEXT)
    worst, where = result.worst(1), options["out"] or options["dialogues"]
    if not worst:
        yield Block("No dialogue lost a point.", TEXT)
    elif where != "-":
        yield Block(next_line(where, worst[0].dialogue, options), TEXT)
