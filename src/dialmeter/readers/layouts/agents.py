"""Logs of agents: results of tau-bench and tau2-bench, logs of inspect, and tables of rewards."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import astuple

from ...errors import InputError, one_line, placing
from ...model import (
    ABORTED,
    SYSTEM,
    USER,
    Conversation,
    Ending,
    ExpectedAction,
    Move,
    Notice,
    Step,
    TaskGoal,
    Trajectory,
)
from ..entries import Entry, entries
from ..messages import read_messages
from ..raw_file import Archive
from ..records.outcomes import CLOSE
from ..source import Sample, Source
from ..strict_json import kind_of, parse_unique
from ..validation import as_list, as_mapping, as_type, first_mapping

TOKENS: Mapping[str, Ending] = {
    "###STOP###": "user_stop",
    "###TRANSFER###": "transfer",
    "###OUT-OF-SCOPE###": "out_of_scope",
}
"""Tokens with which a simulated user ends a dialogue → ending."""
_INFRASTRUCTURE = re.compile(
    # Exceptions of clients, words of the network and of endpoints, status codes 429 and 5xx.
    r"APIConnectionError|RateLimitError|ServiceUnavailable|InternalServerError|APITimeoutError|\bTimeout(?:Error)?\b|ReadTimeout"
    r"|ConnectTimeout|ConnectionError|RemoteProtocolError|AuthenticationError|PermissionDenied|BadGateway|Bad Gateway"
    r"|Gateway Time-?out|Connection (?:reset|refused|aborted|error)|insufficient_quota|\bquota\b|Resource exhausted|overloaded"
    r'|"code": ?(?:429|5\d\d)|\b(?:status|code|HTTP)[ :=/\d.]{0,6}(?:429|5\d\d)\b',
    re.IGNORECASE,
)
# The endpoint works, and refuses what the agent sends.
_REFUSED = re.compile(r"ContextWindowExceeded|context_length|maximum context|ContentPolicy", re.IGNORECASE)
_IN_TOOL = re.compile(r"tau_bench/envs/\w+/tools/|tau2/environment/toolkit\.py|inspect_ai/model/_call_tools\.py")
"""A line of a traceback inside a tool."""


def ending_token(steps: Iterable[Step]) -> Ending | None:
    """Return the ending of the last ending token of the user; None if there is no token.

    Example:
        >>> ending_token([Step(0, "user", "Thanks. ###STOP###")])
        'user_stop'
    """
    ending: Ending | None = None
    for step in steps:
        if step.speaker == USER:
            ending = next((meaning for token, meaning in TOKENS.items() if token in step.text), ending)
    return ending


def ending_of_error(text: str, traceback: str = "") -> Ending:
    """Tell an infrastructure error from a crash, by the error that ended a run. What a tool raises is a crash, whatever its words.

    Example:
        >>> ending_of_error("litellm.APIConnectionError: [Errno 54] Connection reset by peer"), ending_of_error("KeyError: 'name'")
        ('infrastructure', 'crash')
        >>> ending_of_error("TimeoutError", 'File "tau_bench/envs/retail/tools/cancel.py", line 3, in invoke')
        'crash'
    """
    raised_in_tool = _IN_TOOL.search(traceback.replace("\\", "/"))
    is_outside = _INFRASTRUCTURE.search(text) and not _REFUSED.search(text) and not raised_in_tool
    return "infrastructure" if is_outside else "crash"


def plain_text(text: str) -> str:
    """Remove the ending tokens from a text.

    Example:
        >>> plain_text("Thanks. ###STOP###")
        'Thanks.'
    """
    for token in TOKENS:
        text = text.replace(token, "")
    return text.strip()


def as_conversation(name: str, steps: Iterable[Step]) -> Conversation:
    """Convert the steps of a log to a conversation.

    Consecutive steps of one speaker become one move. Tool calls, and text that the other speaker does not see, are
    omitted.

    Raises:
        InputError: there are no utterances.

    Example:
        >>> from dialmeter.model import ToolCall
        >>> steps = [Step(1, "user", "Hi"), Step(2, "system", aside="I look.", calls=(ToolCall("find"),)), Step(4, "system", "Found.")]
        >>> [(move.speaker, move.text) for move in as_conversation("1", steps).moves]
        [('user', 'Hi'), ('system', 'Found.')]
    """
    moves: list[Move] = []
    for step in steps:
        text = plain_text(step.text)
        if not text:
            continue
        if moves and moves[-1].speaker == step.speaker:
            moves[-1] = Move(step.speaker, f"{moves[-1].text}\n{text}")
        else:
            moves.append(Move(step.speaker, text))
    if not moves:
        raise InputError("a dialogue without utterances", dialogue=name)
    return Conversation(name, tuple(moves))


def task_id(value: Any, key: str = "task_id") -> str:
    """Return the id of a task as a string. It may be written as a number.

    Raises:
        InputError: the id is empty or of another type.

    Example:
        >>> task_id(3), task_id("task_019")
        ('3', 'task_019')
    """
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise InputError(f"{key} must be a number or a string, found {kind_of(value)}")
    return str(value)


def trial_number(value: Any, key: str = "trial") -> int:
    """Return the number of a trial; 0 if it is absent.

    Raises:
        InputError: not a whole number.
    """
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**9:
        raise InputError(f"{key} must be a whole number, found {one_line(str(value), 40)}")
    return value


def reward_of(value: Any) -> dict[str, float]:
    """Return a reward between 0 and 1 under the name ``reward``; an empty dict if it is absent.

    Raises:
        InputError: not a number between 0 and 1.

    Example:
        >>> reward_of(1), reward_of(None)
        ({'reward': 1.0}, {})
    """
    if value is None:
        return {}
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"reward must be a number, found {kind_of(value)}")
    if not -CLOSE <= value <= 1 + CLOSE:
        raise InputError(f"reward must be between 0 and 1, found {one_line(str(value), 40)}")
    return {"reward": float(value)}


def amounts(**given: Any) -> dict[str, float]:
    """Return the fields that are finite numbers.

    Example:
        >>> amounts(agent=0.5, user=None)
        {'agent': 0.5}
    """
    return {name: float(value) for name, value in given.items() if amount(value) is not None}


def amount(value: Any) -> float | None:
    """Return a finite number, such as a cost or a duration; None for anything else.

    Example:
        >>> amount(2), amount(None), amount("2")
        (2.0, None, None)
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return float(value) if is_number else None


