"""The audit of tasks: the list, the evidence, the grid of tasks and agents, and the summary."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import one_line
from ..model import ABORTED
from ..systems.task_audit import MEANINGS, AuditedRun, AuditedTask
from ..systems.task_patch import TaskPatch, patch_digest
from .chart_files import Chart
from .charts.grid import HEAT_MAP
from .summaries.summary import Summary, fit_list, with_option
from .tables import Table, table_of

_ROWS = 10
SCREENING = "of the first 10 tasks, a reader found 4 wrong and 3 doubtful, in the sample that set the weights"


def signal_table(tasks: Sequence[AuditedTask]) -> Table:
    """Return the number of tasks with each signal."""
    counts = Counter(signal.name for each in tasks for signal in each.signals)
    found = {name: meaning for name, meaning in MEANINGS.items() if counts[name]}
    return table_of(
        "signals",
        found,
        ("<signal", str),
        ("tasks", lambda name: counts[name]),
        ("<meaning", lambda name: found[name]),
        notes=(SCREENING,),
    )


def task_table(tasks: Sequence[AuditedTask]) -> Table:
    """Return one row per task."""
    return table_of(
        "",
        tasks,
        ("<task", lambda each: one_line(each.task, 40)),
        "score:number",
        ("solved", lambda each: f"{each.solved}/{each.runs}"),
        "agents",
        ("<signals", lambda each: ", ".join(f"{signal.name} {signal.value:.2f}" for signal in each.signals)),
    )


def evidence_table(tasks: Sequence[AuditedTask], limit: int | None = None) -> Table:
    """Return one row per piece of evidence."""
    rows = [(each, *line.split(": ", 1)) for each in tasks[:limit] for line in each.evidence]
    return table_of(
        "evidence",
        rows,
        ("<task", lambda row: one_line(row[0].task, 40)),
        ("score", lambda row: f"{row[0].score:.4g}"),
        ("<signal", lambda row: row[1]),
        ("<evidence", lambda row: one_line(row[2], 2000)),
    )


def task_charts(tasks: Sequence[AuditedTask], runs: Sequence[AuditedRun]) -> Iterator[Chart]:
    """Yield the success of every agent in every task; tasks that may be wrong are marked and come first."""
    ranks = {each.task: rank for rank, each in enumerate(tasks, 1)}
    ended = [run for run in runs if run.trajectory.ending not in ABORTED]
    yield from task_grid([(run.agent, run.trajectory.task, run.outcome.success) for run in ended], ranks)


def task_grid(
    successes: Sequence[tuple[str, str, bool | None]], ranks: Mapping[str, int] | None = None
) -> Iterator[Chart]:
    """Yield the share of successful trials by task and agent: tasks with a rank in the audit first, then the hardest ones."""
    shares: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for agent, task, success in successes:
        if success is not None:
            shares[task][agent].append(success)
    means = {task: sum(map(sum, own.values())) / sum(map(len, own.values())) for task, own in shares.items()}
    known = ranks or {}
    ordered = sorted(shares, key=lambda task: (known.get(task, len(known) + 1), means[task], task))
    rows = [
        (f"{task} (audit: {known[task]})" if task in known else task, agent, sum(tries) / len(tries))
        for task in ordered
        for agent, tries in shares[task].items()
    ]
    if rows:
        yield Chart(
            "tasks",
            "Successful trials by task and agent",
            HEAT_MAP,
            rows,
            ("task", "agent", "successful trials"),
            as_percent=True,
        )


def audit_summary(
    tasks: Sequence[AuditedTask], everything: int, agents: Sequence[str], options: Mapping[str, Any], command: str = ""
) -> Summary:
    """Return how many tasks may be wrong, and the first of them."""
    verdict = f"{len(tasks)} of {everything} tasks may be wrong; people must decide."
    if len(agents) == 1:
        verdict += " With one agent, most are its own errors."
    sheet = options["sheet"]
    next_command = with_option(command, "--make-sheet", "sheet.html")
    if sheet:
        filled = str(Path(sheet).with_suffix(".csv"))
        next_command = shlex.join(["dialmeter", "study", "audit", "--sheet", filled, "-o", "tasks.json"])
    return Summary(
        verdict=verdict if tasks else f"No task of {everything} has a signal.",
        findings=[
            *([("screening", SCREENING)] if tasks else []),
            *([("sheet", f"{len(tasks)} tasks in {one_line(sheet, 40)}")] if sheet else []),
        ],
        table=task_table(tasks[: min(_ROWS, options["limit"])]) if tasks else None,
        account=f"{everything} tasks, agents: {fit_list(agents, 60)}",
        next=next_command if tasks else "",
    )


def patch_summary(path: str, patch: TaskPatch, verdicts: Mapping[str, int]) -> Summary:
    """Return how many tasks a patch leaves out, and how to use it."""
    count = len(patch.left_out)
    return Summary(
        verdict=f"{one_line(path, 200)} leaves out {count} task{'s' * (count != 1)}; digest {patch_digest(patch.tasks)}.",
        findings=[("verdicts", ", ".join(f"{number} {word}" for word, number in verdicts.items()))],
        account=f"{sum(verdicts.values())} tasks judged",
        next=f"dialmeter score LOG --set {shlex.quote(f'tasks={path}')}",
    )
