"""dialmeter's own JSON lines, one dialogue per line.

``{"dialogue_id": "..", "goal": {..}, "talk": [{"speaker": "user", "text": "..", "acts": [{"name": "Hotel-Inform",
"service": "hotel", "slot": "area", "values": ["east"]}], "understood": [..], "requested": {"hotel": ["hotel-phone"]}}]}``

``goal`` is by domain, with any of ``info``, ``fail_info``, ``book``, ``fail_book`` (slot → value) and ``requests`` (a list
of slots). Only ``dialogue_id`` and, per move, ``speaker`` are required. ``cut`` says that the dialogue ended at a limit.
The same line may have ``turns`` with belief states, which trackers are scored on (see the format ``native`` of states).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ...errors import placing
from ...model import Conversation
from ..parts import as_mapping
from ..source import Sample, Source
from ..strict_json import Doubled, duplicate_key, parse_json
from .talk import talk_line

CARRIES = "text, acts, what was understood, goals; JSON lines, streamed"


def detect(sample: Sample) -> bool:
    return sample.kind == "lines" and {"dialogue_id", "talk"} <= sample.value.keys()


def items(source: Source) -> Iterator[tuple[int, bytes]]:
    return source.lines()


def conversation(item: tuple[int, bytes]) -> Conversation:
    number, line = item
    with placing(line=number):
        doubled: list[Doubled] = []
        thing = as_mapping(parse_json(line, None, doubled, number), "a line")
        found = talk_line(thing)
        if doubled:
            raise duplicate_key(doubled[0]).at(dialogue=found.dialogue_id)
    return Conversation(found.dialogue_id, found.talk, found.goal, found.cut)


def written(talk: Conversation) -> dict[str, Any]:
    """The line of a conversation, before it is encoded.

    Example:
        >>> from dialmeter.model import Move
        >>> written(Conversation("d1", (Move("user", "hello"),)))
        {'dialogue_id': 'd1', 'talk': [{'speaker': 'user', 'text': 'hello'}]}
    """
    line: dict[str, Any] = {"dialogue_id": talk.id}
    if talk.goal is not None:
        line["goal"] = msgspec.to_builtins(talk.goal)
    if talk.cut:
        line["cut"] = True
    return {**line, "talk": [msgspec.to_builtins(move) for move in talk.moves]}
