"""Audit of tasks: which expected calls and facts may be wrong, ranked by what the logs of agents show.

It is a list for screening: a person must read the tasks. A task that agents fail in the same way is suspicious, because
mistakes of agents differ and mistakes of a task do not. The weights are set by hand.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from ..errors import one_line
from ..model import ABORTED, Trajectory
from .calls import CallOutcome, Item, PairedCall, ScoredCall
from .measures import SystemOutcome

_MIN_UNITS = 2
_MIN_LETTERS = 4
_NUMBER = re.compile(r"_\d{10}$")


class AuditedRun(NamedTuple):
    """A dialogue of an agent, with its outcome."""

    agent: str
    trajectory: Trajectory
    outcome: SystemOutcome

    @property
    def pairs(self) -> tuple[PairedCall, ...]:
        """The expected and the made calls."""
        return self.outcome.calls.pairs if self.outcome.calls is not None else ()

    @property
    def made(self) -> tuple[str, ...]:
        """The calls that were made, as sorted texts."""
        return tuple(sorted(_words(pair) for pair in self.pairs if pair.mark != "missed"))

    @property
    def is_right(self) -> bool:
        """True if the calls are the expected ones, or have the same effect."""
        calls = self.outcome.calls
        return calls is not None and (calls.exact == 1 or calls.same_database is True)


class TaskSignal(Struct, frozen=True):
    """A reason why a task may be wrong: its value between 0 and 1, and the evidence in words."""

    name: str
    value: float
    evidence: tuple[str, ...]


class AuditedTask(Struct, frozen=True):
    """A task that may be wrong.

    Attributes:
        score: sum over its signals of weight times value.
        runs: number of runs that no error ended.
        agents: number of agents with such a run.
        solved: number of successful runs.
        instruction: the instruction of the user.
    """

    task: str
    score: float
    runs: int
    agents: int
    solved: int
    signals: tuple[TaskSignal, ...]
    instruction: str = ""

    @property
    def evidence(self) -> Iterator[str]:
        """A line for each piece of evidence."""
        return (f"{signal.name}: {line}" for signal in self.signals for line in signal.evidence)


def agent_name(file: str) -> str:
    """Return the name of the agent of a log: the name of the file without the number of the run.

    Example:
        >>> agent_name("act-mini_0605191952"), agent_name("mini")
        ('act-mini', 'mini')
    """
    return _NUMBER.sub("", file)


def audit_tasks(runs: Iterable[AuditedRun]) -> list[AuditedTask]:
    """Return the tasks that have a signal, the most suspicious first."""
    by_task: dict[str, list[AuditedRun]] = defaultdict(list)
    for run in runs:
        if run.trajectory.ending not in ABORTED and run.outcome.success is not None and run.outcome.calls is not None:
            by_task[run.trajectory.task].append(run)
    expected = Counter(
        each for own in by_task.values() for each in {(call.tool, *item) for call, item in _expected_items(own[0])}
    )
    audited = [_audit(task, own, expected) for task, own in by_task.items()]
    suspicious = [each for each in audited if each.signals]
    return sorted(suspicious, key=lambda each: (-round(each.score, 9), _numeric(each.task)))


def _numeric(task: str) -> tuple[float, str]:
    return float(task) if task.isdecimal() else float("inf"), task


def _audit(task: str, runs: Sequence[AuditedRun], expected: Mapping[tuple[str, str, str], int]) -> AuditedTask:
    # A run that reached a limit, or that the user ended while the agent was about to act, says little about what the agent would do.
    counted = [
        run
        for run in runs
        if run.trajectory.ending != "limit" and (run.outcome.success or not run.outcome.ended_agreeing)
    ]
    found = {
        "dead": dead_calls([run.outcome.calls for run in runs if run.outcome.calls is not None]),
        **_same(counted),
        "unsolved": _unsolved(counted),
        "untold": _untold(runs),
        "ungrounded": _ungrounded(runs, expected),
        "refuse": _refuse(runs),
    }
    signals = tuple(TaskSignal(name, *each) for name in WEIGHTS if (each := found.get(name)) is not None)
    goal = runs[0].trajectory.goal
    return AuditedTask(
        task=task,
        score=sum(WEIGHTS[each.name] * each.value for each in signals),
        runs=len(runs),
        agents=len({run.agent for run in runs}),
        solved=sum(bool(run.outcome.success) for run in runs),
        signals=signals,
        instruction=goal.instruction if goal is not None else "",
    )


_Found = tuple[float, tuple[str, ...]]
WEIGHTS = {
    "dead": 3.0,
    "same_set": 2.0,
    "same_nothing": 1.0,
    "same_item": 1.5,
    "unsolved": 1.0,
    "untold": 1.0,
    "ungrounded": 1.0,
    "refuse": 0.5,
}
"""Signal → its weight, set by hand."""
MEANINGS = {
    "dead": "the tool refuses an expected call, or the expected database is reached without it",
    "same_set": "several agents make the same other calls",
    "same_nothing": "several agents write nothing, although something is expected",
    "same_item": "several agents give the same other value, or make the same extra call",
    "unsolved": "no run is successful",
    "untold": "no agent tells an expected fact",
    "ungrounded": "an expected value is in neither the instruction nor a result of a tool",
    "refuse": "most runs write something, although nothing is expected",
}


def dead_calls(runs: Sequence[CallOutcome]) -> _Found | None:
    """Return the expected calls of a task that cannot be made or are not needed; None if there are none."""
    evidence = []
    for number, call in enumerate(runs[0].expected or ()):
        first = [each.first for each in runs if each.first is not None]
        errors = [error for tried, error in first if _same_call(tried, call)]
        # Pairs begin with the expected calls, in order.
        without = sum(each.same_database is True and each.pairs[number].mark != "correct" for each in runs)
        parts = []
        if errors and all(errors):
            parts.append(f"refused in each of {len(errors)} runs that tried it first: {one_line(errors[0], 100)}")
        if without:
            parts.append(f"the expected database is reached without it in {without} of {len(runs)} runs")
        if parts:
            evidence.append(f"expected {_call_words(call.tool, call.items)}; {'; '.join(parts)}")
    return (1.0, tuple(evidence)) if evidence else None


def _expected(run: AuditedRun) -> tuple[ScoredCall, ...]:
    return (run.outcome.calls.expected if run.outcome.calls is not None else None) or ()


def _expected_items(run: AuditedRun) -> Iterator[tuple[ScoredCall, Item]]:
    return ((call, item) for call in _expected(run) for item in call.items)


def _same_call(one: ScoredCall, other: ScoredCall) -> bool:
    return (one.tool, one.requestor, Counter(one.items)) == (other.tool, other.requestor, Counter(other.items))


def _same(runs: Sequence[AuditedRun]) -> dict[str, _Found]:
    """Return what several agents do alike, but not as expected; with one agent, its trials."""
    agents = {run.agent for run in runs}
    is_one = len(agents) == 1
    units: dict[Hashable, list[AuditedRun]] = defaultdict(list)
    for number, run in enumerate(runs):
        units[number if is_one else run.agent].append(run)
    others = [own for own in units.values() if not any(run.is_right for run in own)]
    right = len(units) - len(others)
    share, units_are = (2, "runs") if is_one else (1, "agents")

    def most(alike: Callable[[AuditedRun], Iterable[str]]) -> tuple[int, str]:
        counts = Counter(each for own in others for each in {each for run in own for each in alike(run)})
        count = max(counts.values(), default=0)
        return count, min((each for each in counts if counts[each] == count), default="")

    kinds: dict[str, tuple[Callable[[AuditedRun], Iterable[str]], str]] = {
        "same_set": (lambda run: [" ; ".join(run.made)] if run.made else [], "make the same other calls [{}]"),
        "same_nothing": (lambda run: [] if run.made else [""], "write nothing"),
        "same_item": (_other_items, "{}"),
    }
    found: dict[str, _Found] = {}
    for name, (alike, words) in kinds.items():
        count, text = most(alike)
        if count >= _MIN_UNITS and count > right:
            line = f"{count} of {len(units)} {units_are} {words.format(text)}; {right} do what is expected"
            found[name] = ((count - right) / (len(units) + 1) / share, (line,))
    return found


def _other_items(run: AuditedRun) -> Iterator[str]:
    """Yield the values that a run gives for another expected value, and its extra calls."""
    for pair in run.pairs:
        if pair.mark == "extra":
            yield f"also call {_words(pair)}"
        elif pair.mark == "wrong":
            left = [item for item in pair.items if item.mark != "correct"]
            for item in left:
                if item.mark == "wrong" and sum(each.path == item.path for each in left) == 1:
                    yield f"give {pair.tool} {item.path}={item.made} for {item.expected}"


def _unsolved(runs: Sequence[AuditedRun]) -> _Found | None:
    if len(runs) < _MIN_UNITS or any(run.outcome.success for run in runs):
        return None
    line = f"0 of {len(runs)} runs are successful, by {', '.join(sorted({run.agent for run in runs}))}"
    return 1 - 1 / (len(runs) + 1), (line,)


def _untold(runs: Sequence[AuditedRun]) -> _Found | None:
    told = [dict(run.outcome.calls.facts) for run in runs if run.outcome.calls is not None]
    facts = [fact for fact in dict.fromkeys(told[0]) if not any(each.get(fact) for each in told)]
    if len(runs) < _MIN_UNITS or not facts:
        return None
    results = "\n".join(text for run in runs for text in _results(run))
    lines = (
        f'no run of {len(runs)} tells the expected fact "{one_line(fact, 80)}"'
        + (", and no result of a tool has it" if fact not in results else "")
        + ("; its comma is never found, because commas are removed from what agents say" if "," in fact else "")
        for fact in facts
    )
    return 1 - 1 / (len(runs) + 1), tuple(lines)


def _ungrounded(runs: Sequence[AuditedRun], expected: Mapping[tuple[str, str, str], int]) -> _Found | None:
    """Return the expected values of this task alone that nobody can know."""
    goal = runs[0].trajectory.goal
    known = "\n".join([goal.instruction if goal is not None else "", *(text for run in runs for text in _results(run))])
    values = [
        f"{call.tool} {path}={text}"
        for call, (path, text) in _expected_items(runs[0])
        if len(text) >= _MIN_LETTERS and expected[call.tool, path, text] == 1 and text not in known
    ]
    lines = (f"{value} is in neither the instruction nor a result of a tool" for value in values)
    return (min(1.0, len(values) / 2), tuple(lines)) if values else None


def _results(run: AuditedRun) -> Iterator[str]:
    return (call.result or "" for step in run.trajectory.steps for call in step.calls)


def _refuse(runs: Sequence[AuditedRun]) -> _Found | None:
    writing = sum(bool(run.made) for run in runs)
    if _expected(runs[0]) or writing <= len(runs) / 2:
        return None
    return writing / len(runs), (f"{writing} of {len(runs)} runs write, although nothing is expected",)


def _words(pair: PairedCall) -> str:
    return _call_words(pair.tool, [(item.path, item.made) for item in pair.items if item.mark != "missed"])


def _call_words(tool: str, items: Iterable[Item]) -> str:
    return " ".join([tool, *(f"{path}={text}" for path, text in sorted(items) if path)])
