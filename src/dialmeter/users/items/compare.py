"""Comparison of users of logs on the same tasks: paired differences of recall and of faults, and the t test over tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ...core.comparison import Resampling, SystemComparison, common_tasks, correct_by_holm, task_difference
from ...errors import DialmeterError
from ...measure import Score
from ...readers.agents.messages import other_goals
from .log_items import LogItems
from .text_events import FAULTS

ItemComparison = SystemComparison[LogItems]
RECALL = "ItemRecall"
WITHOUT = {
    "Without(any)": frozenset(FAULTS),
    **{f"Without({name})": frozenset({name}) for name in FAULTS if name != "missed"},
}
"""Measure → classes of events. The value is the share of dialogues without these events; higher is better."""


def compare_items(results: Mapping[str, LogItems], resampling: Resampling) -> ItemComparison:
    """Compare users with the first one, on the tasks that all logs have.

    Only tasks count for which both users have a value. The confidence interval and the p value are those of the t test over tasks,
    with Holm's correction.

    Args:
        results: user name → result.
        resampling: confidence, resamples and seed.

    Raises:
        DialmeterError: the logs have no common task, or items from different sheets.
    """
    common, notices = common_tasks({name: {talk.task for talk in each.all_dialogues} for name, each in results.items()})
    if len({result.source for result in results.values()}) > 1:
        raise DialmeterError("the logs have items from different sheets")
    restricted = {
        name: LogItems(
            [talk for talk in result.all_dialogues if talk.task in common],
            source=result.source,
            resampling=result.resampling,
        )
        for name, result in results.items()
    }
    first, *others = restricted
    occurring = {name for result in restricted.values() for name, count in result.events.items() if count}
    measures = [RECALL, *(name for name, events in WITHOUT.items() if name == "Without(any)" or events & occurring)]
    differences = [
        task_difference(
            measure,
            (first, parts_of(restricted[first], measure)),
            (other, parts_of(restricted[other], measure)),
            resampling,
            equal_trials=_trials(restricted[first]) == _trials(restricted[other]),
        )
        for other in others
        for measure in measures
    ]
    valid = [each for each in differences if each.difference is not None]
    goals = [{talk.task: talk.goal for talk in result.all_dialogues} for result in restricted.values()]
    return ItemComparison(
        results=restricted, versus=list(correct_by_holm(valid)), notices=[*notices, *other_goals(goals)]
    )


def _trials(result: LogItems) -> Counter[str]:
    return Counter(talk.task for talk in result.all_dialogues)


def parts_of(result: LogItems, measure: str) -> dict[str, tuple[float, float]]:
    """Return task → numerator and denominator, for the tasks that have a value."""
    if measure == RECALL:
        return {task: pair for task, pair in result.recall_parts.items() if pair[1]}
    return {task: (total - faulty, total) for task, (faulty, total) in result.fault_parts(WITHOUT[measure]).items()}


def score_of(result: LogItems, measure: str) -> Score:
    """Return the value over all tasks of a log."""
    if measure == RECALL:
        return result.scores[0]
    pairs = parts_of(result, measure).values()
    total = sum(below for _, below in pairs)
    return Score(
        measure=measure,
        value=sum(above for above, _ in pairs) / total if total else None,
        n=round(total),
        unscored=0,
        signature="|".join((measure, *result.signature.split("|")[1:])),
    )
