"""The result of scoring a system: success and pass^k with intervals over tasks, endings, costs, the worst tasks."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from math import fsum, inf
from typing import TYPE_CHECKING

from msgspec import Struct

from .._version import __version__
from ..core.account import Account, count_reasons, refused_dialogues
from ..core.comparison import Resampling
from ..core.result import Result, percent
from ..errors import DialmeterError, InputError, one_line
from ..measure import Score
from ..model import Notice
from .measures import EFFORTS, GOAL_COMPLETION, RATES, SUCCESS, SystemMeasure, pass_measure
from .outcome import SystemOutcome, SystemSettings

if TYPE_CHECKING:
    from ..stats.formulas import Floats

MOST_PASSES = 8
"""Without a choice of measures, Pass(k) is shown up to this k."""


class TaskOutcome(Struct, frozen=True):
    """One task: how many dialogues were scored, how many of them were successful, and how they ended."""

    task: str
    trials: int
    successes: int
    endings: dict[str, int]


class Effort(Struct, frozen=True):
    """A number per dialogue, such as turns or money, with its interval over tasks."""

    measure: str
    title: str
    value: float | None
    ci: tuple[float, float] | None
    n: int


class SystemResult(Result):
    """The result of one pass over a log. Values are fractions; see ``scores``, ``efforts``, ``tasks``, ``endings``."""

    def __init__(
        self,
        how: SystemSettings,
        outcomes: Sequence[SystemOutcome],
        *,
        measures: Sequence[SystemMeasure] = (),
        refused: Sequence[InputError] = (),
        notices: Sequence[Notice] = (),
        resampling: Resampling | None = None,
    ) -> None:
        self.how = how
        self.outcomes = list(outcomes)
        self.refused = list(refused)
        self.resampling = resampling
        self._asked = tuple(measures)
        self._notices = list(notices)

    @cached_property
    def by_task(self) -> dict[str, list[SystemOutcome]]:
        """The scored dialogues of each task, sorted by the task's id as text."""
        found: dict[str, list[SystemOutcome]] = {}
        for each in sorted(self.outcomes, key=lambda each: (each.task, each.trial)):
            found.setdefault(each.task, [])
            if each.success is not None:
                found[each.task].append(each)
        return {task: tries for task, tries in found.items() if tries}

    @property
    def scored(self) -> list[SystemOutcome]:
        """The dialogues that count, in the order of the log."""
        return [each for each in self.outcomes if each.success is not None]

    @cached_property
    def trials(self) -> tuple[int, int]:
        """The fewest and the most scored dialogues of a task."""
        sizes = [len(tries) for tries in self.by_task.values()] or [0]
        return min(sizes), max(sizes)

    @cached_property
    def measures(self) -> tuple[SystemMeasure, ...]:
        """What was asked for, or success and pass^k up to the smallest number of trials."""
        if self._asked:
            return self._asked
        if self.how.success:
            return (GOAL_COMPLETION, *(each for each in RATES if self.parts(each)))
        most = min(self.trials[0], MOST_PASSES)
        return (SUCCESS, *(pass_measure(k) for k in range(2, most + 1)))

    @cached_property
    def account(self) -> Account:
        """How many dialogues of the log are scored, and why the others are not."""
        unread = refused_dialogues(self.refused)
        unscored = [(each.id, each.reason) for each in self.outcomes if each.success is None]
        asked = len(self.outcomes) + len(unread)
        return Account("dialogue", asked, asked, len(self.scored), count_reasons([*unread, *unscored]))

    @property
    def notices(self) -> list[Notice]:
        """Warnings: of the log, of dialogues that cannot be scored, of tasks with fewer trials than others."""
        found = list(self._notices)
        if self.refused:
            where = tuple(str(error) for error in self.refused[:5])
            found.append(
                Notice("refused", len(self.refused), f"{len(self.refused)} dialogues that cannot be read", where)
            )
        without = sorted({each.task for each in self.outcomes} - set(self.by_task))
        if without:
            found.append(
                Notice(
                    "tasks-unscored", len(without), f"{len(without)} tasks have no scored dialogue", tuple(without[:5])
                )
            )
        low, high = self.trials
        if low != high:
            fewer = sorted(task for task, tries in self.by_task.items() if len(tries) < high)
            message = f"{len(fewer)} tasks have fewer than {high} scored dialogues; Pass(k) is given up to k={low}"
            found.append(Notice("unequal-trials", len(fewer), message, tuple(fewer[:5])))
        return found

    @cached_property
    def data(self) -> str:
        """The digest of the ids of the tasks. A crashed run says nothing about its task but the id."""
        return hashlib.sha256("\n".join(sorted(self.by_task)).encode()).hexdigest()[:10]

    def values(self, measure: SystemMeasure) -> dict[str, float]:
        """The value of each task that has one."""
        return {task: above / below for task, (above, below) in self.parts(measure).items()}

    def parts(self, measure: SystemMeasure) -> dict[str, tuple[float, float]]:
        """Numerator and denominator of each task that has a value."""
        found = {task: measure.parts(tries) for task, tries in self.by_task.items()}
        return {task: pair for task, pair in found.items() if pair is not None}

    def whole(self, measure: SystemMeasure) -> float | None:
        """The value over all tasks; None where no task has one."""
        pairs = self.parts(measure).values()
        return fsum(above for above, _ in pairs) / fsum(below for _, below in pairs) if pairs else None

    @cached_property
    def _intervals(self) -> dict[str, tuple[tuple[float, float] | None, str]]:
        """Intervals of all means from one draw of tasks, by measure: the plain percentiles, as logs of agents are reported."""
        from dataclasses import replace

        import numpy as np

        from ..stats import Formula, bootstrap, ratio

        if self.resampling is None or len(self.by_task) < 2:
            return {}
        every = (*self.measures, *EFFORTS)
        place = {task: row for row, task in enumerate(self.by_task)}
        matrix: Floats = np.zeros((len(place), 2 * len(every)))
        formulas: dict[str, Formula] = {}
        for column, measure in enumerate(every):
            for task, pair in self.parts(measure).items():
                matrix[place[task], 2 * column : 2 * column + 2] = pair
            plain = ratio(2 * column, 2 * column + 1)
            formulas[measure.name] = plain if measure in self.measures else replace(plain, high=inf)
        how = self.resampling
        found = bootstrap(
            matrix, formulas, confidence=how.confidence, resamples=how.resamples, seed=how.seed, expand=False
        )
        return {name: (each.ci, each.reason or "") for name, each in found.items()}

    @cached_property
    def scores(self) -> list[Score]:
        """Success and pass^k with intervals over tasks."""
        low, high = self.trials
        fields = (
            *self.how.signed,
            *self.account.signed,
            f"trials:{low if low == high else f'{low}-{high}'}",
            f"tasks:{len(self.by_task)}",
            f"d:{len(self.scored)}",
            f"data:{self.data}",
            f"v:{__version__}",
        )
        found = []
        for measure in self.measures:
            n = len(self.values(measure))
            ci, why = self._intervals.get(measure.name, (None, ""))
            no_value = "no goal asks for it" if measure in RATES else "no task has so many trials"
            found.append(
                Score(
                    measure=measure.name,
                    value=self.whole(measure),
                    ci=ci,
                    n=n,
                    unscored=len(self.by_task) - n,
                    ci_reason=why if n else "",
                    reason="" if n else no_value,
                    signature="|".join((measure.name, *fields)),
                )
            )
        return found

    @cached_property
    def efforts(self) -> list[Effort]:
        """Turns, calls of tools, costs and time per dialogue; those that the log gives."""
        found = []
        for measure in EFFORTS:
            n = len(self.values(measure))
            if n and not (self.how.success and measure.name.startswith("Tool")):
                ci, _ = self._intervals.get(measure.name, (None, ""))
                found.append(Effort(measure.name, measure.title, self.whole(measure), ci, n))
        return found

    @cached_property
    def endings(self) -> dict[str, dict[str, int]]:
        """How dialogues ended, the most frequent first: how many were successful, failed and unscored."""
        found: dict[str, Counter[str]] = {}
        for each in self.outcomes:
            word = "unscored" if each.success is None else "successful" if each.success else "failed"
            found.setdefault(each.ending, Counter())[word] += 1
        ordered = sorted(found, key=lambda ending: (-found[ending].total(), ending))
        return {
            ending: {word: found[ending][word] for word in ("successful", "failed", "unscored")} for ending in ordered
        }

    @cached_property
    def tasks(self) -> list[TaskOutcome]:
        """Every task, sorted by its id as text."""
        return [
            TaskOutcome(
                task,
                len(tries),
                sum(bool(each.success) for each in tries),
                dict(sorted(Counter(str(each.ending) for each in tries).items())),
            )
            for task, tries in self.by_task.items()
        ]

    @property
    def counts(self) -> dict[str, int]:
        """Dialogues, tasks, successes, and dialogues that cannot be read."""
        return {
            "dialogues": len(self.outcomes),
            "tasks": len(self.by_task),
            "successes": sum(bool(each.success) for each in self.outcomes),
            "refused": len(self.refused),
        }

    def by(self, group: str) -> list[Score]:
        """The share of successful dialogues by ``task`` or by ``ending``.

        Raises:
            DialmeterError: no such group.
        """
        if group not in ("task", "ending"):
            raise DialmeterError(f"scores of systems are by task or by ending, not by {group!r}")
        groups: dict[str, list[SystemOutcome]] = {}
        for each in self.scored:
            groups.setdefault(getattr(each, group), []).append(each)
        return [
            Score(
                measure=SUCCESS.name,
                value=SUCCESS.value(found),
                n=len(found),
                unscored=0,
                group={group: name},
                signature=f"{self.signature}|{group}:{one_line(name.replace('|', '/'))}",
            )
            for name, found in sorted(groups.items())
        ]

    def worst(self, n: int = 10) -> list[TaskOutcome]:
        """The tasks with the smallest share of successes, without those that always succeed."""
        lost = [each for each in self.tasks if each.successes < each.trials]
        return sorted(lost, key=lambda each: (each.successes / each.trials, each.task))[:n]

    def restricted(self, tasks: frozenset[str]) -> SystemResult:
        """The same for some of the tasks."""
        return SystemResult(
            self.how,
            [each for each in self.outcomes if each.task in tasks],
            measures=self._asked,
            resampling=self.resampling,
        )

    @property
    def summary(self) -> str:
        """The measures, and how much was scored."""
        shown = ", ".join(f"{score.measure} {percent(score.value)}" for score in self.scores)
        return f"{shown}; {len(self.scored)} dialogues of {len(self.by_task)} tasks"
