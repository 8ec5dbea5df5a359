"""Results of tau-bench: a JSON list with one object per dialogue.

``[{"task_id": 0, "trial": 0, "reward": 1.0, "info": {"task": {"instruction": "..", "actions": []}}, "traj": []}]``

``traj`` holds chat messages with tool calls. ``info.task`` has the instruction of the user, the expected calls, and the
facts that the agent should give. A run that an error ended has ``info.error``, no task and no messages. A dialogue that
was ended neither by the user nor by a transfer reached the step limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InputError, placing
from ...model import Conversation, Ending, ExpectedAction, TaskGoal, Trajectory
from ..entries import Entry, entries
from ..parts import as_list, as_mapping, as_text, first_mapping
from ..source import Sample
from .messages import (
    Messages,
    amounts,
    as_conversation,
    dialogue_name,
    ending_of_error,
    ending_token,
    optional_mapping,
    read_messages,
    reward_of,
    task_id,
    trial_number,
)

CARRIES = "text, tool calls, goals in words, rewards: results of tau-bench"
_TRANSFER = "transfer_to_human_agents"


def detect(sample: Sample) -> bool:
    return sample.kind == "document" and {"task_id", "traj"} <= first_mapping(sample.value).keys()


items = entries


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
                ending=_ending(info, messages),
                goal=_goal(info.get("task")),
                costs=amounts(user=info.get("user_cost")),
                roles=messages.roles,
                error=as_text(info.get("error"), "error"),
                source=as_text(info.get("source"), "source"),
            )


def conversation(item: Entry) -> Conversation:
    log = trajectory(item)
    return as_conversation(log.id, log.steps)


def _ending(info: Mapping[str, Any], messages: Messages) -> Ending:
    if info.get("error") is not None:
        return ending_of_error(str(info["error"]), str(info.get("traceback")))
    if (ending := ending_token(messages.steps)) is not None:
        return ending
    last_calls = [call.name for step in messages.steps[-1:] for call in step.calls]
    if info.get("source") == _TRANSFER or last_calls[-1:] == [_TRANSFER]:
        return "transfer"
    return "limit" if messages.steps else "unknown"


def _goal(thing: Any) -> TaskGoal | None:
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
