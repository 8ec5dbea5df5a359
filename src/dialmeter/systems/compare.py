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
from ..readers.agents.parts import other_goals
from .measures import SystemMeasure
from .result import SystemResult

LogComparison: TypeAlias = SystemComparison[SystemResult]
LEFT_OUT = "infrastructure errors left out"


def compare_systems(results: Mapping[str, SystemResult], resampling: Resampling) -> LogComparison:
    """Compare systems with the first one, on the tasks that all systems have.

    The difference is between the values over all tasks. Its confidence interval and p value are those of the t test over tasks,
    with Holm's correction. If the results have infrastructure errors and ``infrastructure="both"``, every verdict is repeated
    without them.

    Args:
        results: system name → result.
        resampling: confidence, resamples and seed.

    Raises:
        DialmeterError: the systems have no common task, or were scored with different settings.
    """
    common, notices = common_tasks({name: result.by_task for name, result in results.items()})
    restricted = {name: result.restricted(common) for name, result in results.items()}
    first, *others = restricted
    for name in others:
        mismatch = not_comparable("system", restricted[first].signature, restricted[name].signature)
        if mismatch:
            raise DialmeterError(f"{first} and {name} are not comparable: {mismatch}")
    goals = [{each.task: each.goal for each in result.outcomes if each.goal} for result in restricted.values()]
    # Pass(k) is compared only for values of k for which all systems have enough trials.
    shared = [
        measure
        for measure in min((result.measures for result in restricted.values()), key=len)
        if all(
            result.values(measure).keys() == restricted[first].values(measure).keys() for result in restricted.values()
        )
    ]
    differences = _differences(restricted, shared, resampling)
    return LogComparison(
        results=restricted,
        versus=list(differences),
        notices=[*notices, *other_goals(goals)],
        ladders=_ladders(restricted, shared, differences, resampling),
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


def _ladders(
    results: Mapping[str, SystemResult],
    measures: Sequence[SystemMeasure],
    written: Sequence[TaskDifference],
    resampling: Resampling,
) -> list[Ladder]:
    """Return the verdict on every later system under the first measure: as written, and without infrastructure errors."""
    level = 1 - resampling.confidence
    lost = {name: each.infrastructure_errors if each.without_infrastructure else 0 for name, each in results.items()}
    skipped = {name: each.skipping_infrastructure() for name, each in results.items()}
    left_out = _differences(skipped, measures, resampling) if any(lost.values()) else written
    ladders = []
    for first, second in list(zip(written, left_out, strict=True))[:: len(measures) or 1]:
        pair = (first.base, first.system)
        rungs = [make_rung("as written", "as written", first, level, n=first.tasks)]
        if any(lost[name] for name in pair):
            values = _common_values(measures[0], *(skipped[name] for name in pair))
            note = ", ".join(f"{name} {percent(value)}" for name, value in zip(pair, values, strict=True))
            note += f"; {sum(lost[name] for name in pair)} dialogues left out"
            rungs.append(make_rung(LEFT_OUT, "infrastructure", second, level, n=second.tasks, note=note))
        ladders.append(make_ladder(first.measure, first.system, first.base, rungs))
    return ladders


def _common_values(measure: SystemMeasure, *results: SystemResult) -> list[float | None]:
    """Return the value of each result on the tasks for which all have one."""
    tasks = frozenset.intersection(*(frozenset(result.values(measure)) for result in results))
    return [result.restricted(tasks).whole(measure) for result in results]
