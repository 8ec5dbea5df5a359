"""Lists of chat messages, as in chat APIs of language models.

``{"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Yes?"}]}``

The file is one conversation as a document, a list of conversations, or JSON lines with one conversation per line. A
conversation is an object with ``messages``, or the list of messages itself.

The roles ``user`` and ``assistant`` are the speakers user and system. Messages of other roles (prompts, tools) are not
moves. In a conversation with tool calls, consecutive messages of one speaker are one move, and the text of a message
with a tool call is omitted, because the other speaker does not see it. If the content is a list of parts, their texts
are joined. The dialogue id is ``id``, ``dialogue_id`` or ``conversation_id``; without one it is the position in the
file, counted from 1.

Of a conversation exported from ChatGPT (``mapping`` and ``current_node``), the branch that was shown last is read. A
log of an agent may also have ``task_id`` (default: the id), ``trial``, ``reward``, ``instruction``, ``agent_cost`` and
``user_cost``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import InputError, placing
from ...model import SYSTEM, USER, Conversation, Move, TaskGoal, Trajectory
from ..entries import Entry, entries, first_entry, make_conversation, read_moves
from ..layouts.agents import (
    amounts,
    as_conversation,
    ending_token,
    read_messages,
    reward_of,
    task_id,
    trial_number,
)
from ..source import Sample, Source
from ..validation import as_list, as_mapping, as_text, first_mapping, refuse_tool_parts

DESCRIPTION = "text, tool calls, rewards: lists of {role, content, tool_calls}, a document or JSON lines"

_SPEAKERS = {"user": USER, "assistant": SYSTEM}
_IDS = ("id", "dialogue_id", "conversation_id")


def detect(sample: Sample) -> bool:
    if sample.kind not in ("document", "lines", "lists"):
        return False
    value = sample.value
    candidates = (value, *(value[:1] if isinstance(value, list) else ()))
    return any(map(_is_chat, candidates)) or _is_export(first_entry(sample))


def _is_chat(dialogue: Any) -> bool:
    messages = dialogue.get("messages") if isinstance(dialogue, dict) else dialogue
    return {"role", "content"} <= first_mapping(messages).keys()


def _is_export(entry: Mapping[str, Any]) -> bool:
    return isinstance(entry.get("mapping"), dict) and "current_node" in entry


def items(source: Source) -> Iterator[Entry]:
    sample = source.sample
    if sample.kind == "document" and "role" in first_mapping(sample.value):
        yield Entry("1", source.document)
    else:
        yield from entries(source)


def conversation(item: Entry) -> Conversation:
    with item.placing():
        entry = _entry(item)
        name = next((str(entry[key]) for key in _IDS if isinstance(entry.get(key), str | int)), item.name)
        with placing(dialogue=name):
            messages = _messages(entry)
            if _is_export(entry) or any(isinstance(each, dict) and each.get("tool_calls") for each in messages):
                return as_conversation(name, read_messages(messages).steps)
            return make_conversation(name, read_moves(messages, _moves))


def trajectory(item: Entry) -> Trajectory:
    with item.placing():
        entry = _entry(item)
        written_id = next((entry[key] for key in ("task_id", *_IDS) if entry.get(key) is not None), item.name)
        task, trial = task_id(written_id), trial_number(entry.get("trial"))
        name = f"{task}:{trial}"
        with placing(dialogue=name):
            messages = read_messages(_messages(entry))
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


def _entry(item: Entry) -> Mapping[str, Any]:
    dialogue = item.parsed()
    return {"messages": dialogue} if isinstance(dialogue, list) else as_mapping(dialogue, "a dialogue")


def _messages(entry: Mapping[str, Any]) -> list[Any]:
    return _branch(entry) if _is_export(entry) else as_list(entry.get("messages"), "messages")


def _moves(place: int, value: Any) -> Iterator[Move]:
    message = as_mapping(value, "a message")
    role = as_text(message.get("role"), "role")
    if not role:
        raise InputError("a message without a role")
    if role in _SPEAKERS:
        yield Move(_SPEAKERS[role], _text(message.get("content")))


def _text(content: Any) -> str:
    if not isinstance(content, list):
        return as_text(content, "content")
    refuse_tool_parts(content)
    parts = (as_mapping(part, "a part of content") for part in content)
    return " ".join(as_text(part.get("text"), "text") for part in parts if part.get("type", "text") == "text")


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
