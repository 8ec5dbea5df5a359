"""``dialmeter user query`` on logs of agents, and on runs of ``user items``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import UNSET

from ....core.document import make_document
from ....core.open_runs import open_run
from ....errors import DialmeterError, InputError, did_you_mean, one_line
from ....model import Notice, dialogue_key
from ....readers.trajectories import is_log, open_trajectories
from ....users.events import Event
from ....users.items.log_items import dialogue_items
from ....users.items.record import KIND, ItemRow, item_row
from ....users.items.show import item_lines
from ....users.items.text_events import FAULTS
from ....views.tables import Table
from ...printer import Output
from ...progress import track_reading
from ..documents import UserQueryDocument
from ..scoring import is_run, query_parts

_OF_ACTS = ("domain", "slot", "low", "high", "goal", "goal_has", "why")
"""Options that are about acts, which logs do not have."""
_PARTIES = ("user", "unknown", "nobody")


def asks_log(where: str, options: dict[str, Any]) -> bool:
    """Is this a log of an agent, or a run of its items?"""
    if is_run(where):
        return open_run(where).manifest.get("kind") == KIND
    return is_log(where, options["format"], unknown=False)


def query_logs(options: dict[str, Any]) -> Output:
    """The dialogues of a log that have certain events, or failed by a party's fault.

    Raises:
        DialmeterError: an option that is about acts, an unknown event, or no such dialogue.
    """
    for name in _OF_ACTS:
        if options[name]:
            raise DialmeterError(f"--{name.replace('_', '-')} is about acts, which logs of agents do not have")
    for event in options["events"]:
        if event not in FAULTS:
            raise DialmeterError(f"unknown event {event!r} of logs; {did_you_mean(event, FAULTS)}")
    if options["party"] and options["party"] not in _PARTIES:
        raise DialmeterError(f"unknown party {options['party']!r} of logs; {did_you_mean(options['party'], _PARTIES)}")
    rows, notices = _rows(options["where"], options)
    found = [(row, _events(row, options)) for row in rows if _fits(row, options)]
    if options["dialogue"] and not found:
        raise DialmeterError(f"{options['where']}: no dialogue {options['dialogue']!r} that fits")
    kept = found[: options["limit"]]
    return Output(
        document=lambda _: make_document(
            UserQueryDocument,
            account=UNSET,
            counts={"found": len(found), "shown": len(kept)},
            warnings=notices,
            dialogues=[
                {"dialogue": row.id, "goal": [row.trajectory.task], "I-GCDF1": None, "R-GCDF1": None, "events": events}
                for row, events in kept
            ],
        ),
        parts=query_parts(_table(kept), (item_lines(row) for row, _ in kept), len(found), options),
        notices=notices,
    )


def _rows(where: str, options: dict[str, Any]) -> tuple[Iterable[ItemRow], list[Notice]]:
    if is_run(where):
        return open_run(where).rows_as(ItemRow), []
    log = open_trajectories(where, options["format"])
    pairs = dialogue_items(list(track_reading(log, log, options["quiet"])))
    return [item_row(*pair) for pair in pairs], [*log.notices, *unread_notices(log.refused)]


def unread_notices(refused: Sequence[InputError]) -> list[Notice]:
    """One warning for the dialogues of a log that cannot be read, if there are any."""
    count, where = len(refused), tuple(str(error) for error in refused[:5])
    return [Notice("refused", count, f"{count} dialogues that cannot be read", where)] if count else []


def _fits(row: ItemRow, options: dict[str, Any]) -> bool:
    if options["dialogue"] and dialogue_key(row.id) != dialogue_key(options["dialogue"]):
        return False
    if options["party"] and row.party != options["party"]:
        return False
    return bool(_events(row, options)) or not options["events"]


def _events(row: ItemRow, options: dict[str, Any]) -> list[Event]:
    return [event for event in row.events if not options["events"] or event.name in options["events"]]


def _table(kept: Sequence[tuple[ItemRow, list[Event]]]) -> Table:
    words = {True: "successful", False: "failed", None: ""}
    rows = tuple(
        (row.id, row.trajectory.task, words[row.success], str(len(events) or ""), _first(events))
        for row, events in kept
    )
    return Table("", ("dialogue", "task", "outcome", "found", "the first of them"), rows, frozenset({3}))


def _first(events: Sequence[Event]) -> str:
    if not events:
        return ""
    first = events[0]
    words = one_line(first.said or first.about, 60)
    return f"{first.name} {words} (message {', '.join(map(str, first.turns)) or 'none'})"
