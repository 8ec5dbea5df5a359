"""System runs: a row is a dialogue with an agent, and a finding is its outcome or a tool call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from msgspec import Struct

from ...systems.measures import SystemOutcome
from ...systems.scorer import SystemRow
from ..chart_files import Chart
from ..tables import Table
from .acts import act_words
from .charts import counts_chart, measures_chart, title_suffix
from .findings import Finding
from .kinds import Conditions, Field, Grouping, RowsLink, RunKind, ScannedRow, no_link, pivot

if TYPE_CHECKING:
    from .opened_run import OpenedRun

_OUTCOMES = {True: "successful", False: "failed", None: "unscored"}
_LONG = 4000
"""Largest number of characters of a tool result on a page."""


class _Call(Struct, frozen=True):
    """The counted fields of a tool call."""

    name: str
    failed: bool = False


class _Step(Struct, frozen=True):
    """The counted fields of a message."""

    calls: tuple[_Call, ...] = ()


class _Log(Struct, frozen=True):
    """The counted fields of a log."""

    steps: tuple[_Step, ...] = ()


class _CountedRow(Struct, frozen=True):
    """The counted fields of a dialogue."""

    id: str
    outcome: SystemOutcome
    trajectory: _Log


_DECODER = msgspec.json.Decoder(_CountedRow)


class SystemKind(RunKind):
    """Runs of ``system score``."""

    NAME = "system"
    UNIT = ("dialogue", "dialogues")
    ROW = SystemRow
    FIRST_COLUMN = "Success"
    COMMAND = "system score LOG"
    OPTIONS: ClassVar[Mapping[str, str]] = {"scorer": "scorer", "measure": "measures", "seed": "seed"}
    RESAMPLED = "tasks"
    MISTAKE_CONDITIONS: ClassVar[Conditions] = {"answer": ("error",)}
    GROUPINGS = (
        Grouping("ending", "failed dialogues per 100", {"outcome": (_OUTCOMES[False],)}, ("task",)),
        Grouping("task", "failed dialogues per 100", {"outcome": (_OUTCOMES[False],)}, ("ending",)),
        Grouping("tool", "calls with an error per 100 dialogues", {"answer": ("error",)}, ("task",)),
    )
    FIELDS = (
        Field("task", "task"),
        Field("outcome", "outcome"),
        Field("ending", "ending"),
        Field("tool", "tool"),
        Field("answer", "answer of the tool"),
    )

    def headlines(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield the scores, then those without infrastructure errors if there are any."""
        from .scores import score_table  # imported here, because it imports the code of trackers

        yield score_table(run, link)
        if run.manifest.get("scores_without_infrastructure"):
            yield score_table(run, link, "scores_without_infrastructure", "Scores without infrastructure errors")

    def scan(self, line: bytes, sums: Counter[Finding]) -> ScannedRow:
        """Return the outcome of a dialogue with its ending, and every tool call.

        Example:
            >>> KIND.scan(b'{"id": "3:0", "outcome": {"id": "3:0", "task": "3", "trial": 0, "success": true, '
            ...           b'"ending": "user_stop"}, "trajectory": {"steps": [{"calls": [{"name": "find"}]}]}}', Counter()).findings
            {('3', 'successful', 'user_stop', '', ''): 1, ('3', '', '', 'find', 'fine'): 1}
        """
        row = _DECODER.decode(line)
        task = row.outcome.task
        findings: Counter[Finding] = Counter({(task, _OUTCOMES[row.outcome.success], row.outcome.ending, "", ""): 1})
        for step in row.trajectory.steps:
            for call in step.calls:
                findings[task, "", "", call.name, "error" if call.failed else "fine"] += 1
        return ScannedRow(row.id, dict(findings))

    def summary(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """Return the outcome of a dialogue, and its first text."""
        outcome = row["outcome"]
        facts = f"{_OUTCOMES[outcome.get('success')]}, {outcome['ending']}"
        facts += "" if outcome.get("answers") else f", {outcome.get('tool_calls', 0)} calls"
        steps = row["trajectory"].get("steps") or ()
        return facts, next((step["text"] for step in steps if step.get("text")), "")

    def texts(self, row: Mapping[str, Any]) -> Iterator[str]:
        """Yield the goal, the texts of messages, and the tool calls with their arguments and results."""
        yield str((row["trajectory"].get("goal") or {}).get("instruction", ""))
        yield from step_texts(row["trajectory"].get("steps") or ())

    def page(self, row: Mapping[str, Any], filters: Mapping[str, str]) -> dict[str, Any]:
        """Return the goal, and the messages with their tool calls."""
        trajectory, outcome = row["trajectory"], row["outcome"]
        goal = trajectory.get("goal") or {}
        return {
            "outcome": _OUTCOMES[outcome.get("success")],
            "ending": outcome["ending"],
            "reason": outcome.get("reason", ""),
            "reached": [
                f"{name} {reached} of {total}"
                for name in ("bookings", "answers", "matches")
                for reached, total in [outcome.get(name) or (0, 0)]
                if total
            ],
            "error": trajectory.get("error", ""),
            "instruction": goal.get("instruction", ""),
            "actions": [_call_parts(each) for each in goal.get("actions") or ()],
            "outputs": goal.get("outputs") or (),
            "steps": [step_parts(step, filters) for step in trajectory.get("steps") or ()],
        }

    def charts(self, runs: Sequence[OpenedRun], link: RowsLink) -> Iterator[Chart]:
        """Yield success and pass^k of all runs, then the endings of the dialogues of each run."""
        yield measures_chart(runs, link)
        for run in runs:
            yield counts_chart(
                run,
                link,
                ("outcome", "ending"),
                name="endings",
                title=f"Endings of dialogues{title_suffix(run, runs)}",
                text="{ending}, {outcome}: {size:,} dialogues",
                y_label="number of dialogues",
            )

    def options(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of the command."""
        if manifest.get("success"):
            own = {"--profile": (manifest.get("profile") or {}).get("name")}
        else:
            own = {"--infrastructure": manifest.get("infrastructure") or "both"}
        return {**own, **super().options(manifest)}

    def breakdowns(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield the dialogues by ending and by task, and the tool calls."""
        findings, outcomes = run.findings, [*_OUTCOMES.values()]
        for field, title in (("ending", "endings of dialogues"), ("task", "tasks")):
            counts = findings.counts(field, "outcome")
            names = [name for name in findings.options(field) if any(counts[name, each] for each in outcomes)]
            yield pivot(run, link, title, names, field, "outcome", columns=outcomes)
        if tools := findings.ranked("tool"):
            answers: dict[str, Any] = {"columns": ("fine", "error"), "headings": ("answered", "with an error")}
            yield pivot(run, link, "tool calls", tools, "tool", "answer", **answers)


def step_texts(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the texts of messages, and the names, arguments and results of calls."""
    for step in steps:
        yield step.get("text", "")
        for call in step.get("calls") or ():
            yield from (call["name"], call.get("result") or "")
            yield from (text for pair in _call_parts(call)["arguments"] for text in pair)


def step_parts(step: Mapping[str, Any], filters: Mapping[str, str]) -> dict[str, Any]:
    """Return the template variables of a message: its text, acts and calls."""
    return {
        "at": step["at"],
        "speaker": step["speaker"],
        "text": step.get("text", ""),
        "aside": step.get("aside", ""),
        "acts": [act_words(act) for act in step.get("acts") or ()],
        "calls": [
            {**_call_parts(call), "marked": bool(filters.get("tool")) and call["name"] == filters["tool"]}
            for call in step.get("calls") or ()
        ],
    }


def _call_parts(call: Mapping[str, Any]) -> dict[str, Any]:
    result = call.get("result")
    return {
        "name": call["name"],
        "arguments": [
            (name, value if isinstance(value, str) else msgspec.json.encode(value).decode())
            for name, value in (call.get("arguments") or {}).items()
        ],
        "result": result if result is None or len(result) <= _LONG else result[:_LONG] + " …",
        "failed": bool(call.get("failed")),
    }


KIND = SystemKind()
