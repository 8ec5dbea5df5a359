"""Runs of items: a row is a dialogue of a log, and a finding is an item with its verdict, or an event of the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from msgspec import Struct

from ...users.events import Event
from ...users.items.log_items import ItemRow
from ...users.items.verdicts import ItemOutcome
from ..chart_files import Chart, slug
from ..charts.data import Estimate
from ..tables import Table
from .charts import LinkedBars, in_words, measures_chart, title_suffix
from .findings import Finding
from .item_tables import MEANING
from .kinds import Cell, Conditions, Field, Grouping, RowsLink, RunKind, ScannedRow, linked_table, no_link
from .system import step_parts, step_texts

if TYPE_CHECKING:
    from .opened_run import OpenedRun

_OUTCOMES = {True: "successful", False: "failed", None: "without a reward"}
_SIGNS = {"conveyed": "correct", "confirmed": "correct", "missed": "missed", "forbidden": "wrong"}


class _Task(Struct, frozen=True):
    """The counted fields of a dialogue."""

    task: str


class _CountedItemRow(Struct, frozen=True):
    """The counted fields of a row."""

    id: str
    trajectory: _Task
    outcomes: tuple[ItemOutcome, ...] = ()
    events: tuple[Event, ...] = ()
    success: bool | None = None
    party: str = ""


_DECODER = msgspec.json.Decoder(_CountedItemRow)


class ItemsKind(RunKind):
    """Runs of ``user items``."""

    NAME = "items"
    UNIT = ("dialogue", "dialogues")
    ROW = ItemRow
    FIRST_COLUMN = "ItemRecall"
    RESAMPLED = "tasks"
    MISTAKE_CONDITIONS: ClassVar[Conditions] = {"event": tuple(MEANING)}
    GROUPINGS = (
        Grouping("event", "events per 100 dialogues", {"event": tuple(MEANING)}, ("task",)),
        Grouping("task", "events per 100 dialogues", {"event": tuple(MEANING)}, ("event",)),
    )
    FIELDS = (
        Field("task", "task"),
        Field("outcome", "outcome"),
        Field("party", "party of a failure"),
        Field("verdict", "verdict on an item"),
        Field("event", "event"),
    )

    def scan(self, line: bytes, sums: Counter[Finding]) -> ScannedRow:
        """Return the outcome of a dialogue, the verdicts on its items, and its events.

        Example:
            >>> KIND.scan(b'{"id": "3:0", "trajectory": {"task": "3"}, "success": false, "party": "user", '
            ...           b'"events": [{"class": "leak", "family": "text", "domain": ""}]}', Counter()).findings
            {('3', 'failed', 'user', '', ''): 1, ('3', '', '', '', 'leak'): 1}
        """
        row = _DECODER.decode(line)
        task = row.trajectory.task
        findings: Counter[Finding] = Counter({(task, _OUTCOMES[row.success], row.party, "", ""): 1})
        for each in row.outcomes:
            findings[task, "", "", each.verdict, ""] += 1
        for event in row.events:
            findings[task, "", "", "", event.name] += 1
        return ScannedRow(row.id, dict(findings))

    def summary(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """Return the outcome of a dialogue with its events, and its first text."""
        names = Counter(event["class"] for event in row.get("events") or ())
        facts = ", ".join([_OUTCOMES[row.get("success")], *(f"{count} {name}" for name, count in names.items())])
        steps = row["trajectory"].get("steps") or ()
        return facts, next((step["text"] for step in steps if step.get("text")), "")

    def texts(self, row: Mapping[str, Any]) -> Iterator[str]:
        """Yield the texts of messages, the tool calls, and the items of the goal."""
        yield from step_texts(row["trajectory"].get("steps") or ())
        for each in row.get("outcomes") or ():
            yield from (each["item"]["value"], *(each["item"].get("keys") or ()))

    def page(self, row: Mapping[str, Any], filters: Mapping[str, str]) -> dict[str, Any]:
        """Return the goal with its items, and the messages with their events."""
        trajectory = row["trajectory"]
        events_at: dict[int, list[dict[str, Any]]] = {}
        for event in row.get("events") or ():
            turns = event.get("turns") or (-1,)
            events_at.setdefault(turns[-1], []).append(
                {
                    "name": event["class"].replace("_", " "),
                    "said": event.get("said", ""),
                    "about": event.get("about", ""),
                    "meaning": MEANING.get(event["class"], ""),
                    "marked": bool(filters.get("event")) and filters["event"] == event["class"],
                }
            )
        return {
            "outcome": _OUTCOMES[row.get("success")],
            "ending": trajectory.get("ending", "unknown"),
            "party": row.get("party", ""),
            "instruction": (trajectory.get("goal") or {}).get("instruction", ""),
            "items": [_item_parts(each, filters) for each in row.get("outcomes") or ()],
            "steps": [
                {**step_parts(step, filters), "events": events_at.get(step["at"], [])}
                for step in trajectory.get("steps") or ()
            ],
            "elsewhere": events_at.get(-1, []),
        }

    def cell(self, column: str, value: float) -> str:
        """Format the score of one row: a share in percent, or a number of events."""
        return f"{value:g}" if column == "Events" else super().cell(column, value)

    def charts(self, runs: Sequence[OpenedRun], link: RowsLink) -> Iterator[Chart]:
        """Yield ItemRecall of all runs, then the events and the verdicts of each run."""
        yield measures_chart(runs, link)
        for run in runs:
            for field, title in (("event", "Events of the user"), ("verdict", "Verdicts on items")):
                counts = LinkedBars()
                for (name,), size in sorted(run.findings.counts(field).items()):
                    if name:
                        address = link(run, {field: name})
                        counts.add(title, in_words(name), Estimate(size), address, f"{name}: {size:,}")
                if counts.scores:
                    full_title = f"{title}{title_suffix(run, runs)}"
                    yield counts.chart(f"{field}-{slug(run.key)}", full_title, "number", as_percent=False)

    def command_words(self, manifest: Mapping[str, Any]) -> list[str]:
        """Return the command that reproduces the run in the folder of its input."""
        names = {str(each.get("role")): str(each.get("name")) for each in manifest.get("inputs") or ()}
        words = ["user", "items", names.get("log", "LOG"), *(["--goals", names["goals"]] if "goals" in names else [])]
        return words + (["--seed", str(manifest["seed"])] if manifest.get("seed") is not None else [])

    def breakdowns(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield the events with their meaning, the verdicts, and the failed dialogues by responsible party."""
        findings = run.findings
        totals = findings.counts("event")
        rows: list[list[Cell]] = [
            [name, (str(totals[(name,)]), {"event": name}), MEANING.get(name, "")] for name in findings.ranked("event")
        ]
        if rows:
            yield linked_table(run, link, "events of the user", ("event", "all", "meaning"), rows, numeric=(1,))
        for field, title in (
            ("verdict", "verdicts on items"),
            ("party", "failed dialogues by responsible party"),
        ):
            counts = findings.counts(field)
            table_rows: list[list[Cell]] = [
                [name, (str(counts[(name,)]), {field: name})] for name in findings.ranked(field)
            ]
            if table_rows:
                yield linked_table(run, link, title, (field, "count"), table_rows)


def _item_parts(outcome: Mapping[str, Any], filters: Mapping[str, str]) -> dict[str, Any]:
    item, verdict = outcome["item"], outcome["verdict"]
    return {
        "value": item["value"],
        "keys": ", ".join(item.get("keys") or ()),
        "condition": item.get("condition", ""),
        "verdict": verdict.replace("_", " "),
        "kind": _SIGNS.get(verdict, ""),
        "at": outcome.get("at"),
        "marked": bool(filters.get("verdict")) and filters["verdict"] == verdict,
    }


KIND = ItemsKind()
