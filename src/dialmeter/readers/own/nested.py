"""``{dialogue: {"0": {"gt": {"hotel": {"area": "east"}}, "pr": {...}}}}``: the format of the FGA and GCA repositories.

The keys of a dialogue are turn numbers. ``gt`` is the gold state and ``pr`` the predicted state. A turn may also have
the utterances ``usr`` and ``sys``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ...errors import InputError
from ...model import Dialogue, Turn
from ..pairs.raw_turns import RawDialogue, make_raw_turn, number_raw
from ..pairs.state_layouts import NESTED
from ..pairs.vocabulary import PairDialogue, Vocabulary
from ..parts import TURN_DIGITS, Role, as_mapping, as_text, dialogue, read_turns, turn_number
from ..source import Sample, Source
from ..strict_json import REFUSALS

STATES = NESTED
HOLDS = "both"
CARRIES = "gold and predicted states"


def detect(sample: Sample) -> bool:
    # The first dialogue may be without turns, and the first turn without states.
    dialogues = sample.value.values() if sample.kind == "document" and isinstance(sample.value, dict) else ()
    turns = (turn for each in dialogues if isinstance(each, dict) for turn in each.values())
    return any(isinstance(turn, dict) and ("gt" in turn or "pr" in turn) for turn in turns)


# The number of a turn is its key in the dialogue, not a field of the turn.
_RawTurn = make_raw_turn("", "gt", "pr", "usr", "sys")
_decode: Any = msgspec.json.Decoder(dict[str, _RawTurn]).decode  # type: ignore[valid-type]


def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
    words = source.vocabulary or Vocabulary()
    parts = source.parts("an object")
    for place, dialogue_id in enumerate(parts.keys or ()):
        try:
            raw = parts.raw(place)
            result = None if raw is None else _number_dialogue(raw, dialogue_id, source.name, words)
            if result is not None:
                parts.skip(place)
            yield result or dialogue(
                dialogue_id, read_turns(as_mapping(parts.parse(place), "a dialogue").items(), _turn)
            )
        except InputError as error:
            raise error.at(dialogue=dialogue_id) from None
    parts.finish()


def _number_dialogue(data: bytes, dialogue_id: str, file: str, words: Vocabulary) -> PairDialogue | None:
    """Fast path: return a dialogue that holds only states, utterances and numbers; otherwise None."""
    try:
        turns = _decode(data)
    except REFUSALS:
        return None
    for key, turn in turns.items():
        turn.number = int(key) if key.isdecimal() and len(key) <= TURN_DIGITS else -1
    return number_raw(data, RawDialogue(dialogue_id, list(turns.values())), 0, (words, NESTED, file, None))


def _turn(key: str, thing: Any) -> Turn:
    turn = as_mapping(thing, "a turn")
    return Turn(
        number=turn_number(key),
        gold=as_mapping(turn["gt"], "a state") if "gt" in turn else None,
        pred=as_mapping(turn["pr"], "a state") if "pr" in turn else None,
        user=as_text(turn.get("usr"), "usr"),
        system=as_text(turn.get("sys"), "sys"),
    )
