"""Runs about goal values: a row is a dialogue of a log, and a finding is a goal value with its verdict, or an event of the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ...users.items.goal_items import ItemOutcome
from ...users.items.log_items import ItemRow
from ..chart_files import Chart
from ..tables import Table
from .charts import CountsChart, measures_chart
from .findings import Finding
from .item_tables import MEANING
from .kinds import Conditions, Grouping, RowsLink, RunKind, fields, no_link, pivot
from .messages import first_text, step_parts, step_texts

if TYPE_CHECKING:
    from .opened_run import OpenedRun

_OUTCOMES = {True: "successful", False: "failed", None: "without a reward"}
_SIGNS = {"conveyed": "correct", "confirmed": "correct", "missed": "missed", "forbidden": "wrong"}

_CHARTS = (
    CountsChart("event", "Events of the user", ("event",), "{event}: {size:,}"),
    CountsChart("verdict", "Verdicts on goal values", ("verdict",), "{verdict}: {size:,}"),
)


class ItemsKind(RunKind):
    """Runs of ``score`` of users of logs."""

    NAME = "items"
    UNIT = ("dialogue", "dialogues")
    ROW = ItemRow
    FIRST_COLUMN = "GoalRecall"
    RESAMPLED = "tasks"
    MISTAKE_CONDITIONS: ClassVar[Conditions] = {"event": tuple(MEANING)}
    GROUPINGS = (
        Grouping("event", "events per 100 dialogues", {"event": tuple(MEANING)}, ("task",)),
        Grouping("task", "events per 100 dialogues", {"event": tuple(MEANING)}, ("event",)),
    )
    FIELDS = fields("task outcome party verdict event", party="lost by", verdict="verdict on a goal value")

    def scan(self, row: ItemRow, sums: Counter[Finding]) -> Counter[Finding]:
        """Return the outcome of a dialogue, the verdicts on its goal values, and its events.

        Example:
            >>> from dialmeter.model import Trajectory
            >>> from dialmeter.users.events import Event
            >>> row = ItemRow(id="3:0", trajectory=Trajectory(id="3:0", task="3"), success=False, lost_by="user",
            ...               events=(Event("leak", "text", ""),))
            >>> dict(KIND.scan(row, Counter()))
            {('3', 'failed', 'user', '', ''): 1, ('3', '', '', '', 'leak'): 1}
        """
        task = row.trajectory.task
        findings: Counter[Finding] = Counter({(task, _OUTCOMES[row.success], row.lost_by, "", ""): 1})
        findings.update((task, "", "", each.verdict, "") for each in row.outcomes)
        findings.update((task, "", "", "", event.name) for event in row.events)
        return findings

    def summary(self, row: ItemRow) -> tuple[str, str]:
        """Return the outcome of a dialogue with its events, and its first text."""
        names = Counter(event.name for event in row.events)
        facts = ", ".join([_OUTCOMES[row.success], *(f"{count} {name}" for name, count in names.items())])
        return facts, first_text(row.trajectory)

    def texts(self, row: ItemRow) -> Iterator[str]:
        """Yield the texts of messages, the tool calls, and the values of the goal."""
        yield from step_texts(row.trajectory.steps)
        for each in row.outcomes:
            yield from (each.item.value, *each.item.keys)

    def page(self, row: ItemRow, filters: Mapping[str, str]) -> dict[str, Any]:
        """Return the goal with its goal values, and the messages with their events."""
        trajectory = row.trajectory
        events_at: dict[int, list[dict[str, Any]]] = {}
        for event in row.events:
            events_at.setdefault(event.turns[-1] if event.turns else -1, []).append(
                {
                    "name": event.name.replace("_", " "),
                    "said": event.said,
                    "about": event.about,
                    "meaning": MEANING.get(event.name, ""),
                    "marked": filters.get("event") == event.name,
                }
            )
        return {
            "outcome": _OUTCOMES[row.success],
            "ending": trajectory.ending,
            "lost_by": row.lost_by,
            "instruction": trajectory.goal.instruction if trajectory.goal else "",
            "items": [_item_parts(each, filters) for each in row.outcomes],
            "steps": [{**step_parts(step, filters), "events": events_at.get(step.at, [])} for step in trajectory.steps],
            "elsewhere": events_at.get(-1, []),
        }

    def cell(self, column: str, value: float) -> str:
        """Format the score of one row: a share in percent, or a number of events."""
        return f"{value:g}" if column == "Events" else super().cell(column, value)

    def charts(self, run: OpenedRun, link: RowsLink) -> Iterator[Chart]:
        """Yield GoalRecall, the events and the verdicts."""
        yield measures_chart(run, link)
        for each in _CHARTS:
            yield from each.of(run, link)

    def breakdowns(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield the events with their meaning, the verdicts, and the failed dialogues by who lost them."""
        if events := run.findings.ranked("event"):
            yield pivot(run, link, "events of the user", events, "event", total="all", meaning=MEANING)
        for field, title in (("verdict", "verdicts on goal values"), ("party", "failed dialogues by who lost them")):
            if names := run.findings.ranked(field):
                yield pivot(run, link, title, names, field, total="count")


def _item_parts(outcome: ItemOutcome, filters: Mapping[str, str]) -> dict[str, Any]:
    return {
        "value": outcome.item.value,
        "keys": ", ".join(outcome.item.keys),
        "condition": outcome.item.condition,
        "verdict": outcome.verdict.replace("_", " "),
        "kind": _SIGNS.get(outcome.verdict, ""),
        "at": outcome.at,
        "marked": filters.get("verdict") == outcome.verdict,
    }


KIND = ItemsKind()
