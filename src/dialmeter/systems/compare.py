"""Comparison of systems on the same tasks: paired differences and the exact sign test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from ..core.comparability import not_comparable
from ..core.comparison import Resampling, SystemComparison, common_tasks, correct_by_holm, task_difference
from ..errors import DialmeterError
from ..readers.agents.parts import other_goals
from .result import SystemResult

LogComparison: TypeAlias = SystemComparison[SystemResult]


def compare_systems(results: Mapping[str, SystemResult], resampling: Resampling) -> LogComparison:
    """Compare systems with the first one, on the tasks that all systems have.

    The difference is between the values over all tasks. Its confidence interval resamples tasks.
    The p-value comes from the exact sign test over the tasks that differ, with Holm's correction.

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
    differences = [
        task_difference(
            measure.name, (first, restricted[first].parts(measure)), (name, restricted[name].parts(measure)), resampling
        )
        for name in others
        for measure in shared
    ]
    return LogComparison(
        results=restricted, versus=correct_by_holm(differences), notices=[*notices, *other_goals(goals)]
    )