def goal_key(instruction: str) -> str:
    """Return ten hexadecimal digits that identify an instruction; an empty string for an empty instruction.

    Example:
        >>> len(goal_key("Book a room.")), goal_key("")
        (10, '')
    """
    return hashlib.sha256(instruction.encode("utf-8", "surrogatepass")).hexdigest()[:10] if instruction else ""


def other_goals(logs: Iterable[Mapping[str, str]]) -> list[Notice]:
    """Return a notice about tasks that have the same id in several logs but different goals.

    Args:
        logs: for each log, task → goal key. Tasks with an empty key are ignored.

    Example:
        >>> [notice.count for notice in other_goals([{"1": "a", "2": "b"}, {"1": "a", "2": "c"}])]
        [1]
    """
    keys: dict[str, set[str]] = {}
    for log in logs:
        for task, key in log.items():
            keys.setdefault(task, set()).update([key] if key else [])
    differing = sorted(task for task, goal_keys in keys.items() if len(goal_keys) > 1)
    message = f"{len(differing)} tasks have different goals in several logs; check that the logs are of the same tasks"
    return [Notice("other-goals", len(differing), message, tuple(differing[:5]))] if differing else []


class _Log(Struct):
    """A dialogue of a log, as a type. Its conversation is the utterances of its trajectory."""

    TASK: ClassVar[str] = "task_id"
    TRIAL: ClassVar[str] = "trial"

    def fields(self) -> dict[str, Any]:
        """Return the fields of the trajectory that this format has, except the task and the trial."""
        raise NotImplementedError

    @classmethod
    def trajectory(cls, item: Entry) -> Trajectory:
        with item.placing():
            entry = as_mapping(item.parsed(), f"dialogue {item.name}")
            task, trial = task_id(entry.get(cls.TASK), cls.TASK), trial_number(entry.get(cls.TRIAL), cls.TRIAL)
            name = f"{task}:{trial}"
            with placing(dialogue=name):
                return Trajectory(id=name, task=task, trial=trial, **as_type(entry, cls, "the dialogue").fields())

    @classmethod
    def conversation(cls, item: Entry) -> Conversation:
        log = cls.trajectory(item)
        return as_conversation(log.id, log.steps)


