"""The outcome of one dialogue with an agent, and measures of systems: two numbers per task, and the ratio of their sums over tasks."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from math import comb
from typing import Literal, TypeAlias

from msgspec import Struct, field
from msgspec.json import encode
from msgspec.structs import replace

from ..errors import DialmeterError, InputError, did_you_mean, one_line
from ..model import ABORTED, SYSTEM, USER, Ending, Step, TaskGoal, Trajectory
from ..readers.layouts.agents import ending_token, goal_key
from ..readers.records.outcomes import CLOSE
from .calls import CallOutcome
from .task_patch import patch_digest

Infrastructure: TypeAlias = Literal["both", "failed", "skipped"]

NO_REWARD = "without a reward"
LEFT_OUT = "of a task that tasks= leaves out"
NOT_RUN = "ended by an infrastructure error"


class SystemSettings(Struct, frozen=True):
    """Settings for scoring dialogues.

    Attributes:
        scorer: the scorer whose reward decides; empty for a log with one scorer.
        infrastructure: ``failed`` if runs that an infrastructure error ended count as failures, ``skipped`` if they are
            unscored, ``both`` for failures and a second value without them.
        success: what decides success instead of a reward, such as ``acts``; empty for rewards.
        writes: tools that change the world, besides those that the log or their names say.
        reads: tools that only read, likewise.
        left_out: tasks that are unscored, because their expected calls are wrong; see ``TaskPatch``.
    """

    scorer: str = ""
    infrastructure: Infrastructure = "both"
    success: str = ""
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def signed(self) -> tuple[str, ...]:
        """The signature fields that all scores share. With ``both``, they are those of the first value."""
        if self.success:
            return (f"success:{self.success}",)
        infrastructure = "skipped" if self.infrastructure == "skipped" else "failed"
        scorer = one_line(self.scorer.replace("|", "/"), 200)
        left_out = (f"left-out-tasks:{patch_digest(self.left_out)}",) if self.left_out else ()
        return (*((f"scorer:{scorer}",) if scorer else ()), f"infrastructure:{infrastructure}", *left_out)

    @property
    def signed_tools(self) -> tuple[str, ...]:
        """The signature fields of measures of calls."""
        given = {"writes": self.writes, "reads": self.reads}
        return tuple(f"{key}:{one_line(','.join(sorted(tools)), 200)}" for key, tools in given.items() if tools)


class SystemOutcome(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The outcome of one dialogue.

    Attributes:
        success: None if the dialogue cannot be scored.
        tool_calls: number of tool calls by agent and user.
        tool_errors: number of tool calls that returned an error.
        bookings: number of bookings made, and number in the goal; None if the log has no acts.
        answers: number of requests of the goal that were answered, and of all requests.
        matches: number of domains whose offer meets the goal, and of all domains with constraints.
        goal: digest of the goal with its expected calls and facts; empty if there is none.
        ended_agreeing: True if the user ended the dialogue in the message that agrees to a question of the agent.
        rewards: scorer → reward, if the log has several scorers.
        tokens: number of tokens of the agent's model by kind.
        calls: the calls of tools that write, beside the expected ones; None if the log does not say what is expected.
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
    ended_agreeing: bool = False
    rewards: Mapping[str, float] = field(default_factory=dict)
    tokens: Mapping[str, int] = field(default_factory=dict)
    calls: CallOutcome | None = None

    def number(self, column: str) -> float | None:
        """Return a number of the dialogue; None if it has none."""
        if column in CALL_COLUMNS:
            return CALL_COLUMNS[column](self.calls) if self.calls is not None else None
        value: float | None = getattr(self, column)
        return value


CALL_COLUMNS: Mapping[str, Callable[[CallOutcome], float | None]] = {
    "CallGCA": lambda calls: calls.accuracy(),
    "CallGCA(level=call)": lambda calls: calls.accuracy("call"),
    "CallExact": lambda calls: calls.exact,
    "Facts": lambda calls: calls.told,
}
"""Name of a measure of calls → its value in one dialogue."""


def choose_scorer(names: Collection[str], asked: str = "") -> str:
    """Return the scorer whose reward decides in every dialogue of a log, from the names of all its scorers.

    Raises:
        InputError: several scorers, and none is requested; or the log does not have the requested one.

    Example:
        >>> choose_scorer(["match"]), choose_scorer(["match", "graded"], "graded")
        ('match', 'graded')
        >>> choose_scorer(["match", "graded"])
        Traceback (most recent call last):
        dialmeter.errors.InputError: the log has rewards of 2 scorers: graded, match; choose one, for example --set scorer=graded
    """
    if asked and names and asked not in names:
        raise InputError(f"there is no scorer {asked!r}; {did_you_mean(asked, sorted(names))}")
    if not asked and len(names) > 1:
        known = [one_line(name) for name in sorted(names)]
        raise InputError(
            f"the log has rewards of {len(known)} scorers: {', '.join(known)}; choose one, for example --set scorer={known[0]}"
        )
    return asked or next(iter(names), "")


def _goal_digest(goal: TaskGoal) -> str:
    return goal_key(encode([goal.instruction, goal.actions, goal.outputs]).decode()) if goal != TaskGoal() else ""


_ASSENT = re.compile(
    r"(?<!\bnot )(?<!n't )(?<!\bnever )\b(yes|yep|yeah|yup|sure|ok|okay|go ahead|proceed|do it|please do|confirm(?:ed)?|correct"
    r"|sounds good|that works|let'?s do)\b",
    re.IGNORECASE,
)


def ended_agreeing(trajectory: Trajectory) -> bool:
    """Return True if the user agrees to a question of the agent and ends the dialogue in the same message, before the agent can act.

    Example:
        >>> steps = (Step(1, "system", "Shall I cancel it?"), Step(2, "user", "Yes, please. ###STOP###"))
        >>> ended_agreeing(Trajectory(id="1:0", task="1", steps=steps))
        True
    """
    *before, last = trajectory.steps or (Step(0, SYSTEM),)
    asked = next((step.text for step in reversed(before) if step.speaker == SYSTEM and step.text), "")
    has_ended = last.speaker == USER and ending_token([last]) == "user_stop"
    return has_ended and "?" in asked and _ASSENT.search(last.text) is not None


def outcome_of(trajectory: Trajectory, settings: SystemSettings, paired: CallOutcome | None = None) -> SystemOutcome:
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
    if trajectory.task in settings.left_out:
        reason = LEFT_OUT
    elif trajectory.ending == "infrastructure" and settings.infrastructure == "skipped":
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
        goal=_goal_digest(trajectory.goal) if trajectory.goal is not None else "",
        ended_agreeing=ended_agreeing(trajectory),
        rewards=trajectory.rewards if len(trajectory.rewards) > 1 else {},
        tokens=trajectory.tokens,
        calls=paired,
    )


class SystemMeasure(Struct, frozen=True):
    """A measure of systems.

    Attributes:
        name: such as ``Pass(k=2)``.
        title: a short description.
        formula: the definition in words.
        trials: for pass^k, the number of trials that must all succeed.
        column: for other measures, the number of a dialogue, or the pair of numbers that is done and wanted.
    """

    name: str
    title: str
    formula: str
    trials: int = 0
    column: str = ""
    any_trial: bool = False

    def parts(self, outcomes: Sequence[SystemOutcome]) -> tuple[float, float] | None:
        """Return numerator and denominator of one task from its scored dialogues, or None if the task has no value.

        For a mean over tasks, the denominator is 1.
        """
        if self.trials:
            # The probability that trials of a task, drawn without replacement, all succeed, or do not all fail.
            n, successes = len(outcomes), sum(bool(each.success) for each in outcomes)
            if n < self.trials:
                return None
            met = n - successes if self.any_trial else successes
            share = comb(met, self.trials) / comb(n, self.trials)
            return (1 - share if self.any_trial else share), 1.0
        if self in RATES:
            pairs = [getattr(each, self.column) or (0, 0) for each in outcomes]
            done, wanted = (float(sum(pair[at] for pair in pairs)) for at in (0, 1))
            return (done, wanted) if wanted else None
        numbers = [number for each in outcomes if (number := each.number(self.column)) is not None]
        return (sum(map(float, numbers)) / len(numbers), 1.0) if numbers else None

    def value(self, outcomes: Sequence[SystemOutcome]) -> float | None:
        """Return the value of some dialogues of one task, or None if there is none."""
        parts = self.parts(outcomes)
        return parts[0] / parts[1] if parts else None


SUCCESS = SystemMeasure(
    "Success",
    "Share of successful dialogues",
    "mean over tasks of c / n, with c of the n dialogues of a task successful; equals Pass(k=1)",
    trials=1,
)
GOAL_COMPLETION = SystemMeasure(
    "GoalCompletion",
    "Goals completed",
    "share of dialogues in which every domain of the goal is completed",
    trials=1,
)


def pass_measure(k: int, *, any_trial: bool = False) -> SystemMeasure:
    """Return the measure pass^k: all of k trials of the same task succeed; or pass@k: at least one of them does.

    Example:
        >>> tries = [SystemOutcome(id="", task="", trial=0, success=each, ending="unknown") for each in (True, False, False)]
        >>> pass_measure(2).name, pass_measure(2).value(tries), pass_measure(4).value(tries)
        ('Pass(k=2)', 0.0, None)
        >>> any_pass = pass_measure(2, any_trial=True)
        >>> any_pass.name, round(any_pass.value(tries), 4)
        ('AnyPass(k=2)', 0.6667)
    """
    title, formula = f"All of {k} trials of a task succeed (pass^{k})", "C(c, k)"
    if any_trial:
        title = f"At least one of {k} trials of a task succeeds (pass@{k}); Pass(k={k}) needs all of them"
        formula = "1 - C(n - c, k)"
    return SystemMeasure(
        f"{'Any' * any_trial}Pass(k={k})",
        title,
        f"mean over tasks of {formula} / C(n, k), with c of the n dialogues of a task successful; tasks with n < k are unscored",
        trials=k,
        any_trial=any_trial,
    )


_GCA = (
    "(P + G) / ((P² + G²) · (alpha / C + (1 - alpha) / (C + W))), P = C + W + O, G = C + W + M over missed, wrong, extra and correct "
    "{}, alpha = 10/11; 1 if nothing is expected and nothing made; mean over the dialogues of a task, then over tasks"
)
CALLS = tuple(
    SystemMeasure(name, title, formula, column=name)
    for name, title, formula in (
        (
            "CallGCA",
            "Accuracy of the calls that write, by their arguments; another quantity than success",
            _GCA.format("arguments"),
        ),
        ("CallGCA(level=call)", "Accuracy of the calls that write, by whole calls", _GCA.format("calls")),
        (
            "CallExact",
            "Dialogues with exactly the expected calls that write",
            "1 if no argument is missed, wrong or extra, else 0; mean over the dialogues of a task, then over tasks",
        ),
        (
            "Facts",
            "Expected facts that the agent tells",
            "told / expected, where a fact is told if its text is in the messages of the agent; mean over the dialogues of a task, "
            "then over tasks",
        ),
    )
)
"""Measures of the expected calls and facts of tasks."""
RATES = tuple(
    SystemMeasure(name, title, formula, column=column)
    for name, title, formula, column in (
        ("BookingRate", "Bookings of the goal that were made", "bookings made / bookings in the goal", "bookings"),
        ("InformRate", "Requests of the goal that were answered", "answered / requests", "answers"),
        (
            "MatchRate",
            "Domains whose offer meets the goal",
            "domains whose last offer meets the constraints / domains with constraints",
            "matches",
        ),
    )
)
"""Rates of fulfilled parts of goals, from sums over dialogues."""
LISTED: Mapping[str, SystemMeasure] = {
    SUCCESS.name: SUCCESS,
    "Pass": replace(pass_measure(2), title="All of k trials of a task succeed (pass^k)"),
    "AnyPass": replace(pass_measure(2, any_trial=True), title="At least one of k trials of a task succeeds (pass@k)"),
    **{each.name: each for each in CALLS},
}
"""The measures of logs with rewards by name."""

EFFORTS = tuple(
    SystemMeasure(name, title, "mean over the dialogues of a task, then over tasks", column=column)
    for name, title, column in (
        ("Turns", "User messages per dialogue", "turns"),
        ("ToolCalls", "Tool calls per dialogue", "tool_calls"),
        ("ToolErrors", "Tool calls that return an error, per dialogue", "tool_errors"),
        ("AgentCost", "Money spent on the agent per dialogue", "agent_cost"),
        ("UserCost", "Money spent on the user per dialogue", "user_cost"),
        ("Seconds", "Time per dialogue", "seconds"),
    )
)
"""Costs per dialogue. These are numbers, not shares."""

_PASS = re.compile(r"(any)?pass\(k=([1-9]\d{0,3})\)", re.IGNORECASE)


def parse_system_measure(text: str) -> SystemMeasure:
    """Parse the printed name of a measure.

    Raises:
        DialmeterError: the measure does not exist.

    Example:
        >>> parse_system_measure("pass(k=2)").name, parse_system_measure("success").name
        ('Pass(k=2)', 'Success')
        >>> parse_system_measure("Pass")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: Pass needs k, as in Pass(k=2)
    """
    plain = text.replace(" ", "")
    if match := _PASS.fullmatch(plain):
        return pass_measure(int(match[2]), any_trial=bool(match[1]))
    for measure in (SUCCESS, GOAL_COMPLETION, *CALLS, *RATES):
        if plain.lower() == measure.name.lower():
            return measure
    if plain.lower() in ("pass", "anypass"):
        name = "AnyPass" if plain.lower() == "anypass" else "Pass"
        raise DialmeterError(f"{name} needs k, as in {name}(k=2)")
    known = [SUCCESS.name, "Pass(k=2)", "AnyPass(k=2)", GOAL_COMPLETION.name, *(each.name for each in (*CALLS, *RATES))]
    raise DialmeterError(f"there is no system measure {text!r}; {did_you_mean(text, known)}")
