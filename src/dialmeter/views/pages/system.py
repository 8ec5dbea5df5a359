"""System runs: a row is a dialogue with an agent, and a finding is its outcome or a call of a tool in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from msgspec import Struct

from ...systems.outcome import SystemOutcome
from ...systems.record import SystemRow
from ..chart_files import Chart, slug
from ..charts.data import Estimate
from ..tables import Table
from .acts import act_words
from .charts import LinkedBars, in_words, measures_chart, of_run
from .findings import Finding
from .kinds import Cell, Conditions, Field, Grouping, RowsLink, RunKind, Scanned, linked_table, no_link

if TYPE_CHECKING:
    from .opened import Opened

_WORDS = {True: "successful", False: "failed", None: "unscored"}
_LONG = 4000
"""Results of tools that are longer are cut on pages."""


class _Call(Struct, frozen=True):
    """A call, as far as it is counted."""

    name: str
    failed: bool = False


class _Step(Struct, frozen=True):
    """A message, as far as it is counted."""

    calls: tuple[_Call, ...] = ()


class _Log(Struct, frozen=True):
    """A log, as far as it is counted."""

    steps: tuple[_Step, ...] = ()


class _CountedRow(Struct, frozen=True):
    """A dialogue, as far as it is counted."""

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
    DRAWN = "tasks"
    MISTAKEN: ClassVar[Conditions] = {"answer": ("error",)}
    GROUPINGS = (
        Grouping("ending", "failed dialogues per 100", {"outcome": (_WORDS[False],)}, ("task",)),
        Grouping("task", "failed dialogues per 100", {"outcome": (_WORDS[False],)}, ("ending",)),
        Grouping("tool", "calls with an error per 100 dialogues", {"answer": ("error",)}, ("task",)),
    )
    FIELDS = (
        Field("task", "task"),
        Field("outcome", "outcome"),
        Field("ending", "ending"),
        Field("tool", "tool"),
        Field("answer", "answer of the tool"),
    )

    def scan(self, line: bytes, sums: Counter[Finding]) -> Scanned:
        """The outcome of a dialogue with its ending, and every call of a tool.

        Example:
            >>> KIND.scan(b'{"id": "3:0", "outcome": {"id": "3:0", "task": "3", "trial": 0, "success": true, '
            ...           b'"ending": "user_stop"}, "trajectory": {"steps": [{"calls": [{"name": "find"}]}]}}', Counter()).findings
            {('3', 'successful', 'user_stop', '', ''): 1, ('3', '', '', 'find', 'fine'): 1}
        """
        row = _DECODER.decode(line)
        task = row.outcome.task
        found: Counter[Finding] = Counter({(task, _WORDS[row.outcome.success], row.outcome.ending, "", ""): 1})
        for step in row.trajectory.steps:
            for call in step.calls:
                found[task, "", "", call.name, "error" if call.failed else "fine"] += 1
        return Scanned(row.id, dict(found))

    def teaser(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """The outcome of a dialogue, and its first words."""
        outcome = row["outcome"]
        facts = f"{_WORDS[outcome.get('success')]}, {outcome['ending']}"
        facts += "" if outcome.get("answers") else f", {outcome.get('tool_calls', 0)} calls"
        steps = row["trajectory"].get("steps") or ()
        return facts, next((step["text"] for step in steps if step.get("text")), "")

    def texts(self, row: Mapping[str, Any]) -> Iterator[str]:
        """The goal, what was said, and the calls of tools with their arguments and results."""
        yield str((row["trajectory"].get("goal") or {}).get("instruction", ""))
        yield from step_texts(row["trajectory"].get("steps") or ())

    def page(self, row: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
        """The goal, and the messages with calls of tools in place."""
        found, outcome = row["trajectory"], row["outcome"]
        goal = found.get("goal") or {}
        return {
            "outcome": _WORDS[outcome.get("success")],
            "ending": outcome["ending"],
            "reason": outcome.get("reason", ""),
            "reached": [
                f"{name} {reached} of {wanted}"
                for name in ("bookings", "answers", "matches")
                for reached, wanted in [outcome.get(name) or (0, 0)]
                if wanted
            ],
            "error": found.get("error", ""),
            "instruction": goal.get("instruction", ""),
            "actions": [_call(each) for each in goal.get("actions") or ()],
            "outputs": goal.get("outputs") or (),
            "steps": [step_parts(step, wanted) for step in found.get("steps") or ()],
        }

    def charts(self, runs: Sequence[Opened], link: RowsLink) -> Iterator[Chart]:
        """Success and pass^k of all runs, then how the dialogues of each ended."""
        yield measures_chart(runs, link)
        for run in runs:
            drawn = LinkedBars()
            for (outcome, ending), size in sorted(run.findings.counts("outcome", "ending").items()):
                if outcome and ending:
                    address = link(run, {"outcome": outcome, "ending": ending})
                    text = f"{ending}, {outcome}: {size:,} dialogues"
                    drawn.add(outcome, in_words(ending), Estimate(size), address, text)
            name, title = f"endings-{slug(run.key)}", f"How dialogues ended{of_run(run, runs)}"
            yield drawn.chart(name, title, "number of dialogues", as_percent=False)

    def again(self, manifest: Mapping[str, Any]) -> list[str]:
        """The command that makes the run again, in the folder of its input."""
        names = {str(each.get("role")): str(each.get("name")) for each in manifest.get("inputs") or ()}
        words = ["system", "score", names.get("log", "LOG")]
        if manifest.get("success"):
            words += ["--profile", str((manifest.get("profile") or {}).get("name"))]
            words += [word for role in ("map", "goals") if role in names for word in (f"--{role}", names[role])]
        else:
            words += ["--crashes", str(manifest.get("crashes") or "failed")]
        words += ["--scorer", str(manifest["scorer"])] if manifest.get("scorer") else []
        words += [word for measure in manifest.get("measures") or () for word in ("--measure", str(measure))]
        return words + (["--seed", str(manifest["seed"])] if manifest.get("seed") is not None else [])

    def breakdowns(self, run: Opened, link: RowsLink = no_link) -> Iterator[Table]:
        """Dialogues by ending, by task and by tool."""
        found = run.findings
        for field, title in (("ending", "how dialogues ended"), ("task", "tasks")):
            counts = found.counts(field, "outcome")
            names = [name for name in found.options(field) if any(counts[name, word] for word in _WORDS.values())]
            rows: list[list[Cell]] = [
                [name, *((str(counts[name, word] or ""), {field: name, "outcome": word}) for word in _WORDS.values())]
                for name in names
            ]
            yield linked_table(run, link, title, (field, *_WORDS.values()), rows)
        calls = found.counts("tool", "answer")
        rows = [
            [name, *((str(calls[name, word] or ""), {"tool": name, "answer": word}) for word in ("fine", "error"))]
            for name in found.ranked("tool")
        ]
        if rows:
            yield linked_table(run, link, "calls of tools", ("tool", "answered", "with an error"), rows)


def step_texts(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The texts of messages, and the names, arguments and results of calls."""
    for step in steps:
        yield step.get("text", "")
        for call in step.get("calls") or ():
            yield from (call["name"], call.get("result") or "")
            yield from (text for pair in _call(call)["arguments"] for text in pair)


def step_parts(step: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
    """What a page shows of a message: its text, acts and calls."""
    return {
        "at": step["at"],
        "speaker": step["speaker"],
        "text": step.get("text", ""),
        "aside": step.get("aside", ""),
        "acts": [act_words(act) for act in step.get("acts") or ()],
        "calls": [
            {**_call(call), "marked": bool(wanted.get("tool")) and call["name"] == wanted["tool"]}
            for call in step.get("calls") or ()
        ],
    }


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
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
