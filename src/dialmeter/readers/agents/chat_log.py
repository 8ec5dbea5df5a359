"""Chat messages with tool calls, as in chat APIs of language models: one dialogue per line, a list, or one document.

``{"id": "7", "task_id": "7", "trial": 0, "reward": 1.0, "messages": [{"role": "user", "content": "hello"}]}``

``messages`` may have ``tool_calls`` and messages of the role ``tool``. Optional keys are ``task_id`` (default: ``id``),
``trial``, ``reward``, ``instruction``, ``agent_cost`` and ``user_cost``. Of a conversation exported from ChatGPT
(``mapping`` and ``current_node``), the branch that was shown last is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InputError, placing
from ...model import TaskGoal, Trajectory
from ..chat import chat
from ..entries import Entry, first_entry
from ..parts import as_mapping, as_text
from ..source import Sample
from .messages import ending_token, read_messages
from .parts import amounts, dialogue_name, reward_of, task_id, trial_number

CARRIES = "text, tool calls, rewards: lists of {role, content, tool_calls}, a document or JSON lines"
_IDS = ("task_id", "id", "dialogue_id", "conversation_id")


def detect(sample: Sample) -> bool:
    return chat.detect(sample) or _is_export(first_entry(sample))


def _is_export(entry: Mapping[str, Any]) -> bool:
    return isinstance(entry.get("mapping"), dict) and "current_node" in entry


items = chat.items


def trajectory(item: Entry) -> Trajectory:
    with item.placing():
        thing = item.parsed()
        entry = {"messages": thing} if isinstance(thing, list) else as_mapping(thing, "a dialogue")
        written_id = next((entry[key] for key in _IDS if entry.get(key) is not None), item.name)
        task, trial = task_id(written_id), trial_number(entry.get("trial"))
        name = dialogue_name(task, trial)
        with placing(dialogue=name):
            messages = read_messages(_branch(entry) if _is_export(entry) else entry.get("messages"))
            instruction = as_text(entry.get("instruction"), "instruction")
            return Trajectory(
                id=name,
                task=task,
                trial=trial,
                steps=messages.steps,
                rewards=reward_of(entry.get("reward")),
                ending=ending_token(messages.steps) or "unknown",
                goal=TaskGoal(instruction) if instruction else None,
                costs=amounts(agent=entry.get("agent_cost"), user=entry.get("user_cost")),
                roles=messages.roles,
            )


def _branch(entry: Mapping[str, Any]) -> list[Any]:
    """Return the messages from the root to the node that was shown last."""
    nodes, node = as_mapping(entry["mapping"], "mapping"), entry["current_node"]
    messages: list[Any] = []
    seen: set[str] = set()
    while isinstance(node, str) and node in nodes:
        if node in seen:
            raise InputError("the messages in mapping form a cycle")
        seen.add(node)
        inside = as_mapping(nodes[node], "a node of mapping")
        message = inside.get("message")
        if message is not None:
            messages.append(_convert_export(as_mapping(message, "a message")))
        node = inside.get("parent")
    return messages[::-1]


def _convert_export(message: Mapping[str, Any]) -> dict[str, Any]:
    author = as_mapping(message.get("author"), "author")
    content = as_mapping(message.get("content"), "content")
    parts = content.get("parts")
    texts = (
        [each for each in parts if isinstance(each, str)] if isinstance(parts, list) else [content.get("text") or ""]
    )
    return {"role": author.get("role"), "name": author.get("name"), "content": "\n".join(map(str, texts))}
