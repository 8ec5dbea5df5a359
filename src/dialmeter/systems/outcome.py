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
    """Settings for scoring dialogues.

    Attributes:
        scorer: the scorer whose reward decides, if a log has several; default: the first one.
        crashes: ``failed`` if crashed runs count as failures, ``skipped`` if they are unscored.
        success: what decides success instead of a reward, such as ``acts``; empty for rewards.
    """

    scorer: str = ""
    crashes: Crashes = "failed"
    success: str = ""

    @property
    def signed(self) -> tuple[str, ...]:
        """The signature fields that all scores share."""
        if self.success:
            return (f"success:{self.success}",)
        return (*((f"scorer:{self.scorer}",) if self.scorer else ()), f"crashes:{self.crashes}")


class SystemOutcome(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The outcome of one dialogue.

    Attributes:
        success: None if the dialogue cannot be scored.
        reason: why the dialogue cannot be scored.
        turns: number of user messages.
        tool_calls: number of tool calls by agent and user.
        tool_errors: number of tool calls that returned an error.
        bookings: number of bookings made, and number in the goal; None if the log has no acts.
        answers: number of requests of the goal that were answered, and of all requests.
        matches: number of domains whose offer meets the goal, and of all domains with constraints.
        goal: digest of the goal text; empty if there is none.
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


def outcome_of(trajectory: Trajectory, settings: SystemSettings) -> SystemOutcome:
    """Return the outcome of a dialogue.

    Raises:
        DialmeterError: the log has no reward of that scorer.

    Example:
        >>> outcome_of(Trajectory(id="3:0", task="3", rewards={"reward": 1.0}), SystemSettings()).success
        True
    """
    if settings.scorer and trajectory.rewards and settings.scorer not in trajectory.rewards:
        raise DialmeterError(
            f"there is no scorer {settings.scorer!r}; {did_you_mean(settings.scorer, trajectory.rewards)}"
        )
    reward = trajectory.rewards.get(settings.scorer or next(iter(trajectory.rewards), ""))
    crashed = trajectory.ending == "crash"
    reason = (
        CRASHED if crashed and settings.crashes == "skipped" else NO_REWARD if reward is None and not crashed else ""
    )
    calls = [call for step in trajectory.steps for call in step.calls]
    return SystemOutcome(
        id=trajectory.id,
        task=trajectory.task,
        trial=trajectory.trial,
        # A crashed run is a failure, whatever its reward.
        success=None if reason else not crashed and reward is not None and reward >= 1 - CLOSE,
        ending=trajectory.ending,
        reason=reason,
        reward=reward,
        turns=sum(step.speaker == USER for step in trajectory.steps),
        tool_calls=len(calls),
        tool_errors=sum(call.failed for call in calls),
        agent_cost=trajectory.costs.get("agent"),
        user_cost=trajectory.costs.get("user"),
        seconds=trajectory.seconds,
        goal=goal_key(trajectory.goal.instruction) if trajectory.goal is not None else "",
    )
