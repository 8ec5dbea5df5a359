"""The contents of a log, and the dialogues that cannot be scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from msgspec import Struct

from ..core.account import Account, count_reasons, refused_dialogues
from ..errors import InputError
from ..model import ABORTED, Notice, Trajectory
from ..readers.conversations import Trajectories
from .measures import NO_REWARD

_SEVERAL = "the log has rewards of several scorers; to score it, choose one with --scorer"


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
    def fit(self) -> bool:
        """True if every dialogue can be scored."""
        return not self.problems and self.account.asked > 0


def check_log(
    log: Trajectories, watch: Callable[[Iterable[Trajectory]], Iterable[Trajectory]] = lambda trajectories: trajectories
) -> LogCheck:
    """Read a whole log and count its contents.

    Args:
        log: an open log.
        watch: wraps the trajectories, for example in a progress bar.
    """
    roles, endings, tools, scorers = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    tasks, counts, sources, basis = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    no_reward = []
    for trajectory in watch(log):
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
            "refused": len(unreadable),
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
