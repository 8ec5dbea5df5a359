"""System runs: a row is a dialogue with an agent, and a finding is its outcome or a tool call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ...model import TaskGoal
from ...systems.scorer import SystemRow
from ..chart_files import Chart
from ..tables import Table
from .charts import CountsChart, measures_chart
from .findings import Finding
from .kinds import Conditions, Grouping, RowsLink, RunKind, fields, no_link, pivot
from .messages import arguments, first_text, step_parts, step_texts

if TYPE_CHECKING:
    from .opened_run import OpenedRun

_OUTCOMES = {True: "successful", False: "failed", None: "unscored"}
_ENDINGS = CountsChart(
    "endings",
    "Endings of dialogues",
    ("outcome", "ending"),
    "{ending}, {outcome}: {size:,} dialogues",
    "number of dialogues",
)


class SystemKind(RunKind):
    """Runs of ``system score``."""

    NAME = "system"
    UNIT = ("dialogue", "dialogues")
    ROW = SystemRow
    FIRST_COLUMN = "Success"
    RESAMPLED = "tasks"
    MISTAKE_CONDITIONS: ClassVar[Conditions] = {"answer": ("error",)}
    GROUPINGS = (
        Grouping("ending", "failed dialogues per 100", {"outcome": (_OUTCOMES[False],)}, ("task",)),
        Grouping("task", "failed dialogues per 100", {"outcome": (_OUTCOMES[False],)}, ("ending",)),
        Grouping("tool", "calls with an error per 100 dialogues", {"answer": ("error",)}, ("task",)),
    )
    FIELDS = fields("task outcome ending tool answer", answer="answer of the tool")

    def headlines(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield the scores, then those without infrastructure errors if there are any."""
        from .scores import score_table  # imported here, because it imports the code of trackers

        yield score_table(run, link)
        if run.manifest.get("scores_without_infrastructure"):
            yield score_table(run, link, "scores_without_infrastructure", "Scores without infrastructure errors")

    def scan(self, row: SystemRow, sums: Counter[Finding]) -> Counter[Finding]:
        """Return the outcome of a dialogue with its ending, and every tool call.

        Example:
            >>> from dialmeter.model import Step, ToolCall, Trajectory
            >>> from dialmeter.systems.measures import SystemOutcome
            >>> outcome = SystemOutcome(id="3:0", task="3", trial=0, success=True, ending="user_stop")
            >>> trajectory = Trajectory(id="3:0", task="3", steps=(Step(0, "system", calls=(ToolCall("find"),)),))
            >>> dict(KIND.scan(SystemRow(id="3:0", trajectory=trajectory, outcome=outcome), Counter()))
            {('3', 'successful', 'user_stop', '', ''): 1, ('3', '', '', 'find', 'fine'): 1}
        """
        task = row.outcome.task
        findings: Counter[Finding] = Counter({(task, _OUTCOMES[row.outcome.success], row.outcome.ending, "", ""): 1})
        for step in row.trajectory.steps:
            for call in step.calls:
                findings[task, "", "", call.name, "error" if call.failed else "fine"] += 1
        return findings

    def summary(self, row: SystemRow) -> tuple[str, str]:
        """Return the outcome of a dialogue, and its first text."""
        outcome = row.outcome
        calls = "" if outcome.answers else f", {outcome.tool_calls} calls"
        return f"{_OUTCOMES[outcome.success]}, {outcome.ending}{calls}", first_text(row.trajectory)

    def texts(self, row: SystemRow) -> Iterator[str]:
        """Yield the goal, the texts of messages, and the tool calls with their arguments and results."""
        yield row.trajectory.goal.instruction if row.trajectory.goal else ""
        yield from step_texts(row.trajectory.steps)

    def page(self, row: SystemRow, filters: Mapping[str, str]) -> dict[str, Any]:
        """Return the goal, and the messages with their tool calls."""
        outcome, goal = row.outcome, row.trajectory.goal or TaskGoal()
        reached = {name: getattr(outcome, name) or (0, 0) for name in ("bookings", "answers", "matches")}
        return {
            "outcome": _OUTCOMES[outcome.success],
            "ending": outcome.ending,
            "reason": outcome.reason,
            "reached": [f"{name} {done} of {total}" for name, (done, total) in reached.items() if total],
            "error": row.trajectory.error,
            "instruction": goal.instruction,
            "actions": [{"name": each.name, "arguments": arguments(each)} for each in goal.actions],
            "outputs": goal.outputs,
            "steps": [step_parts(step, filters) for step in row.trajectory.steps],
        }

    def charts(self, run: OpenedRun, link: RowsLink) -> Iterator[Chart]:
        """Yield success and pass^k, then the endings of the dialogues."""
        yield measures_chart(run, link)
        yield from _ENDINGS.of(run, link)

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


KIND = SystemKind()
