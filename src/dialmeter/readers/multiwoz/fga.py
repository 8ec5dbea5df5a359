"""Files of the evaluation of FGA: nested states, text sheets, and vectors of correctness."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...errors import InputError, one_line, placing
from ...model import Dialogue, State, Turn
from ..completions.literals import python_literal
from ..pairs.raw_turns import RawDialogue, make_raw_turn, number_raw
from ..pairs.state_layouts import FLAT, NESTED
from ..pairs.vocabulary import PairDialogue, Vocabulary
from ..parts import (
    TURN_DIGITS,
    Role,
    as_list,
    as_mapping,
    as_text,
    dialogue,
    first_value,
    read_dialogues,
    read_turns,
    turn_number,
)
from ..source import Sample, Source
from ..strict_json import REFUSALS

# The number of a turn is its key in the dialogue, not a field of the turn.
_RawTurn = make_raw_turn("", "gt", "pr", "usr", "sys")
_decode: Any = msgspec.json.Decoder(dict[str, _RawTurn]).decode  # type: ignore[valid-type]


class Nested:
    """``{dialogue: {"0": {"gt": {"hotel": {"area": "east"}}, "pr": {...}}}}``: the format of the FGA and GCA repositories.

    The keys of a dialogue are turn numbers. ``gt`` is the gold state and ``pr`` the predicted state. A turn may also have
    the utterances ``usr`` and ``sys``.
    """

    STATES = NESTED
    HOLDS = "both"
    CARRIES = "gold and predicted states"

    @staticmethod
    def detect(sample: Sample) -> bool:
        # The first dialogue may be without turns, and the first turn without states.
        dialogues = sample.value.values() if sample.kind == "document" and isinstance(sample.value, dict) else ()
        turns = (turn for each in dialogues if isinstance(each, dict) for turn in each.values())
        return any(isinstance(turn, dict) and ("gt" in turn or "pr" in turn) for turn in turns)

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
        words = source.vocabulary or Vocabulary()
        parts = source.parts("an object")
        for place, dialogue_id in enumerate(parts.keys or ()):
            with placing(dialogue=dialogue_id):
                raw = parts.raw(place)
                result = None if raw is None else _number_dialogue(raw, dialogue_id, source.name, words)
                if result is not None:
                    parts.skip(place)
                yield result or dialogue(
                    dialogue_id, read_turns(as_mapping(parts.parse(place), "a dialogue").items(), _nested_turn)
                )
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


def _nested_turn(key: str, thing: Any) -> Turn:
    turn = as_mapping(thing, "a turn")
    return Turn(
        number=turn_number(key),
        gold=as_mapping(turn["gt"], "a state") if "gt" in turn else None,
        pred=as_mapping(turn["pr"], "a state") if "pr" in turn else None,
        user=as_text(turn.get("usr"), "usr"),
        system=as_text(turn.get("sys"), "sys"),
    )


_DIALOGUE = "Dialogue ID"
_FIELD = re.compile(rf"\s*({_DIALOGUE}|Turn|Sys|Usr|GT|PR|Matched)\s*:(.*)", re.DOTALL)


class _Field(NamedTuple):
    line: int
    label: str
    text: str


class FgaText:
    """Text sheets of the human evaluation of FGA: one file with one or more dialogues, or a folder of ``.txt`` files.

    ::

        Dialogue ID : MUL0144.json
        ----------------------
        Turn: 0
        Sys :
        Usr : I am looking for a cheap restaurant.

        GT  : {'restaurant': {'pricerange': 'cheap'}}
        PR  : {{}}

        Matched : False

    ``GT`` is the gold state and ``PR`` the predicted state. ``{{}}`` is the empty state. ``Matched`` is ignored, because it
    follows from the states. Utterances and states may span several lines.
    """

    STATES = NESTED
    HOLDS = "both"
    CARRIES = "gold and predicted states, utterances; text sheets"

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind == "folder":
            sheets = _sheets(sample.value)
            return bool(sheets) and _starts_dialogue(_first_line(sheets[0]))
        return sample.kind == "text" and _starts_dialogue(sample.value)

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue]:
        if not source.is_folder:
            yield from _dialogues(source.text)
            return
        sheets = _sheets(Path(source.path))
        if not sheets:
            raise InputError("a folder without .txt files")
        for path in sheets:
            source.part = str(path)
            with placing(file=str(path)):
                yield from _dialogues(Source(path).text)


def _sheets(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.txt"))


def _first_line(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.readline(200)
    except OSError:
        return ""


def _starts_dialogue(line: str) -> bool:
    match = _FIELD.match(line.lstrip("\ufeff"))
    return match is not None and match[1] == _DIALOGUE


def _dialogues(text: str) -> Iterator[Dialogue]:
    for block in _blocks(_fields(text), _DIALOGUE):
        head = block[0]
        if not head.text:
            raise InputError(f"{_DIALOGUE} without an id", line=head.line)
        with placing(dialogue=head.text):
            yield dialogue(head.text, [_sheet_turn(turn) for turn in _blocks(block[1:], "Turn")])


def _fields(text: str) -> list[_Field]:
    """Return the labelled lines, each joined with its continuation lines. Rulers and blank lines are skipped."""
    fields: list[_Field] = []
    for number, line in enumerate(text.split("\n"), 1):
        match = _FIELD.match(line)
        if match:
            fields.append(_Field(number, match[1], match[2].strip()))
        elif line.strip(" \t\r-"):
            if not fields or fields[-1].label not in ("Sys", "Usr", "GT", "PR"):
                raise InputError(f"a line without a label, {one_line(line.strip(), 40)!r}", line=number)
            fields[-1] = fields[-1]._replace(text=f"{fields[-1].text}\n{line.strip()}".lstrip())
    if not fields:
        raise InputError(f"no dialogue; a sheet must begin with '{_DIALOGUE} :'")
    return fields


def _blocks(fields: list[_Field], label: str) -> Iterator[list[_Field]]:
    """Split the fields into blocks that begin with the label."""
    starts = [position for position, field in enumerate(fields) if field.label == label]
    if fields and starts[:1] != [0]:
        raise InputError(f"{fields[0].label} before any '{label}'", line=fields[0].line)
    for start, end in pairwise([*starts, len(fields)]):
        yield fields[start:end]


def _sheet_turn(block: list[_Field]) -> Turn:
    head, *rest = block
    with placing(turn=head.text, line=head.line):
        fields = {field.label: field for field in rest}
        if len(fields) < len(rest):
            raise InputError("duplicate label in the turn; every turn must begin with 'Turn:'")
        if not {"GT", "PR"} & fields.keys():
            raise InputError("a turn without GT and PR")
        return Turn(
            number=turn_number(head.text),
            gold=_state(fields.get("GT")),
            pred=_state(fields.get("PR")),
            user=fields["Usr"].text if "Usr" in fields else "",
            system=fields["Sys"].text if "Sys" in fields else "",
        )


def _state(field: _Field | None) -> State | None:
    if field is None:
        return None
    words = Vocabulary()
    with placing(line=field.line):
        state = as_mapping(python_literal(field.text), "a state")
        # Validate the state here, where the line is known.
        words.state(words.number(state, NESTED))
        return state


_WORDS = {0: "wrong", 1: "right"}


class CorrectnessVectors:
    """``{dialogue: {"0": [1, 1, 0, ...]}}``: for each turn, whether each slot of the schema is correct (1) or wrong (0).

    TripPy's results for FGA were published in this format. The file has no values, so only JGA, SA and FGA(local=vector)
    can be computed. Every position is a slot. Its gold value is ``right``, and its predicted value is ``right`` or
    ``wrong``.
    """

    STATES = FLAT
    HOLDS = "both"
    CARRIES = "which slots are correct, without values"
    CORRECTNESS_ONLY = True

    @staticmethod
    def detect(sample: Sample) -> bool:
        vector = first_value(first_value(sample.value)) if sample.kind == "document" else None
        return isinstance(vector, list) and bool(vector) and all(map(_is_mark, vector))

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue]:
        reader = _VectorReader()
        return read_dialogues(
            source.members(), lambda thing: read_turns(as_mapping(thing, "a dialogue").items(), reader.turn)
        )


def _is_mark(thing: object) -> bool:
    """Return True for 0 and 1. TripPy's own script writes them as 0.0 and 1.0."""
    return isinstance(thing, int | float) and not isinstance(thing, bool) and thing in _WORDS


class _VectorReader:
    """Reads turns. The first turn sets the number of positions of all turns."""

    def __init__(self) -> None:
        self._gold: State | None = None

    def turn(self, key: str, thing: Any) -> Turn:
        vector = as_list(thing, "a turn")
        if self._gold is None:
            self._gold = {f"slot-{position:02d}": "right" for position in range(len(vector))}
        if not vector or len(vector) != len(self._gold):
            raise InputError(
                f"a vector of {len(vector)} positions; expected {len(self._gold)}, as in the first vector, and at least one"
            )
        pred: dict[str, str] = {}
        for slot, mark in zip(self._gold, vector, strict=True):
            if not _is_mark(mark):
                raise InputError(f"a position must be 0 or 1, found {one_line(repr(mark), 40)}", slot=slot)
            pred[slot] = _WORDS[mark]
        return Turn(number=turn_number(key), gold=self._gold, pred=pred)