_TRANSFER = "transfer_to_human_agents"


class _Action(Struct):
    """An expected call. tau-bench names its arguments ``kwargs``."""

    name: str | None = None
    kwargs: dict[str, Any] | None = None
    arguments: dict[str, Any] | None = None
    requestor: Any = None
    compare_args: list[str] | None = None

    def expected(self) -> ExpectedAction:
        who = USER if self.requestor == "user" else SYSTEM
        keys = None if self.compare_args is None else tuple(self.compare_args)
        if not self.name:
            raise InputError("an expected call has no name")
        return ExpectedAction(self.name, self.kwargs or self.arguments or {}, who, keys)


def _task_goal(text: str | None, actions: Iterable[_Action] | None, facts: Iterable[Any] | None) -> TaskGoal:
    return TaskGoal(text or "", tuple(each.expected() for each in actions or ()), tuple(map(str, facts or ())))


class _TauTask(Struct):
    instruction: str | None = None
    actions: list[_Action] | None = None
    outputs: list[Any] | None = None


class _TauInfo(Struct):
    task: _TauTask | None = None
    error: str | None = None
    traceback: Any = None
    source: str | None = None
    user_cost: Any = None
    reward_info: Any = None

    def same_database(self, reward: Any) -> bool | None:
        """Compare the databases by what the log says: their check alone, or the whole reward with the check of outputs."""
        checks = mapping_or_empty(mapping_or_empty(self.reward_info).get("info"))
        if "r_actions" in checks:
            return bool(checks["r_actions"])
        if "r_outputs" not in checks:
            return None
        return True if reward else False if checks["r_outputs"] else None

    def ending(self, steps: tuple[Step, ...]) -> Ending:
        if self.error is not None:
            return ending_of_error(self.error, str(self.traceback))
        if (ending := ending_token(steps)) is not None:
            return ending
        last_calls = [call.name for step in steps[-1:] for call in step.calls]
        if self.source == _TRANSFER or last_calls[-1:] == [_TRANSFER]:
            return "transfer"
        return "limit" if steps else "unknown"


class TauBench(_Log):
    """Results of tau-bench: a JSON list with one object per dialogue.

    ``[{"task_id": 0, "trial": 0, "reward": 1.0, "info": {"task": {"instruction": "..", "actions": []}}, "traj": []}]``

    ``traj`` holds chat messages with tool calls. ``info.task`` has the instruction of the user, the expected calls, and the
    facts that the agent should give. A run that an error ended has ``info.error``, no task and no messages. A dialogue that
    was ended neither by the user nor by a transfer reached the step limit.
    """

    DESCRIPTION: ClassVar = "text, tool calls, goals in words, rewards: results of tau-bench"
    traj: Any
    info: _TauInfo | None = None
    reward: Any = None
    items = staticmethod(entries)

    @staticmethod
    def detect(sample: Sample) -> bool:
        return sample.kind == "document" and {"task_id", "traj"} <= first_mapping(sample.value).keys()

    def fields(self) -> dict[str, Any]:
        messages = read_messages(self.traj)
        info = self.info or _TauInfo()
        task = info.task
        return {
            **messages._asdict(),
            "rewards": reward_of(self.reward),
            "ending": info.ending(messages.steps),
            "goal": _task_goal(task.instruction, task.actions, task.outputs) if task else None,
            "costs": amounts(user=info.user_cost),
            "same_database": info.same_database(self.reward),
            "error": info.error or "",
            "source": info.source or "",
        }


