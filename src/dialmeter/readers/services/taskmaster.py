"""Taskmaster: a list of dialogues with utterances of user and assistant.

``[{"conversation_id": "dlg-1", "utterances": [{"index": 0, "speaker": "USER", "text": "A latte, please."}]}]``

JSON lines of such dialogues read the same. Moves stand as the list has them; a speaker may have several in a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...model import Conversation, Move
from ..entries import Entry, entries, first_entry, speaker
from ..parts import as_mapping, as_text, first_mapping
from ..source import Sample

CARRIES = "text of Taskmaster dialogues"


def detect(sample: Sample) -> bool:
    entry = first_entry(sample)
    return "conversation_id" in entry and {"speaker", "text"} <= first_mapping(entry.get("utterances")).keys()


items = entries


def conversation(item: Entry) -> Conversation:
    return item.conversation("conversation_id", "utterances", _moves)


def _moves(place: int, thing: Any) -> Iterator[Move]:
    said = as_mapping(thing, "an utterance")
    yield Move(speaker(said.get("speaker")), as_text(said.get("text"), "text"))
