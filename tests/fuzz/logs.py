"""Logs of agents in the shapes of vendors, made at random, with figures that are known by construction. None may be read with others.

Run with ``python -m tests.fuzz.logs --logs 5000``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from dialmeter.errors import InputError
from dialmeter.readers.conversations import open_conversations, open_trajectories

Said: TypeAlias = tuple[str, str, list[tuple[str, dict[str, Any]]]]
"""Who speaks, what, and with which calls."""
Shape: TypeAlias = Callable[[list[Said], Random], list[dict[str, Any]]]
NAMES = {
    "task": (
        "task_id",
        "taskId",
        "scenario",
        "test_case",
        "task",
        "sample_id",
        "example_id",
        "instance_id",
        "eval_item",
    ),
    "trial": ("trial", "attempt", "epoch", "repetition", "trial_no", "rep"),
    "outcome": ("success", "reward", "resolved", "passed", "goal_achieved", "taskSuccess", "reached", "is_solved"),
    "messages": ("messages", "conversation", "history", "transcript", "log"),
}
NOISE: tuple[dict[str, Any], ...] = (
    {},
    {"model": "m-7b", "latency": 1.25, "usage": {"input": 20, "output": 3}},
    {"status": "completed", "error": None, "num_turns": 3},
    {"scores": [{"name": "politeness", "value": 0.25}, {"name": "toxicity", "value": 0}]},
    {"metadata": {"seed": 7, "created": "2026-03-03", "tags": ["a", "b"], "cost": 0.01}},
)
"""Fields that say nothing about success."""
WORDS = ((True, False), (1, 0), (1.0, 0.0), ("success", "failure"), ("pass", "fail"), ("true", "false"))


def openai(talk: list[Said], random: Random) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Be kind."}] if random.random() < 0.5 else []
    for who, text, calls in talk:
        listed = [
            {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(values)}}
            for at, (name, values) in enumerate(calls)
        ]
        messages.append({"role": who, "content": text or None, **({"tool_calls": listed} if listed else {})})
        messages += [{"role": "tool", "tool_call_id": call["id"], "content": "{}"} for call in listed]
    return messages


def anthropic(talk: list[Said], _: Random) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for who, text, calls in talk:
        blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        blocks += [
            {"type": "tool_use", "id": f"t{at}", "name": each[0], "input": each[1]} for at, each in enumerate(calls)
        ]
        messages.append({"role": who, "content": blocks})
        results = [{"type": "tool_result", "tool_use_id": f"t{at}", "content": "{}"} for at in range(len(calls))]
        messages += [{"role": "user", "content": results}] if results else []
    return messages


def gemini(talk: list[Said], _: Random) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for who, text, calls in talk:
        parts: list[dict[str, Any]] = [{"text": text}] if text else []
        parts += [{"functionCall": {"name": name, "args": values}} for name, values in calls]
        messages.append({"role": {"assistant": "model"}.get(who, who), "parts": parts})
        results = [{"functionResponse": {"name": name, "response": {"ok": True}}} for name, _ in calls]
        messages += [{"role": "user", "parts": results}] if results else []
    return messages


def responses(talk: list[Said], _: Random) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for who, text, calls in talk:
        for at, (name, values) in enumerate(calls):
            items.append({"type": "function_call", "call_id": f"k{at}", "name": name, "arguments": json.dumps(values)})
            items.append({"type": "function_call_output", "call_id": f"k{at}", "output": "{}"})
        if text:
            kind = "input_text" if who == "user" else "output_text"
            items.append({"type": "message", "role": who, "content": [{"type": kind, "text": text}]})
    return items


def ai_sdk(talk: list[Said], _: Random) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for at, (who, text, calls) in enumerate(talk):
        parts: list[dict[str, Any]] = [
            {
                "type": f"tool-{name}",
                "toolCallId": f"a{at}{n}",
                "state": "output-available",
                "input": values,
                "output": {},
            }
            for n, (name, values) in enumerate(calls)
        ]
        parts += [{"type": "text", "text": text}] if text else []
        messages.append({"id": f"m{at}", "role": who, "parts": parts})
    return messages


def langgraph(talk: list[Said], random: Random) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for who, text, calls in talk:
        listed = [{"name": name, "args": values, "id": f"g{at}"} for at, (name, values) in enumerate(calls)]
        message: dict[str, Any] = {"type": "human" if who == "user" else "ai", "content": text, "additional_kwargs": {}}
        messages.append({**message, **({"tool_calls": listed} if who != "user" else {})})
        messages += [{"type": "tool", "tool_call_id": call["id"], "content": "{}"} for call in listed]
    wrapped = [{"type": each["type"], "data": each} for each in messages]
    return wrapped if random.random() < 0.3 else messages


def vapi(talk: list[Said], _: Random) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for who, text, calls in talk:
        if text:
            messages.append({"role": "bot" if who == "assistant" else who, "message": text, "time": 1.5})
        for at, (name, values) in enumerate(calls):
            call = {"id": f"v{at}", "function": {"name": name, "arguments": values}}
            messages.append({"role": "tool_calls", "message": "", "toolCalls": [call]})
            messages.append({"role": "tool_call_result", "toolCallId": f"v{at}", "name": name, "result": "ok"})
    return messages


def exchanges(talk: list[Said], _: Random) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = []
    for who, text, calls in talk:
        if who == "user":
            turns.append({"user": text, "bot": "", "tool_calls": []})
        else:
            turns[-1]["tool_calls"] += [{"name": name, "arguments": values} for name, values in calls]
            turns[-1]["bot"] += text
    return turns


def events(talk: list[Said], _: Random) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"event": "session_started"}]
    for who, text, calls in talk:
        said += [{"event": "tool_call", "name": name, "arguments": values} for name, values in calls]
        said += [{"event": f"{who}_message", "text": text}] if text else []
    return said


def spans_of(talk: list[Said], trace: str, record: dict[str, Any], random: Random) -> list[dict[str, Any]]:
    """Returns the spans of a trace in the shape of Langfuse, OpenTelemetry, its console or LangSmith; the fields of the record are in the root."""
    said = [{"role": who, "content": text} for who, text, _ in talk if text]
    calls = [call for _, _, each in talk for call in each]
    kind = random.choice(("otlp", "console", "langsmith"))
    spans: list[dict[str, Any]] = [{"kind": "agent", "id": f"{trace}r", "parent": None, "name": "agent", **record}]
    spans += [
        {"kind": "chat", "id": f"{trace}m", "parent": f"{trace}r", "name": "model", "in": said[:-1], "out": said[-1]}
    ]
    spans += [
        {"kind": "tool", "id": f"{trace}t{at}", "parent": f"{trace}r", "name": name, "in": values, "out": "ok"}
        for at, (name, values) in enumerate(calls)
    ]
    return [_span(kind, trace, each) for each in spans]


def _span(kind: str, trace: str, span: dict[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in span.items() if key not in ("kind", "id", "parent", "name", "in", "out")}
    if kind == "langsmith":
        kinds = {"agent": "chain", "chat": "llm", "tool": "tool"}
        inner = (
            {"inputs": {"messages": span["in"]} if span["kind"] == "chat" else span["in"], "outputs": span["out"]}
            if "in" in span
            else {}
        )
        return {"trace_id": trace, "id": span["id"], "parent_run_id": span["parent"], "run_type": kinds[span["kind"]], "name": span["name"], **inner, **own}  # fmt: skip
    operation = {"agent": "invoke_agent", "chat": "chat", "tool": "execute_tool"}[span["kind"]]
    attributes = {"gen_ai.operation.name": operation, **own}
    if span["kind"] == "chat":
        attributes |= {
            "gen_ai.input.messages": json.dumps(span["in"]),
            "gen_ai.output.messages": json.dumps([span["out"]]),
        }
    elif span["kind"] == "tool":
        attributes |= {"gen_ai.tool.name": span["name"], "gen_ai.tool.call.arguments": json.dumps(span["in"])}
    if kind == "console":
        return {"name": span["name"], "context": {"trace_id": trace, "span_id": span["id"]}, "parent_id": span["parent"], "attributes": attributes}  # fmt: skip
    listed = [{"key": key, "value": {"stringValue": str(value)}} for key, value in attributes.items()]
    return {"traceId": trace, "spanId": span["id"], "parentSpanId": span["parent"] or "", "name": span["name"], "attributes": listed}  # fmt: skip


def sharegpt(talk: list[Said], _: Random) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for who, text, calls in talk:
        for name, values in calls:
            messages.append({"from": "function_call", "value": json.dumps({"name": name, "arguments": values})})
            messages.append({"from": "observation", "value": "{}"})
        if text:
            messages.append({"from": "human" if who == "user" else "gpt", "value": text})
    return messages


SHAPES: tuple[Shape, ...] = (openai, anthropic, gemini, responses, ai_sdk, langgraph, vapi, sharegpt, exchanges, events)


def make_talk(random: Random) -> list[Said]:
    """Returns turns of a user and an assistant, who may call tools before it answers."""
    talk: list[Said] = []
    for turn in range(random.randint(1, 3)):
        talk.append(("user", f"Please do number {turn}.", []))
        if random.random() < 0.6:
            calls = [(random.choice(("find", "book")), {"n": at}) for at in range(random.randint(1, 2))]
            talk.append(("assistant", "", calls))
        talk.append(("assistant", f"Number {turn} is done.", []))
    return talk


def write_log(random: Random, folder: Path) -> tuple[Path, dict[str, int]]:
    """Writes a log in a layout made at random, and returns the file and its figures."""
    shape, (won, lost) = random.choice(SHAPES), random.choice(WORDS)
    names = {role: random.choice(choices) for role, choices in NAMES.items()}
    tasks, trials = random.randint(1, 3), random.randint(1, 3)
    has_trials, nested = random.random() < 0.7, random.choice(("", "", "evaluation", "meta"))
    is_trace = random.random() < 0.15
    nested = "" if is_trace else nested
    rows: list[dict[str, Any]] = []
    spans: list[dict[str, Any]] = []
    figures = Counter[str]()
    for task in range(tasks):
        for trial in range(trials):
            talk, success = make_talk(random), random.random() < 0.5
            row: dict[str, Any] = {names["task"]: f"t{task}"}
            row |= {names["trial"]: trial} if has_trials else {}
            inner = {names["outcome"]: won if success else lost}
            row |= {nested: inner} if nested else inner
            row |= {} if is_trace else random.choice(NOISE)
            if nested == "" and not is_trace and random.random() < 0.1:
                row |= {"error": "ReadTimeout: the request timed out"}
                del row[names["outcome"]]
                success = False
            if is_trace:
                spans += spans_of(talk, f"trace{task}-{trial}", row, random)
            row[names["messages"]] = shape(talk, random)
            rows.append(row)
            figures["won"] += success
            figures["calls"] += sum(len(calls) for _, _, calls in talk)
            figures["replies"] += sum(who == "assistant" and bool(text) for who, text, _ in talk)
    wanted = {"trials": len(rows), "tasks": tasks, **{key: figures[key] for key in ("won", "calls", "replies")}}
    path = folder / "log.json"
    if is_trace:
        path.write_text(json.dumps({"spans": spans} if random.random() < 0.5 else spans), "utf-8")
        return path, wanted
    kind = random.choice(("lines", "list", "wrapped", "by id", "by task", "folder", "text in cells"))
    listed = names["messages"]
    if kind == "folder":
        path = folder / f"runs{random.getrandbits(32)}"
        path.mkdir()
        for at, row in enumerate(rows):
            (path / f"run{at:02}.json").write_text(json.dumps(row), "utf-8")
        return path, wanted
    value: Any = rows
    if kind == "by id":
        value = {f"run-{at}": row for at, row in enumerate(rows)} if len(rows) > 1 else rows
    elif kind == "by task" and tasks > 1:
        value = {}
        for row in rows:
            value.setdefault(row[names["task"]], []).append(
                {key: each for key, each in row.items() if key != names["task"]}
            )
    elif kind == "text in cells":
        value = [{**row, listed: json.dumps(row[listed])} for row in rows]
    elif kind == "wrapped":
        value = {"run": "v1", random.choice(("results", "runs", "episodes")): rows}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) if kind == "lines" else json.dumps(value), "utf-8")
    return path, wanted


def outcome(seed: int, folder: Path) -> str:
    """Returns whether a log made at random is read with its figures (right), with others (wrong), or not (refused)."""
    path, wanted = write_log(Random(seed), folder)
    try:
        runs = list(open_trajectories(path))
        talks = list(open_conversations(path))
    except InputError:
        return "refused"
    found = {
        "trials": len(runs),
        "tasks": len({run.task for run in runs}),
        "won": sum(run.rewards.get("reward", 0) >= 1 for run in runs),
        "calls": sum(len(step.calls) for run in runs for step in run.steps),
        "replies": sum(move.speaker == "system" for talk in talks for move in talk.moves),
    }
    return "right" if found == wanted else "wrong"


def main() -> None:
    """Counts outcomes of many logs, and names the first seed of each that is not right."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--logs", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    outcomes, first = Counter[str](), dict[str, int]()
    with TemporaryDirectory() as folder:
        for seed in range(given.seed, given.seed + given.logs):
            result = outcome(seed, Path(folder))
            outcomes[result] += 1
            first.setdefault(result, seed)
    sys.stdout.write(f"{dict(outcomes)} {first}\n")


if __name__ == "__main__":
    main()
