"""The outcome of one dialogue with an agent."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from ..errors import DialmeterError, did_you_mean
from ..model import USER, Ending, Trajectory
from ..readers.agents.parts import CLOSE, goal_key

Crashes: TypeAlias = Literal["failed", "skipped"]

NO_REWARD = "without a reward"
CRASHED = "crashed"


class SystemSettings(Struct, frozen=True):
    """How dialogues are scored.

    Attributes:
        scorer: whose reward decides, where a log has several; the first one by default.
        crashes: ``failed`` if crashed runs count as failures, ``skipped`` if they are unscored.
        success: what decides where it is not a reward, such as ``acts``.
    """

    scorer: str = ""
    crashes: Crashes = "failed"
    success: str = ""

    @property
    def signed(self) -> tuple[str, ...]:
        """The fields of signatures that all scores share."""
        if self.success:
            return (f"success:{self.success}",)
        return (*((f"scorer:{self.scorer}",) if self.scorer else ()), f"crashes:{self.crashes}")


class SystemOutcome(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The outcome of one dialogue.

    Attributes:
        success: None where the dialogue cannot be scored.
        reason: why it cannot be.
        turns: messages of the user.
        tool_calls: of agent and user.
        tool_errors: calls that the tool answered with an error.
        bookings: made and wanted; None where the log does not have acts.
        answers: requests of the goal that were answered, and all.
        matches: domains whose offer meets the goal, and all with constraints.
        goal: a digest of the goal in words; empty where there is none.
    """

    id: str
    task: str
    trial: int
    success: bool | None
    ending: Ending
    reason: str = ""
    reward: float | None = None
    turns: int = 0
    tool_calls: int = 0
    tool_errors: int = 0
    agent_cost: float | None = None
    user_cost: float | None = None
    seconds: float | None = None
    bookings: tuple[int, int] | None = None
    answers: tuple[int, int] | None = None
    matches: tuple[int, int] | None = None
    goal: str = ""


def outcome_of(found: Trajectory, how: SystemSettings) -> SystemOutcome:
    """The outcome of a dialogue.

    Raises:
        DialmeterError: the log has no such scorer.

    Example:
        >>> outcome_of(Trajectory(id="3:0", task="3", rewards={"reward": 1.0}), SystemSettings()).success
        True
    """
    if how.scorer and found.rewards and how.scorer not in found.rewards:
        raise DialmeterError(f"there is no scorer {how.scorer!r}; {did_you_mean(how.scorer, found.rewards)}")
    reward = found.rewards.get(how.scorer or next(iter(found.rewards), ""))
    crashed = found.ending == "crash"
    reason = CRASHED if crashed and how.crashes == "skipped" else NO_REWARD if reward is None and not crashed else ""
    calls = [call for step in found.steps for call in step.calls]
    return SystemOutcome(
        id=found.id,
        task=found.task,
        trial=found.trial,
        # A crashed run is a failure whatever its reward.
        success=None if reason else not crashed and reward is not None and reward >= 1 - CLOSE,
        ending=found.ending,
        reason=reason,
        reward=reward,
        turns=sum(step.speaker == USER for step in found.steps),
        tool_calls=len(calls),
        tool_errors=sum(call.failed for call in calls),
        agent_cost=found.costs.get("agent"),
        user_cost=found.costs.get("user"),
        seconds=found.seconds,
        goal=goal_key(found.goal.instruction) if found.goal is not None else "",
    )
