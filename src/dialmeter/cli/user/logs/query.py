"""``dialmeter user query`` on logs of agents, and on runs of ``user items``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import UNSET

from ....core.document import make_document
from ....core.open_runs import open_run
from ....errors import DialmeterError, InputError, did_you_mean, one_line
from ....model import Notice, dialogue_key
from ....readers.conversations import is_log, open_trajectories
from ....users.events import Event
from ....users.items.log_items import dialogue_items
from ....users.items.record import KIND, ItemRow, item_lines, item_row
from ....users.items.text_events import FAULTS
from ....views.tables import Table
from ...printer import Output
from ...progress import track_reading
from ..documents import UserQueryDocument
from ..scoring import is_run, query_parts

_ACT_OPTIONS = ("domain", "slot", "low", "high", "goal", "goal_has", "why")
"""Options that need acts. Logs of agents have no acts."""
_PARTIES = ("user", "unknown", "nobody")


def is_log_or_items_run(where: str, options: dict[str, Any]) -> bool:
    """Return True for a log of an agent, and for a run of its items."""
    if is_run(where):
        return open_run(where).manifest.get("kind") == KIND
    return is_log(where, options["format"], unknown=False)


def query_logs(options: dict[str, Any]) -> Output:
    """Find the dialogues of a log that have certain events, or that failed because of a party.

    Raises:
        DialmeterError: an option needs acts, an event or a party is unknown, or the dialogue does not exist.
    """
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
    return Output(
        document=lambda _: make_document(
            UserQueryDocument,
            account=UNSET,
            counts={"found": len(matches), "shown": len(shown)},
            warnings=notices,
            dialogues=[
                {"dialogue": row.id, "goal": [row.trajectory.task], "I-GCDF1": None, "R-GCDF1": None, "events": events}
                for row, events in shown
            ],
        ),
        parts=query_parts(_table(shown), (item_lines(row) for row, _ in shown), len(matches), options),
        notices=notices,
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


def _table(shown: Sequence[tuple[ItemRow, list[Event]]]) -> Table:
    words = {True: "successful", False: "failed", None: ""}
    rows = tuple(
        (row.id, row.trajectory.task, words[row.success], str(len(events) or ""), _first_event(events))
        for row, events in shown
    )
    return Table("", ("dialogue", "task", "outcome", "events", "first event"), rows, frozenset({3}))


def _first_event(events: Sequence[Event]) -> str:
    if not events:
        return ""
    first = events[0]
    words = one_line(first.said or first.about, 60)
    return f"{first.name} {words} (message {', '.join(map(str, first.turns)) or 'none'})"
