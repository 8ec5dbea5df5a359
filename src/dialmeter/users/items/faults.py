"""Items over a whole log: ItemRecall with its interval, verdicts by kind, and whether faults of the user go with failure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from ..._version import __version__
from ...core.comparison import Resampling
from ...measure import Score
from ...model import Trajectory
from ...readers.agents.parts import CLOSE
from .goal_items import KINDS, places_in
from .verdicts import VERDICTS, ItemOutcome, item_recall, outcomes_of

UNSAID = frozenset({"confirmed", "missed", "not_asked", "not_needed"})
"""Verdicts of items of which no form occurs in the user's words."""


class DialogueItems(Struct, frozen=True):
    """The items of one dialogue; ``success`` is None where the log has no reward."""

    id: str
    task: str
    success: bool | None
    outcomes: tuple[ItemOutcome, ...]


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
    """

    fault: str
    failed: Share
    successful: Share
    tasks: int
    failed_within: Share
    successful_within: Share
    difference: float | None


class LogItems:
    """The items of all dialogues of a log.

    Args:
        dialogues: those that have items.
        without: how many dialogues have none.
    """

    def __init__(self, dialogues: Sequence[DialogueItems], without: int = 0) -> None:
        self.dialogues = list(dialogues)
        self.without = without

    @cached_property
    def verdicts(self) -> dict[str, dict[str, int]]:
        """Verdict → kind of item → how many."""
        counts = Counter((each.verdict, each.item.kind) for talk in self.dialogues for each in talk.outcomes)
        return {
            verdict: {kind: counts[verdict, kind] for kind in KINDS if counts[verdict, kind]} for verdict in VERDICTS
        }

    @property
    def items(self) -> int:
        """How many items there are."""
        return sum(len(each.outcomes) for each in self.dialogues)

    def recall(self, how: Resampling | None = None) -> Score:
        """ItemRecall over all items, with an interval over tasks.

        Args:
            how: confidence, resamples and seed; no interval without it.
        """
        outcomes = [each for talk in self.dialogues for each in talk.outcomes]
        counted = [each for each in outcomes if each.verdict in VERDICTS[:3]]
        tasks = sorted({talk.task for talk in self.dialogues})
        digest = hashlib.sha256("\n".join(tasks).encode()).hexdigest()[:10]
        fields = ("items:named-in-instruction", f"tasks:{len(tasks)}", f"d:{len(self.dialogues)}", f"data:{digest}")
        return Score(
            measure="ItemRecall",
            value=item_recall(outcomes),
            ci=self._interval(tasks, how) if how is not None and len(tasks) > 1 and counted else None,
            n=len(counted),
            unscored=len(outcomes) - len(counted),
            reason="" if counted else "no item was conveyed, confirmed or missed",
            signature="|".join(("ItemRecall", *fields, f"v:{__version__}")),
        )

    def _interval(self, tasks: Sequence[str], how: Resampling) -> tuple[float, float] | None:
        import numpy as np

        from ...stats import bootstrap, ratio

        place = {task: row for row, task in enumerate(tasks)}
        matrix = np.zeros((len(tasks), 2))
        for talk in self.dialogues:
            for each in talk.outcomes:
                if each.verdict in VERDICTS[:3]:
                    matrix[place[talk.task]] += (each.verdict != "missed", 1)
        found = bootstrap(
            matrix, {"m": ratio()}, confidence=how.confidence, resamples=how.resamples, seed=how.seed, expand=False
        )
        return found["m"].ci

    def faults(self) -> list[FaultTable]:
        """Two kinds of fault: an item that is never said, and one that is missed by the verdicts."""
        return [
            _fault_table("an item is never said", self.dialogues, lambda each: each.verdict in UNSAID),
            _fault_table("an item is missed", self.dialogues, lambda each: each.verdict == "missed"),
        ]


def read_items(found: Iterable[Trajectory]) -> LogItems:
    """The items of a log. The dialogues are held in memory, because any of them may list the places.

    Example:
        >>> read_items([Trajectory(id="1:0", task="1")]).without
        1
    """
    every = list(found)
    places = places_in(every)
    talks = [
        DialogueItems(each.id, each.task, _success(each), tuple(outcomes))
        for each in every
        if (outcomes := outcomes_of(each, places))
    ]
    return LogItems(talks, len(every) - len(talks))


def _success(found: Trajectory) -> bool | None:
    reward = next(iter(found.rewards.values()), None)
    return None if reward is None else found.ending != "crash" and reward >= 1 - CLOSE


def _fault_table(name: str, talks: Sequence[DialogueItems], is_fault: Callable[[ItemOutcome], bool]) -> FaultTable:
    faulty = {talk.id: any(map(is_fault, talk.outcomes)) for talk in talks}
    by_task: dict[str, dict[bool, list[bool]]] = {}
    for talk in talks:
        if talk.success is not None:
            by_task.setdefault(talk.task, {True: [], False: []})[talk.success].append(faulty[talk.id])
    both = {task: found for task, found in by_task.items() if found[True] and found[False]}
    gaps = [sum(found[False]) / len(found[False]) - sum(found[True]) / len(found[True]) for found in both.values()]
    return FaultTable(
        name,
        _share(by_task, False),
        _share(by_task, True),
        len(both),
        _share(both, False),
        _share(both, True),
        sum(gaps) / len(gaps) if gaps else None,
    )


def _share(by_task: Mapping[str, Mapping[bool, Sequence[bool]]], success: bool) -> Share:
    found = [each for outcomes in by_task.values() for each in outcomes[success]]
    return Share(sum(found), len(found))
