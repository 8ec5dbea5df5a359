"""System runs: a row is a dialogue with an agent, and a finding is its outcome or a tool call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ...model import USER, TaskGoal
from ...systems.calls import MARKS, PairedCall
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
        Grouping("argument", "missed, wrong and extra values per 100 dialogues", {"mark": MARKS[:3]}, ("tool",)),
    )
    FIELDS = fields(
        "task outcome ending tool answer argument mark", answer="answer of the tool", mark="beside the expected call"
    )

    def headlines(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield the scores, then those without infrastructure errors if there are any."""
        from .scores import score_table  # imported here, because it imports the code of trackers

        yield score_table(run, link)
        if run.manifest.get("scores_without_infrastructure"):
            yield score_table(run, link, "scores_without_infrastructure", "Scores without infrastructure errors")

    def scan(self, row: SystemRow, sums: Counter[Finding]) -> Counter[Finding]:
        """Return the outcome of a dialogue with its ending, every tool call, and every argument beside the expected calls.

        Example:
            >>> from dialmeter.model import Step, ToolCall, Trajectory
            >>> from dialmeter.systems.measures import SystemOutcome
            >>> outcome = SystemOutcome(id="3:0", task="3", trial=0, success=True, ending="user_stop")
            >>> trajectory = Trajectory(id="3:0", task="3", steps=(Step(0, "system", calls=(ToolCall("find"),)),))
            >>> dict(KIND.scan(SystemRow(id="3:0", trajectory=trajectory, outcome=outcome), Counter()))
            {('3', 'successful', 'user_stop', '', '', '', ''): 1, ('3', '', '', 'find', 'fine', '', ''): 1}
        """
        task = row.outcome.task
        findings: Counter[Finding] = Counter({(task, _OUTCOMES[row.outcome.success], row.outcome.ending, *[""] * 4): 1})
        for step in row.trajectory.steps:
            for call in step.calls:
                findings[task, "", "", call.name, "error" if call.failed else "fine", "", ""] += 1
        for pair in _pairs(row):
            for item in pair.items:
                findings[task, "", "", pair.tool, "", item.path or _CALL, item.mark] += 1
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
            "facts": row.outcome.calls.facts if row.outcome.calls is not None else (),
            "pairs": [_pair_parts(pair, filters) for pair in _pairs(row)],
            "failed": [
                {"at": step.at, "name": call.name, "result": call.result or ""}
                for step in row.trajectory.steps
                for call in step.calls
                if call.failed
            ],
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
        marks = findings.counts("tool", "argument", "mark")
        wrong = Counter[tuple[str, str]]()
        for (tool, argument, mark), count in marks.items():
            if argument:
                wrong[tool, argument] += count * (mark != "correct")
        if wrong:
            ordered = sorted(wrong, key=lambda each: (-wrong[each], each))
            yield pivot(run, link, "arguments of calls that write", ordered, "tool", "argument", "mark", columns=MARKS)


def _pairs(row: SystemRow) -> tuple[PairedCall, ...]:
    return row.outcome.calls.pairs if row.outcome.calls is not None else ()


_CALL = "(the call)"
"""What stands for the argument of a call without arguments."""
_SIGNS = {"correct": "=", "wrong": "≠", "missed": "−", "extra": "+"}


def _pair_parts(pair: PairedCall, filters: Mapping[str, str]) -> dict[str, Any]:
    """Return the template variables of a call beside the expected one."""
    is_tool = filters.get("tool", pair.tool) == pair.tool
    wanted = {key: filters[key] for key in ("argument", "mark") if key in filters}
    items = [
        {
            "path": item.path or _CALL,
            "mark": item.mark,
            "sign": _SIGNS[item.mark],
            "expected": item.expected,
            "made": item.made,
            "marked": bool(wanted)
            and is_tool
            and wanted == {key: {"argument": item.path or _CALL, "mark": item.mark}[key] for key in wanted},
        }
        for item in pair.items
    ]
    return {
        "tool": pair.tool,
        "user": pair.requestor == USER,
        "mark": pair.mark,
        "sign": _SIGNS[pair.mark],
        "at": pair.at,
        "items": items,
    }


KIND = SystemKind()
