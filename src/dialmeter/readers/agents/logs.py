"""Logs of agents: results of tau-bench and tau2-bench, and logs of inspect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, one_line, placing
from ...model import ABORTED, SYSTEM, USER, Conversation, Ending, ExpectedAction, Notice, TaskGoal, Trajectory
from ..entries import Entry, entries
from ..parts import as_list, as_mapping, as_text, first_mapping
from ..raw_file import Archive
from ..source import Sample, Source
from ..strict_json import parse_unique
from .messages import (
    Messages,
    amount,
    amounts,
    as_conversation,
    dialogue_name,
    ending_of_error,
    ending_token,
    mapping_or_empty,
    optional_mapping,
    read_messages,
    reward_of,
    task_id,
    trial_number,
)

_TRANSFER = "transfer_to_human_agents"


class _LogFormat:
    """A format of logs. Its conversations are the utterances of its trajectories."""

    trajectory: Callable[[Any], Trajectory]

    @classmethod
    def conversation(cls, item: Any) -> Conversation:
        log = cls.trajectory(item)
        return as_conversation(log.id, log.steps)


class TauBench(_LogFormat):
    """Results of tau-bench: a JSON list with one object per dialogue.

    ``[{"task_id": 0, "trial": 0, "reward": 1.0, "info": {"task": {"instruction": "..", "actions": []}}, "traj": []}]``

    ``traj`` holds chat messages with tool calls. ``info.task`` has the instruction of the user, the expected calls, and the
    facts that the agent should give. A run that an error ended has ``info.error``, no task and no messages. A dialogue that
    was ended neither by the user nor by a transfer reached the step limit.
    """

    CARRIES = "text, tool calls, goals in words, rewards: results of tau-bench"
    items = staticmethod(entries)

    @staticmethod
    def detect(sample: Sample) -> bool:
        return sample.kind == "document" and {"task_id", "traj"} <= first_mapping(sample.value).keys()

    @staticmethod
    def trajectory(item: Entry) -> Trajectory:
        with item.placing():
            entry = as_mapping(item.parsed(), f"dialogue {item.name}")
            task, trial = task_id(entry.get("task_id")), trial_number(entry.get("trial"))
            name = dialogue_name(task, trial)
            with placing(dialogue=name):
                if "traj" not in entry:
                    raise InputError("no traj; every dialogue of tau-bench needs one")
                info = optional_mapping(entry.get("info"), "info")
                messages = read_messages(entry["traj"])
                return Trajectory(
                    id=name,
                    task=task,
                    trial=trial,
                    steps=messages.steps,
                    rewards=reward_of(entry.get("reward")),
                    ending=_tau_ending(info, messages),
                    goal=_tau_goal(info.get("task")),
                    costs=amounts(user=info.get("user_cost")),
                    roles=messages.roles,
                    error=as_text(info.get("error"), "error"),
                    source=as_text(info.get("source"), "source"),
                )


def _tau_ending(info: Mapping[str, Any], messages: Messages) -> Ending:
    if info.get("error") is not None:
        return ending_of_error(str(info["error"]), str(info.get("traceback")))
    if (ending := ending_token(messages.steps)) is not None:
        return ending
    last_calls = [call.name for step in messages.steps[-1:] for call in step.calls]
    if info.get("source") == _TRANSFER or last_calls[-1:] == [_TRANSFER]:
        return "transfer"
    return "limit" if messages.steps else "unknown"


def _tau_goal(thing: Any) -> TaskGoal | None:
    if thing is None:
        return None
    task = as_mapping(thing, "task")
    actions = (as_mapping(each, "an expected action") for each in as_list(task.get("actions") or [], "actions"))
    return TaskGoal(
        as_text(task.get("instruction"), "instruction"),
        tuple(
            ExpectedAction(as_text(each.get("name"), "name"), optional_mapping(each.get("kwargs"), "kwargs"))
            for each in actions
        ),
        tuple(map(str, as_list(task.get("outputs") or [], "outputs"))),
    )


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
_INSTRUCTION = ("reason_for_call", "known_info", "unknown_info", "task_instructions")


class Simulation(NamedTuple):
    """One undecoded simulation, with its task if the file has tasks."""

    place: int
    thing: Any
    task: Any
    file: str | None = None
    absent: bool = False
    """True if the index lists it, but it has no file."""


class Tau2Bench(_LogFormat):
    """Results of tau2-bench: one file, or a folder with ``results.json`` and one file per simulation.

    ``{"info": {..}, "tasks": [{"id": "0", ..}], "simulations": [{"task_id": "0", "trial": 0, "messages": [], ..}]}``

    The goal is the user scenario of the task. Expected calls and facts are taken from its evaluation criteria. The last
    ending token of the user determines the ending of the dialogue; without a token, ``termination_reason`` does. If that is an
    error, ``info.error`` tells an error of the infrastructure from a crash. A file may also hold a single simulation without tasks.
    """

    CARRIES = "text, tool calls, goals in words, rewards, costs: results of tau2-bench, a file or a folder"

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
    def items(source: Source) -> Iterator[Simulation]:
        folder = Path(source.path)
        whole = Source(folder / "results.json").document if source.is_folder else source.document
        results = as_mapping(whole, "the file")
        if results.keys() >= _SIMULATION:
            yield Simulation(1, results, None)
            return
        tasks = {
            str(task["id"]): task
            for task in as_list(results.get("tasks") or [], "tasks")
            if isinstance(task, dict) and "id" in task
        }
        if "simulations" in results or not source.is_folder:
            if "simulations" not in results:
                raise InputError("no simulations; give the folder that holds results.json and simulations/")
            for place, thing in enumerate(as_list(results["simulations"], "simulations"), 1):
                yield Simulation(place, thing, _task(tasks, thing))
            return
        read_ids: set[str] = set()
        paths = sorted((folder / "simulations").glob("*.json"))
        for place, path in enumerate(paths, 1):
            thing = Source(path).document
            read_ids |= {path.stem, str(thing.get("id")) if isinstance(thing, dict) else ""}
            yield Simulation(place, thing, _task(tasks, thing), str(path))
        listed = as_list(results.get("simulation_index") or [], "simulation_index")
        for place, each in enumerate(listed, len(paths) + 1):
            entry = as_mapping(each, "an entry of simulation_index")
            if entry.get("id") is not None and str(entry["id"]) not in read_ids:
                yield Simulation(place, entry, None, absent=True)

    @staticmethod
    def trajectory(item: Simulation) -> Trajectory:
        with placing(file=item.file, dialogue=str(item.place)):
            entry = as_mapping(item.thing, f"simulation {item.place}")
            task, trial = task_id(entry.get("task_id")), trial_number(entry.get("trial"))
            name = dialogue_name(task, trial)
        with placing(file=item.file, dialogue=name):
            if item.absent:
                raise InputError(
                    "simulation_index lists this simulation, but the folder simulations has no file for it"
                )
            reason = as_text(entry.get("termination_reason"), "termination_reason")
            ending = _REASONS.get(reason, "unknown")
            details = mapping_or_empty(entry.get("info"))
            error = f"{details.get('error_type') or reason}: {details.get('error') or ''}"
            if ending == "crash":
                ending = ending_of_error(error, str(details.get("error_traceback")))
            is_aborted = ending in ABORTED
            if entry.get("messages") is None and not is_aborted:
                raise InputError("no messages; voice simulations, which have ticks instead, are not supported")
            messages = read_messages(entry.get("messages") or [])
            reward_info = mapping_or_empty(entry.get("reward_info"))
            return Trajectory(
                id=name,
                task=task,
                trial=trial,
                steps=messages.steps,
                rewards=reward_of(reward_info.get("reward")),
                ending=ending if is_aborted else ending_token(messages.steps) or ending,
                goal=_tau2_goal(item.task),
                costs=amounts(agent=entry.get("agent_cost"), user=entry.get("user_cost")),
                seconds=amount(entry.get("duration")),
                roles=messages.roles,
                error=one_line(error, 500) if is_aborted else "",
                source=reason,
                basis=tuple(map(str, as_list(reward_info.get("reward_basis") or [], "reward_basis"))),
            )


def _task(tasks: Mapping[str, Any], thing: Any) -> Any:
    return tasks.get(str(thing.get("task_id"))) if isinstance(thing, dict) else None


def _tau2_goal(thing: Any) -> TaskGoal | None:
    if thing is None:
        return None
    task = as_mapping(thing, "a task")
    instructions = mapping_or_empty(task.get("user_scenario")).get("instructions")
    if isinstance(instructions, dict):
        text = "\n".join(part for name in _INSTRUCTION if (part := as_text(instructions.get(name), name)))
    else:
        text = as_text(instructions, "instructions")
    criteria = mapping_or_empty(task.get("evaluation_criteria"))
    actions = (as_mapping(each, "an expected action") for each in as_list(criteria.get("actions") or [], "actions"))
    return TaskGoal(
        text,
        tuple(
            ExpectedAction(
                as_text(each.get("name"), "name"),
                optional_mapping(each.get("arguments"), "arguments"),
                USER if each.get("requestor") == "user" else SYSTEM,
            )
            for each in actions
        ),
        tuple(map(str, as_list(criteria.get("communicate_info") or [], "communicate_info"))),
    )


_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_ANSWERS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_SAMPLES = re.compile(r"samples/[^/]+\.json")
_ATTACHMENT = re.compile(r"attachment://([0-9a-f]{8,64})")
_FINISHED = "success"
_VERSIONS = (2, 3)


class Inspect(_LogFormat):
    """Logs of inspect: ``.json``, or ``.eval``, which is a ZIP archive with one file per sample.

    ``{"version": 2, "status": "success", "eval": {..}, "samples": [{"id": 1, "epoch": 1, "messages": [], "scores": {..}}]}``

    The id of a sample is the task, and its epoch is the trial. Scores are converted to numbers as in inspect: C and yes are
    1, P is 0.5, and I, N and no are 0. The scores of several scorers are stored by name. A log has no fixed place for the
    goal of a simulated user. If the input of the sample is a text, it is stored as the instruction.
    """

    CARRIES = "text, tool calls, scores: logs of inspect, .json or .eval"

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
        if source.sample.kind == "archive":
            yield from _archive_items(source)
            return
        log = as_mapping(source.document, "the file")
        _add_notices(source, log)
        for place, thing in enumerate(as_list(log.get("samples") or [], "samples"), 1):
            yield Entry(str(place), thing)

    @staticmethod
    def trajectory(item: Entry) -> Trajectory:
        with item.placing():
            sample = as_mapping(item.parsed(), f"sample {item.name}")
            task, trial = task_id(sample.get("id"), "id"), trial_number(sample.get("epoch"), "epoch")
            name = dialogue_name(task, trial)
            with placing(dialogue=name):
                attachments = mapping_or_empty(sample.get("attachments"))

                def resolve(text: str) -> str:
                    return _ATTACHMENT.sub(lambda match: str(attachments.get(match[1], match[0])), text)

                messages = read_messages(sample.get("messages") or [], resolve)
                details = mapping_or_empty(sample.get("error"))
                error = details.get("message", sample.get("error"))
                ending: Ending = "limit" if sample.get("limit") else ending_token(messages.steps) or "unknown"
                if error:
                    ending = ending_of_error(str(error), str(details.get("traceback")))
                instruction = sample.get("input")
                return Trajectory(
                    id=name,
                    task=task,
                    trial=trial,
                    steps=messages.steps,
                    rewards=_rewards(mapping_or_empty(sample.get("scores"))),
                    ending=ending,
                    goal=TaskGoal(resolve(instruction)) if isinstance(instruction, str) else None,
                    seconds=amount(sample.get("total_time")),
                    roles=messages.roles,
                    error=one_line(str(error), 500) if error else "",
                )


def _archive_items(source: Source) -> Iterator[Entry]:
    """Yield the samples of an archive sorted by name, independent of the order in which they finished."""
    archive = Archive(source.read_all(), source.name)
    header = (
        parse_unique(archive.read("header.json"), None) if "header.json" in archive.names else {"status": "started"}
    )
    _add_notices(source, mapping_or_empty(header))
    for place, name in enumerate(filter(_SAMPLES.fullmatch, archive.names), 1):
        yield Entry(str(place), parse_unique(archive.read(name), None))


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
