"""A log of dialogues with a system: scoring, checking its contents, and the record of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..core.account import Account, count_reasons, refused_dialogues
from ..core.comparison import Resampling
from ..core.record import finish_run, run_identity
from ..core.run_writer import RunWriter
from ..errors import InputError, placing
from ..model import ABORTED, Notice, Trajectory
from ..readers.conversations import Trajectories, open_trajectories
from .calls import calls_of_log, writing_tools
from .measures import (
    CALLS,
    NO_REWARD,
    SUCCESS,
    SystemOutcome,
    SystemSettings,
    choose_scorer,
    outcome_of,
    parse_system_measure,
)
from .result import SystemResult

DEFAULT_RESAMPLING = Resampling(resamples=10_000)


def score_system(
    log: str | Path | Trajectories | Iterable[Trajectory],
    measures: Sequence[str] = (),
    settings: SystemSettings = SystemSettings(),  # noqa: B008  frozen
    *,
    resampling: Resampling | None = DEFAULT_RESAMPLING,
    progress: Callable[[Iterable[Trajectory]], Iterable[Trajectory]] = lambda trajectories: trajectories,
    on_row: Callable[[Trajectory, SystemOutcome], None] | None = None,
) -> SystemResult:
    """Score a system: does it reach the user's goal, and does it do so in every trial?

    Args:
        log: the path of a file or folder, an open log, or trajectories.
        measures: such as ``Success`` and ``Pass(k=2)``; default: Success and Pass(k), with k up to the smallest number of trials (at most 8).
        settings: the scorer whose reward decides, and what infrastructure errors count as.
        resampling: settings of the intervals; None for no intervals.
        progress: wraps the trajectories, for example in a progress bar.
        on_row: called with every dialogue and its outcome, including unscored ones.

    Raises:
        DialmeterError: no dialogue can be scored, the log cannot be read, or it has several scorers and none is chosen.

    Example:
        >>> tries = [Trajectory(id=f"1:{trial}", task="1", trial=trial, rewards={"reward": trial}) for trial in (0, 1)]
        >>> result = score_system(tries)
        >>> result["Success"].value, result["Pass(k=2)"].value
        (0.5, 0.0)
    """
    parsed = [parse_system_measure(text) for text in measures]
    opened = open_trajectories(log) if isinstance(log, str | Path) else log
    file = opened if isinstance(opened, Trajectories) else None
    trajectories: list[Trajectory] = []
    scorers: set[str] = set()
    with placing(file=file.name if file is not None else None):
        for trajectory in progress(opened):
            scorers.update(trajectory.rewards)
            if not settings.scorer:
                choose_scorer(scorers)
            trajectories.append(trajectory)
        if settings.left_out and not {each.task for each in trajectories} & {*settings.left_out}:
            raise InputError(f"the log has none of the tasks that tasks= leaves out, such as {settings.left_out[0]!r}")
        # Calls are read when all expected calls of the log are known.
        tools = writing_tools(trajectories, settings.writes, settings.reads)
        calls = calls_of_log(trajectories, tools)
        outcomes = [outcome_of(*each) for each in zip(trajectories, repeat(settings), calls)]
        if on_row is not None:
            for each in zip(trajectories, outcomes, strict=True):
                on_row(*each)
        chosen = choose_scorer(scorers, settings.scorer)
        refused = file.refused if file is not None else []
        if not any(each.success is not None for each in outcomes):
            reason = outcomes[0].reason if outcomes else "the log has no dialogues"
            if refused:
                place = f"dialogue {refused[0].dialogue}: " if refused[0].dialogue else ""
                reason = f"{place}{refused[0].message}"
            raise InputError(f"no dialogue can be scored: {reason}")
    return SystemResult(
        replace(settings, scorer=chosen),
        outcomes,
        measures=parsed,
        refused=refused,
        notices=file.notices if file is not None else (),
        resampling=resampling,
        tools=tools if any(calls) else {},
    )


_SEVERAL = "the log has rewards of several scorers; to score it, choose one with --set scorer=NAME"


class LogCheck(Struct, kw_only=True):
    """The contents of a log. ``problems`` has one entry for each dialogue that cannot be scored."""

    format: str
    account: Account
    counts: dict[str, int]
    roles: dict[str, int]
    endings: dict[str, int]
    tools: dict[str, int]
    scorers: dict[str, int]
    sources: dict[str, int]
    basis: dict[str, int]
    notices: list[Notice]
    problems: list[Notice]
    refused: list[InputError]

    @property
    def valid(self) -> bool:
        """True if every dialogue can be scored."""
        return not self.problems and self.account.asked > 0


def check_log(
    log: Trajectories,
    progress: Callable[[Iterable[Trajectory]], Iterable[Trajectory]] = lambda trajectories: trajectories,
) -> LogCheck:
    """Read a whole open log and count its contents. ``progress`` wraps the trajectories, for example in a progress bar."""
    roles, endings, tools, scorers = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    tasks, counts, sources, basis = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    no_reward = []
    for trajectory in progress(log):
        calls = [call for step in trajectory.steps for call in step.calls]
        tasks[trajectory.task] += 1
        endings[trajectory.ending] += 1
        roles.update(trajectory.roles)
        tools.update(call.name for call in calls)
        scorers.update(trajectory.rewards.keys())
        sources.update([trajectory.source] if trajectory.source else [])
        basis.update(["+".join(sorted(trajectory.basis))] if trajectory.basis else [])
        counts["goals"] += bool(trajectory.goal and trajectory.goal.instruction)
        counts["actions"] += bool(trajectory.goal and trajectory.goal.actions)
        counts["rewards"] += bool(trajectory.rewards)
        counts["tool_calls"] += len(calls)
        counts["tool_errors"] += sum(call.failed for call in calls)
        counts["unseen_texts"] += sum(bool(step.aside) for step in trajectory.steps)
        if not trajectory.rewards and trajectory.ending not in ABORTED:
            no_reward.append(trajectory.id)
    unreadable = refused_dialogues(log.refused)
    asked = tasks.total() + len(unreadable)
    return LogCheck(
        format=log.format,
        account=Account(
            "dialogue",
            asked,
            asked,
            tasks.total() - len(no_reward),
            count_reasons([*unreadable, *((name, NO_REWARD) for name in no_reward)]),
        ),
        counts={
            "dialogues": tasks.total(),
            "unscored": len(unreadable),
            "tasks": len(tasks),
            "trials": max(tasks.values(), default=0),
            **{
                name: counts[name]
                for name in ("goals", "actions", "rewards", "tool_calls", "tool_errors", "unseen_texts")
            },
        },
        roles=dict(roles.most_common()),
        endings=dict(endings.most_common()),
        tools=dict(sorted(tools.items(), key=lambda item: (-item[1], item[0]))),
        scorers=dict(sorted(scorers.items())),
        sources=dict(sources.most_common()),
        basis=dict(basis.most_common()),
        notices=[*log.notices, *([Notice("several-scorers", len(scorers), _SEVERAL)] if len(scorers) > 1 else [])],
        problems=[
            *([] if asked else [Notice("empty", 1, f"{log.name}: the log has no dialogues")]),
            *(Notice("unreadable", 1, str(error)) for error in log.refused),
            *(Notice("no-reward", 1, f"{log.name}: dialogue {name}: {NO_REWARD}") for name in no_reward),
        ],
        refused=list(log.refused),
    )


class SystemRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row of a run: a dialogue with its messages and tool calls, and its outcome."""

    id: str
    trajectory: Trajectory
    outcome: SystemOutcome


