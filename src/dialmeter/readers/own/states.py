"""dialmeter's own lines of belief states, read for their utterances: the format ``native`` of trackers.

``{"dialogue_id": "..", "turns": [{"turn": 0, "gold": {..}, "system": "", "user": "hello"}]}``

In a turn the system speaks before the user. What is empty was not said. Lines with ``talk`` are read by the layout ``native``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import placing
from ...model import SYSTEM, USER, Conversation, Move
from ..entries import Entry, entries, first_of, id_under, moves_of, talk
from ..parts import as_list, as_mapping, as_text
from ..source import Sample

CARRIES = "text of files with belief states; JSON lines, streamed"


def detect(sample: Sample) -> bool:
    if sample.kind != "lines" or "talk" in sample.value or "dialogue_id" not in sample.value:
        return False
    turn = first_of(sample.value.get("turns"))
    return bool(turn) and "speaker" not in turn


items = entries


def conversation(item: Entry) -> Conversation:
    with item.placing():
        entry = item.mapping()
        name = id_under(entry, "dialogue_id")
        with placing(dialogue=name or None):
            return talk(name, moves_of(as_list(entry.get("turns"), "turns"), _moves))


def _moves(place: int, thing: Any) -> Iterator[Move]:
    turn = as_mapping(thing, "a turn")
    said = ((who, as_text(turn.get(who), who)) for who in (SYSTEM, USER))
    yield from (Move(who, text) for who, text in said if text)
