"""What a log holds, and which dialogues cannot be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from msgspec import Struct

from ..core.account import Account, count_reasons, refused_dialogues
from ..errors import InputError
from ..model import Notice, Trajectory
from ..readers.trajectories import Trajectories
from .outcome import NO_REWARD


class LogCheck(Struct, kw_only=True):
    """What a log holds; ``problems`` has one entry for each dialogue that cannot be scored."""

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
    log: Trajectories, watch: Callable[[Iterable[Trajectory]], Iterable[Trajectory]] = lambda found: found
) -> LogCheck:
    """Reads a log to its end and says what it holds.

    Args:
        log: an open log.
        watch: wraps the trajectories, for a progress bar.
    """
    roles, endings, tools, scorers = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    tasks, counts, sources, basis = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    without = []
    for each in watch(log):
        calls = [call for step in each.steps for call in step.calls]
        tasks[each.task] += 1
        endings[each.ending] += 1
        roles.update(each.roles)
        tools.update(call.name for call in calls)
        scorers.update(each.rewards.keys())
        sources.update([each.source] if each.source else [])
        basis.update(["+".join(sorted(each.basis))] if each.basis else [])
        counts["goals"] += bool(each.goal and each.goal.instruction)
        counts["actions"] += bool(each.goal and each.goal.actions)
        counts["rewards"] += bool(each.rewards)
        counts["tool_calls"] += len(calls)
        counts["tool_errors"] += sum(call.failed for call in calls)
        counts["unseen_texts"] += sum(bool(step.aside) for step in each.steps)
        if not each.rewards and each.ending != "crash":
            without.append(each.id)
    unread = refused_dialogues(log.refused)
    asked = tasks.total() + len(unread)
    return LogCheck(
        format=log.format,
        account=Account(
            "dialogue",
            asked,
            asked,
            tasks.total() - len(without),
            count_reasons([*unread, *((name, NO_REWARD) for name in without)]),
        ),
        counts={
            "dialogues": tasks.total(),
            "refused": len(unread),
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
        scorers=dict(scorers),
        sources=dict(sources.most_common()),
        basis=dict(basis.most_common()),
        notices=list(log.notices),
        problems=[
            *([] if asked else [Notice("empty", 1, f"{log.name}: the log holds no dialogue")]),
            *(Notice("unreadable", 1, str(error)) for error in log.refused),
            *(Notice("no-reward", 1, f"{log.name}: dialogue {name}: {NO_REWARD}") for name in without),
        ],
        refused=list(log.refused),
    )
