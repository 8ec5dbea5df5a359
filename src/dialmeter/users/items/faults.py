"""Does a fault of the user go with failure? Counted over all dialogues, and within tasks that have both outcomes.

Tasks differ in what they ask of the user and in how often they fail, so that the first count says more about tasks than about
users. A conclusion is drawn from the second one alone.
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
"""Verdicts of items of which no form occurs in the user's words."""
_FEWEST = 5
"""Below so many tasks with both outcomes, nothing is concluded."""


class DialogueItems(Struct, frozen=True):
    """The items and events of one dialogue.

    Attributes:
        success: None where the log has no reward.
        outcomes: of the items of its goal; empty where it has none.
        events: what the user did against its instruction.
        party: whose fault a failure is, by the events; empty where the dialogue did not fail.
        goal: digits that stand for the instruction.
    """

    id: str
    task: str
    success: bool | None
    outcomes: tuple[ItemOutcome, ...]
    events: tuple[Event, ...] = ()
    party: str = ""
    goal: str = ""


class Share(NamedTuple):
    """How many dialogues of how many have a fault."""

    faulty: int
    all: int


class FaultTable(Struct, frozen=True):
    """Does a fault of the user go with failure?

    Attributes:
        fault: what counts as a fault.
        failed: of all failed dialogues.
        successful: of all successful ones.
        tasks: how many tasks have both outcomes.
        failed_within: of the failed dialogues of these tasks.
        successful_within: of the successful ones.
        difference: mean over these tasks of the share in failed less that in successful dialogues.
        ci: the interval of this difference, over tasks.
        conclusion: what follows from it.
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
    how: Resampling | None = None,
) -> FaultTable:
    """Count a fault in failed and successful dialogues.

    Args:
        name: of the fault.
        talks: the dialogues; those without a reward do not count.
        is_fault: does a dialogue have it?
        how: of the interval; none without it.

    Example:
        >>> talks = [DialogueItems(f"1:{trial}", "1", trial == 0, ()) for trial in range(2)]
        >>> fault_table("a fault", talks, lambda talk: not talk.success).difference
        1.0
    """
    by_task: dict[str, dict[bool, list[bool]]] = {}
    for talk in talks:
        if talk.success is not None:
            by_task.setdefault(talk.task, {True: [], False: []})[talk.success].append(is_fault(talk))
    both = {task: found for task, found in sorted(by_task.items()) if found[True] and found[False]}
    gaps = [sum(found[False]) / len(found[False]) - sum(found[True]) / len(found[True]) for found in both.values()]
    difference = sum(gaps) / len(gaps) if gaps else None
    ci = _interval(gaps, how) if how is not None and len(gaps) > 1 else None
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
    found = [each for outcomes in by_task.values() for each in outcomes[success]]
    return Share(sum(found), len(found))


def _interval(gaps: Sequence[float], how: Resampling) -> tuple[float, float] | None:
    from dataclasses import replace

    import numpy as np

    from ...stats import bootstrap, ratio

    matrix = np.column_stack([np.array(gaps), np.ones(len(gaps))])
    formulas = {"m": replace(ratio(), low=-1.0)}
    return bootstrap(matrix, formulas, expand=False, **asdict(how))["m"].ci


def _conclusion(gaps: Sequence[float], ci: tuple[float, float] | None) -> str:
    if len(gaps) < _FEWEST:
        return f"nothing: {len(gaps)} tasks have both outcomes"
    if not any(gaps):
        return "no difference"
    if ci is None or ci[0] <= 0 <= ci[1]:
        return "no difference that the data can show"
    return "goes with failure" if ci[0] > 0 else "goes with success"
