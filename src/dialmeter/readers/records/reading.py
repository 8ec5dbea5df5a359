"""Infers what the columns of a table mean: dialogue, turn, gold and predictions. One reading wins clearly, or none."""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ...errors import InputError, did_you_mean, one_line
from ...model import State
from ..validation import Role
from .names import WRAPPERS, letters_of, parts_of, points, side_of
from .states import Decoder, NoState, is_n_best, is_plain_state, parsed_cell
from .tables import SAMPLE, RowTable, value_at

_USUAL = {
    "dialogue": ("dialogue_id", "dial_id", "dialog_id", "dialogue", "id"),
    "turn": ("turn", "turn_id", "turn_num", "turn_idx"),
    "gold": ("gold", "label", "gold_state", "state"),
    "pred": ("pred", "prediction", "pred_state", "predicted_state", "belief"),
    "user": ("user",),
    "system": ("system",),
}
"""The usual names of the columns of a table with one row for each turn. The first that exists is used."""
_OWN_SIDES = ("gold", "pred")
TURN_OF_ID = re.compile(
    r"(?P<dialogue>.*?[^_\-#:/|. ])[_\-#:/|. ]+(?:turn|t)?[_\-]?(?P<turn>\d{1,6})", re.IGNORECASE | re.DOTALL
)
"""An id that ends with the number of the turn, such as ``MUL0003.json_0`` or ``MUL0003-turn-0``."""
_LONGEST_NAME = 200
"""Characters of the name of a slot; a longer one is a text."""
_MARGIN = 2
"""A reading wins if it has so many more points than any other."""
RESTARTS = "@restarts"
"""In the place of a column of dialogue ids: a dialogue begins where the numbers of turns restart."""
_MOST_SYSTEMS = 20
_SLOT = re.compile(r"[^\W\d]\w*-\S.*")
_DOMAIN = re.compile(r"[^\W\d]\w*")
_NO_MARKS = frozenset("-=:>→：＝")
"""Marks of a state. A state of words only is not different from a sentence, but its parts occur again."""
_SIDE = re.compile(r"\w++[.:/ ]|\w+?_(?=[^\W\d])")
SLOTS = "*-*"
"""In the place of a column of states: every column whose name is a slot is one."""
SURE_GOLD, _SURE_PRED, SURE_SLOT = 7, 6, 7


class Reading(NamedTuple):
    """How a table is read.

    Attributes:
        table: the table.
        dialogue: the column of dialogue ids; empty if every row stands alone; ``id#`` if ids end with the number of the turn.
        turn: the column of turn numbers; empty if turns are counted in the order of the file.
        gold: the column of gold states; empty if there is none. It ends with ``*`` if there is one column for each slot.
        pred: the columns of predictions, in the same way, by the name of the system.
        slot: the column of slots, if a row holds one slot; ``domain+slot`` if another column holds the domain.
        where: column and values of the rows that have states, if the others are left out.
        system: the column that tells systems apart, and the value of the one that is read.
        texts: the columns of utterances of the user and of the system; empty if there is none.
        points: how sure the reading is.
        notes: what a person should know.
        states: what the user said about states: which are updates, or that they are read as written; empty if nothing.
    """

    table: RowTable
    dialogue: str
    turn: str
    gold: str
    pred: Mapping[str, str]
    slot: str
    where: tuple[str, tuple[str, ...]] | None
    system: tuple[str, str] | None
    texts: tuple[str, str]
    points: int
    notes: tuple[str, ...]
    states: str = ""

    @property
    def is_usual(self) -> bool:
        """True for a table with usual names, one row for each turn."""
        columns = [self.gold, *self.pred.values()]
        named = [name for name in columns if name and "*" not in name]
        return (
            self.table.path == "[]"
            and not (self.slot or self.where or self.system)
            and {self.dialogue, self.turn} <= {*usual_columns([self.dialogue, self.turn]).values()}
            and all(normal_name(name) in (*_USUAL["gold"], *_USUAL["pred"]) for name in named)
        )

    @property
    def is_own(self) -> bool:
        """True for a table as ``dialmeter convert`` writes it. Its slots are read as they are written."""
        return self.is_usual and {"dialogue_id", "turn", "gold", "pred"}.issuperset(
            (self.dialogue, self.turn, self.gold or "gold", *self.pred.values())
        )

    @property
    def columns(self) -> str:
        """The reading as the text of ``--columns``."""
        parts = [f"rows={self.table.path}", f"dialogue={self.dialogue or '@none'}", f"turn={self.turn or '@order'}"]
        parts += [f"slot={self.slot}"] if self.slot else []
        parts += [f"where={self.where[0]}:{'|'.join(self.where[1])}"] if self.where else []
        parts += ["system={}:{}".format(*self.system)] if self.system else []
        parts += [f"gold={self.gold}"] if self.gold else []
        parts += [f"pred={column}" for column in self.pred.values()]
        return " ".join([*parts, *([f"states={self.states}"] if self.states else [])])


class NoReading(Exception):
    """No field of the file holds dialogue states."""


