"""LDST's ``test_LLM_result.txt``, one line per turn and slot, and gold in ``test_LLM.json`` with ``test_LLM.idx`` beside it.

``data.json|||MUL0003.json|||1|||0|||hotel|||book stay|||['2</s>']``

The fields are file, dialogue, utterance, frame, domain, slot, and a list of one text as Python prints it. Each line is the
value at that turn, so states are cumulative. ``NONE`` and ``not mentioned`` are absent, and marks such as ``</s>`` at the end
are cut. The number counts utterances of both speakers, and a turn's number is half of it. Where dialogues are numbered, as for
SGD, the id is the file, a slash and the number. ``[]`` is a slot that the model was not asked for: it is absent here, and the
warning ``not-asked`` names the domains, which are to be kept out of gold, too (``--only-slots``). A file that ends inside a
turn is refused.

Gold is a list of ``{"instruction": "..", "input": "..", "output": "north"}``, of which the i-th belongs to the i-th line of the
``.idx`` file. For SGD this gold is one of several right values, drawn at random; take the data set itself.

No real file of this format was at hand: it was written down from the code that writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, one_line
from ...model import Turn
from ..completions.literals import python_literal
from ..pairs.vocabulary import PairDialogue
from ..parts import Role, as_mapping, as_text, first_mapping, turn_number, turn_with_state
from ..source import Sample, Source
from ..turn_rows import Places, TurnRows, add_notices

HOLDS = "state"
CARRIES = "one value per line, cumulative; gold in a second file"

_MARK = "|||"
_TOKENS = re.compile(r"(?:\s|</?s>|<unk>|<pad>|<\|endoftext\|>)++")
_ABSENT = ("", "NONE", "not mentioned")
_GOLD_KEYS = {"instruction", "input", "output"}
_IN_ANGLES = re.compile(r"<([^<>]++)>")


def detect(sample: Sample) -> bool:
    if sample.kind == "text":
        return bool(sample.value.count(_MARK) == 6)
    return sample.kind == "document" and first_mapping(sample.value).keys() >= _GOLD_KEYS


class _Place(NamedTuple):
    """Which slot of which turn a line is about."""

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
    yield from rows.dialogues(_halved)
    message = "{} slots were not asked for ([]) and count as absent; keep their domains out of gold with --only-slots"
    add_notices(source, {"not-asked": (not_asked, message)})


def _halved(dialogue_id: str, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Turns numbered by user turns."""
    numbers = [turn.number // 2 for turn in turns]
    if len(set(numbers)) < len(numbers):
        raise InputError("two utterances of one turn have answers", dialogue=dialogue_id)
    return tuple(Turn(number) for number in numbers)


def _check_end(turns: dict[tuple[str, int], dict[str, Any]]) -> None:
    """Refuses a file that ends inside a turn, where all turns before it have the same slots."""
    (dialogue_id, utterance), last = next(reversed(turns.items()))
    others = [slots.keys() for slots in list(turns.values())[:-1]]
    if others and all(slots == others[0] for slots in others) and last.keys() < others[0]:
        message = f"the last turn has {len(last)} of {len(others[0])} slots; the file seems to be cut off"
        raise InputError(message, dialogue=dialogue_id, turn=utterance)


def _answers(source: Source) -> Iterator[tuple[_Place, str | None, int]]:
    """What the model said; None is a slot that it was not asked for."""
    for number, line in source.lines():
        try:
            *fields, written = _fields(line, 7)
            values = python_literal(written)
            if not isinstance(values, list) or len(values) > 1 or not all(isinstance(each, str) for each in values):
                raise InputError(f"a list of one text is expected, found {one_line(written, 40)!r}")
            yield _place(fields), _without_tokens(values[0]) if values else None, number
        except InputError as error:
            raise error.at(line=number) from None


def _gold(source: Source) -> Iterator[tuple[_Place, str, None]]:
    path = Path(source.path)
    index = Source(path.with_suffix(".idx"))
    if not Path(index.path).is_file():
        raise InputError(f"the dialogues and turns of this gold are in {index.path}, which is not there")
    places = []
    for number, line in index.lines():
        try:
            places.append(_place(_fields(line, 6)))
        except InputError as error:
            raise error.at(file=index.name, line=number) from None
    things = list(source.elements())
    source.check_keys()
    if len(things) != len(places):
        raise InputError(f"{len(things)} answers, while {index.path} has {len(places)} lines")
    for position, (place, thing) in enumerate(zip(places, things, strict=True), 1):
        row = as_mapping(thing, "an answer")
        try:
            value = as_text(row.get("output"), "output").strip()
            named = _slot_in(as_text(row.get("instruction"), "instruction"))
            if named and named != place.slot:
                message = f"answer {position} is about {one_line(named)}, and line {position} of {index.path} is not"
                raise InputError(message)
        except InputError as error:
            raise error.at(dialogue=place.dialogue, turn=place.utterance, slot=place.slot) from None
        yield place, value, None


def _without_tokens(answer: str) -> str:
    """An answer without the marks at its end."""
    end = next((found.start() for found in _TOKENS.finditer(answer) if found.end() == len(answer)), None)
    return answer[:end].strip()


def _slot_in(instruction: str) -> str:
    """The slot that an instruction asks for; empty where it names none."""
    return next((found[1] for found in _IN_ANGLES.finditer(instruction) if "-" in found[1][1:-1]), "")


def _fields(line: bytes, count: int) -> list[str]:
    try:
        fields = line.decode().rstrip("\r\n").split(_MARK, count - 1)
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {error.start})") from None
    if len(fields) != count:
        raise InputError(
            f"{count} fields separated by {_MARK} are expected, found {len(fields)}; the file is damaged or cut off"
        )
    return fields


def _place(fields: list[str]) -> _Place:
    file, dialogue_id, utterance, _, domain, slot = (field.strip() for field in fields)
    if not (dialogue_id and domain and slot):
        raise InputError("an empty dialogue, domain or slot")
    name = f"{file}/{dialogue_id}" if dialogue_id.isdecimal() else dialogue_id
    return _Place(name, turn_number(utterance), f"{domain}-{slot}")
