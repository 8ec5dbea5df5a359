"""A table with one row per turn: JSON lines, a JSON list, CSV, TSV or Parquet.

``{"dialogue_id": "MUL0003.json", "turn": 0, "gold": {"hotel-area": "east"}, "pred": {"hotel-area": "west"}}``

For each kind of data, the first of these columns that exists is used:

- dialogue: ``dialogue_id``, ``dial_id``, ``dialog_id``, ``dialogue``, ``id``
- turn: ``turn``, ``turn_id``, ``turn_num``, ``turn_idx``
- gold: ``gold``, ``label``, ``gold_state``, ``state``
- prediction: ``pred``, ``prediction``, ``pred_state``, ``predicted_state``, ``belief``
- utterances: ``user``, ``system``

Case is ignored, and a blank equals an underscore (``Dialogue ID``). Other column names are given with ``--columns``, as
in ``--columns pred=belief --columns turn=step``.

A state is an object (flat, or nested by domain), a list of ``domain-slot-value``, or a text that holds one of these as
JSON or as a Python literal. Alternatively there is one column per slot: ``gold.hotel-area`` and ``pred.hotel-area``
(the point may also be ``:``, ``/``, ``_`` or a blank), or ``hotel-area`` without a prefix if a row has one state. The
role of the file decides whether a single ``state`` column, or slot columns without a prefix, are gold or predicted.

An empty cell is an absent state or value. Rows of CSV and TSV without any text are skipped. Rows may come in any order. Without a turn
column, turns are numbered in file order, with a warning. ``true`` and ``false`` are read as yes and no, with a warning.
In CSV and TSV, a quote before ``=``, ``+``, ``-`` or ``@`` at the beginning of a cell is removed. Such a quote prevents
spreadsheets from evaluating the cell as a formula.

States are read as cumulative. A warning reports states that look like updates.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, did_you_mean, one_line
from ...model import Notice, Turn
from ..csv_files import first_row, rows_of
from ..literals import LONGEST, python_literal
from ..pairs.vocabulary import PairDialogue
from ..records.names import points, side_of
from ..records.reading import SURE_GOLD, question
from ..source import Sample, Source
from ..strict_json import parse_unique
from ..turn_rows import TurnRows, as_id
from ..validation import Role, as_text, turn_number

CONTENT = "both"
DESCRIPTION = "gold and predicted states, one row per turn: JSON lines, CSV, TSV, Parquet"
NAMED_FIELDS = True

DIALOGUE_KEYS = ("dialogue_id", "dial_id", "dialog_id", "dialogue", "id")
TURN_KEYS = ("turn", "turn_id", "turn_num", "turn_idx")
_GOLD_KEYS = ("gold", "label", "gold_state", "state")
_PRED_KEYS = ("pred", "prediction", "pred_state", "predicted_state", "belief")
_KEYS = {"dialogue": DIALOGUE_KEYS, "turn": TURN_KEYS, "gold": _GOLD_KEYS, "pred": _PRED_KEYS}
_OF_COMPLETIONS = frozenset(("completion", "response", "output", "generated_text", "prediction", "text", "choices"))
_CALLS = frozenset(("arguments", "choices", "function", "function_call", "tool_calls"))
"""Keys of model answers, which the format llm reads."""
_SLOT = re.compile(r"[^\W\d]\w*-\S.*")
_SIDE = re.compile(r"\w++[.:/ ]|\w+?_(?=[^\W\d])")


class _Columns(NamedTuple):
    """The columns of each kind of data. ``gold_slots`` and ``pred_slots`` are pairs of slot and column."""

    dialogue: str | None
    turn: str | None
    gold: str | None
    pred: str | None
    gold_slots: tuple[tuple[str, str], ...]
    pred_slots: tuple[tuple[str, str], ...]
    user: str | None
    system: str | None

    @property
    def has_gold(self) -> bool:
        return bool(self.gold or self.gold_slots)

    @property
    def has_pred(self) -> bool:
        return bool(self.pred or self.pred_slots)


def detect(sample: Sample) -> bool:
    if sample.kind == "parquet":
        return True
    row = first_row(sample)
    columns = _find_columns(tuple(row), (), Role.BOTH)
    if columns.dialogue is None or columns.turn is None or not isinstance(row[columns.dialogue], str | int):
        return False
    if columns.gold_slots or columns.pred_slots:
        return True
    if sample.kind == "text":
        return columns.has_gold or columns.has_pred
    if _normalise_name(columns.pred) == "prediction":
        # A text, or an object without gold, is a model answer, which the format llm reads.
        answer = row[str(columns.pred)]
        return columns.has_gold and not isinstance(answer, str) and _looks_like_state(answer)
    if columns.pred is not None:
        # No other format has this column name. An invalid state is reported with its place.
        answer = row[columns.pred]
        return not isinstance(answer, dict) or _CALLS.isdisjoint(answer)
    return columns.gold is not None and _looks_like_state(row[columns.gold]) and _OF_COMPLETIONS.isdisjoint(row)


def fits(source: Source, role: Role) -> bool:
    """True if a file is a table with the named columns, and with the others under their usual names."""
    if not Path(source.path).is_file():
        return True
    sample = source.sample
    names = tuple(first_row(sample))
    if sample.kind == "parquet" or not names or not {*source.fields.values()} <= {*names}:
        return sample.kind == "text"
    columns = _find_columns(names, tuple(source.fields.items()), role)
    both = role is not Role.BOTH or (columns.has_gold and columns.has_pred)
    return columns.dialogue is not None and (both or sample.kind == "text")


def _looks_like_state(value: Any) -> bool:
    if isinstance(value, dict):
        return _CALLS.isdisjoint(value)
    if value is None:
        return True
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value)
    return isinstance(value, str) and value.lstrip()[:1] in ("{", "[")


def _holds_state(cell: Any) -> bool:
    """Is a cell surely a state, and not for example a list of utterances?"""
    try:
        parsed = _parse_cell(cell, "")
    except InputError:
        return False
    if isinstance(parsed, list):
        return bool(parsed) and all(isinstance(each, str) and _SLOT.fullmatch(each) for each in parsed)
    return isinstance(parsed, dict) and _CALLS.isdisjoint(parsed)


def read(source: Source, role: Role) -> Iterator[PairDialogue]:
    rows = TurnRows(source)
    counts: dict[str, int] = {}
    fields = tuple(source.fields.items())
    without_turns, without_states = False, True
    unused: list[str] = []
    for line, row in rows_of(source):
        try:
            columns = _find_columns(tuple(row), fields, role)
            dialogue_id = _dialogue_id(row, columns)
            without_states &= not (columns.has_gold or columns.has_pred)
            without_turns |= columns.turn is None
            if role is Role.BOTH and columns.has_gold and not columns.has_pred and not unused:
                unused = [name for name in row if name not in columns and _holds_state(row[name])]
            if role is Role.BOTH and not fields and columns.gold is not None:
                _check_rivals(row, columns)
            written = counts.get(dialogue_id, 0) if columns.turn is None else row[columns.turn]
            counts[dialogue_id] = counts.get(dialogue_id, 0) + 1
            with rows.placing(dialogue_id, written):
                rows.add(dialogue_id, _turn(row, columns, written, rows))
        except InputError as error:
            raise error.at(line=line) from None
    if counts and without_states:
        raise _missing_column("gold", row, "for gold or predicted states", (*_GOLD_KEYS, *_PRED_KEYS))
    yield from rows.dialogues("a table without rows")
    if unused:
        found, column = ", ".join(one_line(name, 30) for name in list(row)[:20]), one_line(unused[0])
        command = shlex.join(["dialmeter", "score", source.name, "--columns", f"pred={column}"])
        message = f"no column for predictions among {found}; {column} holds states and is unused: {command}"
        source.notices.append(Notice("unused-states", len(unused), message))
    if without_turns:
        message = "no turn column: turns are numbered in file order; name the column with --columns turn=NAME"
        source.notices.append(Notice("numbered-by-order", sum(counts.values()), message))


def _check_rivals(row: Mapping[str, Any], columns: _Columns) -> None:
    """Refuse a row if another column may be gold, too, and has another state."""
    gold = str(columns.gold)
    for name in _rivals(tuple(row), columns):
        if _holds_state(row[name]) and _parse_cell(row[name], name) != _parse_cell(row[gold], gold):
            raise InputError(question("gold", [gold, name]))


@lru_cache(1000)
def _rivals(names: tuple[str, ...], columns: _Columns) -> list[str]:
    """Return the columns that may be gold as well as the chosen one."""
    is_named = side_of(str(columns.gold)) > 0
    least = {"gold": SURE_GOLD} if is_named else {"gold": 1, "state": 4, "previous": 1}
    others = [name for name in names if name not in columns and side_of(name) >= 0]
    return [name for name in others if any(points(role, name) >= least[role] for role in least)]


def _dialogue_id(row: Mapping[str, Any], columns: _Columns) -> str:
    if columns.dialogue is None:
        raise _missing_column("dialogue", row, "for the dialogue id", DIALOGUE_KEYS)
    return as_id(row[columns.dialogue], "a dialogue id")


def _turn(row: Mapping[str, Any], columns: _Columns, written: Any, rows: TurnRows) -> Turn:
    # Spreadsheets and data frames write whole numbers as 3.0.
    number = int(written) if isinstance(written, float) and written.is_integer() else written
    if isinstance(number, str):
        number = number.strip().removesuffix(".0")
    return Turn(
        turn_number(number),
        _state(row, columns.gold, columns.gold_slots, rows),
        _state(row, columns.pred, columns.pred_slots, rows),
        as_text(row[columns.user], "user") if columns.user else "",
        as_text(row[columns.system], "system") if columns.system else "",
    )


def _state(row: Mapping[str, Any], column: str | None, slots: Iterable[tuple[str, str]], rows: TurnRows) -> Any:
    if column is not None:
        return rows.state(_parse_cell(row[column], column))
    if not slots:
        return None
    return {slot: rows.value(slot, row[name]) for slot, name in slots if row[name] not in ("", None)}


def _parse_cell(cell: Any, column: str) -> Any:
    """Parse the state in a cell, which may be a text."""
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if not text:
        return None
    if text[0] not in "{[":
        raise InputError(
            f"{one_line(column)} must hold an object, a list of domain-slot-value, or one of these as text, "
            f"found {one_line(text, 40)!r}"
        )
    try:
        return parse_unique(text.encode(), None)
    except InputError as error:
        if "duplicate" in error.message or len(text) > LONGEST:
            raise InputError(error.message) from None
    try:
        return python_literal(text)
    except InputError:
        raise InputError(f"{one_line(column)} is neither JSON nor a Python literal: {one_line(text, 40)!r}") from None


@lru_cache(1000)
def _find_columns(names: tuple[str, ...], fields: tuple[tuple[str, str], ...], role: Role) -> _Columns:
    """Find the columns of each kind of data.

    Raises:
        InputError: a column that the user named does not exist.
    """
    given = dict(fields)
    for key, name in given.items():
        if name not in names and key in (*_KEYS, "user", "system") and not _slot_columns(names, (name,)):
            raise InputError(
                f"no column {one_line(name)!r} (--columns {key}={one_line(name)}); {did_you_mean(name, names)}"
            )
    chosen = {key: given.get(key) or _find_key(names, keys) for key, keys in _KEYS.items()}
    for key in ("user", "system"):
        chosen[key] = given.get(key) or _find_key(names, (key,))
    slots = {side: _slot_columns(names, (given[side],) if side in given else _KEYS[side]) for side in ("gold", "pred")}
    for side in slots:
        if chosen[side] not in names:
            chosen[side] = None
        if chosen[side] is not None:
            slots[side] = ()
    plain = tuple((name, name) for name in names if _SLOT.fullmatch(name) and not _split_side(name))
    one_sided = "pred" if role is Role.PRED else "gold"
    if plain and not any((chosen["gold"], chosen["pred"], *slots.values())):
        slots[one_sided] = plain
    if (
        role is Role.PRED
        and "gold" not in given
        and _normalise_name(chosen["gold"]) == "state"
        and not (chosen["pred"] or slots["pred"])
    ):
        chosen["gold"], chosen["pred"] = None, chosen["gold"]
    return _Columns(**chosen, gold_slots=slots["gold"], pred_slots=slots["pred"])


def _slot_columns(names: Iterable[str], sides: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return pairs of slot and column for the columns that hold one slot of the given sides."""
    split_names = ((name, _split_side(name)) for name in names)
    return tuple((split[1], name) for name, split in split_names if split and split[0] in sides)


def _split_side(name: str) -> tuple[str, str] | None:
    """Split a column name such as ``pred.hotel-area`` or ``pred_hotel-area`` into side and slot."""
    side = _SIDE.match(name)
    slot = name[side.end() :] if side else ""
    return (name[: side.end() - 1], slot) if side and _SLOT.fullmatch(slot) else None


def _find_key(names: Iterable[str], keys: Iterable[str]) -> str | None:
    """Return the column of the first key that exists: first exact names, then other case and blanks.

    ``ID`` does not match, because it is a key of the format ic-dst.
    """
    spelled = {_normalise_name(name): name for name in names if name != "ID"}
    return next((key for key in keys if key in names), None) or next(
        (spelled[key] for key in keys if key in spelled), None
    )


def _normalise_name(name: str | None) -> str:
    """Normalise a column name: lower case, underscores."""
    return (name or "").strip().lower().replace(" ", "_")


def _missing_column(key: str, row: Mapping[str, Any], purpose: str, keys: Iterable[str]) -> InputError:
    columns = ", ".join(one_line(name, 30) for name in list(row)[:20])
    return InputError(
        f"no column {purpose}; expected one of: {', '.join(keys)}; found: {columns}; name it with --columns {key}=NAME"
    )
