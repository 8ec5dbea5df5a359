"""``[{"dialogue_id": "..", "utt_idx": 2, "state": {"hotel": {"area": ""}}, "predictions": {"state": {..}}}]``: ConvLab-3.

One entry per user turn, in any order. ``""`` is absent, ``a|b`` are alternatives. ``utt_idx`` counts the utterances of
both speakers, who take turns, so a turn's number is half of it; where a dialogue's entries stand at even and at odd
places, it is the place among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from ...errors import InputError
from ...model import Dialogue, State, Turn
from ..pairs.state_layouts import StateLayout
from ..parts import Once, Role, as_list, as_mapping, as_text, dialogue, turn_number
from ..source import Sample, Source
from ..strict_json import JsonParts

STATES = StateLayout("nested", absent=("",))
HOLDS = "both"
CARRIES = "gold and predicted states, utterances"

Entry: TypeAlias = Mapping[str, Any]


def detect(sample: Sample) -> bool:
    if sample.kind != "document" or not isinstance(sample.value, list) or not sample.value:
        return False
    entry = sample.value[0]
    return (
        isinstance(entry, dict)
        and {"dialogue_id", "utt_idx"} <= entry.keys()
        and any(isinstance(entry.get(key), dict) for key in ("state", "predictions"))
    )


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    parts = source.parts("a list")
    once = Once()
    for dialogue_id, places in _by_dialogue(parts).items():
        once.check(dialogue_id)
        try:
            yield dialogue(dialogue_id, _turns(places, parts))
        except InputError as error:
            raise error.at(dialogue=dialogue_id) from None
    parts.finish()


class _Head(Struct):
    """Where an entry belongs."""

    dialogue_id: str
    utt_idx: int | str


def _by_dialogue(parts: JsonParts) -> dict[str, dict[int, int]]:
    """The places of each dialogue's entries by ``utt_idx``; dialogues in the order in which they begin."""
    dialogues: dict[str, dict[int, int]] = {}
    for position, head in enumerate(parts.heads(_Head)):
        if not isinstance(head, _Head):
            raise _wrong_head(position, head)
        places = dialogues.setdefault(head.dialogue_id, {})
        try:
            utterance = turn_number(head.utt_idx)
        except InputError as error:
            raise InputError(f"entry {position}: utt_idx: {error.message}", dialogue=head.dialogue_id) from None
        if utterance in places:
            raise InputError(f"utt_idx {utterance} stands twice", dialogue=head.dialogue_id)
        places[utterance] = position
    return dialogues


def _wrong_head(position: int, thing: Any) -> InputError:
    """What is wrong with an entry that does not say where it belongs."""
    entry = as_mapping(thing, f"entry {position}")
    if not isinstance(entry.get("dialogue_id"), str):
        return InputError(f"entry {position}: dialogue_id must be a string")
    try:
        turn_number(entry.get("utt_idx"))
    except InputError as error:
        return InputError(f"entry {position}: utt_idx: {error.message}", dialogue=entry["dialogue_id"])
    return InputError(f"entry {position}: not an entry of ConvLab-3")


def _turns(places: Mapping[int, int], parts: JsonParts) -> Iterator[Turn]:
    one_speaker = len({utterance % 2 for utterance in places}) == 1
    for position, utterance in enumerate(sorted(places)):
        number = utterance // 2 if one_speaker else position
        try:
            yield _turn(number, as_mapping(parts.parse(places[utterance]), f"entry {places[utterance]}"))
        except InputError as error:
            raise error.at(turn=number) from None


def _turn(number: int, entry: Entry) -> Turn:
    predictions = entry.get("predictions")
    predicted = None if predictions is None else as_mapping(predictions, "predictions").get("state")
    return Turn(
        number,
        gold=_state(entry.get("state")),
        pred=_state(predicted),
        user=as_text(entry.get("utterance"), "utterance"),
        system=_last_system_text(entry.get("context")),
    )


def _state(thing: Any) -> State | None:
    return None if thing is None else as_mapping(thing, "a state")


def _last_system_text(thing: Any) -> str:
    """What the system said just before: the end of the context, if it is the system's."""
    context = as_list(thing, "context") if thing is not None else []
    last = as_mapping(context[-1], "an utterance of the context") if context else {}
    return as_text(last.get("utterance"), "utterance") if last.get("speaker") == "system" else ""
