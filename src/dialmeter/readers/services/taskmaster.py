"""Taskmaster: a list of dialogues with utterances of user and assistant.

``[{"conversation_id": "dlg-1", "utterances": [{"index": 0, "speaker": "USER", "text": "A latte, please."}]}]``

The file may also have one dialogue per line. Every utterance is a move, and a speaker may have several moves in a row.

An utterance may have ``"segments": [{"text": "latte", "annotations": [{"name":
"coffee_ordering.name.drink.accept"}]}]``. Each annotation is then an act: ``inform`` of the slot ``name.drink`` in the
service ``coffee_ordering``. In a dialogue with segments, consecutive utterances of one speaker are one move, so that
the user can be scored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from ...model import Act, Conversation, Move
from ..entries import Entry, entries, first_entry, speaker
from ..parts import as_list, as_mapping, as_text, first_mapping
from ..source import Sample

CARRIES = "text and annotated segments of Taskmaster dialogues"


def detect(sample: Sample) -> bool:
    entry = first_entry(sample)
    return "conversation_id" in entry and {"speaker", "text"} <= first_mapping(entry.get("utterances")).keys()


items = entries


_VERDICTS = ("accept", "reject")
"""Endings of annotations that mark a value as accepted or rejected. They are not part of the slot."""


def conversation(item: Entry) -> Conversation:
    talk = item.conversation("conversation_id", "utterances", _moves)
    if all(move.acts is None for move in talk.moves):
        return talk
    moves: list[Move] = []
    for move in talk.moves:
        if moves and moves[-1].speaker == move.speaker:
            before = moves.pop()
            moves.append(Move(move.speaker, f"{before.text} {move.text}", (*(before.acts or ()), *(move.acts or ()))))
        else:
            moves.append(replace(move, acts=move.acts or ()))
    return replace(talk, moves=tuple(moves))


def _moves(place: int, thing: Any) -> Iterator[Move]:
    utterance = as_mapping(thing, "an utterance")
    segments = utterance.get("segments")
    acts = None if segments is None else tuple(_acts(as_list(segments, "segments")))
    yield Move(speaker(utterance.get("speaker")), as_text(utterance.get("text"), "text"), acts)


def _acts(segments: list[Any]) -> Iterator[Act]:
    for each in segments:
        segment = as_mapping(each, "a segment")
        text = as_text(segment.get("text"), "the text of a segment")
        for thing in as_list(segment.get("annotations") or [], "annotations"):
            name = as_text(as_mapping(thing, "an annotation").get("name"), "the name of an annotation")
            service, _, slot = name.partition(".")
            for verdict in _VERDICTS:
                slot = slot.removesuffix(f".{verdict}")
            if slot and text:
                yield Act("inform", service, slot, (text,))