def system_identity(
    inputs: Sequence[Mapping[str, str | None]], settings: SystemSettings, measures: Sequence[str], profile: str = ""
) -> dict[str, Any]:
    """Return the data that identify a run. ``profile`` is the profile for dialogues with acts."""
    chosen: dict[str, Any] = {"scorer": settings.scorer, "infrastructure": settings.infrastructure}
    chosen |= {name: list(value) for name in ("writes", "reads", "left_out") if (value := getattr(settings, name))}
    identity = run_identity("system", inputs, **chosen, measures=list(measures))
    return {**identity, "success": settings.success, "profile": {"name": profile}} if settings.success else identity


CALL_FINDINGS = ("tools", "call_counts", "costs", "noise", "needs")
"""Parts of a result on calls, noise and cost that documents and runs have."""


def finish_system_run(writer: RunWriter, result: SystemResult, about: Mapping[str, Any]) -> None:
    """Close the run with the scores over all dialogues; success and the measures of calls have a value per dialogue."""
    columns = {SUCCESS.name: [None if each.success is None else float(each.success) for each in result.outcomes]}
    for measure in CALLS:
        if result.parts(measure):
            values = (None if each.success is None else each.number(measure.column) for each in result.outcomes)
            columns[measure.name] = list(values)
    finish_run(
        writer,
        about,
        result,
        columns=columns,
        findings={
            name: getattr(result, name)
            for name in ("scores_without_infrastructure", "efforts", "endings", "tasks", *CALL_FINDINGS)
        },
    )