_INFO = frozenset({"agent_info", "user_info", "environment_info"})
_SIMULATION = frozenset({"task_id", "messages", "termination_reason"})
_REASONS: Mapping[str, Ending] = {
    "user_stop": "user_stop",
    "agent_stop": "agent_stop",
    "max_steps": "limit",
    "timeout": "limit",
    "too_many_errors": "limit",
    "context_window_exceeded": "limit",
    "agent_error": "crash",
    "user_error": "crash",
    "infrastructure_error": "infrastructure",
    "unexpected_error": "crash",
}


class _Instructions(Struct):
    reason_for_call: str | None = None
    known_info: str | None = None
    unknown_info: str | None = None
    task_instructions: str | None = None


class _Scenario(Struct):
    instructions: _Instructions | str | None = None


class _Criteria(Struct):
    actions: list[_Action] | None = None
    communicate_info: list[Any] | None = None


class _Task(Struct):
    user_scenario: _Scenario | None = None
    evaluation_criteria: _Criteria | None = None

    def goal(self) -> TaskGoal:
        instructions = self.user_scenario.instructions if self.user_scenario else None
        text = (
            "\n".join(filter(None, astuple(instructions))) if isinstance(instructions, _Instructions) else instructions
        )
        criteria = self.evaluation_criteria or _Criteria()
        return _task_goal(text, criteria.actions, criteria.communicate_info)


class _RewardInfo(Struct):
    reward: Any = None
    reward_basis: list[Any] | None = None
    db_check: Any = None
    action_checks: list[Any] | None = None

    def tool_types(self) -> dict[str, str]:
        """Return the declared type of each expected tool."""
        checks = [mapping_or_empty(each) for each in self.action_checks or ()]
        named = [(mapping_or_empty(each.get("action")).get("name"), each.get("tool_type")) for each in checks]
        return {name: kind for name, kind in named if isinstance(name, str) and isinstance(kind, str)}


