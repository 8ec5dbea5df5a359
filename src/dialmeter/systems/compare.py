"""Comparison of systems on the same tasks: paired differences, the t test over tasks, and what the verdict depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from msgspec.structs import replace

from ..core.comparability import not_comparable
from ..core.comparison import (
    Resampling,
    SystemComparison,
    TaskDifference,
    beyond_margin,
    common_tasks,
    correct_by_holm,
    standard_error,
    task_difference,
)
from ..core.ladder import Assumption, Ladder, Rung, make_ladder, make_rung
from ..errors import DialmeterError
from ..model import ABORTED
from ..readers.layouts.agents import other_goals
from ..readers.records.outcomes import CLOSE
from .calls import CallOutcome, paths_of
from .measures import CALLS, SUCCESS, SystemMeasure, SystemOutcome
from .result import DIFFERENCES, SystemResult
from .task_audit import dead_calls

if TYPE_CHECKING:
    from ..stats.noise import Needs

LogComparison: TypeAlias = SystemComparison[SystemResult]
Results: TypeAlias = Mapping[str, SystemResult]


class AssumedResults(NamedTuple):
    """The results under another assumption; ``note`` says what is left out for a pair of systems."""

    name: str
    assumption: Assumption
    results: Results
    measure: SystemMeasure
    note: Callable[[TaskDifference], str] = lambda _: ""


def compare_systems(results: Results, resampling: Resampling, margin: float = 0.0) -> LogComparison:
    """Compare systems with the first one, on the tasks that all systems have.

    The difference is between the values over all tasks. Its confidence interval and p value are those of the t test over tasks,
    with Holm's correction. The verdict on a system is from the interval of the first measure: better if all of it is above the
    margin, and worse if all of it is below. With three systems or more, it is corrected by Holm over the systems. It is
    repeated under other assumptions: without infrastructure errors, without tasks that look wrong, for calls instead of success.

    Args:
        results: the results by name, the baseline first.
        resampling: settings of the intervals.
        margin: smaller differences do not matter.

    Raises:
        DialmeterError: the systems have no common task, or were scored with different settings.
    """
    common, notices = common_tasks({name: result.by_task for name, result in results.items()})
    paths = paths_of(each.calls for result in results.values() for each in result.outcomes)
    restricted = {name: result.with_paths(paths).restricted(common) for name, result in results.items()}
    first, *others = restricted
    for name in others:
        mismatch = not_comparable("system", restricted[first].signature, restricted[name].signature)
        if mismatch:
            raise DialmeterError(f"NOT COMPARABLE: {first} and {name} differ: {mismatch}")
    goals = [{each.task: each.goal for each in result.outcomes if each.goal} for result in restricted.values()]
    # Pass(k) is compared only for values of k for which all systems have enough trials. Calls are another quantity than
    # success: they are a rung of the ladder, unless they are requested.
    shared = [
        measure
        for measure in min((result.compared_measures for result in restricted.values()), key=len)
        if all(
            result.values(measure).keys() == restricted[first].values(measure).keys() for result in restricted.values()
        )
    ]
    variants = [AssumedResults("", "as written", restricted, shared[0]), *_variants(restricted, shared[0])]
    level = 1 - resampling.confidence
    rungs = [
        [
            make_rung(each.name, each.assumption, found, level, n=found.tasks, note=each.note(found), margin=margin)
            for found in _verdicts(each, resampling, margin)
        ]
        for each in variants
    ]
    ladders: list[Ladder] = []
    for written, *more in zip(*rungs, strict=True):
        applying = [each for each in more if each.note]
        name = (
            "infrastructure=failed" if any(each.assumption == "infrastructure" for each in applying) else "as written"
        )
        place = others[len(ladders)]
        ladders.append(make_ladder(shared[0].name, place, first, [replace(written, name=name), *applying]))
    return LogComparison(
        results=restricted,
        versus=list(_differences(restricted, shared, resampling)),
        notices=[*notices, *other_goals(goals)],
        ladders=ladders,
    )


def _verdicts(variant: AssumedResults, resampling: Resampling, margin: float) -> list[TaskDifference]:
    """Return the differences to the first system, with the p values that decide: beyond the margin, corrected over the systems."""
    found = _differences(variant.results, [variant.measure], resampling)
    return correct_by_holm([beyond_margin(each, margin, resampling.confidence) for each in found])


def _variants(results: Results, measure: SystemMeasure) -> Iterator[AssumedResults]:
    """Yield the results under every other assumption that applies to these logs."""
    first = next(iter(results))
    lost = {name: len(each.infrastructure_errors) for name, each in results.items() if each.without_infrastructure}
    if lost:
        skipped = {name: result.without_infrastructure or result for name, result in results.items()}
        written = {name: len(result.by_task.keys() & results[first].by_task) for name, result in results.items()}
        yield AssumedResults(
            "infrastructure=skipped",
            "infrastructure",
            skipped,
            measure,
            lambda found: _without(written[found.system], found, lost, first),
        )
    agreed = {
        name: sum(each.ended_agreeing and each.success is False for each in result.outcomes)
        for name, result in results.items()
    }
    if any(agreed.values()):
        yield AssumedResults(
            "without early ends",
            "user",
            {name: result.rescored(_without_agreed) for name, result in results.items()},
            measure,
            lambda found: _counted(
                agreed[first] + agreed[found.system], "failed dialogue", "that the user ended while agreeing"
            ),
        )
    dead = _dead_tasks(results)
    common = frozenset(results[first].by_task)
    if dead and common - dead:
        kept = {name: result.restricted(common - dead) for name, result in results.items()}
        yield AssumedResults(
            "without dead tasks",
            "tasks",
            kept,
            measure,
            lambda _: _counted(len(dead), "task", "whose expected call cannot be made"),
        )
    if measure.name == SUCCESS.name and all(result.parts(CALLS[0]) for result in results.values()):
        yield AssumedResults("CallGCA", "calls", results, CALLS[0], lambda _: "calls instead of success")
    runs = [each for result in results.values() for each in result.scored]
    if all(map(_knows_database, runs)) and any(_by_database(each).success != each.success for each in runs):
        others = {name: result.rescored(_by_database) for name, result in results.items()}
        yield AssumedResults("database alone", "scorer", others, measure, lambda _: "success by the database alone")
    scorers = [{name for each in result.outcomes for name in each.rewards} for result in results.values()]
    for scorer in sorted(set.intersection(*scorers) - {results[first].settings.scorer}):
        others = {name: result.rescored(partial(_by_scorer, scorer)) for name, result in results.items()}
        yield AssumedResults(f"scorer={scorer}", "scorer", others, measure, lambda _: "another scorer")


def _counted(count: int, unit: str, what: str) -> str:
    """Return what is left out in words; empty if it is nothing."""
    return f"without the {count} {unit}s {what}" if count > 1 else f"without the {unit} {what}" if count else ""


def _without_agreed(each: SystemOutcome) -> SystemOutcome:
    is_left_out = each.ended_agreeing and each.success is False
    return replace(each, success=None, reason="ended by the user while agreeing") if is_left_out else each


def _by_scorer(scorer: str, each: SystemOutcome) -> SystemOutcome:
    return replace(each, success=each.success is not None and each.rewards.get(scorer, 0.0) >= 1 - CLOSE)


def _knows_database(each: SystemOutcome) -> bool:
    return each.ending in ABORTED or (each.calls is not None and each.calls.same_database is not None)


def _by_database(each: SystemOutcome) -> SystemOutcome:
    """Return the outcome as if the reward were that of the database alone, without facts that the agent should tell."""
    is_same = each.calls is not None and each.calls.same_database is True
    return each if each.success is None else replace(each, success=is_same)


def _dead_tasks(results: Results) -> frozenset[str]:
    """Return the tasks with an expected call that the tool refuses, or that is not needed, in the logs of all systems."""
    runs: dict[str, list[CallOutcome]] = {}
    for each in (each for result in results.values() for each in result.scored):
        if each.calls is not None and each.calls.expected is not None and not each.calls.lost:
            runs.setdefault(each.task, []).append(each.calls)
    return frozenset(task for task, own in runs.items() if dead_calls(own))


def _differences(
    results: Mapping[str, SystemResult], measures: Sequence[SystemMeasure], resampling: Resampling
) -> list[TaskDifference]:
    """Return the differences of all later systems to the first one, for all measures."""
    (first, base), *others = results.items()
    return correct_by_holm(
        [
            task_difference(
                measure.name,
                (first, base.parts(measure)),
                (name, result.parts(measure)),
                resampling,
                equal_trials=all(
                    len(base.by_task[task]) == len(result.by_task[task])
                    for task in base.by_task.keys() & result.by_task
                ),
            )
            for name, result in others
            for measure in measures
        ]
    )


def _without(tasks: int, without: TaskDifference, lost: Mapping[str, int], first: str) -> str:
    """Return what is unscored without the dialogues that an infrastructure error ended; empty if there are none."""
    other = without.system
    count = lost.get(first, 0) + lost.get(other, 0)
    if not count:
        return ""
    unit = "task" if tasks - without.tasks == count else "dialogue"
    what = f"the {count} {unit}s" if count > 1 else f"the {unit}"
    whose = "a" if first in lost and other in lost else "its" if other in lost else f"{first}'s"
    return f"without {what} where {whose} connection broke"


def needed_difference(rung: Rung, confidence: float) -> float | None:
    """Return the smallest difference that a test over such tasks finds with power .8: 2.80 standard errors. None without an interval.

    Example:
        >>> round(needed_difference(Rung("", "as written", -0.06, (-0.18, 0.06), 0.3, "cannot tell", 80), 0.95), 2)
        0.17
    """
    from ..stats.noise import SHOWN

    error = standard_error(rung.ci, rung.n, confidence)
    return None if error is None else SHOWN * error


def needed_tasks(rung: Rung, confidence: float) -> int | None:
    """Return the number of tasks with which a test finds the difference of a rung with power .8. None without an interval or a difference.

    Example:
        >>> needed_tasks(Rung("", "as written", 0.0625, (-0.056758, 0.181758), 0.3, "cannot tell", 80), 0.95)
        578
    """
    needed = needed_difference(rung, confidence)
    return ceil(rung.n * (needed / rung.difference) ** 2) if needed is not None and rung.difference else None


def needs_of_pair(results: Results, measure: SystemMeasure = SUCCESS) -> list[Needs]:
    """Return the tasks and the trials with which two systems like the first two can be told apart, for some differences."""
    from ..stats.noise import needs_of

    one, other = (result.trial_values(measure) for result in list(results.values())[:2])
    tasks = sorted(one.keys() & other.keys())
    first, second = ([each[task] for task in tasks] for each in (one, other))
    return [each for difference in DIFFERENCES if (each := needs_of(first, second, difference)) is not None]
