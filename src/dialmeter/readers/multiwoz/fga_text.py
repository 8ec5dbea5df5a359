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

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, one_line, placing
from ...model import Dialogue, State, Turn
from ..completions.literals import python_literal
from ..pairs.state_layouts import NESTED
from ..pairs.vocabulary import Vocabulary
from ..parts import Role, as_mapping, dialogue, turn_number
from ..source import Sample, Source

STATES = NESTED
HOLDS = "both"
CARRIES = "gold and predicted states, utterances; text sheets"

_DIALOGUE = "Dialogue ID"
_FIELD = re.compile(rf"\s*({_DIALOGUE}|Turn|Sys|Usr|GT|PR|Matched)\s*:(.*)", re.DOTALL)


class _Field(NamedTuple):
    line: int
    label: str
    text: str


def detect(sample: Sample) -> bool:
    if sample.kind == "folder":
        sheets = _sheets(sample.value)
        return bool(sheets) and _starts_dialogue(_first_line(sheets[0]))
    return sample.kind == "text" and _starts_dialogue(sample.value)


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
            yield dialogue(head.text, [_turn(turn) for turn in _blocks(block[1:], "Turn")])


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


def _turn(block: list[_Field]) -> Turn:
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
