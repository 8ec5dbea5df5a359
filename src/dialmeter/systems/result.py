"""The result of scoring a system: success and pass^k with confidence intervals over tasks, endings, costs, worst tasks."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import fsum, inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from .._version import __version__
from ..core.account import Account, count_reasons, refused_dialogues
from ..core.comparison import Resampling, sign_interval
from ..core.result import Result, percent
from ..errors import DialmeterError, InputError, one_line
from ..measure import Score
from ..model import Notice
from .calls import CallCounts, Paths, count_calls, paired, paths_of, tool_notices
from .measures import (
    CALLS,
    EFFORTS,
    GOAL_COMPLETION,
    NOT_RUN,
    RATES,
    SUCCESS,
    SystemMeasure,
    SystemOutcome,
    SystemSettings,
    pass_measure,
)

if TYPE_CHECKING:
    from ..stats.noise import Needs, Noise

MOST_PASSES = 8
"""Largest k of Pass(k) that is reported by default."""
DIFFERENCES = (0.05, 0.1, 0.2)
"""Differences whose needs are listed."""
MANY_ERRORS = 0.02
"""A larger share of dialogues that an infrastructure error ended is a warning."""


class TaskOutcome(Struct, frozen=True):
    """One task: number of scored dialogues, number of successful ones, and their endings."""

    task: str
    trials: int
    successes: int
    endings: dict[str, int]


class Effort(Struct, frozen=True):
    """A number per dialogue, such as turns or money, with its confidence interval over tasks."""

    measure: str
    title: str
    value: float | None
    ci: tuple[float, float] | None
    n: int


class Cost(Struct, frozen=True):
    """What a log spent, over the dialogues that record it.

    Attributes:
        name: such as ``agent cost`` or ``prompt tokens``.
        runs: number of dialogues that record it.
        total: the sum over these dialogues.
        per_run: the mean per dialogue.
        solved: how many of them are successful.
        per_solved: total / solved; None if none is successful.
        on_failed: the share of the total that failed dialogues spent; None if the total is 0.
    """

    name: str
    runs: int
    total: float
    per_run: float
    solved: int
    per_solved: float | None
    on_failed: float | None


class SystemResult(Result):
    """The result of scoring one log. Values are fractions; see ``scores``, ``efforts``, ``tasks``, ``endings``."""

    def __init__(
        self,
        settings: SystemSettings,
        outcomes: Sequence[SystemOutcome],
        *,
        measures: Sequence[SystemMeasure] = (),
        refused: Sequence[InputError] = (),
        notices: Sequence[Notice] = (),
        resampling: Resampling | None = None,
        tools: Mapping[str, bool] = MappingProxyType({}),
    ) -> None:
        self.settings = settings
        self.outcomes = list(outcomes)
        self.refused = list(refused)
        self.resampling = resampling
        self.tools = dict(tools)
        self._requested_measures = tuple(measures)
        self._notices = list(notices)
        self.find_user_faults: Callable[[], tuple[float, tuple[float, float]] | None] = lambda: None

    @cached_property
    def by_task(self) -> dict[str, list[SystemOutcome]]:
        """Task id → its scored dialogues, sorted by task id as text, then by trial."""
        tasks: dict[str, list[SystemOutcome]] = {}
        for each in sorted(self.scored, key=lambda each: (each.task, each.trial)):
            tasks.setdefault(each.task, []).append(each)
        return tasks

    @property
    def scored(self) -> list[SystemOutcome]:
        """The scored dialogues, in the order of the log."""
        return [each for each in self.outcomes if each.success is not None]

    @cached_property
    def trials(self) -> tuple[int, int]:
        """The smallest and the largest number of scored dialogues of a task."""
        sizes = [len(tries) for tries in self.by_task.values()] or [0]
        return min(sizes), max(sizes)

    @property
    def is_requested(self) -> bool:
        """True if the measures were requested, and are not those of every log."""
        return bool(self._requested_measures)

    @cached_property
    def measures(self) -> tuple[SystemMeasure, ...]:
        """The requested measures. Default: success and pass^k, with k up to the smallest number of trials."""
        if self._requested_measures:
            return self._requested_measures
        if self.settings.success:
            return (GOAL_COMPLETION, *(each for each in RATES if self.parts(each)))
        most = min(self.trials[0], MOST_PASSES)
        repeated = [*map(pass_measure, range(2, most + 1)), *([pass_measure(most, any_trial=True)] if most > 1 else ())]
        return (SUCCESS, *repeated, *(each for each in CALLS if self.parts(each)))

    @property
    def compared_measures(self) -> tuple[SystemMeasure, ...]:
        """The measures that a comparison shows: the requested ones, or success and pass^k without those of calls."""
        if self._requested_measures:
            return self._requested_measures
        return tuple(each for each in self.measures if each not in CALLS and not each.any_trial)

    @cached_property
    def user_faults(self) -> tuple[float, tuple[float, float]] | None:
        """How much more often the user has a fault in failed dialogues of a task than in successful ones, and the interval.

        None if the log does not show that they go together.
        """
        return self.find_user_faults()

    @cached_property
    def account(self) -> Account:
        """Number of scored dialogues of the log, and reasons for the unscored ones."""
        unreadable = refused_dialogues(self.refused)
        unscored = [(each.id, each.reason) for each in self.outcomes if each.success is None]
        asked = len(self.outcomes) + len(unreadable)
        return Account("dialogue", asked, asked, len(self.scored), count_reasons([*unreadable, *unscored]))

    @cached_property
    def infrastructure_errors(self) -> list[str]:
        """The dialogues that an infrastructure error ended."""
        return [each.id for each in self.outcomes if each.ending == "infrastructure"]

    @cached_property
    def without_infrastructure(self) -> SystemResult | None:
        """With ``infrastructure="both"``, the result without infrastructure errors; None if there are none."""
        if self.settings.infrastructure != "both" or not self.infrastructure_errors:
            return None
        without = self.rescored(
            lambda each: replace(each, success=None, reason=NOT_RUN) if each.ending == "infrastructure" else each
        )
        return self._with(without.outcomes, replace(self.settings, infrastructure="skipped"), self.refused)

    @property
    def scores_without_infrastructure(self) -> list[dict[str, Any]]:
        """The scores without infrastructure errors as dictionaries; empty if there are no such scores."""
        return self.without_infrastructure.to_dicts() if self.without_infrastructure is not None else []

    @property
    def every_score(self) -> list[Score]:
        """The scores, then those without infrastructure errors, which are in a group of their own."""
        again = self.without_infrastructure.scores if self.without_infrastructure is not None else []
        return [*self.scores, *(replace(each, group={"infrastructure": "unscored"}) for each in again)]

    @property
    def notices(self) -> list[Notice]:
        """Warnings about the log, unscored dialogues, and tasks with fewer trials than others."""
        unscored = sorted({each.task for each in self.outcomes} - set(self.by_task))
        lost = self.infrastructure_errors if len(self.infrastructure_errors) > MANY_ERRORS * len(self.outcomes) else []
        ended = f"{len(lost)} of {len(self.outcomes)} dialogues were {NOT_RUN}"
        if lost and self.without_infrastructure is not None:
            without = percent(self.without_infrastructure.value)
            ended += f"; {self.scores[0].measure} is {percent(self.value)}, and {without} without them"
        low, high = self.trials
        fewer = sorted(task for task, tries in self.by_task.items() if len(tries) < high)
        few = f"tasks with fewer than {high} scored dialogues: {len(fewer)}; Pass(k) is reported up to k={low}"
        found: tuple[tuple[str, Sequence[object], str], ...] = (
            (
                "unscored",
                self.refused,
                f"{len(self.refused)} dialogue{'s' * (len(self.refused) != 1)} that cannot be read",
            ),
            ("tasks-unscored", unscored, f"{len(unscored)} task{'s' * (len(unscored) != 1)} without a scored dialogue"),
            ("infrastructure", lost, ended),
            ("unequal-trials", fewer, few),
        )
        calls = [(each.calls, bool(each.success)) for each in self.scored if each.calls is not None]
        return [*self._notices, *tool_notices(calls)] + [
            Notice(code, len(places), message, tuple(map(str, places[:5]))) for code, places, message in found if places
        ]

    @cached_property
    def data(self) -> str:
        """Digest of the task ids, and of the goals where dialogues are scored by them.

        For logs with rewards it covers only ids, because a run that an error ended has no other data about its task.
        """
        goals = {task: f"\x1c{tries[0].goal}" if self.settings.success else "" for task, tries in self.by_task.items()}
        return hashlib.sha256("\n".join(sorted(f"{task}{goals[task]}" for task in goals)).encode()).hexdigest()[:10]

    def values(self, measure: SystemMeasure) -> dict[str, float]:
        """Return task id → value, for the tasks that have a value."""
        return {task: above / below for task, (above, below) in self.parts(measure).items()}

    def parts(self, measure: SystemMeasure) -> dict[str, tuple[float, float]]:
        """Return task id → numerator and denominator, for the tasks that have a value."""
        pairs = {task: measure.parts(tries) for task, tries in self.by_task.items()}
        return {task: pair for task, pair in pairs.items() if pair is not None}

    def whole(self, measure: SystemMeasure) -> float | None:
        """Return the value over all tasks, or None if no task has one."""
        pairs = self.parts(measure).values()
        return fsum(above for above, _ in pairs) / fsum(below for _, below in pairs) if pairs else None

    @cached_property
    def _intervals(self) -> dict[str, tuple[tuple[float, float] | None, str]]:
        """Measure → confidence interval, and the reason if there is none. All use the same resamples of tasks.

        The intervals are plain percentiles, as is usual in reports on logs of agents.
        """
        from ..stats.formulas import ratio
        from ..stats.resampling import bootstrap

        if self.resampling is None or len(self.by_task) < 2:
            return {}
        parts = {each: self.parts(each) for each in (*self.measures, *EFFORTS)}
        rows = [[number for each in parts.values() for number in each.get(task, (0.0, 0.0))] for task in self.by_task]
        formulas = {
            each.name: ratio(2 * at, 2 * at + 1, 1.0 if each in self.measures else inf) for at, each in enumerate(parts)
        }
        intervals = bootstrap(rows, formulas, **asdict(self.resampling), expand=False)
        return {name: (each.ci, each.reason or "") for name, each in intervals.items()}

    @cached_property
    def scores(self) -> list[Score]:
        """The scores, with confidence intervals over tasks."""
        return list(map(self.score_of, self.measures))

    def score_of(self, measure: SystemMeasure) -> Score:
        """Return the score of a measure. One that was not requested has no interval."""
        n = len(self.values(measure))
        ci, why = self._intervals.get(measure.name, (None, ""))
        reason = "no goal requires it" if measure in RATES else "no task has enough trials"
        if measure in CALLS:
            what = "facts" if measure.name == "Facts" else "calls"
            reason = f"the log does not say which {what} are expected"
        return Score(
            measure=measure.name,
            value=self.whole(measure),
            ci=ci,
            n=n,
            unscored=len(self.by_task) - n,
            ci_reason=why if n else "",
            reason="" if n else reason,
            signature=sign_interval(self._signed(measure), self.resampling, ci),
        )

    def _signed(self, measure: SystemMeasure, *more: str) -> str:
        """Return the signature of a value without interval. That of calls names the tools that were chosen."""
        low, high = self.trials
        own = self.settings.signed_tools if measure in CALLS else ()
        fields = (
            *self.settings.signed,
            *own,
            *self.account.signed,
            f"trials:{low if low == high else f'{low}-{high}'}",
            f"tasks:{len(self.by_task)}",
            f"d:{len(self.scored)}",
            f"data:{self.data}",
            f"v:{__version__}",
        )
        return "|".join((measure.name, *fields, *more))

    @cached_property
    def efforts(self) -> list[Effort]:
        """Turns, tool calls, costs and time per dialogue, as far as the log records them."""
        efforts = []
        for measure in EFFORTS:
            n = len(self.values(measure))
            if n and not (self.settings.success and measure.name.startswith("Tool")):
                ci, _ = self._intervals.get(measure.name, (None, ""))
                efforts.append(Effort(measure.name, measure.title, self.whole(measure), ci, n))
        return efforts

    @cached_property
    def costs(self) -> list[Cost]:
        """Money, tokens, seconds and calls per dialogue and per solved task, as far as the log records them. Missing is not zero."""
        spent = {id(each): _spent(each) for each in self.scored}
        costs = []
        for name in dict.fromkeys(name for each in spent.values() for name in each):
            runs = [(spent[id(each)][name], bool(each.success)) for each in self.scored if name in spent[id(each)]]
            total, solved = fsum(number for number, _ in runs), sum(success for _, success in runs)
            failed = fsum(number for number, success in runs if not success)
            share = failed / total if total else None
            costs.append(
                Cost(name, len(runs), total, total / len(runs), solved, total / solved if solved else None, share)
            )
        return costs

    @cached_property
    def endings(self) -> dict[str, dict[str, int]]:
        """Ending → number of successful, failed and unscored dialogues, with the most frequent ending first."""
        endings: dict[str, Counter[str]] = {}
        for each in self.outcomes:
            status = "unscored" if each.success is None else "successful" if each.success else "failed"
            endings.setdefault(each.ending, Counter())[status] += 1
        ordered = sorted(endings, key=lambda ending: (-endings[ending].total(), ending))
        return {
            ending: {status: endings[ending][status] for status in ("successful", "failed", "unscored")}
            for ending in ordered
        }

    @cached_property
    def tasks(self) -> list[TaskOutcome]:
        """All tasks with scored dialogues, sorted by task id as text."""
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
        """Number of dialogues, tasks, successes, and unreadable dialogues."""
        return {
            "dialogues": len(self.outcomes),
            "tasks": len(self.by_task),
            "successes": sum(bool(each.success) for each in self.outcomes),
            "unscored": len(self.refused),
        }

    def trial_values(self, measure: SystemMeasure = SUCCESS) -> dict[str, list[float]]:
        """Return task id → the values of its dialogues, for the tasks that have values; a Pass measure has success or failure."""
        found = {
            task: [number for each in tries if (number := self._number(each, measure)) is not None]
            for task, tries in self.by_task.items()
        }
        return {task: values for task, values in found.items() if values}

    @staticmethod
    def _number(each: SystemOutcome, measure: SystemMeasure) -> float | None:
        return float(bool(each.success)) if measure.trials else each.number(measure.column)

    def noise_of(self, measure: SystemMeasure = SUCCESS) -> Noise | None:
        """Return the noise of Success, or of a measure of calls; None if it cannot be estimated."""
        from ..stats.noise import noise_of

        return noise_of(list(self.trial_values(measure).values()), is_share=bool(measure.trials))

    @cached_property
    def noise(self) -> Noise | None:
        """The noise of Success: how many tasks flip between trials, and how far a rerun may be off."""
        return self.noise_of()

    @cached_property
    def needs(self) -> list[Needs]:
        """The tasks and trials that a comparison with another such system needs, for differences of 5, 10 and 20 points."""
        from ..stats.noise import needs_of

        values = list(self.trial_values().values())
        return [each for difference in DIFFERENCES if (each := needs_of(values, values, difference)) is not None]

    @cached_property
    def call_counts(self) -> list[CallCounts]:
        """Missed, wrong, extra and correct calls and arguments: of all scored dialogues, by tool, and by argument; see ``tools``."""
        pairs = [pair for each in self.scored if each.calls is not None for pair in each.calls.pairs]
        return count_calls(pairs) if any(each.calls and each.calls.expected for each in self.scored) else []

    def by(self, group: str) -> list[Score]:
        """Return the scores by ``task`` or ``ending``, or CallGCA over all calls by ``tool``.

        Raises:
            DialmeterError: ``group`` is none of these, or the log does not have expected calls.
        """
        if group == "tool":
            return self._by_tool()
        if group not in ("task", "ending"):
            raise DialmeterError(f"cannot group system scores by {group!r}: use 'task', 'ending' or 'tool'")
        groups: dict[str, list[SystemOutcome]] = {}
        for each in self.scored:
            groups.setdefault(getattr(each, group), []).append(each)
        shown = [SUCCESS, *(each for each in self.measures if each in CALLS)]
        return [
            Score(
                measure=measure.name,
                value=measure.value(outcomes),
                n=len(outcomes),
                unscored=0,
                group={group: name},
                signature=self._signed(measure, f"{group}:{one_line(name.replace('|', '/'))}"),
            )
            for name, outcomes in sorted(groups.items())
            for measure in shown
            if measure.value(outcomes) is not None
        ]

    def _by_tool(self) -> list[Score]:
        if not self.call_counts:
            raise DialmeterError("no scores by tool: the log does not say which calls are expected")
        return [
            Score(
                measure="CallGCA",
                value=each.shares["CallGCA"],
                n=each.errors + each.correct,
                unscored=0,
                group={"tool": each.tool},
                signature=self._signed(CALLS[0], f"tool:{one_line(each.tool.replace('|', '/'))}"),
            )
            for each in self.call_counts
            if each.level == "arguments" and each.tool and not each.argument
        ]

    def worst(self, n: int = 10) -> list[TaskOutcome]:
        """Return the tasks with the smallest share of successes, excluding tasks that always succeed."""
        failing = [each for each in self.tasks if each.successes < each.trials]
        return sorted(failing, key=lambda each: (each.successes / each.trials, each.task))[:n]

    def restricted(self, tasks: frozenset[str]) -> SystemResult:
        """Return the result for some of the tasks."""
        return self._with([each for each in self.outcomes if each.task in tasks], self.settings)

    def rescored(self, change: Callable[[SystemOutcome], SystemOutcome]) -> SystemResult:
        """Return the result with changed outcomes."""
        return self._with([change(each) for each in self.outcomes], self.settings)

    def with_paths(self, paths: Paths) -> SystemResult:
        """Return the result with calls paired by the paths of the expected arguments of several logs."""
        if paths == paths_of(each.calls for each in self.outcomes):
            return self
        return self.rescored(lambda each: replace(each, calls=each.calls and paired(each.calls, paths)))

    @cached_property
    def log_tasks(self) -> frozenset[str]:
        """The scored tasks of the whole log, if this is the result for some of them."""
        return frozenset(self.by_task)

    def _with(
        self, outcomes: Sequence[SystemOutcome], settings: SystemSettings, refused: Sequence[InputError] = ()
    ) -> SystemResult:
        measures = self._requested_measures
        part = SystemResult(
            settings, outcomes, measures=measures, refused=refused, resampling=self.resampling, tools=self.tools
        )
        part.log_tasks = self.log_tasks
        return part


def _spent(each: SystemOutcome) -> dict[str, float]:
    """Return what a dialogue spent, by name. A dialogue without messages has no calls to count."""
    money = {"agent cost": each.agent_cost, "user cost": each.user_cost}
    if each.agent_cost is not None and each.user_cost is not None:
        money["total cost"] = each.agent_cost + each.user_cost
    tokens = {f"{name} tokens": float(number) for name, number in each.tokens.items()}
    calls = {"calls": float(each.tool_calls), "failed calls": float(each.tool_errors)} if each.turns else {}
    return {
        name: number
        for name, number in {**money, **tokens, "seconds": each.seconds, **calls}.items()
        if number is not None
    }