class Refusal(Exception):
    """A table that cannot be read, with the question that a person can answer."""

    def __init__(self, message: str, points: int = 0, trackers: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.points = points
        self.trackers = tuple(trackers)


class SeveralTrackers(InputError):
    """A file holds several trackers, and none was chosen.

    Attributes:
        trackers: their names.
    """

    def __init__(self, message: str, trackers: tuple[str, ...]) -> None:
        super().__init__(message)
        self.trackers = trackers


class Column(NamedTuple):
    """A column that holds states."""

    name: str
    side: int
    sample: list[State]


class Request(NamedTuple):
    """What is to be read.

    Attributes:
        role: gold, predictions or both.
        tracker: the tracker whose predictions are read, if the file holds several.
        file: the name of the file, for messages.
        fields: the columns that the user named.
        gold: the path of the gold file, for messages.
    """

    role: Role
    tracker: str
    file: str
    fields: Mapping[str, str]
    gold: str = ""


def best_reading(tables: Sequence[RowTable], request: Request) -> Reading:
    """Return the reading that wins clearly.

    Raises:
        InputError: none does; the message has the question that a person can answer.
        NoReading: no field holds states.
    """
    found: list[Reading] = []
    refusals: list[Refusal] = []
    chosen = [table for table in tables if request.fields.get("rows", table.path) == table.path]
    if tables and not chosen:
        paths = ", ".join(dict.fromkeys(table.path for table in tables))
        raise InputError(f"no records at {one_line(request.fields['rows'])!r}; they are at {paths}")
    for table in chosen:
        try:
            found.append(_Inference(table, request).reading())
        except Refusal as refusal:
            refusals.append(refusal)
    found.sort(key=lambda each: -each.points)
    refusals.sort(key=lambda each: -each.points)
    if refusals and refusals[0].points and (not found or refusals[0].points > found[0].points):
        first_refusal = refusals[0]
        if first_refusal.trackers:
            raise SeveralTrackers(str(first_refusal), first_refusal.trackers)
        raise InputError(str(first_refusal))
    if not found:
        raise NoReading
    if len(found) > 1 and found[0].points - found[1].points < _MARGIN and found[0].table.path != found[1].table.path:
        first, second = found[:2]
        raise InputError(
            f"which are the turns: {first.table.path} or {second.table.path}? Answer with --columns {shlex.quote(first.columns)} "
            f"or --columns {shlex.quote(second.columns)}"
        )
    return found[0]


class _Inference:
    """Infers how one table is read."""

    def __init__(self, table: RowTable, request: Request) -> None:
        self._table, self._request = table, request
        self._rows = table.rows[:SAMPLE]
        self._names = table.columns
        self._text: list[str] = []
        self._points = 0
        left_out = f"{table.left_out} elements of {table.path} are no objects and are left out"
        self._notes = [left_out] if table.left_out else []

    def reading(self) -> Reading:
        """Return the reading.

        Raises:
            Refusal: the table cannot be read.
        """
        table, names, rows, fields = self._table, self._names, self._rows, self._request.fields
        for key in ("dialogue", "turn", "gold", "pred", "slot"):
            name = fields.get(key, "")
            parts = name.split("+") if key == "slot" else [name]
            if name and not {*parts} <= {*names} and not name.startswith("@") and "*" not in name:
                raise Refusal(
                    f"no field {one_line(name)!r} (--columns {key}={one_line(name)}); {did_you_mean(name, names)}", 99
                )
        slot = fields.get("slot") or _slot_column(table, names)
        wide = {} if slot else _wide([name for name in rows[0] if _is_plain(rows, name)], self._request.role)
        if SLOTS in wide and self._request.role is Role.BOTH and not is_usual_table(table, names):
            wide = {}
        states = self._states(slot, wide)
        taken = {each.name for each in states}
        table = self._with_states([each.name for each in states])
        dialogue, turn, sure = self._place(table, taken, bool(slot))
        if slot and not turn:
            raise Refusal(
                "a table with one row for each slot needs the numbers of turns; name them with --columns turn=NAME", 99
            )
        self._points = sure + min(5, len(table.rows)) + (20 if wide else 15 if slot else 0)
        gold, pred = self._sides(states)
        chosen = [each for each in (gold, *pred.values()) if each]
        if not (wide or slot) and len((part := self._with_states(chosen)).rows) < len(table.rows):
            table = part
            dialogue, turn, sure = self._place(table, taken, False)
        table = self._of_one_kind(table, chosen, dialogue, turn)
        if not table.rows:
            raise Refusal("no row has a state", self._points + 5)
        if lost := len(rows := self._table.rows) - len(table.rows):
            self._notes.append(f"{lost} of {len(rows)} rows have no {' or '.join(chosen)} and are left out")
        if dialogue == RESTARTS:
            self._notes.append(f"{turn} counts turns: a dialogue begins where it restarts")
        elif not dialogue:
            self._notes.append("no ids of dialogues: every row is a turn of its own")
        where = None if wide or slot else _speaking(table, names, chosen)
        if where:
            self._notes.append(f"only turns with {where[0]}={'|'.join(where[1])} have states; the others are left out")
            turn = ""
        system = None if slot else self._system(dialogue, turn)
        usual = usual_columns(names) if table.path == "[]" else {}
        texts = (fields.get("user") or usual.get("user", ""), fields.get("system") or usual.get("system", ""))
        best = max([points("gold", gold), *(points("pred", each) for each in pred.values())])
        more = self._points + best, tuple(self._notes), fields.get("states", "")
        return Reading(table, dialogue, turn, gold, pred, slot, where, system, texts, *more)

    def _place(self, table: RowTable, taken: set[str], has_slots: bool) -> tuple[str, str, int]:
        """Return the columns of dialogues and turns, and their points."""
        names, fields = self._names, self._request.fields
        usual = usual_columns(names) if table.path == "[]" else {}
        if "dialogue" in usual and "turn" in usual and not has_slots:
            dialogue, dialogue_points, turn, turn_points = usual["dialogue"], 10, usual["turn"], 10
        else:
            dialogue, dialogue_points = _dialogue(table, names, taken)
            turn, turn_points = _turn(table, names, taken, dialogue)
            if turn == "@pos" and dialogue != "@key" and _counts_turns(table.rows, dialogue):
                turn = ""
        if dialogue and not turn and _restarts([value_at(row, dialogue) for row in table.rows]):
            dialogue, turn = RESTARTS, dialogue
        if turn and turn[0] != "@" and not dialogue and "dialogue" not in fields:
            numbers = [number_of(value_at(row, turn)) for row in table.rows]
            if not _restarts(numbers) and numbers not in (list(range(len(numbers))), list(range(1, len(numbers) + 1))):
                listed = ", ".join(one_line(name, 30) for name in names[:12])
                raise Refusal(
                    f"no field holds the ids of dialogues; name it with --columns dialogue=NAME; found: {listed}", 1
                )
            dialogue = RESTARTS
        if dialogue in ("", RESTARTS) and "@file" in names and _is_unique(table.rows, "@file", turn):
            dialogue = "@file"
        dialogue = "" if fields.get("dialogue") == "@none" else fields.get("dialogue", dialogue)
        turn = "" if fields.get("turn") == "@order" else fields.get("turn", turn)
        return dialogue, turn, min(10, dialogue_points) + min(10, turn_points)

    def _states(self, slot: str, wide: Mapping[str, int]) -> list[Column]:
        """Return the columns with states."""
        rows = self._rows
        if slot:
            sides = {
                name: side_of(name) for name in self._names if name not in slot.split("+") and _is_plain(rows, name)
            }
            found = [
                Column(name, side, [{"": str(value_at(row, name))} for row in rows])
                for name, side in sides.items()
                if side or name in self._request.fields.values() or points("state", name) > 4
            ] or [
                Column(name, 0, [{"": str(value_at(row, name))} for row in rows])
                for name in sides
                if parts_of(name) == ("value",) and self._request.role is not Role.BOTH
            ]
        elif wide:
            found = [Column(name, side, [{"": name}]) for name, side in wide.items()]
        elif (
            self._request.role is not Role.BOTH
            and not any(_has_role(name, value) for row in rows for name, value in row.items())
            and (states := _whole_rows(rows))
            and (self._table.path.endswith("[]") or all("-" in slot for state in states for slot in state))
        ):
            found = [Column("@row", 0, states)]
        else:
            usual = usual_columns(self._names) if self._table.path == "[]" else {}
            known = {each[side] for each in (usual, self._request.fields) for side in ("gold", "pred") if side in each}
            found = list(_state_columns(self._table, self._names, known, self._text))
        if not found:
            surely = max((points("gold", name) + points("pred", name) for name in self._text), default=0)
            raise Refusal(self._holds_text() if surely >= _SURE_PRED else "no field holds dialogue states", surely)
        return found

    def _with_states(self, names: Sequence[str]) -> RowTable:
        """Return the table without the rows of other kinds, if states are a part of the rows of one kind."""
        rows = self._table.rows
        keys = {name if any(name in row for row in self._rows) else re.split(r"[.\[]", name)[0] for name in names}
        if all(map(keys.isdisjoint, self._rows)):
            return self._table  # one slot in a row or in a column, or rows that are states
        if all(map(is_wrapped, names)):
            return RowTable(
                self._table.path, [row for row in rows if any(value_at(row, each) is not None for each in names)]
            )
        others = [row for row in rows if keys.isdisjoint(row)]
        if not others:
            return self._table
        shared = {*next(row for row in rows if not keys.isdisjoint(row))}
        for row in rows:
            shared &= shared if keys.isdisjoint(row) else row.keys()
        return RowTable(self._table.path, [row for row in rows if shared - keys <= row.keys()])

    def _of_one_kind(self, table: RowTable, names: Sequence[str], dialogue: str, turn: str) -> RowTable:
        """Return the table without the rows that do not name a state, if only then every turn occurs once."""
        if turn and dialogue not in ("", RESTARTS) and not _is_unique(table.rows, dialogue, turn):
            rows = [row for row in table.rows if any(value_at(row, name) is not None for name in names)]
            table = RowTable(table.path, rows) if _is_unique(rows, dialogue, turn) else table
        return table

    def _holds_text(self) -> str:
        listed = " and ".join(one_line(name, 30) for name in self._text)
        return f"{listed} {'holds' if len(self._text) == 1 else 'hold'} text, not states"

    def _ask(self, what: str, columns: Sequence[Column], more: int = 10) -> Refusal:
        return Refusal(question(what, [each.name for each in columns]), self._points + more)

    def _sides(self, states: Sequence[Column]) -> tuple[str, dict[str, str]]:
        """Choose the columns of gold and of predictions."""
        role, fields = self._request.role, self._request.fields
        sides = {fields.get("gold"): 1, fields.get("pred"): -1}
        states = [each._replace(side=sides.get(each.name, each.side)) for each in states]
        if fields.get("gold"):
            states = [each for each in states if each.side <= 0 or each.name == fields["gold"]]
        if fields.get("pred"):
            states = [each for each in states if each.side >= 0 or each.name == fields["pred"]]
        named = {slot for each in states if each.side for state in each.sample for slot in state}
        neutral = _likeliest([each for each in states if each.side == 0], named)
        golds = _whole(sorted((each for each in states if each.side > 0), key=lambda each: -points("gold", each.name)))
        preds = _distinct(_whole([each for each in states if each.side < 0]))
        if "gold" not in fields and any(_is_whole(each) and points("state", each.name) > 4 for each in neutral):
            golds = [each for each in golds if _is_whole(each)]  # updates beside a whole state
        has_previous = any(each.side == 0 and points("previous", each.name) for each in states)
        if has_previous and role is Role.BOTH and not golds:
            raise self._ask("gold", [each for each in states if each.side == 0])
        others = [
            each for each in golds[1:] if points("gold", each.name) >= SURE_GOLD and each.sample != golds[0].sample
        ]
        if others and role is not Role.PRED:
            raise self._ask("gold", [golds[0], *others], 12)
        if not (golds or preds or neutral):
            held = " and ".join(each.name for each in states)
            raise Refusal(f"{held} holds states, but its name does not say that they are those of the turn", 99)
        if role is Role.GOLD:
            gold = self._only("gold", golds[:1] or neutral or [self._opposite("gold", preds[0])])
            self._note_unused(states, [gold])
            return gold.name, {}
        if role is Role.PRED:
            preds = preds or [self._only("the prediction", neutral or [self._opposite("pred", golds[0])])]
            self._note_unused(states, preds)
            return "", self._one_system(_systems(preds, (), self._rows))
        if golds:
            gold = golds[0]
        elif preds and neutral:
            gold = self._only("gold", neutral)
            self._notes.append(f"{gold.name} is gold because {preds[0].name} is the prediction")
        elif len(neutral) > 1:
            raise self._ask("gold", neutral)
        elif neutral and not self._text and is_table_of_gold(self._table, self._names):
            return neutral[0].name, {}
        else:
            if not preds and not any(_is_state_name(each.name) for each in neutral):
                raise Refusal("no field holds dialogue states")
            held = " and ".join(each.name for each in (*neutral, *preds))
            missing = self._holds_text() if self._text else "give the file of gold states with --gold FILE"
            raise Refusal(f"{held} holds states, but no field holds gold; {missing}", self._points + 5)
        if not preds:
            neutral = [each for each in neutral if each.sample != gold.sample] or neutral
            if not neutral:
                if not self._text and is_table_of_gold(self._table, self._names):
                    return gold.name, {}
                text = f"; {self._holds_text()}" if self._text else ""
                raise Refusal(f"{gold.name} is gold, but no field holds predictions{text}", self._points + 5)
            are_systems = not any(points("state", each.name.rpartition(".")[2]) for each in neutral)
            preds = neutral if are_systems else [self._only("the prediction", neutral)]
            listed = ", ".join(each.name for each in preds)
            self._notes.append(f"{listed} is the prediction because {gold.name} is gold")
        known = {*map(letters_of, _slots_of(gold))}
        preds = [each for each in preds if known & {*map(letters_of, _slots_of(each))}] or preds
        self._note_unused(states, [gold, *preds])
        systems = _systems(preds, gold.sample, self._rows)
        self._check_slots(gold, [each for each in preds if each.name in systems.values()])
        return gold.name, self._one_system(systems)

    def _check_slots(self, gold: Column, preds: Sequence[Column]) -> None:
        """Refuse predictions that have no slot of gold: they may be something else, such as a description of the model.

        Columns with the names that dialmeter writes are what they say.
        """
        if (gold.name, *(each.name for each in preds)) == _OWN_SIDES:
            return
        known = {letters_of(slot) for slot in _slots_of(gold)}
        for pred in preds:
            slots = _slots_of(pred)
            if known and slots and known.isdisjoint(map(letters_of, slots)):
                golds, found = (", ".join(map(one_line, sorted(each)[:3])) for each in (_slots_of(gold), slots))
                raise Refusal(
                    f"no slot is in both {gold.name} ({golds}) and {pred.name} ({found}); name the field of predictions with "
                    "--columns pred=NAME",
                    self._points + 5,
                )

    def _opposite(self, key: str, column: Column) -> Column:
        """Refuse a column whose name says the other side."""
        holds, wanted = ("predictions", "gold") if key == "gold" else ("gold", "predictions")
        answer = f"--columns {key}={shlex.quote(column.name)}"
        raise Refusal(
            f"{column.name} holds {holds}, and {wanted} is wanted; if it is right, say so with {answer}", self._points
        )

    def _only(self, what: str, columns: Sequence[Column]) -> Column:
        if len(columns) > 1:
            raise self._ask(what, columns)
        return columns[0]

    def _note_unused(self, states: Sequence[Column], used: Sequence[Column]) -> None:
        names = [each.name for each in states if all(each.sample != one.sample for one in used)]
        if names:
            self._notes.append(f"not used although it could be a state: {', '.join(names)}")

    def _one_system(self, systems: dict[str, str]) -> dict[str, str]:
        tracker = self._request.tracker
        if tracker in systems:
            return {tracker: systems[tracker]}
        listed = ", ".join(map(one_line, systems))
        if tracker and len(systems) > 1:
            raise Refusal(f"no predictions of {one_line(tracker)!r}; the trackers are: {listed}", 99)
        if len(systems) > 1:
            file = self._request.file
            gold = f" --gold {shlex.quote(self._request.gold)}" if self._request.gold else ""
            one = f"dialmeter score {shlex.quote(f'{file}#{next(iter(systems))}')}{gold}"
            both = f"dialmeter compare {shlex.quote(file)}{gold}"
            raise Refusal(
                f"the file holds {len(systems)} trackers: {listed}; score one: {one}, or compare them: {both}",
                99,
                systems,
            )
        return systems

    def _system(self, dialogue: str, turn: str) -> tuple[str, str] | None:
        """Return the column that tells the systems of a file apart, if turns occur once for each of them.

        The name of the column must say so, and it must have few values. Otherwise a running text could be taken for it.
        """
        if dialogue in ("", RESTARTS) or not turn:
            return None
        rows = self._table.rows
        keys = [(str(value_at(row, dialogue)), str(value_at(row, turn))) for row in rows]
        if len(set(keys)) == len(keys):
            return None
        for name in self._names:
            if (name in ("@key", "@file") and dialogue != name) or points("name of a system", name) >= _SURE_PRED:
                values = [str(value_at(row, name)) for row in rows]
                is_unique = len({(*key, value) for key, value in zip(keys, values, strict=True)}) == len(keys)
                if is_unique and 1 < len(set(values)) <= _MOST_SYSTEMS:
                    return name, next(iter(self._one_system({each: each for each in values})))
        return None


def normal_name(name: str) -> str:
    """Return the name of a column in lower case, with underscores."""
    return name.strip().lower().replace(" ", "_")


def usual_columns(names: Sequence[str]) -> dict[str, str]:
    """Return the columns with usual names, by what they hold.

    ``ID`` is none, because it is a key of the format ic-dst.

    Example:
        >>> usual_columns(["Dialogue ID", "turn_idx", "label", "gold_state"])
        {'dialogue': 'Dialogue ID', 'turn': 'turn_idx', 'gold': 'label'}
    """
    spelled = {normal_name(name): name for name in names if name != "ID"}
    chosen = {
        key: next((each for each in usual if each in names), None)
        or next((spelled[each] for each in usual if each in spelled), None)
        for key, usual in _USUAL.items()
    }
    return {key: name for key, name in chosen.items() if name is not None}


_OF_COMPLETIONS = frozenset(("completion", "response", "output", "generated_text", "prediction", "text", "choices"))


def is_usual_table(table: RowTable, names: Sequence[str]) -> bool:
    """True for a table whose columns of dialogues and turns have usual names."""
    return table.path == "[]" and {"dialogue", "turn"} <= usual_columns(names).keys()


def is_table_of_gold(table: RowTable, names: Sequence[str]) -> bool:
    """True for a table with usual names that has gold, and no answers of models."""
    return is_usual_table(table, names) and "gold" in usual_columns(names) and _OF_COMPLETIONS.isdisjoint(names)


def is_slot_column(name: str) -> bool:
    """True for a column that holds a slot, with or without a side: ``hotel-area``, ``gold.hotel-area``."""
    side = _SIDE.match(name)
    return bool(_SLOT.fullmatch(name) or (side and _SLOT.fullmatch(name[side.end() :])))


def slot_columns(names: Iterable[str]) -> list[str]:
    """Return the columns that hold a slot each, without a prefix for gold or prediction.

    Example:
        >>> slot_columns(["id", "hotel-area", "gold_hotel-area", "train-leave at"])
        ['hotel-area', 'train-leave at']
    """
    return [name for name in names if _SLOT.fullmatch(name) and not (_SIDE.match(name) and side_of(parts_of(name)[0]))]


def _has_role(name: str, value: Any) -> bool:
    """True for a field that is no slot, and no domain with its slots."""
    is_slot = isinstance(value, Mapping) or _SLOT.fullmatch(name)
    roles = ("gold", "pred", "state", *(() if is_slot else ("text", "dialogue", "turn", "speaker")))
    return not name.startswith("@") and any(points(role, name) > 2 for role in roles)


def _whole_rows(rows: Sequence[Mapping[str, Any]]) -> list[State]:
    """Return the states of a table whose rows are states themselves; empty for other tables."""
    decoder = Decoder()
    try:
        states = [decoder.decode(value_at(row, "@row")) for row in rows]
    except NoState:
        return []
    slots = Counter(slot for state in states for slot in state)
    return states if slots and len(slots) <= max(4, sum(slots.values()) / 2) else []


def _is_plain(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return all(not isinstance(value_at(row, name), dict | list) for row in rows)


def _state_columns(table: RowTable, names: Sequence[str], known: Container[str], text: list[str]) -> Iterator[Column]:
    """Yield the columns with states. Add columns with a name of gold or prediction that hold text to ``text``.

    The names in ``known`` were given by the user, or are usual. In a table with usual names they hold states whatever the slots are.
    """
    rows, is_usual = table.rows[:SAMPLE], is_usual_table(table, names)
    is_own = {"dialogue_id", "turn"} <= {*names}
    parents: set[str] = set()
    decoder = Decoder()
    for name in names:
        is_part = any(name.startswith((f"{each}.", f"{each}[")) for each in parents)
        if is_part or name.startswith(("@key", "@file", "@turn", "@pos", "^")):
            continue
        values = [value_at(row, name) for row in rows]
        filled = [value for value in values if decoder.is_filled(value)]
        has_hyphens = not (is_own and name in ("gold", "pred"))
        is_plain = name in known and is_usual and bool(filled)
        states: list[State] | None
        if is_plain and all(is_plain_state(_parsed(value), has_hyphens=has_hyphens) for value in filled):
            states = [_decoded(decoder, value) for value in values]
        elif _may_hold_states(name, values, filled, is_known=name in known):
            states = _states_in(name, values, filled, decoder, text, is_known=name in known)
        else:
            states = None
        if states is not None:
            parents.update([name] if filled else [])
            yield Column(name, side_of(name), states)


def _side_points(name: str) -> int:
    return max(points("gold", name), points("pred", name))


def _may_hold_states(name: str, values: Sequence[Any], filled: Sequence[Any], *, is_known: bool) -> bool:
    """False for a column that is a goal, a text, an id or a number, or whose objects hold states or both sides inside."""
    is_text = points("text", name) >= max(1, points("state", name))
    if not is_known and ("goal" in parts_of(name) or (is_text and _side_points(name) < _SURE_PRED)):
        return False
    objects = [each for value in filled if isinstance(each := _parsed(value), Mapping)]
    inner = {key for each in objects for key in each}
    if not is_known and _side_points(name) < 5 and _holds_records(objects):
        return False
    if len(inner) > 1 and any(_is_gold_in(objects, key) for key in inner):
        return False
    if not filled:
        return is_known or (_side_points(name) >= 5 and any(isinstance(value, dict | list) for value in values))
    if all(isinstance(value, int | float) for value in filled):
        return False
    named = max(_side_points(name), points("state", name))
    is_id = points("state", name) < 4 and max(points(role, name) for role in ("dialogue", "turn", "speaker")) > named
    return not is_id or any(isinstance(each, dict | list) or str(each).lstrip()[:1] in ("{", "[") for each in filled)


def _states_in(
    name: str, values: Sequence[Any], filled: Sequence[Any], decoder: Decoder, text: list[str], *, is_known: bool
) -> list[State] | None:
    """Return the states of a column, or None if too few values are states, or what they hold are no slots."""
    if not filled:
        return [{} for _ in values]
    states, failed, is_sentence = _decode_all(decoder, values)
    slots = Counter(slot for state in states for slot in state)
    is_sure = is_known or _side_points(name) >= 5
    is_constant = not is_sure and len(states) > 3 and any(states) and all(state == states[0] for state in states)
    if is_constant and points("state", name) < 4:
        return None
    share, least = 1 - failed / len(filled), 0.5 if max(_side_points(name), points("state", name)) >= 5 else 0.95
    is_empty = not any(states) and not (is_sure and not failed)
    if share >= least and not (is_empty or is_sentence) and _look_like_slots(slots):
        return states
    if is_sure and any(is_n_best(each) for each in filled):
        raise Refusal(f"{name} holds several hypotheses of a turn; keep the first one only", 99)
    is_text = (is_sure or points("state", name) >= 5) and any(isinstance(each, str) for each in filled)
    if is_text or all(is_n_best(each) and isinstance(each[0], str) for each in filled):
        text.append(name)
    return None


def _decode_all(decoder: Decoder, values: Sequence[Any]) -> tuple[list[State], int, bool]:
    """Return the states of values, the number of values that are none, and whether they are rather words of sentences."""
    states: list[State] = []
    failed, loose = 0, 0
    texts: set[str] = set()
    words: Counter[tuple[str, Any]] = Counter()
    for value in values:
        try:
            states.append(decoder.decode(_parsed(value)))
            if isinstance(value, str) and value.strip()[:1] not in ("{", "[", "`", "("):
                loose += 1
                words.update(states[-1].items() if value not in texts and _NO_MARKS.isdisjoint(value) else ())
                texts.add(value)
        except NoState:
            states.append({})
            failed += decoder.is_filled(value)
    slots = Counter(slot for state in states for slot in state)
    has_odd_slots = loose and sum(not _SLOT.fullmatch(slot) for slot in slots) > max(4, sum(slots.values()) / 2)
    return states, failed, bool(has_odd_slots) or 3 * sum(count > 1 for count in words.values()) < len(words)


def has_several_states(tables: Iterable[RowTable]) -> bool:
    """Return True if a table has several columns that hold states, and whose names say so."""
    found = (_state_columns(table, table.columns, (), []) for table in tables)
    return any(sum(points("state", each.name) > 4 for each in columns) > 1 for columns in found)


def _is_gold_in(objects: Sequence[Mapping[str, Any]], key: str) -> bool:
    """True for the key of a gold state in objects."""
    if points("gold", key) < SURE_GOLD or side_of(key) <= 0:
        return False
    return all(isinstance(_parsed(each[key]), dict | list) for each in objects if each.get(key))


def _decoded(decoder: Decoder, cell: Any) -> State:
    try:
        return decoder.decode(_parsed(cell))
    except NoState:
        return {}


def _parsed(cell: Any) -> Any:
    try:
        return parsed_cell(cell)
    except InputError:
        return {}  # an error that is raised with its place when the column is read


def _holds_records(objects: Sequence[Mapping[str, Any]]) -> bool:
    """True for objects that have a state among other fields, or in some of them only."""
    keys = [key for each in objects for key in each if not isinstance(each[key], int | float)]
    return any(
        is_part(key) and any(key not in each or has_turn(each) for each in objects) for key in dict.fromkeys(keys)
    )


def is_part(key: str) -> bool:
    """True for the key of a state in an object with other fields."""
    return (
        key in WRAPPERS
        or points("gold", key) >= SURE_GOLD
        or points("pred", key) >= _SURE_PRED
        or points("state", key) > 4
    )


def has_turn(each: Mapping[str, Any]) -> bool:
    """True for an object with the number of its turn."""
    return any(points("turn", key) >= 4 and number_of(value) is not None for key, value in each.items())


def _look_like_slots(slots: Mapping[str, int]) -> bool:
    return all(slot.strip() and len(slot) < 80 for slot in slots)


def _slot_column(table: RowTable, names: Sequence[str]) -> str:
    """Return the column of slots of a table with one row for each slot; empty for other tables."""
    rows = table.rows[:SAMPLE]
    plain = [name for name in names if points("state", name) < 5 and _is_plain(rows, name)]
    best = max(plain, key=lambda name: points("slot", name.rpartition(".")[2]), default="")
    if (
        not best
        or points("slot", best.rpartition(".")[2]) < SURE_SLOT
        or len({value_at(row, best) for row in rows}) < 2
    ):
        return ""
    if not any(isinstance(value_at(row, best), str) for row in rows):
        return ""
    slots = [str(value_at(row, best)) for row in rows]
    for name in names:
        values = [value_at(row, name) for row in rows]
        has_domain = any(slot.startswith(str(value)) for slot, value in zip(slots, values, strict=True))
        if parts_of(name)[-1:] in (("domain",), ("service",)) and all(map(_is_domain, values)) and not has_domain:
            return f"{name}+{best}"
    return best


def _is_domain(value: Any) -> bool:
    return isinstance(value, str) and _DOMAIN.fullmatch(value) is not None


def _is_unique(rows: Sequence[Mapping[str, Any]], outer: str, turn: str) -> bool:
    """True if no turn occurs twice in one value of a column. Turns without numbers are counted."""
    keys = [(str(value_at(row, outer)), str(value_at(row, turn))) for row in rows] if turn else []
    return len({*keys}) == len(keys)


def _wide(names: Sequence[str], role: Role) -> dict[str, int]:
    """Return the pattern ``gold_*`` and ``pred_*`` of tables with one column for each slot and side."""
    slots = slot_columns(names)
    rests: dict[tuple[str, bool], set[str]] = defaultdict(set)
    for name in names:
        for match in re.finditer(r"[_.:/ -]", name if len(name) <= _LONGEST_NAME else ""):
            rests[name[: match.end()], True].add(name[match.end() :])
            rests[name[match.start() :], False].add(name[: match.start()])
    golds = {key: each for key, each in rests.items() if points("gold", key[0]) >= SURE_GOLD and side_of(key[0]) > 0}
    preds = {key: each for key, each in rests.items() if points("pred", key[0]) >= _SURE_PRED and side_of(key[0]) < 0}
    pairs = [(len(golds[gold] & preds[pred]), gold, pred) for gold in golds for pred in preds if gold[1] == pred[1]]
    best = max(
        pairs,
        default=(0, ("", True), ("", True)),
        key=lambda each: (each[0], _are_slots(golds[each[1]]), len(each[1][0]) + len(each[2][0])),
    )
    is_sure = best[0] > 1 or (best[0] and _are_slots(golds[best[1]]))
    one = {"gold": golds, "pred": preds}.get(role.value, {})
    alone = [key for key, each in one.items() if key[1] and _are_slots(each) and not set(each) & set(names)]
    if not best[0] and alone:
        return {f"{max(alone, key=lambda key: len(one[key]))[0]}*": 1 if role is Role.GOLD else -1}
    if not best[0] or not is_sure or any("class" in parts_of(each[0]) for each in best[1:]):
        sides = {"gold": 1, "pred": -1}
        return {SLOTS: sides.get(role.value, 1)} if slots and not any(map(_is_state_name, names)) else {}
    return {f"{key[0]}*" if key[1] else f"*{key[0]}": side for key, side in ((best[1], 1), (best[2], -1))}


def _are_slots(names: Iterable[str]) -> bool:
    return all(map(_SLOT.fullmatch, names))


def _is_state_name(name: str) -> bool:
    return any(points(role, name) >= 5 for role in ("gold", "pred", "state")) and not _SLOT.fullmatch(name)


def _dialogue(table: RowTable, names: Sequence[str], taken: set[str]) -> tuple[str, int]:
    """Return the column of dialogue ids and its points; an empty name if there is none."""
    best, most = "", 0
    for name in names:
        values = [value_at(row, name) for row in table.rows[:SAMPLE]]
        if name in taken or not all(isinstance(value, str | int) and not isinstance(value, bool) for value in values):
            continue
        if name == "@key":
            found = 8
        elif name.startswith("@") or max(points(role, name) for role in ("gold", "pred", "state")) >= 5:
            continue
        else:
            repeats = 4 if len(set(values)) < len(values) else 0
            word = points("dialogue", name.lstrip("^"))
            found = word + repeats - (5 if points("not a dialogue", name) else 0) if word else 0
        if found > most:
            best, most = name, found
    if len({value_at(row, best) for row in table.rows}) == 1:
        best = next((name for name in names if name not in taken and _counts_turns(table.rows, name)), best)
    return best, most


def _counts_turns(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    """True for a column of texts such as ``MUL1_0``, ``MUL1_1``, ``MUL2_0``, which count the turns of each dialogue."""
    values = [value_at(row, name) for row in rows]
    found = split_ids(values) if all(isinstance(value, str) and len(value) < 100 for value in values) else None
    return found is not None and all(
        after == (before[0], before[1] + 1) or after[1] in (0, 1) for before, after in pairwise(found)
    )


def _turn(table: RowTable, names: Sequence[str], taken: set[str], dialogue: str) -> tuple[str, int]:
    """Return the column of turn numbers and its points; an empty name if turns are counted in the order of the file."""
    if any("@turn" in row for row in table.rows[:1]):
        return "@turn", 10
    best, most = "", 0
    for name in names:
        values = [value_at(row, name) for row in table.rows[:SAMPLE]]
        if (
            name in taken
            or name == dialogue
            or name.startswith(("@", "^"))
            or not all(number_of(each) is not None for each in values)
        ):
            continue
        found = points("turn", name)
        if found > most:
            best, most = name, found
    if not best and any("@pos" in row for row in table.rows[:1]):
        return "@pos", 5
    return best, most


def _restarts(values: Sequence[Any]) -> bool:
    """True for values such as 0 1 2 0 1, which count the turns of each dialogue.

    Example:
        >>> _restarts([0, 1, 2, 0, 1]), _restarts([0, 1, 2, 3]), _restarts(["a", "a", "b"])
        (True, False, False)
    """
    numbers = [number_of(value) for value in values]
    if not numbers or None in numbers or numbers[0] not in (0, 1):
        return False
    steps = [after for before, after in pairwise(numbers) if before is not None and after != before + 1]
    return 0 < len(steps) < len(numbers) - 1 and all(step == numbers[0] for step in steps)


def number_of(value: Any) -> int | None:
    """Return the number of a turn, which may be written as ``3``, ``3.0`` or ``turn 3``; None for other values."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value if value >= 0 else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and value >= 0 else None
    match = (
        re.fullmatch(r"\s*(?:turn[ _-]?)?(\d{1,6})(?:\.0)?\s*", value, re.IGNORECASE)
        if isinstance(value, str)
        else None
    )
    return int(match[1]) if match else None


def split_ids(values: Sequence[Any]) -> list[tuple[str, int]] | None:
    """Return ids of rows such as ``MUL1_0`` as dialogue and turn, if they are; otherwise None.

    Example:
        >>> split_ids(["a_0", "a_1", "b_0"]), split_ids(["r1", "r2"])
        ([('a', 0), ('a', 1), ('b', 0)], None)
    """
    matches = [TURN_OF_ID.fullmatch(str(value)) for value in values]
    if not values or not all(matches) or len(set(values)) < len(values):
        return None
    found = [(match["dialogue"], int(match["turn"])) for match in matches if match]
    first: dict[str, int] = {}
    for prefix, number in found:
        first[prefix] = min(number, first.get(prefix, number))
    is_split = len(first) < len(found) and all(number in (0, 1) for number in first.values())
    return found if is_split else None


def question(what: str, names: Sequence[str]) -> str:
    """Return the question which of several fields is gold or the prediction, with its answers.

    Example:
        >>> question("gold", ["gold", "label"])
        'which field is gold: gold or label? Answer with --columns gold=gold or --columns gold=label'
    """
    key = "gold" if what == "gold" else "pred"
    shown = [one_line(name, 40) for name in names]
    answers = " or ".join(f"--columns {key}={shlex.quote(name)}" for name in shown[:3])
    return f"which field is {what}: {' or '.join(shown)}? Answer with {answers}"


def _whole(columns: Sequence[Column]) -> list[Column]:
    """Return the columns without those of previous states, and without updates if there are others."""
    columns = [each for each in columns if not points("previous", each.name)]
    return [each for each in columns if _is_whole(each)] or columns


def _is_whole(column: Column) -> bool:
    return not points("update", column.name)


def _likeliest(columns: Sequence[Column], named: set[str]) -> list[Column]:
    """Return the columns that can be gold or the prediction although their names do not say so.

    They share a slot with columns that are named, change within the file, and no other name says clearly more that it is a
    state.

    Args:
        columns: columns of neither side.
        named: the slots of the columns whose names say what they are.
    """
    shared = [each for each in columns if not named or not _slots_of(each) or _slots_of(each) & named]
    best = max((points("state", each.name) for each in shared), default=0)
    return _distinct(_whole([each for each in shared if points("state", each.name) > best - _MARGIN]))


def _slots_of(column: Column) -> set[str]:
    return {slot for state in column.sample for slot in state}


def _distinct(columns: Sequence[Column]) -> list[Column]:
    """Return the columns without those whose states are equal to those of an earlier one."""
    kept: list[Column] = []
    for column in columns:
        if all(column.sample != each.sample for each in kept):
            kept.append(column)
    return kept


def _systems(preds: Sequence[Column], gold: Sequence[State], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the columns of predictions by the name of their system. An object of systems has one column for each."""
    slots = {slot for state in gold for slot in state}
    found: dict[str, str] = {}
    for column in preds:
        objects = [value for row in rows if isinstance(value := value_at(row, column.name), Mapping)]
        inner = list(dict.fromkeys(key for each in objects for key in each)) if slots and objects else []
        whole = {slot for state in column.sample for slot in state}
        parts = {slot for each in objects for value in each.values() if isinstance(value, Mapping) for slot in value}
        if (
            inner
            and all(isinstance(each.get(key, {}), Mapping) for each in objects for key in inner)
            and len(parts & slots) > len(whole & slots)
        ):
            found |= {key: f"{column.name}.{key}" for key in inner}
        else:
            found[column.name] = column.name
    outer = {name.partition(".")[0] for name in found}
    is_shared = len(outer) == 1 < len(found)
    return {name.partition(".")[2]: column for name, column in found.items()} if is_shared else found


def _speaking(table: RowTable, names: Sequence[str], states: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """Return the speaker column and the speakers that have states, if others have none at all."""
    decoder = Decoder()
    filled = [any(decoder.is_filled(value_at(row, name)) for name in states) for row in table.rows]
    if all(filled):
        return None
    best, most = "", 0
    for name in names:
        if points("speaker", name) > most and name not in states:
            values = {value_at(row, name) for row in table.rows if not isinstance(value_at(row, name), dict | list)}
            if 1 < len(values) <= 4 and all(isinstance(value, str) for value in values):
                best, most = name, points("speaker", name)
    if best:
        speaking = {value_at(row, best) for row, has in zip(table.rows, filled, strict=True) if has}
        everyone = {value_at(row, best) for row in table.rows}
        return (best, tuple(sorted(speaking))) if speaking and speaking < everyone else None
    return _parity(table, filled)


def _parity(table: RowTable, filled: Sequence[bool]) -> tuple[str, tuple[str, ...]] | None:
    """Return the parity of the positions with states, if the others have none, and some state is followed by an empty one."""
    places = [row.get("@pos") for row in table.rows]
    if any(place is None for place in places):
        return None
    with_states = {int(place) % 2 for place, has in zip(places, filled, strict=True) if has and place is not None}
    lost = any(has and not after and place for has, after, place in zip(filled, filled[1:], places[1:], strict=False))
    return ("@pos", (str(with_states.pop()),)) if len(with_states) == 1 and lost else None


def is_wrapped(name: str) -> bool:
    """True if a column such as ``payload.slots`` is a state in rows of one kind, and other rows have none."""
    return "." in name and is_part(name.rpartition(".")[2])