class Tau2Bench(_Log):
    """Results of tau2-bench: one file, or a folder with ``results.json`` and one file per simulation.

    ``{"info": {..}, "tasks": [{"id": "0", ..}], "simulations": [{"task_id": "0", "trial": 0, "messages": [], ..}]}``

    The goal is the user scenario of the task. Expected calls and facts are taken from its evaluation criteria. The last
    ending token of the user determines the ending of the dialogue; without a token, ``termination_reason`` does. If that is an
    error, ``info.error`` tells an error of the infrastructure from a crash. A file may also hold a single simulation without tasks.
    """

    DESCRIPTION: ClassVar = (
        "text, tool calls, goals in words, rewards, costs: results of tau2-bench, a file or a folder"
    )
    messages: Any = None
    termination_reason: str | None = None
    info: Any = None
    reward_info: _RewardInfo | None = None
    agent_cost: Any = None
    user_cost: Any = None
    duration: Any = None
    task: _Task | None = None
    """The task of the simulation, if the file has tasks."""
    has_file: bool = True
    """False if the index lists the simulation, but it has no file."""

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind == "folder":
            folder: Path = sample.value
            return (folder / "results.json").is_file() and (folder / "simulations").is_dir()
        if sample.kind not in ("document", "lines") or not isinstance(sample.value, dict):
            return False
        info = sample.value.get("info")
        if isinstance(info, dict) and not _INFO.isdisjoint(info):
            return True
        return sample.value.keys() >= _SIMULATION or {"tasks", "simulations"} <= sample.value.keys()

    @staticmethod
    def items(source: Source) -> Iterator[Entry]:
        folder = Path(source.path)
        whole = Source(folder / "results.json").document if source.is_folder else source.document
        results = as_mapping(whole, "the file")
        if results.keys() >= _SIMULATION:
            yield Entry("1", results)
            return
        tasks = {
            str(task["id"]): task
            for task in as_list(results.get("tasks") or [], "tasks")
            if isinstance(task, dict) and "id" in task
        }

        def with_task(value: Any) -> Any:
            return {**value, "task": tasks.get(str(value.get("task_id")))} if isinstance(value, dict) else value

        if "simulations" in results or not source.is_folder:
            if "simulations" not in results:
                raise InputError("no simulations; give the folder that holds results.json and simulations/")
            for place, value in enumerate(as_list(results["simulations"], "simulations"), 1):
                yield Entry(str(place), with_task(value))
            return
        read_ids: set[str] = set()
        paths = sorted((folder / "simulations").glob("*.json"))
        for place, path in enumerate(paths, 1):
            value = Source(path).document
            read_ids |= {path.stem, str(value.get("id")) if isinstance(value, dict) else ""}
            yield Entry(str(place), with_task(value), file=str(path))
        listed = as_list(results.get("simulation_index") or [], "simulation_index")
        for place, each in enumerate(listed, len(paths) + 1):
            entry = as_mapping(each, "an entry of simulation_index")
            if entry.get("id") is not None and str(entry["id"]) not in read_ids:
                yield Entry(str(place), {**entry, "has_file": False})

    def fields(self) -> dict[str, Any]:
        if not self.has_file:
            raise InputError("simulation_index lists this simulation, but the folder simulations has no file for it")
        reason = self.termination_reason or ""
        ending = _REASONS.get(reason, "unknown")
        details = mapping_or_empty(self.info)
        error = f"{details.get('error_type') or reason}: {details.get('error') or ''}"
        if ending == "crash":
            ending = ending_of_error(error, str(details.get("error_traceback")))
        is_aborted = ending in ABORTED
        if self.messages is None and not is_aborted:
            raise InputError("no messages; voice simulations, which have ticks instead, are not supported")
        messages = read_messages(self.messages or [])
        reward_info = self.reward_info or _RewardInfo()
        match = mapping_or_empty(reward_info.db_check).get("db_match")
        return {
            **messages._asdict(),
            "rewards": reward_of(reward_info.reward),
            "ending": ending if is_aborted else ending_token(messages.steps) or ending,
            "goal": self.task.goal() if self.task else None,
            "costs": amounts(agent=self.agent_cost, user=self.user_cost),
            "seconds": amount(self.duration),
            "error": one_line(error, 500) if is_aborted else "",
            "source": reason,
            "basis": tuple(map(str, reward_info.reward_basis or ())),
            "tokens": _sums(
                (name.removesuffix("_tokens"), number)
                for each in self.messages or ()
                if mapping_or_empty(each).get("role") == "assistant"
                for name, number in mapping_or_empty(each.get("usage")).items()
                if name in ("prompt_tokens", "completion_tokens")
            ),
            "same_database": match if isinstance(match, bool) else None,
            "tool_types": reward_info.tool_types(),
        }


_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_ANSWERS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_SAMPLES = re.compile(r"samples/[^/]+\.json")
_ATTACHMENT = re.compile(r"attachment://([0-9a-f]{8,64})")
_FINISHED = "success"
_VERSIONS = (2, 3)


