"""Taskmaster: a list of dialogues with utterances of user and assistant.

``[{"conversation_id": "dlg-1", "utterances": [{"index": 0, "speaker": "USER", "text": "A latte, please."}]}]``

JSON lines of such dialogues read the same. Moves stand as the list has them; a speaker may have several in a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import placing
from ...model import Conversation, Move
from ..entries import Entry, entries, first_entry, first_of, id_under, moves_of, speaker, talk
from ..parts import as_list, as_mapping, as_text
from ..source import Sample

CARRIES = "text of Taskmaster dialogues"


def detect(sample: Sample) -> bool:
    entry = first_entry(sample)
    return "conversation_id" in entry and {"speaker", "text"} <= first_of(entry.get("utterances")).keys()


items = entries


def conversation(item: Entry) -> Conversation:
    with item.placing():
        entry = item.mapping()
        name = id_under(entry, "conversation_id")
        with placing(dialogue=name or None):
            return talk(name, moves_of(as_list(entry.get("utterances"), "utterances"), _moves))


def _moves(place: int, thing: Any) -> Iterator[Move]:
    said = as_mapping(thing, "an utterance")
    yield Move(speaker(said.get("speaker")), as_text(said.get("text"), "text"))
