"""``{"MUL0003.json_0": [["hotel-area-east"], ["hotel-area-west"]]}``: results of SOM-DST.

The key is the dialogue id, an underscore, and the turn number. The first state is the prediction, and the second is
gold.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import msgspec
from msgspec import Raw

from ...errors import InputError, one_line
from ...model import Dialogue, Turn
from ..pairs.raw_states import Numbering, number_keyless
from ..pairs.state_layouts import GLUED
from ..pairs.vocabulary import PairDialogue, Vocabulary
from ..parts import TURN_DIGITS, Role, as_list, read_dialogues, read_turns, turn_number
from ..source import Sample, Source
from ..strict_json import REFUSALS, JsonParts

STATES = GLUED
HOLDS = "both"
CARRIES = "gold and predicted states"


def detect(sample: Sample) -> bool:
    if sample.kind != "document" or not isinstance(sample.value, dict):
        return False
    key, states = next(iter(sample.value.items()), ("", None))
    return (
        key.rpartition("_")[2].isdecimal()
        and "_" in key
        and isinstance(states, list)
        and len(states) == 2
        and all(isinstance(state, list) for state in states)
    )


_decode = msgspec.json.Decoder(tuple[Raw, Raw]).decode


def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
    words = source.vocabulary or Vocabulary()
    parts = source.parts("an object")
    dialogues: dict[str, list[tuple[str, int]]] = {}
    for place, key in enumerate(parts.keys or ()):
        dialogue_id, underscore, number = key.rpartition("_")
        if not (dialogue_id and underscore):
            raise InputError(f"a key must be dialogue_turn, found {one_line(key, 40)!r}")
        dialogues.setdefault(dialogue_id, []).append((number, place))

    def turns_of(turns: list[tuple[str, int]]) -> Iterator[Turn]:
        return read_turns(((number, parts.parse(place)) for number, place in turns), _turn)

    for dialogue_id, turns in dialogues.items():
        result = _number_dialogue(parts, dialogue_id, turns, (words, GLUED, source.name, None))
        if result is None:
            yield from read_dialogues([(dialogue_id, turns)], turns_of)
        else:
            for _, place in turns:
                parts.skip(place)
            yield result
    parts.finish()


def _number_dialogue(
    parts: JsonParts, dialogue_id: str, turns: list[tuple[str, int]], numbering: Numbering
) -> PairDialogue | None:
    """Fast path: return a dialogue whose states are lists of pairs, with turns in order; otherwise None."""
    texts: list[bytes] = []
    states: list[tuple[int, Raw, Raw]] = []
    try:
        for number, place in turns:
            data = parts.raw(place)
            if data is None or not number.isdecimal() or len(number) > TURN_DIGITS:
                return None
            pred, gold = _decode(data)
            texts.append(data)
            states.append((int(number), gold, pred))
    except REFUSALS:
        return None
    return number_keyless(b"".join(texts), dialogue_id, states, numbering)


def _turn(number: str, thing: Any) -> Turn:
    states = as_list(thing, "a turn")
    if len(states) != 2:
        raise InputError(f"a turn must hold two states, predicted and gold, found {len(states)}")
    pred, gold = as_list(states[0], "a state"), as_list(states[1], "a state")
    return Turn(turn_number(number), cast(Any, gold), cast(Any, pred))
