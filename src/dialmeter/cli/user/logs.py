"""The commands on users of agents: ``dialmeter user items``, and ``user query`` and ``user compare`` on logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import UNSET
from msgspec.structs import replace

from ...core.comparison import Resampling
from ...core.document import (
    Count,
    ScoredDocument,
    describe_intervals,
)
from ...core.open_runs import open_run
from ...core.result import score_dict
from ...errors import DialmeterError, InputError, did_you_mean, one_line
from ...model import Notice, dialogue_key
from ...readers.conversations import is_log, open_trajectories
from ...users.events import COMBINED, Event
from ...users.items.goal_items import read_goal_sheet, sheet_digest
from ...users.items.log_items import (
    BY_RULE,
    KIND,
    DialogueItems,
    FaultTable,
    ItemComparison,
    ItemRow,
    LogItems,
    compare_items,
    dialogue_items,
    finish_items_run,
    item_lines,
    item_row,
    items_identity,
    language_notices,
    read_items,
    score_of,
)
from ...users.items.text_events import FAULTS
from ...views.compare import task_test_lines
from ...views.pages.item_tables import (
    event_example_table,
    event_table,
    fault_tables,
    item_comparison_table,
    items_report,
    missed_table,
    recall_table,
    verdict_table,
)
from ...views.tables import Table, records_table, table_of
from .. import options as shared
from ..frame import CommandRun, compared_output, document_output, named_notices
from ..main import EXIT_INPUT
from ..printer import CSV, EVERY, LISTED, TEXT, Block, Output, signature_blocks, table_blocks
from ..progress import expect_files, track_reading
from .score import UserCompareDocument, UserQueryDocument, is_run, query_parts


class UserItemsDocument(ScoredDocument, kw_only=True):
    """ItemRecall, the items of goals in words, and their verdicts. n counts items that were conveyed, confirmed or missed.

    Attributes:
        verdicts: verdict → kind of item → count.
        events: class of events → count.
        faults: the association of faults of the user with failure, over all dialogues and within tasks that have both outcomes.
        parties: party → number of failed dialogues that are its fault according to the events.
        dialogues: every dialogue that has an instruction, with its items and events.
    """

    command: str = "user items"
    verdicts: dict[str, dict[str, Count]]
    events: dict[str, Count]
    faults: list[FaultTable]
    parties: dict[str, Count]
    dialogues: list[DialogueItems]


@shared.command()
@click.argument("log")
@shared.from_option("the log")
@shared.option("--goals FILE.csv sheet", "Edited sheet of items from `dialmeter user goals --make-sheets`.")
@shared.interval_options(resamples=10_000)
@shared.missing_option
@shared.run_options
@shared.fail_if_option("ItemRecall < 0.9")
def items(**options: Any) -> Output:
    """Measure whether the user of an agent's LOG says the values in its goal, and what it says that contradicts the goal.

    An item is a value of an expected call that the instruction names. An item is missed only if the agent asked for it, or if
    the user ended the dialogue before its call was made. ItemRecall = (conveyed + confirmed) / (conveyed + confirmed + missed).
    Events are statements of the user that contradict its instruction; `dialmeter list events` describes them. Dialogues that
    cannot be read are listed, and the exit code is then 2.
    """
    sheet = read_goal_sheet(options["sheet"]) if options["sheet"] else None
    source = BY_RULE if sheet is None else f"sheet@{sheet_digest(sheet)}"
    run = CommandRun(options, {"log": options["log"], "goals": options["sheet"]})
    run.begin(lambda inputs: items_identity(inputs, source))
    with run.abandoned_on(DialmeterError):
        log = open_trajectories(options["log"], options["format"])
        trajectories = list(track_reading(log, log, options["quiet"]))
        pairs = dialogue_items(trajectories, sheet)
        log_items = LogItems(
            [dialogue for _, dialogue in pairs],
            len(trajectories) - len(pairs),
            source=source,
            resampling=options["resampling"],
            refused=log.refused,
            notices=[*log.notices, *language_notices(trajectories)],
        )
        if not log_items.dialogues:
            raise InputError(
                "no goal in words has an item (an item is a value of an expected call that the instruction names)",
                file=log.name,
            )
    if run.writer is not None:
        for each, dialogue in pairs:
            if each.id not in run.writer.done:
                run.writer.add(item_row(each, dialogue))
    name = Path(options["log"]).name
    run.finish(lambda writer, about: finish_items_run(writer, log_items, about, items_report(name, log_items)))
    is_accepted = options["missing"] == "skip" or not log.refused
    return document_output(
        UserItemsDocument,
        log_items,
        parts=_item_parts(log_items, one_line(options["log"])),
        notices=log_items.notices,
        errors=[
            *(one_line(str(error), 1000) for error in log.refused[:LISTED]),
            *(
                []
                if is_accepted
                else [f"{len(log.refused)} dialogues cannot be read (to score the others: --set missing=skip)"]
            ),
        ],
        check=lambda: shared.check_conditions(options["conditions"], log_items.to_dicts()),
        exit_code=0 if is_accepted else EXIT_INPUT,
        format=log.format,
        intervals=describe_intervals(log_items.resampling),
        refused=UNSET,
        faults=log_items.faults(),
        dialogues=log_items.all_dialogues,
    )


def _item_parts(log_items: LogItems, name: str) -> Iterator[Block]:
    yield Block(f"{name}  {log_items.items} items in {len(log_items.dialogues)} dialogues", TEXT)
    yield Block(recall_table(log_items))
    yield Block(records_table(log_items.to_dicts()), CSV)
    yield from signature_blocks(log_items.signature)
    yield from table_blocks([verdict_table(log_items), event_table(log_items), *fault_tables(log_items)])
    yield from table_blocks([missed_table(log_items), event_example_table(log_items)], TEXT)


_ACT_OPTIONS = ("domain", "slot", "low", "high", "goal", "goal_has", "why")
"""Options that need acts. Logs of agents have no acts."""
_PARTIES = ("user", "unknown", "nobody")


def is_log_or_items_run(where: str, options: dict[str, Any]) -> bool:
    """Return True for a log of an agent, and for a run of its items."""
    if is_run(where):
        return open_run(where).manifest.get("kind") == KIND
    return is_log(where, options["format"], unknown=False)


def query_logs(options: dict[str, Any]) -> Output:
    """Find the dialogues of a log that have certain events, or that failed because of a party."""
    for name in _ACT_OPTIONS:
        if options[name]:
            raise DialmeterError(f"--{name.replace('_', '-')} needs acts; logs of agents have no acts")
    for event in options["events"]:
        if event not in FAULTS:
            raise DialmeterError(f"unknown event {event!r} of logs; {did_you_mean(event, FAULTS)}")
    if options["party"] and options["party"] not in _PARTIES:
        raise DialmeterError(f"unknown party {options['party']!r} of logs; {did_you_mean(options['party'], _PARTIES)}")
    rows, notices = _rows(options["where"], options)
    matches = [(row, _matching_events(row, options)) for row in rows if _matches_query(row, options)]
    if options["dialogue"] and not matches:
        raise DialmeterError(f"{options['where']}: no dialogue {options['dialogue']!r} matches")
    shown = matches[: options["limit"]]
    return document_output(
        UserQueryDocument,
        parts=query_parts(_query_table(shown), (item_lines(row) for row, _ in shown), len(matches), options),
        notices=notices,
        account=UNSET,
        counts={"found": len(matches), "shown": len(shown)},
        dialogues=[
            {"dialogue": row.id, "goal": [row.trajectory.task], "I-GCDF1": None, "R-GCDF1": None, "events": events}
            for row, events in shown
        ],
    )


def _rows(where: str, options: dict[str, Any]) -> tuple[Iterable[ItemRow], list[Notice]]:
    if is_run(where):
        return open_run(where).rows_as(ItemRow), []
    log = open_trajectories(where, options["format"])
    pairs = dialogue_items(list(track_reading(log, log, options["quiet"])))
    return [item_row(*pair) for pair in pairs], [*log.notices, *unread_notices(log.refused)]


def unread_notices(refused: Sequence[InputError]) -> list[Notice]:
    """Return one warning about the dialogues of a log that cannot be read, or an empty list."""
    count, where = len(refused), tuple(str(error) for error in refused[:5])
    return [Notice("refused", count, f"{count} dialogues cannot be read", where)] if count else []


def _matches_query(row: ItemRow, options: dict[str, Any]) -> bool:
    if options["dialogue"] and dialogue_key(row.id) != dialogue_key(options["dialogue"]):
        return False
    if options["party"] and row.party != options["party"]:
        return False
    return bool(_matching_events(row, options)) or not options["events"]


def _matching_events(row: ItemRow, options: dict[str, Any]) -> list[Event]:
    return [event for event in row.events if not options["events"] or event.name in options["events"]]


def _query_table(shown: Sequence[tuple[ItemRow, list[Event]]]) -> Table:
    words = {True: "successful", False: "failed", None: ""}
    return table_of(
        "",
        shown,
        ("<dialogue", lambda each: each[0].id),
        ("<task", lambda each: each[0].trajectory.task),
        ("<outcome", lambda each: words[each[0].success]),
        ("events", lambda each: len(each[1]) or ""),
        ("<first event", lambda each: _first_event(each[1])),
    )


def _first_event(events: Sequence[Event]) -> str:
    if not events:
        return ""
    first = events[0]
    words = one_line(first.said or first.about, 60)
    return f"{first.name} {words} (message {', '.join(map(str, first.turns)) or 'none'})"


def compare_logs(names: Mapping[str, str], options: dict[str, Any]) -> Output:
    """Compare the users of several logs on the same tasks, each with the first user."""
    resampling = options["resampling"] or Resampling()
    expect_files(len(names))
    results: dict[str, LogItems] = {}
    notices: list[Notice] = []
    for name, path in names.items():
        log = open_trajectories(path, options["format"])
        results[name] = read_items(track_reading(log, log, options["quiet"]), resampling=options["resampling"])
        if not results[name].dialogues:
            raise InputError("no goal in words has an item", file=log.name)
        notices += named_notices(name, [*log.notices, *results[name].notices, *unread_notices(log.refused)])
    comparison = compare_items(results, resampling)
    tasks = len({dialogue.task for result in comparison.results.values() for dialogue in result.all_dialogues})
    measures = list(dict.fromkeys(each.measure for each in comparison.versus))
    scores = [
        {**score_dict(replace(score_of(result, measure), group={"domain": COMBINED})), "system": name}
        for name, result in comparison.results.items()
        for measure in measures
    ]
    dialogues = sum(len(result.all_dialogues) for result in comparison.results.values())
    return compared_output(
        UserCompareDocument,
        comparison,
        options,
        resampling=resampling,
        notices=[*comparison.notices, *notices],
        fields={"scores": scores, "counts": {"dialogues": dialogues, "systems": len(names)}, "domain": COMBINED},
        parts=_comparison_parts(comparison, tasks),
    )


def _comparison_parts(comparison: ItemComparison, tasks: int) -> Iterator[Block]:
    yield Block(item_comparison_table(comparison), EVERY)
    yield Block(f"{tasks} tasks are in every log; {task_test_lines(comparison.versus)}", TEXT)
    first = next(iter(comparison.results.values()))
    yield from signature_blocks("|".join(["…", *first.signature.split("|")[1:]]), gap=("markdown",))
