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
from msgspec import Struct

from ..errors import InputError
from ..formats.parts import as_mapping
from ..model import Conversation, DomainGoal, Move
from ..readers.source import Sample, Source
from ..readers.strict_json import parse_json

CARRIES = "text, acts, what was understood, goals; JSON lines, streamed"


class _Line(Struct, gc=False):
    dialogue_id: str
    talk: tuple[Move, ...]
    goal: dict[str, DomainGoal] | None = None
    cut: bool = False


_decode = msgspec.json.Decoder(_Line).decode


def detect(sample: Sample) -> bool:
    return sample.kind == "lines" and {"dialogue_id", "talk"} <= sample.value.keys()


def items(source: Source) -> Iterator[tuple[int, bytes]]:
    return source.lines()


def conversation(item: tuple[int, bytes]) -> Conversation:
    number, line = item
    try:
        found = _decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise _placed(number, line, error) from None
    return Conversation(found.dialogue_id, found.talk, found.goal, found.cut)


def _placed(number: int, line: bytes, error: Exception) -> InputError:
    """Says where in the line the trouble is, by reading it again with care."""
    try:
        thing = as_mapping(parse_json(line, None, [], number), "a line")
    except InputError as broken:
        return broken.at(line=number)
    name = thing.get("dialogue_id")
    message = str(error).replace("`", "")
    return InputError(message, line=number, dialogue=name if isinstance(name, str) else None, turn=_move_of(message))


def _move_of(message: str) -> str | None:
    """The place in ``talk`` that the decoder names, as in ``at $.talk[3].speaker``."""
    _, found, rest = message.partition("$.talk[")
    place = rest.partition("]")[0]
    return place if found and place.isdecimal() else None


def written(talk: Conversation) -> dict[str, Any]:
    """The line of a conversation, before it is encoded.

    Example:
        >>> written(Conversation("d1", (Move("user", "hello"),)))
        {'dialogue_id': 'd1', 'talk': [{'speaker': 'user', 'text': 'hello'}]}
    """
    line: dict[str, Any] = {"dialogue_id": talk.id}
    if talk.goal is not None:
        line["goal"] = msgspec.to_builtins(talk.goal)
    if talk.cut:
        line["cut"] = True
    return {**line, "talk": [msgspec.to_builtins(move) for move in talk.moves]}
