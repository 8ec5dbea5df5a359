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
from ..core.ladder import Rung, make_ladder, make_rung
from ..errors import DialmeterError
from ..readers.layouts.agents import other_goals
from .measures import SystemMeasure
from .result import SystemResult

LogComparison: TypeAlias = SystemComparison[SystemResult]


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
    level = 1 - resampling.confidence
    ladders = []
    for one, other in zip(written, without, strict=True):
        if one.measure == shared[0].name:
            note = _without(one, other, lost, first)
            name = "infrastructure=failed" if note else "as written"
            rungs = [make_rung(name, "as written", one, level, n=one.tasks)]
            if note:
                name = "infrastructure=skipped"
                rungs.append(make_rung(name, "infrastructure", other, level, n=other.tasks, note=note))
            ladders.append(make_ladder(one.measure, one.system, one.base, rungs))
    return LogComparison(
        results=restricted,
        versus=list(written),
        notices=[*notices, *other_goals(goals)],
        ladders=ladders,
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


def _without(written: TaskDifference, without: TaskDifference, lost: Mapping[str, int], first: str) -> str:
    """Return what is unscored without the dialogues that an infrastructure error ended; empty if there are none."""
    other = written.system
    count = lost.get(first, 0) + lost.get(other, 0)
    if not count:
        return ""
    unit = "task" if written.tasks - without.tasks == count else "dialogue"
    what = f"the {count} {unit}s" if count > 1 else f"the {unit}"
    whose = "a" if first in lost and other in lost else "its" if other in lost else f"{first}'s"
    return f"without {what} where {whose} connection broke"


def needed_difference(rung: Rung, confidence: float, power: float = 0.8) -> float | None:
    """Return the smallest difference that a test over tasks finds with this power, from the interval of a difference.

    It is (t(1 - α/2) + t(power)) standard errors. None without an interval.

    Example:
        >>> round(needed_difference(Rung("", "as written", -0.06, (-0.18, 0.06), 0.3, "cannot tell", 80), 0.95), 2)
        0.17
    """
    from ..stats.intervals import student_quantile

    if rung.ci is None:
        return None
    half = student_quantile(confidence, rung.n - 1)
    error = (rung.ci[1] - rung.ci[0]) / 2 / half
    return error * (half + student_quantile(2 * power - 1, rung.n - 1))
