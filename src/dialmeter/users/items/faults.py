"""Association between faults of the user and failure, over all dialogues and within tasks that have both outcomes.

Tasks differ in their demands on the user and in their failure rates. So the first count says more about tasks than about users,
and the conclusion uses only the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from ...core.comparison import Resampling
from ..events import Event
from .verdicts import ItemOutcome

UNSAID = frozenset({"confirmed", "missed", "not_asked", "not_needed"})
"""Verdicts of items without any form in the user's messages."""
_MIN_TASKS = 5
"""Minimum number of tasks with both outcomes for a conclusion."""


class DialogueItems(Struct, frozen=True):
    """The items and events of one dialogue.

    Attributes:
        success: None if the log has no reward.
        outcomes: the verdicts on the items of its goal; empty if it has none.
        events: violations of the instruction by the user.
        party: the party to blame for a failure, according to the events; empty if the dialogue did not fail.
        goal: digest of the instruction.
    """

    id: str
    task: str
    success: bool | None
    outcomes: tuple[ItemOutcome, ...]
    events: tuple[Event, ...] = ()
    party: str = ""
    goal: str = ""


class Share(NamedTuple):
    """Number of dialogues with a fault, and number of all dialogues."""

    faulty: int
    all: int


class FaultTable(Struct, frozen=True):
    """The association between a fault of the user and failure.

    Attributes:
        fault: the name of the fault.
        failed: share among all failed dialogues.
        successful: share among all successful dialogues.
        tasks: number of tasks with both outcomes.
        failed_within: share among the failed dialogues of these tasks.
        successful_within: share among the successful dialogues of these tasks.
        difference: mean over these tasks of the share in failed dialogues minus the share in successful dialogues.
        ci: confidence interval of this difference, over tasks.
        conclusion: the conclusion from this interval.
    """

    fault: str
    failed: Share
    successful: Share
    tasks: int
    failed_within: Share
    successful_within: Share
    difference: float | None
    ci: tuple[float, float] | None = None
    conclusion: str = ""


def fault_table(
    name: str,
    talks: Sequence[DialogueItems],
    is_fault: Callable[[DialogueItems], bool],
    resampling: Resampling | None = None,
) -> FaultTable:
    """Count a fault in failed and successful dialogues.

    Args:
        name: the name of the fault.
        talks: the dialogues. Dialogues without a reward do not count.
        is_fault: returns True if a dialogue has the fault.
        resampling: settings of the confidence interval; None for no interval.

    Example:
        >>> talks = [DialogueItems(f"1:{trial}", "1", trial == 0, ()) for trial in range(2)]
        >>> fault_table("a fault", talks, lambda talk: not talk.success).difference
        1.0
    """
    by_task: dict[str, dict[bool, list[bool]]] = {}
    for talk in talks:
        if talk.success is not None:
            by_task.setdefault(talk.task, {True: [], False: []})[talk.success].append(is_fault(talk))
    both = {task: faults for task, faults in sorted(by_task.items()) if faults[True] and faults[False]}
    gaps = [sum(faults[False]) / len(faults[False]) - sum(faults[True]) / len(faults[True]) for faults in both.values()]
    difference = sum(gaps) / len(gaps) if gaps else None
    ci = _interval(gaps, resampling) if resampling is not None and len(gaps) > 1 else None
    return FaultTable(
        name,
        _share(by_task, False),
        _share(by_task, True),
        len(both),
        _share(both, False),
        _share(both, True),
        difference,
        ci,
        _conclusion(gaps, ci),
    )


def _share(by_task: Mapping[str, Mapping[bool, Sequence[bool]]], success: bool) -> Share:
    faults = [each for outcomes in by_task.values() for each in outcomes[success]]
    return Share(sum(faults), len(faults))


def _interval(gaps: Sequence[float], resampling: Resampling) -> tuple[float, float] | None:
    from dataclasses import replace

    import numpy as np

    from ...stats import bootstrap, ratio

    matrix = np.column_stack([np.array(gaps), np.ones(len(gaps))])
    formulas = {"m": replace(ratio(), low=-1.0)}
    return bootstrap(matrix, formulas, expand=False, **asdict(resampling))["m"].ci


def _conclusion(gaps: Sequence[float], ci: tuple[float, float] | None) -> str:
    if len(gaps) < _MIN_TASKS:
        return f"none: only {len(gaps)} tasks have both outcomes"
    if not any(gaps):
        return "no difference"
    if ci is None or ci[0] <= 0 <= ci[1]:
        return "cannot tell"
    return "associated with failure" if ci[0] > 0 else "associated with success"
