"""Comparison of systems on the same tasks: paired differences, the t test over tasks, and what the verdict depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ..core.comparability import not_comparable
from ..core.comparison import (
    Resampling,
    SystemComparison,
    TaskDifference,
    common_tasks,
    correct_by_holm,
    task_difference,
)
from ..core.ladder import Ladder, make_ladder, make_rung
from ..core.result import percent
from ..errors import DialmeterError
from ..readers.layouts.agents import other_goals
from .measures import SystemMeasure
from .result import SystemResult

LogComparison: TypeAlias = SystemComparison[SystemResult]
UNSCORED = "infrastructure errors unscored"


def compare_systems(results: Mapping[str, SystemResult], resampling: Resampling) -> LogComparison:
    """Compare systems with the first one, on the tasks that all systems have.

    The difference is between the values over all tasks. Its confidence interval and p value are those of the t test over tasks,
    with Holm's correction. If the results have infrastructure errors and ``infrastructure="both"``, every verdict is repeated
    without them.

    Raises:
        DialmeterError: the systems have no common task, or were scored with different settings.
    """
    common, notices = common_tasks({name: result.by_task for name, result in results.items()})
    restricted = {name: result.restricted(common) for name, result in results.items()}
    first, *others = restricted
    for name in others:
        mismatch = not_comparable("system", restricted[first].signature, restricted[name].signature)
        if mismatch:
            raise DialmeterError(f"NOT COMPARABLE: {first} and {name} differ: {mismatch}")
    goals = [{each.task: each.goal for each in result.outcomes if each.goal} for result in restricted.values()]
    # Pass(k) is compared only for values of k for which all systems have enough trials.
    shared = [
        measure
        for measure in min((result.measures for result in restricted.values()), key=len)
        if all(
            result.values(measure).keys() == restricted[first].values(measure).keys() for result in restricted.values()
        )
    ]
    written = _differences(restricted, shared, resampling)
    lost = {name: len(each.infrastructure_errors) for name, each in restricted.items() if each.without_infrastructure}
    skipped = {name: result.without_infrastructure or result for name, result in restricted.items()}
    without = _differences(skipped, shared, resampling) if lost else written
    return LogComparison(
        results=restricted,
        versus=list(written),
        notices=[*notices, *other_goals(goals)],
        ladders=[
            _ladder(one, other, _note(lost, skipped, shared[0], (first, one.system)), 1 - resampling.confidence)
            for one, other in zip(written, without, strict=True)
            if one.measure == shared[0].name
        ],
    )


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


def _note(
    lost: Mapping[str, int], results: Mapping[str, SystemResult], measure: SystemMeasure, names: tuple[str, str]
) -> str:
    """Return how many dialogues of two systems are left out, and the values on the tasks that are left; empty if there are none."""
    if not any(name in lost for name in names):
        return ""
    first, second = (
        results[name].restricted(frozenset(results[names[1 - at]].by_task)) for at, name in enumerate(names)
    )
    count = sum(lost.get(name, 0) for name in names)
    return f"{count} dialogues; {percent(first.whole(measure))} and {percent(second.whole(measure))}"


def _ladder(written: TaskDifference, without: TaskDifference, note: str, level: float) -> Ladder:
    """Return the verdict as written, and without the dialogues that an infrastructure error ended, if there are any."""
    rungs = [make_rung("as written", "as written", written, level, n=written.tasks)]
    if note:
        rungs.append(make_rung(UNSCORED, "infrastructure", without, level, n=without.tasks, note=note))
    return make_ladder(written.measure, written.system, written.base, rungs)
