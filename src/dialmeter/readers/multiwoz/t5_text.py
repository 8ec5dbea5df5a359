"""``{"predictions": "[hotel]([area][east],[stars][4]);[taxi]([day][friday])", "state_seq": "[hotel]([area][east])"}``

JSON lines with states as texts, one turn per line: ``test_generated_predictions.json`` of the T5 model in ConvLab-3.
``state_seq`` is gold. The file has no dialogue ids: every line is a dialogue of one turn, and its id is its position,
counted from 0.

Texts are parsed as in ConvLab-3, and blanks are not trimmed. A domain or slot of another form is skipped. Of two values
of one slot the later one is used. ``a|b`` is one value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import InputError
from ...model import Dialogue, Turn
from ..pairs.state_layouts import NESTED
from ..parts import Role, as_mapping, dialogue
from ..source import Sample, Source
from ..strict_json import Doubled, duplicate_key, kind_of, parse_json

STATES = NESTED
HOLDS = "both"
CARRIES = "gold and predicted states, each as one text; no dialogue ids; JSON lines, streamed"

_GOLD = "state_seq"
_PRED = "predictions"


def detect(sample: Sample) -> bool:
    row = sample.value
    # The sample of a file with one line is a document.
    return (
        sample.kind in ("lines", "document")
        and isinstance(row, dict)
        and all(isinstance(row.get(key), str) for key in (_GOLD, _PRED))
    )


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    doubled: list[Doubled] = []
    for position, (number, line) in enumerate(source.lines()):
        source.line = number
        try:
            row = as_mapping(parse_json(line, source.name, doubled, number), "a line")
            if doubled:
                raise duplicate_key(doubled[0])
            gold, pred = _text(row, _GOLD), _text(row, _PRED)
        except InputError as error:
            raise error.at(line=number) from None
        yield dialogue(str(position), [Turn(0, state_in(gold), state_in(pred), written=(gold, pred))])


def _text(row: Mapping[str, Any], key: str) -> str:
    text = row.get(key)
    if not isinstance(text, str):
        raise InputError(f"{key} must be a string, found {kind_of(text) if key in row else 'nothing'}")
    return text


def state_in(text: str) -> dict[str, Any]:
    """Parse the state in a text, by domain and slot.

    Each value is a list of one text, because ``|`` does not separate alternatives here.

    Example:
        >>> state_in("[hotel]([area][east|west],[stars][4]);[taxi]([leave at]")
        {'hotel': {'area': ['east|west'], 'stars': ['4']}}
    """
    state: dict[str, Any] = {}
    for piece in text.removeprefix("[").removesuffix("])").split("]);["):
        match piece.split("](["):
            case [domain, slots]:
                for pair in slots.split("],["):
                    match pair.split("]["):
                        case [slot, value]:
                            state.setdefault(domain, {})[slot] = [value]
    return state
