"""The outcome of one dialogue with an agent."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias

from msgspec import Struct

from ..errors import InputError, did_you_mean, one_line
from ..model import ABORTED, USER, Ending, Trajectory
from ..readers.agents.parts import CLOSE, goal_key

Infrastructure: TypeAlias = Literal["both", "failed", "skipped"]

NO_REWARD = "without a reward"
NOT_RUN = "ended by an infrastructure error"


class SystemSettings(Struct, frozen=True):
    """Settings for scoring dialogues.

    Attributes:
        scorer: the scorer whose reward decides; empty for a log with one scorer.
        infrastructure: ``failed`` if runs that an infrastructure error ended count as failures, ``skipped`` if they are
            unscored, ``both`` for failures and a second value without them.
        success: what decides success instead of a reward, such as ``acts``; empty for rewards.
    """

    scorer: str = ""
    infrastructure: Infrastructure = "both"
    success: str = ""

    @property
    def signed(self) -> tuple[str, ...]:
        """The signature fields that all scores share. With ``both``, they are those of the first value."""
        if self.success:
            return (f"success:{self.success}",)
        infrastructure = "skipped" if self.infrastructure == "skipped" else "failed"
        scorer = one_line(self.scorer.replace("|", "/"), 200)
        return (*((f"scorer:{scorer}",) if scorer else ()), f"infrastructure:{infrastructure}")


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


def choose_scorer(names: Collection[str], asked: str = "") -> str:
    """Return the scorer whose reward decides in every dialogue of a log, from the names of all its scorers.

    Raises:
        InputError: several scorers, and none is requested; or the log does not have the requested one.

    Example:
        >>> choose_scorer(["match"]), choose_scorer(["match", "graded"], "graded")
        ('match', 'graded')
        >>> choose_scorer(["match", "graded"])
        Traceback (most recent call last):
        dialmeter.errors.InputError: the log has rewards of 2 scorers: graded, match; choose one, for example with --scorer graded
    """
    if asked and names and asked not in names:
        raise InputError(f"there is no scorer {asked!r}; {did_you_mean(asked, sorted(names))}")
    if not asked and len(names) > 1:
        known = [one_line(name) for name in sorted(names)]
        raise InputError(
            f"the log has rewards of {len(known)} scorers: {', '.join(known)}; choose one, for example with --scorer {known[0]}"
        )
    return asked or next(iter(names), "")


def outcome_of(trajectory: Trajectory, settings: SystemSettings) -> SystemOutcome:
    """Return the outcome of a dialogue. Without a reward of the scorer it is unscored.

    Raises:
        InputError: rewards of several scorers, and the settings do not say which one decides.

    Example:
        >>> outcome_of(Trajectory(id="3:0", task="3", rewards={"reward": 1.0}), SystemSettings()).success
        True
    """
    reward = trajectory.rewards.get(settings.scorer or choose_scorer(trajectory.rewards))
    is_aborted = trajectory.ending in ABORTED
    reason = ""
    if trajectory.ending == "infrastructure" and settings.infrastructure == "skipped":
        reason = NOT_RUN
    elif reward is None and not is_aborted:
        reason = f"{NO_REWARD} of {one_line(settings.scorer)}" if trajectory.rewards else NO_REWARD
    calls = [call for step in trajectory.steps for call in step.calls]
    return SystemOutcome(
        id=trajectory.id,
        task=trajectory.task,
        trial=trajectory.trial,
        # A run that an error ended is a failure, whatever its reward.
        success=None if reason else not is_aborted and reward is not None and reward >= 1 - CLOSE,
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
