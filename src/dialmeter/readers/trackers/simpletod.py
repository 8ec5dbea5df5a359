"""Results of SimpleTOD: an object of dialogues. Each dialogue has several lists, with one element per user turn.

``{"MUL0003.json": {"target_turn_belief": [["hotel area north"]], "generated_turn_belief": [["hotel area north", "hotel
book stay 2"]], "target_user": [".."], ..}}``

A text is domain, slot and value. A slot has two words if the first is ``book``. ``target_turn_belief`` is gold and
``generated_turn_belief`` is the prediction; both are cumulative. ``target_belief`` and ``generated_belief`` are not
read: they collect the values of all turns and are not states. ``none`` and ``not mentioned`` are absent. The token
``<|endoftext|>`` and the text after it are removed. Of two values of one slot the later one is used, with the warning
``two-values``; SimpleTOD itself counts such a turn as wrong. Predicted texts without a value are skipped, with the
warning ``unparsed``. If a generation had no belief, SimpleTOD repeats the list of the previous turn; the file does not
show this.

The reader was implemented from the code that writes this format; no real file was available.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import InputError, one_line, placing
from ...model import Dialogue, State, Turn
from ..parts import Role, as_list, as_mapping, as_text, dialogue, first_value
from ..source import Sample, Source
from ..turn_rows import Places, add_notices, turn_label

HOLDS = "both"
CARRIES = "gold and predicted states, cumulative; utterances"

_GOLD, _PRED = "target_turn_belief", "generated_turn_belief"
_ABSENT = ("none", "not mentioned")


def detect(sample: Sample) -> bool:
    lists = first_value(sample.value) if sample.kind == "document" else None
    return isinstance(lists, dict) and (_GOLD in lists or _PRED in lists)


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    reader = _Reader()
    for name, thing in source.members():
        with placing(dialogue=name):
            yield dialogue(name, reader.turns(name, thing))
    add_notices(
        source,
        {
            "two-values": (reader.repeated, "{} slots have two values in one predicted state; the later one is used"),
            "unparsed": (reader.unparsed, "{} predicted texts without domain, slot and value were skipped"),
        },
    )


class _Reader:
    """Reads dialogues and counts what notices report."""

    def __init__(self) -> None:
        self.repeated = Places()
        self.unparsed = Places()

    def turns(self, name: str, thing: Any) -> Iterator[Turn]:
        lists = as_mapping(thing, "a dialogue")
        columns = [as_list(lists[key], key) if lists.get(key) is not None else None for key in (_GOLD, _PRED)]
        users = as_list(lists.get("target_user") or [], "target_user")
        lengths = {len(column) for column in columns if column is not None}
        if len(lengths) != 1:
            raise InputError(f"{_GOLD} and {_PRED} must have one list per turn, and the same number of turns")
        for number in range(lengths.pop()):
            with placing(turn=number):
                gold, pred = (
                    None if column is None else self._state(column[number], key == _PRED, turn_label(name, number))
                    for key, column in zip((_GOLD, _PRED), columns, strict=True)
                )
                yield Turn(number, gold, pred, as_text(users[number], "target_user") if number < len(users) else "")

    def _state(self, thing: Any, predicted: bool, place: str) -> State:
        state: dict[str, str] = {}
        for each in as_list(thing, "a state"):
            words = as_text(each, "a pair").partition("<|endoftext|>")[0].split()
            size = 2 if words[1:2] == ["book"] else 1
            domain, slot, value = " ".join(words[:1]), " ".join(words[1 : 1 + size]), " ".join(words[1 + size :])
            if not words or value in _ABSENT:
                continue
            if not value:
                if not predicted:
                    raise InputError(f"a pair must be domain, slot and value, found {one_line(each, 40)!r}")
                self.unparsed.add(place)
                continue
            if state.get(f"{domain}-{slot}", value) != value:
                self.repeated.add(f"{place} {domain}-{slot}")
            state[f"{domain}-{slot}"] = value
        return state
