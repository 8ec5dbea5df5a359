"""Results of tau2-bench: one file, or a folder with ``results.json`` and one file per simulation.

``{"info": {..}, "tasks": [{"id": "0", ..}], "simulations": [{"task_id": "0", "trial": 0, "messages": [], ..}]}``

The goal is the user scenario of the task. Expected calls and facts are taken from its evaluation criteria. The last
ending token of the user determines the ending of the dialogue; without a token, ``termination_reason`` does. If that is an
error, ``info.error`` tells an error of the infrastructure from a crash. A file may also hold a single simulation without tasks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, one_line, placing
from ...model import ABORTED, SYSTEM, USER, Conversation, Ending, ExpectedAction, TaskGoal, Trajectory
from ..parts import as_list, as_mapping, as_text
from ..source import Sample, Source
from .messages import (
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

CARRIES = "text, tool calls, goals in words, rewards, costs: results of tau2-bench, a file or a folder"
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


def _task(tasks: Mapping[str, Any], thing: Any) -> Any:
    return tasks.get(str(thing.get("task_id"))) if isinstance(thing, dict) else None


def trajectory(item: Simulation) -> Trajectory:
    with placing(file=item.file, dialogue=str(item.place)):
        entry = as_mapping(item.thing, f"simulation {item.place}")
        task, trial = task_id(entry.get("task_id")), trial_number(entry.get("trial"))
        name = dialogue_name(task, trial)
    with placing(file=item.file, dialogue=name):
        if item.absent:
            raise InputError("simulation_index lists this simulation, but the folder simulations has no file for it")
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
            goal=_goal(item.task),
            costs=amounts(agent=entry.get("agent_cost"), user=entry.get("user_cost")),
            seconds=amount(entry.get("duration")),
            roles=messages.roles,
            error=one_line(error, 500) if is_aborted else "",
            source=reason,
            basis=tuple(map(str, as_list(reward_info.get("reward_basis") or [], "reward_basis"))),
        )


def conversation(item: Simulation) -> Conversation:
    log = trajectory(item)
    return as_conversation(log.id, log.steps)


def _goal(thing: Any) -> TaskGoal | None:
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
