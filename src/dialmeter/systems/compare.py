"""Several systems on the same tasks: differences within tasks, with the exact sign test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from ..core.comparability import not_comparable
from ..core.comparison import Resampling, SystemComparison, common_tasks, correct_by_holm, task_difference
from ..errors import DialmeterError
from ..readers.agents.parts import other_goals
from .result import SystemResult

LogComparison: TypeAlias = SystemComparison[SystemResult]


def compare_systems(results: Mapping[str, SystemResult], how: Resampling) -> LogComparison:
    """Compares systems with the first one, on the tasks that all of them have.

    The difference is that of the values over all tasks. Its interval resamples tasks; p is
    that of the exact sign test over the tasks that differ, corrected by Holm.

    Args:
        results: by name.
        how: confidence, resamples and seed.

    Raises:
        DialmeterError: no common task, or scored in different ways.
    """
    common, notices = common_tasks({name: result.by_task for name, result in results.items()})
    kept = {name: result.restricted(common) for name, result in results.items()}
    first, *others = kept
    for name in others:
        unlike = not_comparable("system", kept[first].signature, kept[name].signature)
        if unlike:
            raise DialmeterError(f"{first} and {name} are not comparable: {unlike}")
    goals = [{each.task: each.goal for each in result.outcomes if each.goal} for result in kept.values()]
    # Pass(k) is compared as far as all systems have so many trials.
    shared = [
        measure
        for measure in min((result.measures for result in kept.values()), key=len)
        if all(result.values(measure).keys() == kept[first].values(measure).keys() for result in kept.values())
    ]
    found = [
        task_difference(measure.name, (first, kept[first].parts(measure)), (name, kept[name].parts(measure)), how)
        for name in others
        for measure in shared
    ]
    return LogComparison(results=kept, versus=correct_by_holm(found), notices=[*notices, *other_goals(goals)])
