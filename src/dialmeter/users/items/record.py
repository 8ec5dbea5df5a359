"""The run record of items and events: identity of a run, and its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from ...core.record import finish_run, resampling_fields, run_identity
from ...core.run_writer import RunWriter
from ...model import Trajectory
from ..events import Event
from .faults import DialogueItems
from .log_items import LogItems
from .verdicts import ItemOutcome, item_recall

KIND = "items"


class ItemRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row of a run: a dialogue of a log, the verdicts on its items, and its events."""

    id: str
    trajectory: Trajectory
    outcomes: tuple[ItemOutcome, ...] = ()
    events: tuple[Event, ...] = ()
    success: bool | None = None
    party: str = ""


def item_row(trajectory: Trajectory, items: DialogueItems) -> ItemRow:
    """Return the row of a dialogue."""
    return ItemRow(
        id=trajectory.id,
        trajectory=trajectory,
        outcomes=items.outcomes,
        events=items.events,
        success=items.success,
        party=items.party,
    )


def items_identity(inputs: Sequence[Mapping[str, str | None]], source: str) -> dict[str, Any]:
    """Return the data that identify a run."""
    return run_identity(KIND, inputs, items=source)


def finish_items_run(writer: RunWriter, result: LogItems, about: Mapping[str, Any], report: str) -> None:
    """Close the run with the scores over all dialogues, and the recall and the number of events of each dialogue."""
    columns: dict[str, list[float | None]] = {
        "ItemRecall": [item_recall(each.outcomes) for each in result.all_dialogues],
        "Events": [float(len(each.events)) for each in result.all_dialogues],
    }
    finish_run(
        writer,
        {**about, **resampling_fields(result.resampling)},
        result,
        signature=result.signature,
        columns=columns,
        report=report,
        findings={"verdicts": result.verdicts, "events": result.events, "faults": result.faults()},
        refused=result.refused,
    )
