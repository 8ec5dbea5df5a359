"""Writers of dialogue states: the formats native, rows (as JSON lines or CSV) and nested."""

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
    """The writer of a format.

    Attributes:
        about: one line of help.
        loses: the data that the format cannot hold, in words.
        write: yields the bytes of a file, in blocks.
        holds_frames: True if the format can hold intents and requested slots.
    """

    about: str
    loses: str
    write: Callable[[Iterable[Dialogue]], Iterator[bytes]]
    holds_frames: bool = False


def _write_rows(dialogues: Iterable[Dialogue]) -> Iterator[bytes]:
    for each in dialogues:
        for turn in each.turns:
            row = {"dialogue_id": each.id, "gold": None, "pred": None, **turn_to_dict(turn)}
            yield _encode({name: row[name] for name in _COLUMNS if name in row}) + b"\n"


def _write_csv(dialogues: Iterable[Dialogue]) -> Iterator[bytes]:
    yield ",".join(_COLUMNS).encode() + b"\n"
    for each in dialogues:
        for turn in each.turns:
            states = ("" if state is None else _encode(dict(state)).decode() for state in (turn.gold, turn.pred))
            texts = map(escape_formula, (each.id, str(turn.number), *states, turn.user, turn.system))
            file = io.StringIO()
            # With another line terminator the csv module would not quote a lone carriage return.
            csv.writer(file, lineterminator="\r\n").writerow(texts)
            yield file.getvalue().removesuffix("\r\n").encode() + b"\n"


def _write_nested(dialogues: Iterable[Dialogue]) -> Iterator[bytes]:
    prefix = b"{"
    for each in dialogues:
        turns = {}
        for turn in each.turns:
            native = turn_to_dict(turn)
            nested: dict[str, Any] = {
                name: _group_by_domain(native[side], each.id, turn.number)
                for side, name in (("gold", "gt"), ("pred", "pr"))
                if side in native
            }
            nested |= {name: native[who] for who, name in (("user", "usr"), ("system", "sys")) if who in native}
            turns[str(turn.number)] = nested
        yield prefix + _encode(each.id) + b": " + _encode(turns)
        prefix = b",\n"
    yield b"}\n"


def _group_by_domain(state: State, dialogue: str, turn: int) -> dict[str, dict[str, Any]]:
    domains: dict[str, dict[str, Any]] = {}
    for slot, value in state.items():
        domain, hyphen, name = slot.partition("-")
        if not hyphen:
            message = "the format nested cannot hold a slot without a domain; choose another format with --to"
            raise InputError(message, dialogue=dialogue, turn=turn, slot=slot)
        domains.setdefault(domain, {})[name] = value
    return domains


WRITERS = {
    "native": FormatWriter("one dialogue per line", "nothing", partial(map, encode_dialogue), holds_frames=True),
    "rows": FormatWriter("JSON lines, one turn per line", "intents and requested slots", _write_rows),
    "csv": FormatWriter(
        "the same rows as CSV, with states as JSON in cells", "intents and requested slots", _write_csv
    ),
    "nested": FormatWriter(
        "one document, states grouped by domain",
        "intents and requested slots; a slot without a domain is an error",
        _write_nested,
    ),
}
"""Writers by format name."""


class Losses:
    """Counts the dialogues that are passed to a writer, and the data that its format cannot hold.

    Args:
        format: the name of the format.

    Example:
        >>> from dialmeter.model import Frame, Turn
        >>> losses = Losses("rows")
        >>> dialogues = list(losses.count_losses([Dialogue("d1", (Turn(0, frames={"hotel": Frame("find")}),))]))
        >>> losses.count, [notice.count for notice in losses.notices]
        (1, [1])
    """

    def __init__(self, format: str) -> None:
        self.count = 0
        self._format = format
        self._frames = Places()

    def count_losses(self, dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
        """Yield the dialogues unchanged, and count them."""
        holds_frames = WRITERS[self._format].holds_frames
        for each in dialogues:
            self.count += 1
            for turn in () if holds_frames else each.turns:
                if turn.frames:
                    self._frames.add(turn_label(each.id, turn.number))
            yield each

    @property
    def notices(self) -> list[Notice]:
        """The notice about lost data. It is complete when all dialogues are written."""
        message = f"intents and requested slots of {{}} turns are lost: the format {self._format} cannot hold them"
        return [self._frames.notice("lost-intents", message)] if self._frames.count else []
