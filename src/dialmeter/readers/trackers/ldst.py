"""``test_LLM_result.txt`` of LDST, with one line per turn and slot; gold is in ``test_LLM.json`` and ``test_LLM.idx``.

``data.json|||MUL0003.json|||1|||0|||hotel|||book stay|||['2</s>']``

The fields are file, dialogue, utterance, frame, domain, slot, and a Python list of one text. Each line is the value in
that turn, so states are cumulative. ``NONE`` and ``not mentioned`` are absent. Special tokens such as ``</s>`` at the
end are removed. The utterance number counts the utterances of both speakers, so the turn number is half of it. If
dialogues are numbered, as in SGD, the dialogue id is the file, a slash and the number.

``[]`` marks a slot that the model was not asked for. It is read as absent, and the warning ``not-asked`` lists the domains.
Exclude them from gold, too (``--only-slots``). A file that ends inside a turn is an error.

Gold is a list of ``{"instruction": "..", "input": "..", "output": "north"}``. The i-th element belongs to the i-th line
of the ``.idx`` file, which must be in the same folder. For SGD this gold is one of several correct values, drawn at
random; use the gold of the dataset itself.

The reader was implemented from the code that writes this format; no real file was available.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, one_line, placing
from ...model import Turn
from ..completions.literals import python_literal
from ..pairs.vocabulary import PairDialogue
from ..parts import Role, as_mapping, as_text, first_mapping, turn_number, turn_with_state
from ..source import Sample, Source
from ..turn_rows import Places, TurnRows, add_notices

HOLDS = "state"
CARRIES = "one value per line, cumulative; gold in a second file"

_SEPARATOR = "|||"
_TOKENS = re.compile(r"(?:\s|</?s>|<unk>|<pad>|<\|endoftext\|>)++")
_ABSENT = ("", "NONE", "not mentioned")
_GOLD_KEYS = {"instruction", "input", "output"}
_IN_ANGLES = re.compile(r"<([^<>]++)>")


def detect(sample: Sample) -> bool:
    if sample.kind == "text":
        return bool(sample.value.count(_SEPARATOR) == 6)
    return sample.kind == "document" and first_mapping(sample.value).keys() >= _GOLD_KEYS


class _Place(NamedTuple):
    """The dialogue, utterance and slot of a line."""

    dialogue: str
    utterance: int
    slot: str


def read(source: Source, role: Role) -> Iterator[PairDialogue]:
    rows = TurnRows(source)
    not_asked = Places()
    turns: dict[tuple[str, int], dict[str, str | None]] = {}
    for place, value, line in _answers(source) if source.sample.kind == "text" else _gold(source):
        turn = turns.setdefault((place.dialogue, place.utterance), {})
        if place.slot in turn:
            raise InputError(
                "duplicate slot", line=line, dialogue=place.dialogue, turn=place.utterance, slot=place.slot
            )
        turn[place.slot] = None if value in _ABSENT else value
        if value is None:
            domain = place.slot.partition("-")[0]
            if domain not in not_asked.where:
                not_asked.where.append(domain)
            not_asked.count += 1
    if not turns:
        raise InputError("a file without answers")
    _check_end(turns)
    for (dialogue_id, utterance), slots in turns.items():
        state = {slot: value for slot, value in slots.items() if value is not None}
        rows.add(dialogue_id, turn_with_state(role, utterance, state))
    yield from rows.dialogues(_renumber)
    message = "{} slots were not asked for ([]) and are absent; exclude their domains from gold with --only-slots"
    add_notices(source, {"not-asked": (not_asked, message)})


def _renumber(dialogue_id: str, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Number the turns by user turns instead of utterances."""
    numbers = [turn.number // 2 for turn in turns]
    if len(set(numbers)) < len(numbers):
        raise InputError("both utterances of a turn have answers", dialogue=dialogue_id)
    return tuple(Turn(number) for number in numbers)


def _check_end(turns: dict[tuple[str, int], dict[str, Any]]) -> None:
    """Raise InputError if the file ends inside a turn, provided that all previous turns have the same slots."""
    (dialogue_id, utterance), last = next(reversed(turns.items()))
    others = [slots.keys() for slots in list(turns.values())[:-1]]
    if others and all(slots == others[0] for slots in others) and last.keys() < others[0]:
        message = f"the last turn has {len(last)} of {len(others[0])} slots; the file seems to be cut off"
        raise InputError(message, dialogue=dialogue_id, turn=utterance)


def _answers(source: Source) -> Iterator[tuple[_Place, str | None, int]]:
    """Yield the answers of the model; None for a slot that it was not asked for."""
    for number, line in source.lines():
        with placing(line=number):
            *fields, written = _fields(line, 7)
            values = python_literal(written)
            if not isinstance(values, list) or len(values) > 1 or not all(isinstance(each, str) for each in values):
                raise InputError(f"expected a list of one text, found {one_line(written, 40)!r}")
            yield _place(fields), _without_tokens(values[0]) if values else None, number


def _gold(source: Source) -> Iterator[tuple[_Place, str, None]]:
    path = Path(source.path)
    index = Source(path.with_suffix(".idx"))
    if not Path(index.path).is_file():
        raise InputError(f"the file {index.path}, which holds the dialogues and turns of this gold, does not exist")
    places = []
    for number, line in index.lines():
        with placing(file=index.name, line=number):
            places.append(_place(_fields(line, 6)))
    things = list(source.elements())
    source.check_keys()
    if len(things) != len(places):
        raise InputError(f"{len(things)} answers, but {index.path} has {len(places)} lines")
    for position, (place, thing) in enumerate(zip(places, things, strict=True), 1):
        row = as_mapping(thing, "an answer")
        with placing(dialogue=place.dialogue, turn=place.utterance, slot=place.slot):
            value = as_text(row.get("output"), "output").strip()
            slot = _slot_in(as_text(row.get("instruction"), "instruction"))
            if slot and slot != place.slot:
                message = f"answer {position} is about {one_line(slot)}, but line {position} of {index.path} is not"
                raise InputError(message)
        yield place, value, None


def _without_tokens(answer: str) -> str:
    """Remove the special tokens at the end of an answer."""
    end = next((match.start() for match in _TOKENS.finditer(answer) if match.end() == len(answer)), None)
    return answer[:end].strip()


def _slot_in(instruction: str) -> str:
    """Return the slot that an instruction asks for; an empty string if it names none."""
    return next((match[1] for match in _IN_ANGLES.finditer(instruction) if "-" in match[1][1:-1]), "")


def _fields(line: bytes, count: int) -> list[str]:
    try:
        fields = line.decode().rstrip("\r\n").split(_SEPARATOR, count - 1)
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {error.start})") from None
    if len(fields) != count:
        raise InputError(
            f"expected {count} fields separated by {_SEPARATOR}, found {len(fields)}; the file is damaged or cut off"
        )
    return fields


def _place(fields: list[str]) -> _Place:
    file, dialogue_id, utterance, _, domain, slot = (field.strip() for field in fields)
    if not (dialogue_id and domain and slot):
        raise InputError("an empty dialogue, domain or slot")
    name = f"{file}/{dialogue_id}" if dialogue_id.isdecimal() else dialogue_id
    return _Place(name, turn_number(utterance), f"{domain}-{slot}")
