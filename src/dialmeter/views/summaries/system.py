"""The summaries of systems: the verdict on a log or on a comparison, and what it depends on."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ...core.comparison import Resampling
from ...errors import one_line
from ...measure import Score
from ...systems.calls import MARKS, CallCounts
from ...systems.compare import LogComparison, needed_difference, needed_tasks
from ...systems.measures import CALLS, SUCCESS
from ...systems.result import SystemResult
from ...systems.task_audit import AuditedTask
from ...systems.task_patch import TaskPatch, patch_digest
from ..compare import pair_table, system_table, verdict_on_many
from ..ladder import rung_lines
from ..system import SCREENING, call_tables, task_table
from ..tables import Table, interval, percent
from .summary import (
    WIDTH,
    Summary,
    account_text,
    counted,
    find_command,
    fit,
    fit_list,
    score_rows,
    short_signature,
    with_option,
)

if TYPE_CHECKING:
    from ...systems.scorer import LogCheck


def score_summary(result: SystemResult, command: str = "", groups: Sequence[str] = ()) -> Summary:
    """Return the summary of the scores of one log; ``command`` is the command as typed, ``groups`` are those of --by."""
    first = result.scores[0]
    flips = [each for each in result.tasks if 0 < each.successes < each.trials]
    again = result.without_infrastructure
    verdict = f"{first.measure} {percent(first.value)}"
    if first.value is None:
        verdict = f"{first.measure} has no value: {first.reason}"
    elif again is not None:
        without = again.scores[0].value
        verdict += f", and {'no value' if without is None else percent(without)} without infrastructure errors"
    elif flips:
        verdict += f"; {_flips(result, len(flips))}"
    elif result.trials[1] > 1:
        verdict += "; no task flips between trials"
    if again is None and (noise := _rerun(result)):
        verdict += f"; {noise}"
    shown = _shown(result)
    worst = result.worst(1)
    conditions = ["ending=infrastructure"] if again is not None else [f"task={worst[0].task}"] if worst else []
    wrong = _most_mistaken(result)
    if groups == ("tool",) and wrong is not None:
        kind = max(MARKS[:3], key=lambda mark: getattr(wrong, mark))
        conditions = [f"tool={wrong.tool}", f"argument={wrong.argument}", f"outcome={kind}"]
    return Summary(
        verdict=f"{verdict}.",
        findings=list(_findings(result, len(flips), groups)),
        table=_group_table(result, groups) if groups else _score_table(result, shown),
        account=_account(result),
        signature=_signature(shown, result),
        next=find_command(command, *conditions) if conditions else with_option(command, "-v"),
        said=_SAID,
    )


def _shown(result: SystemResult) -> list[Score]:
    """Return the scores of the summary: of the measures over k trials, only those with the largest k."""
    scores = [
        each for each, measure in zip(result.scores, result.measures, strict=True) if measure.name not in _DETAILS
    ]
    trials = max((each.trials for each in result.measures), default=0)
    many = {each.name for each in result.measures if 1 < each.trials < trials and not result.is_requested}
    return [each for each in scores if each.measure not in many]


_DETAILS = ("CallGCA(level=call)",)
"""Measures that stand beside another one: CallGCA by whole calls."""


def _score_table(result: SystemResult, shown: Sequence[Score]) -> Table:
    whole = result.get(_DETAILS[0])
    return score_rows(shown, "tasks", {} if whole is None else {"CallGCA": f"{percent(whole.value)} by whole calls"})


def _group_table(result: SystemResult, groups: Sequence[str]) -> Table:
    """Return the scores of each group, the lowest success first; by tool, its arguments and their mistakes."""
    if groups == ("tool",):
        tools = call_tables(result)
        if not tools:
            return Table("", ("",), ())
        # The columns of numbers take 33 columns of the line, and names share the others.
        longest = min(max(len(row[1]) for row in tools[-1].rows), 23)
        cut = tuple((fit(row[0], WIDTH - 33 - longest), fit(row[1], longest), *row[2:]) for row in tools[-1].rows)
        return replace(tools[-1], title="", notes=(), rows=cut)
    scores = [score for group in groups for score in result.by(group)]
    found = {each.measure for each in scores}.difference(_DETAILS)
    names = [each.name for each in (SUCCESS, *CALLS) if each.name in found]
    width = WIDTH - sum(2 + len(each) for each in (*names, "dialogues"))
    cells: dict[str, dict[str, Score]] = {}
    for each in scores:
        [(name, value)] = each.group.items()
        cells.setdefault(f"{name}={value}", {})[each.measure] = each
    rows = tuple(
        (
            fit(name, width),
            *(percent(own[each].value) if each in own else "" for each in names),
            str(max(each.n for each in own.values())),
        )
        for name, own in sorted(cells.items(), key=lambda each: [own.value or 0.0 for own in each[1].values()])
    )
    return Table("", ("", *names, "dialogues"), rows, frozenset(range(1, len(names) + 2)))


def _most_mistaken(result: SystemResult) -> CallCounts | None:
    """Return the argument with the most mistakes; None if there is no mistake."""
    return next((each for each in result.call_counts if each.argument and each.errors), None)


def _account(result: SystemResult) -> str:
    trials = _trials(*result.trials)
    tasks = counted(len(result.by_task), "task")
    scored, _, reasons = account_text(result.account).partition("; ")
    return "; ".join(filter(None, (f"{scored}, {tasks}, {trials}", reasons)))


def _signature(scores: Sequence[Score], result: SystemResult) -> str:
    """Return the short signature. One trial is usual, and the number of dialogues is that of tasks times trials."""
    low, high = result.trials
    usual = ["scorer:reward", "trials:1", *([f"d:{high * len(result.by_task)}"] if low == high else [])]
    return short_signature(scores, _USUAL, usual)


_SAID = frozenset({"infrastructure", "tasks-unscored", "unequal-trials", "unscored"})
"""Notices that are findings of the summary, in fewer words."""
_USUAL = Resampling(resamples=10_000)


def _findings(result: SystemResult, flips: int, groups: Sequence[str]) -> Iterator[tuple[str, str]]:
    between = [each for each in result.scored if each.reward is not None and each.reward not in (0, 1)]
    if between and not result.settings.success:
        yield "rewards", f"{len(between)} of {len(result.scored)} are not 0 or 1; only 1 or more is success"
    if result.infrastructure_errors:
        counted = {"failed": "count as failures", "skipped": "are unscored", "both": "count as failures above"}
        count = len(result.infrastructure_errors)
        yield (
            "infrastructure",
            f"{count} of {len(result.outcomes)} dialogues broke off by a connection or server error; "
            f"they {counted[result.settings.infrastructure]}",
        )
        if flips:
            yield "flips", _flips(result, flips)
        if result.without_infrastructure is not None and (noise := _rerun(result)):
            yield "noise", noise
    yield from (each for each in _call_findings(result) if not groups or each[0] in ("writing", "not made", "calls"))
    if result.user_faults is not None:
        difference, ci = result.user_faults
        yield "user", f"its faults go with failure in a task: {100 * difference:+.2f}, {interval(ci)}"
    for each in result.notices:
        if each.code in ("unscored", "tasks-unscored", "unequal-trials"):
            yield "unscored" if each.code != "unequal-trials" else "trials", each.message


def _flips(result: SystemResult, count: int) -> str:
    return f"{count} of {len(result.tasks)} tasks flip{'s' * (count == 1)} between trials"


def _trials(low: int, high: int) -> str:
    return counted(high, "trial") if low == high else f"{low} to {high} trials"


def _rerun(result: SystemResult) -> str:
    """Say how far another run of the same system may be off by chance; empty if it is not known."""
    noise = result.noise if result.scores[0].measure == SUCCESS.name else None
    return (
        f"a rerun may differ by {'up to ' * noise.is_upper_bound}{percent(min(noise.rerun.floor, 1))}" if noise else ""
    )


_NEAR = 0.8
"""A failed dialogue with a higher CallGCA is a near miss."""


def _call_findings(result: SystemResult) -> Iterator[tuple[str, str]]:
    """Yield how far off failures are, which argument is wrong most often, the tools that write, and the cost of a solved task."""
    ended = [each for each in result.scored if not each.success and each.calls is not None and not each.calls.lost]
    failed = [value for each in ended if (value := each.number("CallGCA")) is not None]
    if failed:
        near, nothing = sum(value >= _NEAR for value in failed), failed.count(0)
        yield (
            "failed",
            f"{counted(len(failed), 'dialogue')}; near misses (CallGCA 80 or more): {near}; without a right argument: "
            f"{nothing}",
        )
    first = _most_mistaken(result)
    if first is not None:
        counts = ", ".join(f"{count} {name}" for name in MARKS if (count := getattr(first, name)))
        yield "fix first", f"{first.tool} {first.argument}: {counts}"
    calls = [each.calls for each in result.scored if each.calls is not None]
    if unread := sum(each.unread for each in calls):
        tried = unread + sum(len(each.made) + each.failed for each in calls)
        yield "not made", f"{unread} of {tried} calls that write have no result, or arguments that cannot be read"
    if not (result.parts(CALLS[0]) or result.settings.success) and any(each.tool_calls for each in result.scored):
        yield "calls", "not scored, because the log does not say which calls are expected"
    if result.call_counts:
        writing = [name for name, writes in result.tools.items() if writes]
        yield "writing", f"{len(writing)} of {len(result.tools)} tools: {', '.join(writing)}"
    cost = next((each for name in _COSTS for each in result.costs if each.name == name), None)
    if cost is not None and cost.per_solved is not None:
        share = f", {100 * cost.on_failed:.0f} % of it on failed dialogues" if cost.on_failed is not None else ""
        only = "; the log has no cost of the agent" if cost.name == "user cost" else ""
        yield "cost", f"{cost.name} {cost.per_solved:.3g} per solved task{share}{only}"


_COSTS = ("total cost", "agent cost", "user cost", "total tokens")


def check_summary(checked: LogCheck, command: str = "") -> Summary:
    """Return whether a log can be scored, and what it holds."""
    counts = checked.counts
    problem = (
        f"NOT READY: {checked.problems[0].message}." if checked.problems else "NOT READY: no dialogue can be scored."
    )
    findings = []
    if counts["rewards"] < counts["dialogues"]:
        findings.append(("rewards", f"{counts['dialogues'] - counts['rewards']} dialogues have no reward"))
    if len(checked.problems) > 1:
        findings.append(("also", f"{len(checked.problems) - 1} more dialogues cannot be used; -v lists them"))
    broken = checked.endings.get("infrastructure", 0)
    if broken:
        findings.append(("infrastructure", f"{broken} dialogues broke off by a connection or server error"))
    return Summary(
        verdict="READY to be scored." if checked.valid else problem,
        findings=findings,
        account=f"read as system, {checked.format}; {counts['dialogues']} dialogues, {counts['tasks']} tasks",
        next=command.replace("dialmeter check", "dialmeter score", 1) if checked.valid else "",
    )


def compare_summary(comparison: LogComparison, command: str = "") -> Summary:
    """Return the verdict on the systems of a comparison, the ladder of two systems, and the measures side by side."""
    results, ladders = comparison.results, comparison.ladders
    first = next(iter(results.values()))
    is_pair = len(ladders) == 1
    shown = list(dict.fromkeys(each.measure for each in comparison.versus))
    shown = [shown[0], shown[-1]] if len(shown) > 1 and not first.settings.success else shown[:1]
    scores = {name: [result[measure] for measure in shown] for name, result in results.items()}
    broken = [place for place, each in enumerate(results.values()) if each.infrastructure_errors]
    findings = [
        ("infrastructure", f"{name}: {len(result.infrastructure_errors)} of {len(result.outcomes)} dialogues broke off")
        for name, result in results.items()
        if result.infrastructure_errors and not (is_pair and ladders[0].verdict == "depends")
    ]
    if is_pair:
        written = ladders[0].rungs[0]
        findings += [("interval", interval(written.ci))] if len(ladders[0].rungs) == 1 and written.ci else []
        findings += _noise(comparison)
    common, every = len(first.by_task), len(frozenset().union(*(each.log_tasks for each in results.values())))
    signature = _signature(next(iter(scores.values())), first)
    return Summary(
        verdict=ladders[0].headline if is_pair else verdict_on_many(ladders),
        rungs=rung_lines(ladders[0], with_p=True) if is_pair else [],
        findings=findings,
        table=pair_table(comparison.versus, scores, with_p=len(shown) > 1 or len(ladders[0].rungs) == 1)
        if is_pair
        else system_table(comparison.versus, scores),
        account=f"{common} of {every} tasks in {'both' if is_pair else f'all {len(results)}'} logs",
        signature=signature,
        next=find_command(command, "ending=infrastructure", file=broken[-1])
        if broken
        else find_command(command, *_differing(comparison))
        if is_pair
        else find_command(command, "outcome=failed", file=0),
        # Dialogues that cannot be read are a warning, because a comparison shows common tasks only.
        said=frozenset({*_SAID, "alone"} - {"unscored"}),
    )


def _differing(comparison: LogComparison) -> tuple[str, str]:
    """Return the conditions of the dialogues that only the better one of two systems solves; of equal ones, the first."""
    is_better = (comparison.versus[0].difference or 0) > 0
    return ("A.outcome=failed", "B.outcome=right") if is_better else ("A.outcome=right", "B.outcome=failed")


def _noise(comparison: LogComparison) -> Iterator[tuple[str, str]]:
    """Yield the difference that such a test finds: on the tasks where no connection broke, if the verdict has such a rung."""
    rungs = comparison.ladders[0].rungs
    rung = next((each for each in rungs if each.assumption == "infrastructure"), rungs[0])
    confidence = (next(iter(comparison.results.values())).resampling or _USUAL).confidence
    needed, tasks = needed_difference(rung, confidence), needed_tasks(rung, confidence)
    lows, highs = zip(*(result.trials for result in comparison.results.values()), strict=True)
    if needed is not None:
        trials, more = _trials(min(lows), max(highs)), ""
        if tasks is not None and tasks > rung.n:
            more = f", or {tasks:,} tasks for {100 * abs(rung.difference or 0):.2f} points"
        yield "noise", f"{rung.n} tasks, {trials}: power .8 needs a difference of {100 * needed:.0f} points{more}"


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
        table=task_table(tasks[: min(10, options["limit"])]) if tasks else None,
        account=f"{counted(everything, 'task')}, agents: {fit_list(agents, 60)}",
        next=next_command if tasks else "",
    )


def patch_summary(path: str, patch: TaskPatch, verdicts: Mapping[str, int]) -> Summary:
    """Return how many tasks a patch leaves out, and how to use it."""
    count = len(patch.left_out)
    return Summary(
        verdict=f"{one_line(path, 200)} leaves out {counted(count, 'task')}; digest {patch_digest(patch.tasks)}.",
        findings=[("verdicts", ", ".join(f"{number} {word}" for word, number in verdicts.items()))],
        account=f"{sum(verdicts.values())} tasks judged",
        next=f"dialmeter score LOG --set {shlex.quote(f'tasks={path}')}",
    )
