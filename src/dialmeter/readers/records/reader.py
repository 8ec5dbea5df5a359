"""Any other file whose records hold states: the layout is inferred, and said.

A field's role comes from its name and from what it holds: ids of dialogues, numbers of turns, gold, predictions. One reading
must win clearly; otherwise the question is asked that a person can answer. ``--columns`` names fields and answers it.

``{"items": [{"sessionId": "a", "turnIndex": 0, "expectedOutput": {"area": "east"}, "output": {"area": "west"}}]}``

States may be objects, lists, answers of models, or texts. Rows may be dialogues with turns, turns, or one slot each; slots may
have a column each. A table may be stored by columns.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from ...errors import InputError, one_line, placing
from ...model import Notice, State, Turn
from ..csv_files import NO_HEADER, first_row, is_data, parse_header, rows_of
from ..entries import first_entry, keys_of_turns
from ..pairs.vocabulary import PairDialogue
from ..source import Sample, Source
from ..strict_json import parse_unique
from ..turn_rows import TurnRows, as_id
from ..unrecognised_input import unknown_format
from ..validation import Role, as_text, turn_number
from .folders import data_files, files_by_side, files_of_one_split
from .names import points, side_of
from .reading import (
    RESTARTS,
    SLOTS,
    SURE_GOLD,
    NoReading,
    Reading,
    Request,
    SeveralTrackers,
    best_reading,
    is_slot_column,
    is_table_of_gold,
    normal_name,
    number_of,
    slot_columns,
    split_ids,
    usual_columns,
)
from .states import Decoder, NoState, is_plain_state, parsed_cell
from .tables import SAMPLE, RowTable, slot_at, tables_of, value_at
from .updates import add_up, check_states, sides_of_updates

CONTENT = "both"
NAMED_FIELDS = True
DESCRIPTION = "gold and predicted states in records of any layout: JSON, JSON lines, CSV, TSV, Parquet"
_CALLS = frozenset(("arguments", "choices", "function", "function_call", "tool_calls"))
"""Keys of model answers, which the format llm reads."""
_SIDES = ("gold", "pred", "state")
_KNOWN = 5
"""A name with so many points says gold, prediction or state."""


def detect(sample: Sample) -> bool:
    """True if the names of fields say that some hold states."""
    names = _names(sample)
    return bool(names) and any(points(role, name) >= _KNOWN for name in names for role in _SIDES)


def has_both(sample: Sample, *, is_sure: bool = True) -> bool:
    """True if the names of fields say that the file holds gold and predictions; with ``is_sure=False``, at least gold."""
    names = [name.rpartition(".")[2] for name in _names(sample) if name.count(".") < 2]
    return (
        any(points("gold", name) >= 7 and side_of(name) > 0 for name in names)
        and (not is_sure or any(points("pred", name) >= 6 and side_of(name) < 0 for name in names))
    ) or any(
        points("pred", name) >= 10
        and (
            points("state", name) >= 4
            or any(points("state", each) >= 5 or each == _without_side(name) for each in names)
        )
        for name in names
    )


def _without_side(name: str) -> str:
    """Return a name without its first word, or its last one, if this says prediction.

    Example:
        >>> _without_side("pred_metadata"), _without_side("bs_pred")
        ('metadata', 'bs')
    """
    first, _, rest = name.partition("_")
    return rest if points("pred", first) else name.rpartition("_")[0]


def replaces(format: str, has_one_state: bool, sample: Sample, is_one_side: bool) -> bool:
    """True if a file has the keys of another format, but states in fields that this format does not know.

    Args:
        format: the format.
        has_one_state: True if the format has one state in each turn.
        sample: the sample of the file.
        is_one_side: True if the file is known to hold gold or predictions.
    """
    if has_parts(sample):
        return True
    names = _names(sample)
    if format == "native":
        keys = keys_of_turns(sample)
        if is_one_side:
            return keys.isdisjoint(("gold", "pred")) and any(
                points(role, key) >= _KNOWN for key in keys for role in _SIDES
            )
        return not keys.issuperset(("gold", "pred")) and has_both(sample)
    if is_one_side:
        return False
    if format == "llm":
        has_gold = any(points("gold", name) >= SURE_GOLD and side_of(name) > 0 for name in names)
        objects = [each for each in first_entry(sample).values() if isinstance(each, dict)]
        return "gold" not in names and (has_gold or len(objects) > 1)
    return has_one_state and has_both(sample)


def _names(sample: Sample) -> list[str]:
    if sample.kind == "text":
        return parse_header(sample.value)[0]
    if sample.kind == "folder":
        first = next(iter(data_files(sample.value).values()), None)
        if first is None:
            return []
        with closing(Source(first)) as source:
            return ["pred"] if source.sample.kind == "parquet" else _names(source.sample)
    if sample.kind not in ("document", "lines", "lists", "tables"):
        return []
    trees = (
        sample.value.values()
        if sample.kind == "tables"
        else [sample.value]
        if sample.kind != "lines"
        else [[sample.value]]
    )
    return list(dict.fromkeys(name for tree in trees for table in tables_of(tree) for name in table.columns))


def read(source: Source, role: Role) -> Iterator[PairDialogue]:
    tables, lines = _tables(source)
    if not tables and source.sample.kind == "text" and len(_names(source.sample)) > 1:
        raise InputError("a table without rows")
    request = Request(role, source.tracker, source.name, source.fields, source.gold)
    try:
        try:
            reading = best_reading(tables, request)
        except (NoReading, InputError):
            if source.likely_role is None:
                raise
            reading = best_reading(tables, request._replace(role=source.likely_role))
    except (NoReading, InputError) as error:
        if isinstance(error, SeveralTrackers):
            source.trackers = error.trackers
        _advise_sides(source, role)
        if isinstance(error, NoReading) and role is Role.BOTH and _is_one_side(tables, request):
            raise InputError("one state per turn; add gold with --gold FILE, or if this is gold, predictions") from None
        if isinstance(error, InputError):
            raise
        unknown = "unknown format; see `dialmeter list formats`, or name the format with --from"
        raise InputError(unknown_format(source.sample, unknown, with_closest=True)) from None
    source.has_ids = bool(reading.dialogue)
    rows = TurnRows(source)
    if reading.states or not reading.is_usual:
        source.notices.append(Notice("read-as", len(reading.table.rows), f'read as --columns "{reading.columns}"'))
    source.notices += [Notice("reading", 1, note) for note in reading.notes]
    yield from _Turns(source, reading, rows, lines).dialogues()


def _is_one_side(tables: Any, request: Request) -> bool:
    """Return True if a file has states of one side: the same are gold if gold is wanted, and predictions if these are."""
    try:
        gold, pred = (best_reading(tables, request._replace(role=role)) for role in (Role.GOLD, Role.PRED))
        return [gold.gold] == [*pred.pred.values()]
    except (NoReading, InputError):
        return False


class TurnTable:
    """A table with one row per turn and usual names: JSON lines, a JSON list, CSV, TSV or Parquet.

    ``{"dialogue_id": "MUL0003.json", "turn": 0, "gold": {"hotel-area": "east"}, "pred": {"hotel-area": "west"}}``

    For each kind of data, the first of these columns that exists is used:

    - dialogue: ``dialogue_id``, ``dial_id``, ``dialog_id``, ``dialogue``, ``id``
    - turn: ``turn``, ``turn_id``, ``turn_num``, ``turn_idx``
    - gold: ``gold``, ``label``, ``gold_state``, ``state``
    - prediction: ``pred``, ``prediction``, ``pred_state``, ``predicted_state``, ``belief``
    - utterances: ``user``, ``system``

    Case is ignored, and a blank equals an underscore (``Dialogue ID``). Other names are read as in the format ``records``, and
    given with ``--columns``, as in ``--columns pred=belief --columns turn=step``.

    A state is an object (flat, or nested by domain), a list of ``domain-slot-value``, or a text that holds one of these as
    JSON or as a Python literal. Alternatively there is one column per slot: ``gold.hotel-area`` and ``pred.hotel-area``
    (the point may also be ``:``, ``/``, ``_`` or a blank), or ``hotel-area`` without a prefix if a row has one state. The
    role of the file decides whether a single ``state`` column, or slot columns without a prefix, are gold or predicted.

    An empty cell is an absent state or value. Rows of CSV and TSV without any text are skipped. Rows may come in any order.
    ``true`` and ``false`` are read as yes and no, with a warning. In CSV and TSV, a quote before ``=``, ``+``, ``-`` or ``@``
    at the beginning of a cell is removed. Such a quote prevents spreadsheets from evaluating the cell as a formula.

    States are read as cumulative. States that look like updates are refused, with the answers for ``--columns``:
    ``states=gold:update,pred:update``, one side of it, or ``states=as-written``.
    """

    CONTENT = "both"
    DESCRIPTION = "gold and predicted states, one row per turn: JSON lines, CSV, TSV, Parquet"
    NAMED_FIELDS = True
    read = staticmethod(read)

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind == "parquet":
            return True
        row = first_row(sample)
        usual = usual_columns(list(row))
        if not {"dialogue", "turn"} <= usual.keys() or not isinstance(row[usual["dialogue"]], str | int):
            return False
        if any(map(is_slot_column, row)):
            return True
        gold, pred = usual.get("gold"), usual.get("pred")
        if sample.kind == "text":
            return bool(gold or pred)
        if pred is None:
            return gold is not None and _looks_like_state(row[gold]) and is_table_of_gold(RowTable("[]", []), list(row))
        if normal_name(pred) == "prediction":
            # A text, or an object without gold, is a model answer, which the format llm reads.
            return gold is not None and not isinstance(row[pred], str) and _looks_like_state(row[pred])
        # No other format has these names. An invalid state is reported with its place.
        return not isinstance(row[pred], dict) or _CALLS.isdisjoint(row[pred])


def _looks_like_state(value: Any) -> bool:
    if isinstance(value, dict):
        return _CALLS.isdisjoint(value)
    if isinstance(value, list):
        return all(isinstance(each, str | list) or (isinstance(each, dict) and "value" in each) for each in value)
    return value is None or (isinstance(value, str) and value.lstrip()[:1] in ("{", "["))


def _tables(source: Source) -> tuple[list[RowTable], dict[int, int | None]]:
    """Return the tables of a file or folder, and the lines of their rows, by identity, if the file has lines."""
    kind = source.sample.kind
    if kind == "document":
        return tables_of(source.document), {}
    if kind == "lists":
        return tables_of([parse_unique(line, source.name, number) for number, line in source.lines()]), {}
    if kind == "tables":
        found = [(name, table) for name, rows in source.sample.value.items() for table in tables_of(rows)]
        return [RowTable(f"{name}{table.path}", table.rows) for name, table in found], {}
    if kind == "folder":
        return _folder_tables(source), {}
    if kind == "text" and any(map(is_data, parse_header(source.sample.value)[0])):
        raise InputError(NO_HEADER, line=1)
    rows: list[dict[str, Any]] = []
    lines: dict[int, int | None] = {}
    for line, row in rows_of(source):
        rows.append(dict(row))
        lines[id(rows[-1])] = line
    if len(rows) == 1 and all(isinstance(value, dict | list) for value in rows[0].values()):
        return tables_of(rows[0]), {}  # a document in one line
    return tables_of(rows), lines


def _folder_tables(source: Source) -> list[RowTable]:
    """Return the tables of the files in a folder. Rows of equal tables are joined, with the file in ``@file``."""
    files = files_of_one_split(Path(source.path))
    if f"#{source.tracker}" in (sides := files_by_side(files)):
        files, source.tracker = sides[f"#{source.tracker}"], ""
    elif source.tracker in files:
        files, source.tracker = {source.tracker: files[source.tracker]}, ""
    joined: dict[str, list[dict[str, Any]]] = {}
    left_out: Counter[str] = Counter()
    for name, file in files.items():
        inner = Source(file)
        with inner.reading():
            for table in _tables(inner)[0]:
                joined.setdefault(table.path, []).extend({**row, "@file": name} for row in table.rows)
                left_out[table.path] += table.left_out
    return [RowTable(path, rows, left_out[path]) for path, rows in joined.items()]


def parts_by_side(source: Source, *, are_named: bool = True) -> tuple[list[str], list[str]]:
    """Return the parts of a folder or workbook whose names say prediction, and those whose names say gold.

    With ``are_named=False``, all other parts with states are predictions if no name says so.
    """
    sample = source.sample
    if sample.kind == "folder":
        parts = data_files(Path(source.path))
        if sides := files_by_side(parts):
            pred, gold = (sides[side].get(source.tracker, f"{source.path}{side}") for side in ("#pred", "#gold"))
            return [pred], [gold]
        if source.tracker:
            return [], []
    elif sample.kind == "tables" or has_parts(sample):
        parts = {name: f"{source.path}#{name}" for name in sample.value}
    else:
        return [], []
    preds, golds = ([path for name, path in parts.items() if sign * side_of(name) > 0] for sign in (-1, 1))
    if golds and not (preds or are_named):
        others = [path for path in parts.values() if path not in golds]
        is_file = sample.kind == "folder"
        opened = {path: Source(path) if is_file else Source(source.path, path.rpartition("#")[2]) for path in others}
        preds = [path for path, part in opened.items() if detect(part.sample)]
    return preds, golds


def has_parts(sample: Sample) -> bool:
    """Return True for a document with gold and predictions in two parts, each with dialogues or turns."""
    if sample.kind != "document" or not isinstance(sample.value, dict):
        return False
    if any(table.path.endswith("[|]") for table in tables_of(sample.value)):
        return False  # a table that is stored by columns
    golds, preds = (
        [
            [table.path for table in tables_of(part)]
            for name, part in sample.value.items()
            if points(role, name) >= SURE_GOLD and sign * side_of(name) > 0 and _holds_items(part)
        ]
        for role, sign in (("gold", 1), ("pred", -1))
    )
    return len(golds) == len(preds) == 1 and golds == preds


def _holds_items(part: Any) -> bool:
    items = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return bool(items) and all(isinstance(each, dict | list) and each for each in items)


def _advise_sides(source: Source, role: Role) -> None:
    """Refuse a folder or workbook whose files or sheets are gold and predictions, with the command that reads both."""
    preds, golds = parts_by_side(source, are_named=False)
    if role is Role.BOTH and len(golds) == 1 and preds:
        quoted = [shlex.quote(path) for path in preds]
        gold = f"--gold {shlex.quote(golds[0])}"
        commands = [f"dialmeter score {path} {gold}" for path in quoted[:3]]
        commands += [f"dialmeter compare {' '.join(quoted)} {gold}"] if len(quoted) > 1 else []
        raise InputError(f"gold and predictions are in several parts; name both: {' or '.join(commands)}")


class _Turns:
    """Reads the rows of a table as turns."""

    def __init__(self, source: Source, reading: Reading, rows: TurnRows, lines: Mapping[int, int | None]) -> None:
        self._source, self._reading, self._rows = source, reading, rows
        self._lines = lines
        self._last_line = id(reading.table.rows[-1]) if source.sample.kind == "text" else 0
        """The last line of a text, whose cells may be cut off."""
        self._slots = slot_columns(reading.table.columns) if SLOTS in (reading.gold, *reading.pred.values()) else []
        self._pred = next(iter(reading.pred.values()), "")
        self._is_usual, self._is_own = reading.is_usual, reading.is_own
        functions = Decoder()
        for row in reading.table.rows[:SAMPLE]:
            for name in (reading.gold, self._pred):
                try:
                    functions.decode(value_at(row, name) if name else None)
                except NoState:
                    continue
        self._decoder = Decoder(functions.functions)
        self._counts: Counter[str] = Counter()
        """The turns of each dialogue."""
        self._unread: Counter[str] = Counter()
        self._blanks: Counter[str] = Counter()
        self._is_filled: dict[str, bool] = {}
        """The cells of each column without a state, the blank ones, and whether others are filled."""
        self._is_plain_text: dict[str, bool] = {}
        self._restarts, self._last = 0, -1

    def dialogues(self) -> Iterator[PairDialogue]:
        """Yield the dialogues.

        Raises:
            InputError: a turn occurs twice, or too many cells hold no state.
        """
        turns: dict[tuple[str, int], dict[str, State]] = {}
        seen: set[tuple[str, int]] = set()
        for place, row in enumerate(self._kept()):
            with placing(line=self._lines.get(id(row))):
                name, number = self._place(row, place)
                with self._rows.placing(name, number):
                    sides = self._states(row)
                    if self._reading.slot:
                        _merge(turns.setdefault((name, number), {side: {} for side in sides}), sides)
                        continue
                    if (name, number) in seen:
                        raise InputError(self._occurs_twice())
                    seen.add((name, number))
                    user, system = (
                        as_text(row.get(column), column) if column else "" for column in self._reading.texts
                    )
                    self._rows.add(name, Turn(number, sides.get("gold"), sides.get("pred"), user, system))
        _check_gaps(turns)
        for (name, number), sides in turns.items():
            self._rows.add(name, Turn(number, sides.get("gold"), sides.get("pred")))
        yield from self._whole([*self._rows.dialogues("no turns")])
        self._note()

    def _whole(self, read: list[PairDialogue]) -> list[PairDialogue]:
        """Return the dialogues with updates added up, if the user said what states are. Refuse what looks like updates."""
        for each in read if self._reading.states else ():
            add_up(each, sides_of_updates(self._reading.states), self._rows.words)
        if not self._reading.states and self._source.asks_about_updates:
            check_states(read, self._rows.words)
        return read

    def _occurs_twice(self) -> str:
        if self._reading.is_usual:
            return "duplicate turn"
        return "the turn occurs twice; name the fields of dialogues and turns with --columns dialogue=NAME turn=NAME"

    def _kept(self) -> list[dict[str, Any]]:
        """Return the rows that have states."""
        rows, where, system = self._reading.table.rows, self._reading.where, self._reading.system
        if system:
            rows = [row for row in rows if str(value_at(row, system[0])) == system[1]]
        if where:
            column, values = where
            if column == "@pos":
                return [row for row in rows if str(row["@pos"] % 2) in values]
            return [row for row in rows if value_at(row, column) in values]
        return rows

    def _place(self, row: Mapping[str, Any], place: int) -> tuple[str, int]:
        """Return the dialogue and the turn of a row."""
        reading = self._reading
        if not reading.dialogue:
            return str(place), 0
        if reading.dialogue == RESTARTS:
            first = number_of(value_at(row, reading.turn)) or 0
            self._restarts += first <= self._last
            self._last = first
            return str(self._restarts), first
        name = as_id(value_at(row, reading.dialogue), "a dialogue id")
        if self._split is not None:
            return self._split[name]
        if reading.turn and not (reading.where and reading.turn == "@pos"):
            number = number_of(value_at(row, reading.turn))
            with self._rows.placing(name, value_at(row, reading.turn)):
                return name, turn_number(value_at(row, reading.turn)) if number is None else number
        self._counts[name] += 1
        return name, self._counts[name] - 1

    @property
    def _split(self) -> dict[str, tuple[str, int]] | None:
        """The dialogue and the turn of ids that end with the number of the turn; None if ids do not."""
        if "_ids" not in self.__dict__:
            self._ids: dict[str, tuple[str, int]] | None = None
            if not self._reading.turn:
                values = [value_at(row, self._reading.dialogue) for row in self._reading.table.rows]
                found = split_ids(values)
                self._ids = dict(zip(map(str, values), found, strict=True)) if found else None
                if self._ids:
                    message = f"{self._reading.dialogue} ends with the number of the turn"
                    self._source.notices.append(Notice("reading", len(self._ids), message))
        return self._ids

    def _states(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {
            side: self._state(row, column)
            for side, column in (("gold", self._reading.gold), ("pred", self._pred))
            if column
        }

    def _state(self, row: Mapping[str, Any], column: str) -> State | None:
        if self._reading.slot:
            value = value_at(row, column)
            return self._decoder.decode({slot_at(row, self._reading.slot): None if value is None else str(value)})
        if column == SLOTS:
            return {slot: self._rows.value(slot, row[slot]) for slot in self._slots if row.get(slot) not in ("", None)}
        if "*" in column:
            before, _, after = column.partition("*")
            return self._decoder.decode(
                {
                    name[len(before) : len(name) - len(after)]: str(value)
                    for name, value in row.items()
                    if name.startswith(before) and name.endswith(after) and value is not None
                }
            )
        cell = value_at(row, column)
        value = self._decoder.without_remarks(parsed_cell(cell))
        if value is None and isinstance(cell, str) and (not self._is_usual or self._is_text(column)):
            return self._blank(column)
        if self._is_usual and (value is None or is_plain_state(value, has_hyphens=not self._is_own)):
            state: State | None = self._rows.state(value)
            return state
        try:
            return self._decoder.decode(value)
        except NoState:
            is_last = isinstance(value, str) and value.lstrip()[:1] in "{[" and id(row) == self._last_line
            if column == self._reading.gold or not isinstance(value, str) or is_last:
                written = one_line(str(value), 60)
                raise InputError(f"{column} is {self._side(column)}, and this is no state: {written!r}") from None
            self._unread[column] += 1
            return {}

    def _is_text(self, column: str) -> bool:
        """True for a column of texts such as ``hotel-area=east``, where a blank cell is the only way to write an empty state."""
        if column not in self._is_plain_text:
            cells = {str(value_at(row, column) or "").lstrip()[:1] for row in self._reading.table.rows}
            self._is_plain_text[column] = any(cells) and {"{", "["}.isdisjoint(cells)
        return self._is_plain_text[column]

    def _blank(self, column: str) -> State | None:
        """Return the empty state for a blank cell; None if all cells of the column are blank."""
        if column not in self._is_filled:
            self._is_filled[column] = any(value_at(row, column) for row in self._reading.table.rows)
        self._blanks[column] += 1
        return {} if self._is_filled[column] else None

    def _side(self, column: str) -> str:
        return "gold" if column == self._reading.gold else "the prediction"

    def _note(self) -> None:
        for counts, code, what in ((self._unread, "no-state", "hold no state"), (self._blanks, "blank", "are blank")):
            for name, count in counts.items():
                if code != "blank" or self._is_filled[name]:
                    message = f"{count} cells of {name} {what}; they are read as the empty state"
                    self._source.notices.append(Notice(code, count, message))
        if self._decoder.remarks:
            message = f"read as remarks, not as slots: {', '.join(sorted(self._decoder.remarks))}"
            self._source.notices.append(Notice("remarks", len(self._decoder.remarks), message))
        if self._decoder.absent:
            message = f"read as no value: {', '.join(sorted(self._decoder.absent))}"
            self._source.notices.append(Notice("absent-values", len(self._decoder.absent), message))


def _merge(turn: dict[str, State], sides: Mapping[str, State]) -> None:
    """Add the slots of a row to its turn."""
    for side, state in sides.items():
        if not turn[side].keys().isdisjoint(state):
            raise InputError("a slot occurs twice in a turn", slot=next(iter(state)))
        turn[side] = {**turn[side], **state}


def _check_gaps(turns: Mapping[tuple[str, int], Any]) -> None:
    """Refuse a table with one row for each slot that has no rows for some turns: their states would be lost."""
    numbers: dict[str, list[int]] = {}
    for name, number in turns:
        numbers.setdefault(name, []).append(number)
    first = min((number for _, number in turns), default=0)
    for name, found in numbers.items():
        if len(found) <= max(found) - first:
            missing = next(number for number in range(first, max(found)) if number not in found)
            raise InputError(
                "a table with one row for each slot has no row for this turn, so its state is unknown",
                dialogue=name,
                turn=missing,
            )
