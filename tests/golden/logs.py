"""Logs of an agent that says that there is no such trip, in every layout; and replies that people rated."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path


def write_logs() -> None:
    """Two tasks with two trials each, in every layout of logs."""
    Path("logs").mkdir()
    call = {"id": "1", "type": "function", "function": {"name": "cancel", "arguments": '{"id": "X100"}'}}
    messages = [
        {"role": "user", "content": "Cancel trip X100."},
        {"role": "assistant", "content": "Looking.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "name": "cancel", "content": "Error: no such trip"},
        {"role": "assistant", "content": "There is no such trip."},
        {"role": "user", "content": "Bye. ###STOP###"},
    ]
    trials = [(task, trial, float(task == trial)) for task in (0, 1) for trial in (0, 1)]
    actions = [{"name": "cancel", "kwargs": {"id": "X100"}}]
    goal = {"instruction": "Cancel X100.", "actions": actions, "outputs": []}
    tau = [
        {"task_id": task, "trial": trial, "reward": reward, "info": {"task": goal}, "traj": messages}
        for task, trial, reward in trials
    ]
    tau2 = {
        "info": {"agent_info": {}, "user_info": {}, "environment_info": {}},
        "tasks": [
            {
                "id": str(task),
                "user_scenario": {"instructions": {"reason_for_call": "Cancel X100."}},
                "evaluation_criteria": {"actions": [{"name": "cancel", "arguments": {"id": "X100"}}]},
            }
            for task in (0, 1)
        ],
        "simulations": [
            {
                "id": f"{task}-{trial}", "task_id": str(task), "trial": trial, "messages": messages,
                "termination_reason": "user_stop", "reward_info": {"reward": reward}, "agent_cost": 0.5,
            }
            for task, trial, reward in trials
        ],
    }  # fmt: skip
    samples = [
        {"id": task, "epoch": trial + 1, "messages": messages, "scores": {"match": {"value": "CI"[reward < 1]}}}
        for task, trial, reward in trials
    ]
    inspect = {"version": 2, "status": "success", "eval": {"task": "trips"}, "samples": samples}
    for name, log in {"tau": tau, "other": tau, "tau2": tau2, "inspect": inspect}.items():
        Path(f"logs/{name}.json").write_text(json.dumps(log))
    with zipfile.ZipFile("logs/inspect.eval", "w") as archive:
        archive.writestr(
            zipfile.ZipInfo("header.json"), json.dumps({key: inspect[key] for key in ("version", "status", "eval")})
        )
        for sample in samples:
            archive.writestr(
                zipfile.ZipInfo(f"samples/{sample['id']}_epoch_{sample['epoch']}.json"), json.dumps(sample)
            )
    lines = [{"id": str(trial), "reward": reward, "messages": messages} for _, trial, reward in trials[:2]]
    Path("logs/chat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_ratings() -> None:
    """Rated replies in two layouts, and scores of them."""
    Path("people").mkdir()
    items = [
        {"id": str(place), "context": ["Hello", "Hi"], "reply": "Yes." * place, "ratings": {"overall": [place, 3]}}
        for place in range(1, 6)
    ]
    Path("people/own.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    rows = [f"{place},bot,Hello ||| Hi,{'Yes. ' * place},{place} 3,0.{place}\n" for place in range(1, 6)]
    Path("people/table.csv").write_text("id,system,context,reply,rating:overall,score:mine\n" + "".join(rows))
    Path("people/scores.csv").write_text("id,x\n" + "".join(f"{place},{place % 3}\n" for place in range(1, 6)))
