"""Several systems on the same tasks: differences within tasks, with the exact sign test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from ..core.comparability import not_comparable
from ..core.comparison import PairedDifference, Resampling, SystemComparison, count_outcomes
from ..errors import DialmeterError
from ..model import Notice
from ..readers.agents.parts import other_goals
from .measures import SystemMeasure
from .result import SystemResult

LogComparison: TypeAlias = SystemComparison[SystemResult]


def common_tasks(results: Mapping[str, SystemResult]) -> tuple[dict[str, SystemResult], list[Notice]]:
    """The results restricted to the tasks that all of them have, and a notice on the others.

    Raises:
        DialmeterError: there is none, or they are scored in different ways.
    """
    names = list(results)
    tasks = [set(result.by_task) for result in results.values()]
    common = frozenset(set.intersection(*tasks))
    if not common:
        raise DialmeterError(f"{' and '.join(names)} have no task in common")
    alone = sorted(set.union(*tasks) - common)
    notices = [Notice("alone", len(alone), f"{len(alone)} tasks that not all logs have are unscored", tuple(alone[:5]))]
    kept = {name: result.restricted(common) for name, result in results.items()}
    for name in names[1:]:
        unlike = not_comparable("system", kept[names[0]].signature, kept[name].signature)
        if unlike:
            raise DialmeterError(f"{names[0]} and {name} are not comparable: {unlike}")
    goals = [{each.task: each.goal for each in result.outcomes if each.goal} for result in kept.values()]
    return kept, [*(notices if alone else []), *other_goals(goals)]


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
    from msgspec.structs import replace

    from ..stats import holm

    kept, notices = common_tasks(results)
    first, *others = kept
    # Pass(k) is compared as far as all systems have so many trials.
    shared = [
        measure
        for measure in min((result.measures for result in kept.values()), key=len)
        if all(result.values(measure).keys() == kept[first].values(measure).keys() for result in kept.values())
    ]
    found = [_difference(measure, first, other, kept, how) for other in others for measure in shared]
    p_values = holm([each.p for each in found])
    versus = [replace(each, p_holm=p) for each, p in zip(found, p_values, strict=True)]
    return LogComparison(results=kept, versus=versus, notices=notices)


def _difference(
    measure: SystemMeasure, base: str, system: str, results: Mapping[str, SystemResult], how: Resampling
) -> PairedDifference:
    import numpy as np

    from ..stats import mcnemar_counts, paired_bootstrap, ratio

    old, new = (results[name] for name in (base, system))
    before, after = old.values(measure), new.values(measure)
    tasks = sorted(before)
    wins, ties, losses = count_outcomes((before[task] for task in tasks), (after[task] for task in tasks))
    ci = None
    if len(tasks) > 1:
        one, two = (np.array([parts[task] for task in tasks]) for parts in (old.parts(measure), new.parts(measure)))
        ci = paired_bootstrap(
            one,
            two,
            {"m": ratio()},
            confidence=how.confidence,
            resamples=how.resamples,
            seed=how.seed,
            expand=False,
        )["m"].ci
    return PairedDifference(
        measure=measure.name,
        system=system,
        base=base,
        difference=None if (was := old.whole(measure)) is None or (now := new.whole(measure)) is None else now - was,
        ci=ci,
        p=mcnemar_counts(losses, wins).p,
        p_holm=None,
        wins=wins,
        ties=ties,
        losses=losses,
    )
