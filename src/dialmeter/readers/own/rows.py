"""A table with one row per turn: JSON lines, a JSON list, CSV, TSV or Parquet.

``{"dialogue_id": "MUL0003.json", "turn": 0, "gold": {"hotel-area": "east"}, "pred": {"hotel-area": "west"}}``

These names of columns are tried in their order:

- dialogue: ``dialogue_id``, ``dial_id``, ``dialog_id``, ``dialogue``, ``id``
- turn: ``turn``, ``turn_id``, ``turn_num``, ``turn_idx``
- gold: ``gold``, ``label``, ``gold_state``, ``state``
- prediction: ``pred``, ``prediction``, ``pred_state``, ``predicted_state``, ``belief``
- utterances: ``user``, ``system``

Capitals do not count, nor do blanks for underscores (``Dialogue ID``). ``--fields pred=belief --fields turn=step`` names
others. A state is an object (flat, or nested by domain), a list of ``domain-slot-value``, or text that holds one of them
as JSON or as Python prints it. Or there is one column per slot: ``gold.hotel-area`` and ``pred.hotel-area`` (the point may
also be ``:``, ``/``, ``_`` or a blank), or ``hotel-area`` alone where a row has one state. ``state`` alone and slots alone are
gold or predicted by the role of the file. An empty cell is a state, or a value, that is not there; rows whose cells are
all empty are skipped. Rows may come in any order; without a column of turns their order counts, with a warning. ``true``
and ``false`` are read as yes and no, with a warning. In CSV and TSV, a quote before ``=``, ``+``, ``-`` or ``@`` at the
beginning of a cell is taken off: it keeps spreadsheets from calculating the cell.

States are taken as cumulative; a warning says where they look like updates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ...errors import InputError, did_you_mean, one_line
from ...model import Notice, Turn
from ..completions.literals import LONGEST, python_literal
from ..pairs.vocabulary import PairDialogue, Vocabulary
from ..parts import Role, as_text, turn_number
from ..source import Sample, Source
from ..strict_json import parse_unique
from ..turn_rows import TurnRows, add_row_place, as_id
from ..yes_no import YesNo, flat_state
from .tables import first_row, rows_of

HOLDS = "both"
CARRIES = "gold and predicted states, one row per turn: JSON lines, CSV, TSV, Parquet"
TAKES_FIELDS = True

DIALOGUE_KEYS = ("dialogue_id", "dial_id", "dialog_id", "dialogue", "id")
TURN_KEYS = ("turn", "turn_id", "turn_num", "turn_idx")
_GOLD_KEYS = ("gold", "label", "gold_state", "state")
_PRED_KEYS = ("pred", "prediction", "pred_state", "predicted_state", "belief")
_KEYS = {"dialogue": DIALOGUE_KEYS, "turn": TURN_KEYS, "gold": _GOLD_KEYS, "pred": _PRED_KEYS}
_OF_COMPLETIONS = frozenset(("completion", "response", "output", "generated_text", "prediction", "text", "choices"))
_CALLS = frozenset(("arguments", "choices", "function", "function_call", "tool_calls"))
"""Keys of what a model answers, which the format llm reads."""
_SLOT = re.compile(r"[^\W\d]\w*-\S.*")
_SIDE = re.compile(r"\w++[.:/ ]|\w+?_(?=[^\W\d])")


class _Columns(NamedTuple):
    """Which columns hold what; ``gold_slots`` and ``pred_slots`` go from slots to columns."""

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
    if _spelled(columns.pred) == "prediction":
        # Text, and a lone object, is what a model answered: the format llm.
        answer = row[str(columns.pred)]
        return columns.has_gold and not isinstance(answer, str) and _looks_like_state(answer)
    if columns.pred is not None:
        # No other format has this name: what is no state is reported with its place.
        answer = row[columns.pred]
        return not isinstance(answer, dict) or _CALLS.isdisjoint(answer)
    return columns.gold is not None and _looks_like_state(row[columns.gold]) and _OF_COMPLETIONS.isdisjoint(row)


def _looks_like_state(thing: Any) -> bool:
    if isinstance(thing, dict):
        return _CALLS.isdisjoint(thing)
    if thing is None:
        return True
    if isinstance(thing, list):
        return all(isinstance(each, str) for each in thing)
    return isinstance(thing, str) and thing.lstrip()[:1] in ("{", "[")


def read(source: Source, role: Role) -> Iterator[PairDialogue]:
    source.vocabulary = source.vocabulary or Vocabulary()
    rows = TurnRows(source)
    yes_no = YesNo()
    counts: dict[str, int] = {}
    fields = tuple(source.fields.items())
    without_turns, without_states = False, True
    for line, row in rows_of(source):
        try:
            columns = _find_columns(tuple(row), fields, role)
            dialogue_id = _dialogue_id(row, columns)
            without_states &= not (columns.has_gold or columns.has_pred)
            without_turns |= columns.turn is None
            written = counts.get(dialogue_id, 0) if columns.turn is None else row[columns.turn]
            counts[dialogue_id] = counts.get(dialogue_id, 0) + 1
            yes_no.dialogue, yes_no.turn = dialogue_id, written
            try:
                rows.add(dialogue_id, _turn(row, columns, written, yes_no))
            except InputError as error:
                raise add_row_place(error, dialogue_id, written) from None
        except InputError as error:
            raise error.at(line=line) from None
    if not rows:
        raise InputError("a table without rows")
    if without_states:
        raise _no_column("gold", row, "gold or predicted states", (*_GOLD_KEYS, *_PRED_KEYS))
    yield from rows.dialogues()
    source.notices += yes_no.notices(source.vocabulary)
    if without_turns:
        message = (
            "no column of turns: rows of a dialogue are numbered in their order; name a column with --fields turn=NAME"
        )
        source.notices.append(Notice("numbered-by-order", sum(counts.values()), message))


def _dialogue_id(row: Mapping[str, Any], columns: _Columns) -> str:
    if columns.dialogue is None:
        raise _no_column("dialogue", row, "the dialogue", DIALOGUE_KEYS)
    return as_id(row[columns.dialogue], "a dialogue id")


def _turn(row: Mapping[str, Any], columns: _Columns, written: Any, yes_no: YesNo) -> Turn:
    # Spreadsheets and data frames write whole numbers as 3.0.
    number = int(written) if isinstance(written, float) and written.is_integer() else written
    if isinstance(number, str):
        number = number.strip().removesuffix(".0")
    return Turn(
        turn_number(number),
        _state(row, columns.gold, columns.gold_slots, yes_no),
        _state(row, columns.pred, columns.pred_slots, yes_no),
        as_text(row[columns.user], "user") if columns.user else "",
        as_text(row[columns.system], "system") if columns.system else "",
    )


def _state(row: Mapping[str, Any], column: str | None, slots: Iterable[tuple[str, str]], yes_no: YesNo) -> Any:
    if column is not None:
        return flat_state(_parsed(row[column], column), yes_no)
    if not slots:
        return None
    return {slot: yes_no.replace_boolean(slot, row[name]) for slot, name in slots if row[name] not in ("", None)}


def _parsed(cell: Any, column: str) -> Any:
    """A state in a cell, which may be text."""
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if not text:
        return None
    if text[0] not in "{[":
        raise InputError(
            f"{one_line(column)} must hold an object, a list of domain-slot-value, or one of them as text, "
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
    """Which columns hold what.

    Raises:
        InputError: a column that the user named is not there, or slots beside a column of states.
    """
    given = dict(fields)
    for key, name in given.items():
        if name not in names and key in (*_KEYS, "user", "system") and not _slots_of(names, (name,)):
            raise InputError(
                f"no column {one_line(name)!r} (--fields {key}={one_line(name)}); {did_you_mean(name, names)}"
            )
    chosen = {key: given.get(key) or _first(names, keys) for key, keys in _KEYS.items()}
    for key in ("user", "system"):
        chosen[key] = given.get(key) or _first(names, (key,))
    slots = {side: _slots_of(names, (given[side],) if side in given else _KEYS[side]) for side in ("gold", "pred")}
    for side in slots:
        if chosen[side] not in names:
            chosen[side] = None
        if chosen[side] is not None:
            slots[side] = ()
    plain = tuple((name, name) for name in names if _SLOT.fullmatch(name) and not _sided_slot(name))
    one_sided = "pred" if role is Role.PRED else "gold"
    if plain and not any((chosen["gold"], chosen["pred"], *slots.values())):
        slots[one_sided] = plain
    if (
        role is Role.PRED
        and "gold" not in given
        and _spelled(chosen["gold"]) == "state"
        and not (chosen["pred"] or slots["pred"])
    ):
        chosen["gold"], chosen["pred"] = None, chosen["gold"]
    return _Columns(**chosen, gold_slots=slots["gold"], pred_slots=slots["pred"])


def _slots_of(names: Iterable[str], sides: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The columns of one slot each on one side, as slot and column."""
    found = ((name, _sided_slot(name)) for name in names)
    return tuple((sided[1], name) for name, sided in found if sided and sided[0] in sides)


def _sided_slot(name: str) -> tuple[str, str] | None:
    """The side and the slot that a column is called by: ``pred.hotel-area``, ``pred_hotel-area``."""
    side = _SIDE.match(name)
    slot = name[side.end() :] if side else ""
    return (name[: side.end() - 1], slot) if side and _SLOT.fullmatch(slot) else None


def _first(names: Iterable[str], keys: Iterable[str]) -> str | None:
    """The first key that is there, as it is or with other capitals and blanks; ``ID`` is the key of another format."""
    spelled = {_spelled(name): name for name in names if name != "ID"}
    return next((key for key in keys if key in names), None) or next(
        (spelled[key] for key in keys if key in spelled), None
    )


def _spelled(name: str | None) -> str:
    """The name of a column as keys are written."""
    return (name or "").strip().lower().replace(" ", "_")


def _no_column(key: str, row: Mapping[str, Any], what: str, keys: Iterable[str]) -> InputError:
    seen = ", ".join(one_line(name, 30) for name in list(row)[:20])
    return InputError(
        f"no column of {what}; it is expected under one of: {', '.join(keys)}; found: {seen}; "
        f"name it with --fields {key}=NAME"
    )
