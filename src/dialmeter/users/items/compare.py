"""Users of logs on the same tasks: differences of recall and of faults within tasks, with the exact sign test."""

from __future__ import annotations

from collections.abc import Mapping

from ...core.comparison import Resampling, SystemComparison, common_tasks, correct_by_holm, task_difference
from ...errors import DialmeterError
from ...measure import Score
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
    common, notices = common_tasks({name: {talk.task for talk in each.every} for name, each in results.items()})
    if len({result.source for result in results.values()}) > 1:
        raise DialmeterError("the logs have items from different sheets")
    kept = {
        name: LogItems(
            [talk for talk in result.every if talk.task in common],
            source=result.source,
            resampling=result.resampling,
        )
        for name, result in results.items()
    }
    first, *others = kept
    occurring = {name for result in kept.values() for name, count in result.events.items() if count}
    measures = [RECALL, *(name for name, events in WITHOUT.items() if name == "Without(any)" or events & occurring)]
    every = [
        task_difference(measure, (first, parts_of(kept[first], measure)), (other, parts_of(kept[other], measure)), how)
        for other in others
        for measure in measures
    ]
    found = [each for each in every if each.difference is not None]
    goals = [{talk.task: talk.goal for talk in result.every} for result in kept.values()]
    return ItemComparison(results=kept, versus=correct_by_holm(found), notices=[*notices, *other_goals(goals)])


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
