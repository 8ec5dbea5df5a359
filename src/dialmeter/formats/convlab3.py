"""``[{"dialogue_id": "..", "utt_idx": 2, "state": {"hotel": {"area": ""}}, "predictions": {"state": {..}}}]``: ConvLab-3.

One entry per user turn, in any order. ``""`` is absent, ``a|b`` are alternatives. ``utt_idx`` counts the utterances of
both speakers, who take turns, so a turn's number is half of it; where a dialogue's entries stand at even and at odd
places, it is the place among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from ..errors import InputError
from ..model import Dialogue, State, Turn
from . import Role
from .parts import Once, as_list, as_mapping, as_text, dialogue, nested_state, turn_number
from .source import Sample, Source

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
    once = Once()
    for dialogue_id, entries in _by_dialogue(source.document).items():
        once.check(dialogue_id)
        try:
            yield dialogue(dialogue_id, _turns(entries))
        except InputError as error:
            raise error.at(dialogue=dialogue_id) from None


def _by_dialogue(document: Any) -> dict[str, dict[int, Entry]]:
    """The entries of each dialogue by ``utt_idx``; dialogues in the order in which they begin."""
    dialogues: dict[str, dict[int, Entry]] = {}
    for position, thing in enumerate(as_list(document, "the file")):
        entry = as_mapping(thing, f"entry {position}")
        dialogue_id = entry.get("dialogue_id")
        if not isinstance(dialogue_id, str):
            raise InputError(f"entry {position}: dialogue_id must be a string")
        entries = dialogues.setdefault(dialogue_id, {})
        try:
            place = turn_number(entry.get("utt_idx"))
        except InputError as error:
            raise InputError(f"entry {position}: utt_idx: {error.message}", dialogue=dialogue_id) from None
        if place in entries:
            raise InputError(f"utt_idx {place} stands twice", dialogue=dialogue_id)
        entries[place] = entry
    return dialogues


def _turns(entries: Mapping[int, Entry]) -> Iterator[Turn]:
    one_speaker = len({place % 2 for place in entries}) == 1
    for position, place in enumerate(sorted(entries)):
        number = place // 2 if one_speaker else position
        try:
            yield _turn(number, entries[place])
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
    if thing is None:
        return None
    # Empty slots go before names are looked at: "day" may stand empty beside a "book day" with a value.
    filled = {
        domain: {slot: value for slot, value in slots.items() if value != ""} if type(slots) is dict else slots
        for domain, slots in as_mapping(thing, "a state").items()
    }
    return nested_state(filled)


def _last_system_text(thing: Any) -> str:
    """What the system said just before: the end of the context, if it is the system's."""
    context = as_list(thing, "context") if thing is not None else []
    last = as_mapping(context[-1], "an utterance of the context") if context else {}
    return as_text(last.get("utterance"), "utterance") if last.get("speaker") == "system" else ""
