"""``{dialogue: {"0": {"gt": {"hotel": {"area": "east"}}, "pr": {...}}}}``: the FGA and GCA repositories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ...errors import InputError
from ...model import Dialogue, Turn
from ..pairs.raw_turns import RawDialogue, make_raw_turn, number_raw
from ..pairs.state_layouts import NESTED
from ..pairs.vocabulary import PairDialogue, Vocabulary
from ..parts import TURN_DIGITS, Once, Role, as_mapping, as_text, dialogue, turn_number
from ..source import Sample, Source
from ..strict_json import REFUSALS

STATES = NESTED
HOLDS = "both"
CARRIES = "gold and predicted states"


def detect(sample: Sample) -> bool:
    if sample.kind != "document" or not isinstance(sample.value, dict):
        return False
    turns = next(iter(sample.value.values()), None)
    turn = next(iter(turns.values()), None) if isinstance(turns, dict) else None
    return isinstance(turn, dict) and ("gt" in turn or "pr" in turn)


# The number of a turn is its key in the dialogue.
_RawTurn = make_raw_turn("", "gt", "pr", "usr", "sys")
_decode: Any = msgspec.json.Decoder(dict[str, _RawTurn]).decode  # type: ignore[valid-type]


def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
    once = Once()
    words = source.vocabulary or Vocabulary()
    parts = source.parts("an object")
    for place, dialogue_id in enumerate(parts.keys or ()):
        once.check(dialogue_id)
        try:
            raw = parts.raw(place)
            found = None if raw is None else _numbered(raw, dialogue_id, source.name, words)
            if found is not None:
                parts.skip(place)
            yield found or _dialogue(dialogue_id, parts.parse(place))
        except InputError as error:
            raise error.at(dialogue=dialogue_id) from None
    parts.finish()


def _numbered(data: bytes, dialogue_id: str, file: str, words: Vocabulary) -> PairDialogue | None:
    """A dialogue that says nothing unusual."""
    try:
        turns = _decode(data)
    except REFUSALS:
        return None
    for key, turn in turns.items():
        turn.number = int(key) if key.isdecimal() and len(key) <= TURN_DIGITS else -1
    return number_raw(data, RawDialogue(dialogue_id, list(turns.values())), 0, (words, NESTED, file, None))


def _dialogue(dialogue_id: str, turns: object) -> Dialogue:
    return dialogue(dialogue_id, [_turn(key, turn) for key, turn in as_mapping(turns, "a dialogue").items()])


def _turn(key: str, thing: object) -> Turn:
    try:
        turn = as_mapping(thing, "a turn")
        return Turn(
            number=turn_number(key),
            gold=as_mapping(turn["gt"], "a state") if "gt" in turn else None,
            pred=as_mapping(turn["pr"], "a state") if "pr" in turn else None,
            user=as_text(turn.get("usr"), "usr"),
            system=as_text(turn.get("sys"), "sys"),
        )
    except InputError as error:
        raise error.at(turn=key) from None
