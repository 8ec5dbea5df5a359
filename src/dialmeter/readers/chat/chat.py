"""Lists of chat messages, as in chat APIs of language models.

``{"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Yes?"}]}``

The file is one conversation as a document, a list of conversations, or JSON lines with one conversation per line. A
conversation is an object with ``messages``, or the list of messages itself.

The roles ``user`` and ``assistant`` are the speakers user and system. Messages of other roles (prompts, tools) are not
moves. In a conversation with tool calls, consecutive messages of one speaker are one move, and the text of a message
with a tool call is omitted, because the other speaker does not see it. If the content is a list of parts, their texts
are joined. The dialogue id is ``id``, ``dialogue_id`` or ``conversation_id``; without one it is the position in the
file, counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import InputError, placing
from ...model import SYSTEM, USER, Conversation, Move
from ..agents.messages import as_conversation, read_messages
from ..entries import Entry, entries, make_conversation, read_moves
from ..parts import as_list, as_mapping, as_text, first_mapping
from ..source import Sample, Source

CARRIES = "text: lists of {role, content}, a document or JSON lines"

_SPEAKERS = {"user": USER, "assistant": SYSTEM}
_IDS = ("id", "dialogue_id", "conversation_id")


def detect(sample: Sample) -> bool:
    if sample.kind not in ("document", "lines", "lists"):
        return False
    value = sample.value
    return any(_is_chat(thing) for thing in (value, *(value[:1] if isinstance(value, list) else ())))


def _is_chat(thing: Any) -> bool:
    messages = thing.get("messages") if isinstance(thing, dict) else thing
    return {"role", "content"} <= first_mapping(messages).keys()


def items(source: Source) -> Iterator[Entry]:
    sample = source.sample
    if sample.kind == "document" and "role" in first_mapping(sample.value):
        yield Entry("1", source.document)
    else:
        yield from entries(source)


def conversation(item: Entry) -> Conversation:
    name = item.name
    with item.placing():
        thing = item.parsed()
        if isinstance(thing, dict):
            entry = as_mapping(thing, "a dialogue")
            name = next((str(entry[key]) for key in _IDS if isinstance(entry.get(key), str | int)), name)
            thing = entry.get("messages")
        with placing(dialogue=name):
            messages = as_list(thing, "messages")
            if any(isinstance(each, dict) and each.get("tool_calls") for each in messages):
                return as_conversation(name, read_messages(messages).steps)
            return make_conversation(name, read_moves(messages, _moves))


def _moves(place: int, thing: Any) -> Iterator[Move]:
    message = as_mapping(thing, "a message")
    role = as_text(message.get("role"), "role")
    if not role:
        raise InputError("a message without a role")
    if role in _SPEAKERS:
        yield Move(_SPEAKERS[role], _text(message.get("content")))


def _text(content: Any) -> str:
    if not isinstance(content, list):
        return as_text(content, "content")
    parts = (as_mapping(part, "a part of content") for part in content)
    return " ".join(as_text(part.get("text"), "text") for part in parts if part.get("type", "text") == "text")
