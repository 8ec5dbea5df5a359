"""The run record of items and events (the identity of a run, and its rows), and a row as lines of text, message by message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ...core.record import finish_run, resampling_fields, run_identity
from ...core.run_writer import RunWriter
from ...errors import one_line
from ...model import Trajectory
from ..events import Event
from .log_items import DialogueItems, LogItems
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
    shared = {name: getattr(items, name) for name in ItemRow.__struct_fields__ if name != "trajectory"}
    return ItemRow(trajectory=trajectory, **shared)


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


def item_lines(row: ItemRow) -> Iterator[str]:
    """Yield the dialogue as lines of plain text.

    Example:
        >>> from dialmeter.model import Step, Trajectory
        >>> steps = (Step(1, "user", "My code is ZX81AB."),)
        >>> event = Event("invented", "text", "", "reservation id", (1,), said="zx81ab")
        >>> print("\\n".join(item_lines(ItemRow(id="1:0", trajectory=Trajectory(id="1:0", task="1", steps=steps), events=(event,)))))
        dialogue 1:0   task 1   ended by unknown
        message 1  user    My code is ZX81AB.
            ! invented: zx81ab (reservation id)
    """
    trajectory = row.trajectory
    outcome = {True: "   successful", False: "   failed", None: ""}[row.success]
    yield f"dialogue {one_line(row.id, 80)}   task {one_line(trajectory.task, 80)}   ended by {trajectory.ending}{outcome}"
    if trajectory.goal is not None and trajectory.goal.instruction:
        yield f"goal  {one_line(trajectory.goal.instruction, 2000)}"
    for each in row.outcomes:
        message = "" if each.at is None else f" (message {each.at})"
        condition = f" [{each.item.condition}]" if each.item.condition else ""
        yield f"  {each.verdict}: {one_line(each.item.value, 80)}{condition}{message}"
    events_at: dict[int, list[Event]] = {}
    for event in row.events:
        events_at.setdefault(event.turns[-1] if event.turns else -1, []).append(event)
    for step in trajectory.steps:
        yield f"message {step.at}  {one_line(step.speaker, 12):6}  {one_line(step.text, 300)}".rstrip()
        for call in step.calls:
            yield f"    calls {one_line(call.name, 60)}{', which reports an error' if call.failed else ''}"
        yield from (f"    {_event_line(event)}" for event in events_at.pop(step.at, ()))
    unplaced = [event for events in events_at.values() for event in events]
    if unplaced:
        yield "never said"
        yield from (f"  {_event_line(event)}" for event in unplaced)


def _event_line(event: Event) -> str:
    words = one_line(event.said, 120)
    about = one_line(event.about, 80)
    return f"! {event.name}: {words}{f' ({about})' if words and about else about}"
