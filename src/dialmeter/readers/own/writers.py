"""The formats in which states can be written: native lines, flat rows as JSON lines and as CSV, and nested."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import msgspec

from ...errors import InputError
from ...model import Dialogue, Notice, State
from ..csv_files import escape_formula
from ..turn_rows import Places, turn_label
from .native import encode_dialogue, turn_to_dict

_COLUMNS = ("dialogue_id", "turn", "gold", "pred", "user", "system")
_encode = msgspec.json.Encoder().encode


class FormatWriter(NamedTuple):
    """How dialogues are written in a format.

    Attributes:
        about: one line of help.
        loses: what the format has no place for, in words.
        write: the bytes of a file, part by part.
        holds_frames: has it a place for intents and requested slots?
    """

    about: str
    loses: str
    write: Callable[[Iterable[Dialogue]], Iterator[bytes]]
    holds_frames: bool = False


def _rows(dialogues: Iterable[Dialogue]) -> Iterator[bytes]:
    for each in dialogues:
        for turn in each.turns:
            row = {"dialogue_id": each.id, "gold": None, "pred": None, **turn_to_dict(turn)}
            yield _encode({name: row[name] for name in _COLUMNS if name in row}) + b"\n"


def _csv(dialogues: Iterable[Dialogue]) -> Iterator[bytes]:
    yield ",".join(_COLUMNS).encode() + b"\n"
    for each in dialogues:
        for turn in each.turns:
            states = ("" if state is None else _encode(dict(state)).decode() for state in (turn.gold, turn.pred))
            texts = map(escape_formula, (each.id, str(turn.number), *states, turn.user, turn.system))
            file = io.StringIO()
            # With another end of a line the writer would not quote a lone carriage return.
            csv.writer(file, lineterminator="\r\n").writerow(texts)
            yield file.getvalue().removesuffix("\r\n").encode() + b"\n"


def _nested(dialogues: Iterable[Dialogue]) -> Iterator[bytes]:
    before = b"{"
    for each in dialogues:
        turns = {}
        for turn in each.turns:
            written = turn_to_dict(turn)
            inside: dict[str, Any] = {
                name: _by_domain(written[side], each.id, turn.number)
                for side, name in (("gold", "gt"), ("pred", "pr"))
                if side in written
            }
            inside |= {name: written[who] for who, name in (("user", "usr"), ("system", "sys")) if who in written}
            turns[str(turn.number)] = inside
        yield before + _encode(each.id) + b": " + _encode(turns)
        before = b",\n"
    yield b"}\n"


def _by_domain(state: State, dialogue: str, turn: int) -> dict[str, dict[str, Any]]:
    domains: dict[str, dict[str, Any]] = {}
    for slot, value in state.items():
        domain, hyphen, name = slot.partition("-")
        if not hyphen:
            message = "a slot without a domain has no place in the format nested; take another one with --to"
            raise InputError(message, dialogue=dialogue, turn=turn, slot=slot)
        domains.setdefault(domain, {})[name] = value
    return domains


WRITERS = {
    "native": FormatWriter("one dialogue per line", "nothing", partial(map, encode_dialogue), holds_frames=True),
    "rows": FormatWriter("JSON lines, one turn per line", "intents and requested slots", _rows),
    "csv": FormatWriter("the same rows as CSV, states as JSON in a cell", "intents and requested slots", _csv),
    "nested": FormatWriter(
        "one document, domains inside states", "intents and requested slots; refuses slots without a domain", _nested
    ),
}
"""By name."""


class Losses:
    """Counts dialogues on their way to a writer, and what of them its format has no place for.

    Args:
        format: the name of the format.

    Example:
        >>> from dialmeter.model import Frame, Turn
        >>> losses = Losses("rows")
        >>> found = list(losses.counted([Dialogue("d1", (Turn(0, frames={"hotel": Frame("find")}),))]))
        >>> losses.count, [notice.count for notice in losses.notices]
        (1, [1])
    """

    def __init__(self, format: str) -> None:
        self.count = 0
        self._format = format
        self._frames = Places()

    def counted(self, dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
        """The same dialogues."""
        holds_frames = WRITERS[self._format].holds_frames
        for each in dialogues:
            self.count += 1
            for turn in () if holds_frames else each.turns:
                if turn.frames:
                    self._frames.add(turn_label(each.id, turn.number))
            yield each

    @property
    def notices(self) -> list[Notice]:
        """What is lost; complete when all is written."""
        where = f"the format {self._format} has no place for them"
        message = f"intents and requested slots of {{}} turns are lost: {where}"
        return [self._frames.notice("lost-intents", message)] if self._frames.count else []
