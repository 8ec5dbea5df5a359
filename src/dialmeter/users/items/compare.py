"""Users of logs on the same tasks: differences of recall and of faults within tasks, with the exact sign test."""

from __future__ import annotations

from collections.abc import Mapping

from ...core.comparison import PairedDifference, Resampling, SystemComparison, count_outcomes
from ...errors import DialmeterError
from ...measure import Score
from ...model import Notice
from ...readers.agents.parts import other_goals
from .log_items import LogItems
from .text_events import FAULTS

ItemComparison = SystemComparison[LogItems]
RECALL = "ItemRecall"
WITHOUT = {
    "Without(any)": frozenset(FAULTS),
    **{f"Without({name})": frozenset({name}) for name in FAULTS if name != "missed"},
}
"""Shares of dialogues without an event, or without one of a class; more is better."""


def compare_items(results: Mapping[str, LogItems], how: Resampling) -> ItemComparison:
    """Compares users with the first one, on the tasks that all logs have.

    Tasks count where both users have a value. The interval resamples tasks; p is that of the exact sign test over the tasks
    that differ, corrected by Holm.

    Args:
        results: by name.
        how: confidence, resamples and seed.

    Raises:
        DialmeterError: no common task, or items from different sheets.
    """
    from msgspec.structs import replace

    from ...stats import holm

    names = list(results)
    tasks = [{talk.task for talk in result.every} for result in results.values()]
    common = set.intersection(*tasks)
    if not common:
        raise DialmeterError(f"{' and '.join(names)} have no task in common")
    if len({result.source for result in results.values()}) > 1:
        raise DialmeterError("the logs have items from different sheets")
    alone = sorted(set.union(*tasks) - common)
    notices = [Notice("alone", len(alone), f"{len(alone)} tasks that not all logs have are unscored", tuple(alone[:5]))]
    kept = {
        name: LogItems(
            [talk for talk in result.every if talk.task in common],
            source=result.source,
            resampling=result.resampling,
        )
        for name, result in results.items()
    }
    first, *others = kept
    measures = [RECALL, *(name for name in WITHOUT if name == "Without(any)" or _occurs(name, kept))]
    found = [
        each
        for other in others
        for measure in measures
        if (each := _difference(measure, first, other, kept, how)).difference is not None
    ]
    p_values = holm([each.p for each in found])
    versus = [replace(each, p_holm=p) for each, p in zip(found, p_values, strict=True)]
    goals = [{talk.task: talk.goal for talk in result.every} for result in kept.values()]
    return ItemComparison(results=kept, versus=versus, notices=[*(notices if alone else []), *other_goals(goals)])


def _occurs(measure: str, results: Mapping[str, LogItems]) -> bool:
    return any(result.events[name] for result in results.values() for name in WITHOUT[measure])


def parts_of(result: LogItems, measure: str) -> dict[str, tuple[float, float]]:
    """Numerator and denominator of each task that has a value."""
    if measure == RECALL:
        return {task: pair for task, pair in result.recall_parts.items() if pair[1]}
    return {task: (all_ - faulty, all_) for task, (faulty, all_) in result.fault_parts(WITHOUT[measure]).items()}


def score_of(result: LogItems, measure: str) -> Score:
    """The value over all tasks of a log."""
    if measure == RECALL:
        return result.scores[0]
    pairs = parts_of(result, measure).values()
    whole = sum(below for _, below in pairs)
    return Score(
        measure=measure,
        value=sum(above for above, _ in pairs) / whole if whole else None,
        n=round(whole),
        unscored=0,
        signature="|".join((measure, *result.signature.split("|")[1:])),
    )


def _difference(
    measure: str, base: str, system: str, results: Mapping[str, LogItems], how: Resampling
) -> PairedDifference:
    import numpy as np

    from ...stats import mcnemar_counts, paired_bootstrap, ratio

    before, after = (parts_of(results[name], measure) for name in (base, system))
    tasks = sorted(before.keys() & after.keys())
    one, two = (np.array([side[task] for task in tasks]) for side in (before, after))
    values = [[side[task][0] / side[task][1] for task in tasks] for side in (before, after)]
    wins, ties, losses = count_outcomes(*values)
    ci = None
    if len(tasks) > 1:
        settings = {"confidence": how.confidence, "resamples": how.resamples, "seed": how.seed}
        ci = paired_bootstrap(one, two, {"m": ratio()}, expand=False, **settings)["m"].ci  # type: ignore[arg-type]
    sums = [side.sum(axis=0) for side in (one, two)] if tasks else []
    return PairedDifference(
        measure=measure,
        system=system,
        base=base,
        difference=float(sums[1][0] / sums[1][1] - sums[0][0] / sums[0][1]) if tasks else None,
        ci=ci,
        p=mcnemar_counts(losses, wins).p,
        p_holm=None,
        wins=wins,
        ties=ties,
        losses=losses,
    )