class Inspect(_Log):
    """Logs of inspect: ``.json``, or ``.eval``, which is a ZIP archive with one file per sample.

    ``{"version": 2, "status": "success", "eval": {..}, "samples": [{"id": 1, "epoch": 1, "messages": [], "scores": {..}}]}``

    The id of a sample is the task, and its epoch is the trial. Scores are converted to numbers as in inspect: C and yes are
    1, P is 0.5, and I, N and no are 0. The scores of several scorers are stored by name. A log has no fixed place for the
    goal of a simulated user. If the input of the sample is a text, it is stored as the instruction.
    """

    DESCRIPTION: ClassVar = "text, tool calls, scores: logs of inspect, .json or .eval"
    TASK: ClassVar = "id"
    TRIAL: ClassVar = "epoch"
    messages: Any = None
    input: Any = None
    attachments: dict[str, Any] | None = None
    scores: Any = None
    error: Any = None
    limit: Any = None
    total_time: Any = None
    model_usage: Any = None

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind == "archive":
            return any(_SAMPLES.fullmatch(name) or name == "header.json" for name in sample.value)
        return (
            sample.kind in ("document", "lines")
            and isinstance(sample.value, dict)
            and {"status", "eval"} <= sample.value.keys()
        )

    @staticmethod
    def items(source: Source) -> Iterator[Entry]:
        """Yield the samples. Those of an archive are sorted by name, independent of the order in which they finished."""
        if source.sample.kind == "archive":
            archive = Archive(source.read_all(), source.name)
            has_header = "header.json" in archive.names
            log = parse_unique(archive.read("header.json"), None) if has_header else {"status": "started"}
            names = filter(_SAMPLES.fullmatch, archive.names)
            samples: Iterable[Any] = (parse_unique(archive.read(name), None) for name in names)
        else:
            log = as_mapping(source.document, "the file")
            samples = as_list(log.get("samples") or [], "samples")
        _add_notices(source, mapping_or_empty(log))
        for place, value in enumerate(samples, 1):
            yield Entry(str(place), value)

    def _resolve(self, text: str) -> str:
        """Replace references to attachments by the attachments."""
        return _ATTACHMENT.sub(lambda match: str((self.attachments or {}).get(match[1], match[0])), text)

    def fields(self) -> dict[str, Any]:
        messages = read_messages(self.messages or [], self._resolve)
        details = mapping_or_empty(self.error)
        error = details.get("message", self.error)
        ending: Ending = "limit" if self.limit else ending_token(messages.steps) or "unknown"
        return {
            **messages._asdict(),
            "rewards": _rewards(mapping_or_empty(self.scores)),
            "ending": ending_of_error(str(error), str(details.get("traceback"))) if error else ending,
            "goal": TaskGoal(self._resolve(self.input)) if isinstance(self.input, str) else None,
            "seconds": amount(self.total_time),
            "tokens": _sums(
                (name.removesuffix("_tokens"), number)
                for usage in mapping_or_empty(self.model_usage).values()
                for name, number in mapping_or_empty(usage).items()
                if name in ("input_tokens", "output_tokens", "total_tokens")
            ),
            "error": one_line(str(error), 500) if error else "",
        }


def _sums(numbers: Iterable[tuple[str, Any]]) -> dict[str, int]:
    """Return the sums of whole numbers by name; what is absent is not zero."""
    sums: Counter[str] = Counter()
    for name, number in numbers:
        if isinstance(number, int) and not isinstance(number, bool):
            sums[name] += number
    return dict(sums)


def _add_notices(source: Source, log: Mapping[str, Any]) -> None:
    status, version = log.get("status"), log.get("version")
    if version is not None and version not in _VERSIONS:
        message = f"the log has version {one_line(str(version), 40)}; it is read like versions 2 and 3"
        source.notices.append(Notice("other-version", 1, message))
    if status != _FINISHED:
        message = f"the log has status {one_line(str(status), 40)}; samples that it does not contain are missing"
        source.notices.append(Notice("unfinished-log", 1, message))


def _rewards(scores: Mapping[str, Any]) -> dict[str, float]:
    rewards = {}
    for name, score in scores.items():
        value = mapping_or_empty(score).get("value")
        parts = value.items() if isinstance(value, dict) else [("", value)]
        for part, inside in parts:
            number = as_number(inside)
            if number is not None:
                rewards[f"{name}.{part}" if part else name] = number
    return rewards


def as_number(value: Any) -> float | None:
    """Convert a score to a number; None if it has no numeric meaning.

    Example:
        >>> as_number("C"), as_number("no"), as_number(0.25), as_number(True), as_number("blue")
        (1.0, 0.0, 0.25, 1.0, None)
    """
    if isinstance(value, str):
        return _GRADES.get(value, _ANSWERS.get(value.lower()))
    if isinstance(value, int | float) and isfinite(value):
        return float(value)
    return None


def mapping_or_empty(value: Any) -> Mapping[str, Any]:
    """Return an object; an empty mapping for anything else.

    Example:
        >>> mapping_or_empty({"a": 1}), mapping_or_empty(None)
        ({'a': 1}, {})
    """
    return value if isinstance(value, dict) else {}
