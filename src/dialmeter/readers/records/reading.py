"""Infers what the columns of a table mean: dialogue, turn, gold and predictions. One reading wins clearly, or none."""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ...errors import InputError, one_line
from ...model import State
from ..validation import Role
from .names import WRAPPERS, parts_of, points, side_of
from .states import Decoder, NotAState
from .tables import SAMPLE, Table, value_at

_SPLIT_ID = re.compile(r"(.+?)[_\-#:/|. ]+(?:turn|t)?[_\-]?(\d{1,6})", re.IGNORECASE)
_MARGIN = 2
"""A reading wins if it has so many more points than any other."""
RESTARTS = "@restarts"
"""In the place of a column of dialogue ids: a dialogue begins where the numbers of turns restart."""
_MOST_SYSTEMS = 20
_SURE_GOLD, _SURE_PRED, _SURE_SLOT = 7, 6, 7


class Reading(NamedTuple):
    """How a table is read.

    Attributes:
        table: the table.
        dialogue: the column of dialogue ids; empty if every row stands alone; ``id#`` if ids end with the number of the turn.
        turn: the column of turn numbers; empty if turns are counted in the order of the file.
        gold: the column of gold states; empty if there is none. It ends with ``*`` if there is one column for each slot.
        pred: the columns of predictions, in the same way, by the name of the system.
        slot: the column of slots, if a row holds one slot.
        where: column and values of the rows that have states, if the others are left out.
        system: the column that tells systems apart, and the value of the one that is read.
        points: how sure the reading is.
        notes: what a person should know.
    """

    table: Table
    dialogue: str
    turn: str
    gold: str
    pred: Mapping[str, str]
    slot: str
    where: tuple[str, tuple[str, ...]] | None
    system: tuple[str, str] | None
    points: int
    notes: tuple[str, ...]

    @property
    def columns(self) -> str:
        """The reading as the text of ``--columns``."""
        parts = [f"rows={self.table.path}", f"dialogue={self.dialogue or '@none'}", f"turn={self.turn or '@order'}"]
        parts += [f"slot={self.slot}"] if self.slot else []
        parts += [f"where={self.where[0]}:{'|'.join(self.where[1])}"] if self.where else []
        parts += ["system={}:{}".format(*self.system)] if self.system else []
        parts += [f"gold={self.gold}"] if self.gold else []
        return " ".join([*parts, *(f"pred={column}" for column in self.pred.values())])


class Refusal(Exception):
    """A table that cannot be read, with the question that a person can answer."""

    def __init__(self, message: str, points: int = 0) -> None:
        super().__init__(message)
        self.points = points


class Column(NamedTuple):
    """A column that holds states."""

    name: str
    side: int
    sample: list[State]


def best_reading(tables: Sequence[Table], role: Role, tracker: str, file: str) -> Reading:
    """Return the reading that wins clearly.

    Raises:
        InputError: none does; the message has the question that a person can answer.
    """
    found: list[Reading] = []
    refusals: list[Refusal] = []
    for table in tables:
        try:
            found.append(_read_table(table, role, tracker, file))
        except Refusal as refusal:
            refusals.append(refusal)
    found.sort(key=lambda each: -each.points)
    refusals.sort(key=lambda each: -each.points)
    if refusals and (not found or refusals[0].points > found[0].points):
        raise InputError(str(refusals[0]))
    if not found:
        names = ", ".join(one_line(name, 30) for name in (tables[0].columns[:12] if tables else ()))
        raise InputError(f"no field holds dialogue states; its fields are {names}" if names else "no records")
    if len(found) > 1 and found[0].points - found[1].points < _MARGIN and found[0].table.path != found[1].table.path:
        first, second = found[:2]
        raise InputError(
            f"which are the turns: {first.table.path} or {second.table.path}? Answer with --columns {shlex.quote(first.columns)} "
            f"or --columns {shlex.quote(second.columns)}"
        )
    return found[0]


def _read_table(table: Table, role: Role, tracker: str, file: str) -> Reading:
    rows = table.rows[:SAMPLE]
    decoder = Decoder()
    names = table.columns
    slot = _slot_column(table, names)
    wide = {} if slot else _wide([name for name in rows[0] if _is_plain(rows, name)])
    text: list[str] = []
    states = [] if wide or slot else list(_state_columns(names, rows, decoder, text))
    values = [name for name in names if slot and name != slot and _is_plain(rows, name)]
    if slot:
        states = [
            Column(name, side_of(name), [{"": str(value_at(row, name))} for row in rows])
            for name in values
            if side_of(name)
        ]
    elif wide:
        states = [Column(name, side, [{"": name}]) for name, side in wide.items()]
    if role is not Role.BOTH and not any(map(_has_role, rows[0])) and (row_states := _whole_rows(rows)):
        states = [Column("@row", 0, row_states)]
    if not states:
        surely = max((points("gold", name) + points("pred", name) for name in text), default=0)
        if surely >= _SURE_PRED:
            listed = " and ".join(one_line(name, 30) for name in text)
            raise Refusal(f"{listed} {'holds' if len(text) == 1 else 'hold'} text, not states", surely)
        raise Refusal("no field holds dialogue states")
    taken = {each.name for each in states}
    dialogue, dialogue_points = _dialogue(table, names, taken)
    turn, turn_points = _turn(table, names, taken, dialogue)
    if dialogue and not turn and _restarts([value_at(row, dialogue) for row in table.rows]):
        dialogue, turn = RESTARTS, dialogue
    base = (
        min(10, dialogue_points) + min(10, turn_points) + min(5, len(table.rows)) + (20 if wide else 15 if slot else 0)
    )
    gold, pred, notes = _sides(states, text, role, tracker, file, base, rows)
    notes = [*notes, *_notes_of_ids(table, dialogue, turn)]
    where = None if wide or slot else _speaking(table, names, [each for each in (gold, *pred.values()) if each])
    if where:
        kept = "|".join(where[1])
        notes.append(f"only turns with {where[0]}={kept} have states; the others are left out")
        turn = ""
    system = None if slot else _system(table, names, dialogue, turn, tracker, file)
    best = max([points("gold", gold), *(points("pred", each) for each in pred.values())])
    return Reading(table, dialogue, turn, gold, pred, slot, where, system, base + best, tuple(notes))


def _has_role(name: str) -> bool:
    roles = ("gold", "pred", "state", "text", "dialogue", "turn", "speaker")
    return not name.startswith("@") and any(points(role, name) > 2 for role in roles)


def _whole_rows(rows: Sequence[Mapping[str, Any]]) -> list[State]:
    """Return the states of a table whose rows are states themselves; empty for other tables."""
    decoder = Decoder()
    try:
        states = [decoder.decode(value_at(row, "@row")) for row in rows]
    except NotAState:
        return []
    slots = Counter(slot for state in states for slot in state)
    return states if slots and len(slots) <= max(4, sum(slots.values()) / 2) else []


def _is_plain(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return all(not isinstance(value_at(row, name), dict | list) for row in rows)


def _state_columns(
    names: Sequence[str], rows: Sequence[Mapping[str, Any]], decoder: Decoder, text: list[str]
) -> Iterator[Column]:
    """Yield the columns with states. Add columns with a name of gold or prediction that hold text to ``text``."""
    parents: set[str] = set()
    for name in names:
        if name.startswith(("@key", "@turn", "@pos")) or any(
            name.startswith((f"{each}.", f"{each}[")) for each in parents
        ):
            continue
        named = max(points("gold", name), points("pred", name), points("state", name))
        is_goal = "goal" in parts_of(name)
        is_text = points("text", name) >= max(1, points("state", name))
        if is_goal or (is_text and max(points("gold", name), points("pred", name)) < _SURE_PRED):
            continue
        values = [value_at(row, name) for row in rows]
        filled = [value for value in values if decoder.is_filled(value)]
        if not filled or all(isinstance(value, int | float) for value in filled):
            continue
        is_id = max(points(role, name) for role in ("dialogue", "turn", "speaker")) > named
        if is_id and not any(isinstance(each, dict | list) or str(each).lstrip()[:1] in ("{", "[") for each in filled):
            continue
        states, failed, loose = [], 0, 0
        for value in values:
            try:
                states.append(decoder.decode(value))
                loose += isinstance(value, str) and value.strip()[:1] not in ("{", "[", "`", "(")
            except NotAState:
                states.append({})
                failed += decoder.is_filled(value)
        share = 1 - failed / len(filled)
        slots = Counter(slot for state in states for slot in state)
        is_loose = loose and len(slots) > max(4, sum(slots.values()) / 2)
        if share < (0.5 if named >= 5 else 0.95) or not any(states) or is_loose or not _look_like_slots(slots):
            if max(points("gold", name), points("pred", name)) >= 5 and any(isinstance(each, str) for each in filled):
                text.append(name)
            continue
        parents.add(name)
        yield Column(name, side_of(name), states)


def _look_like_slots(slots: Mapping[str, int]) -> bool:
    return all(slot.strip() and len(slot) < 80 for slot in slots)


def _slot_column(table: Table, names: Sequence[str]) -> str:
    """Return the column of slots of a table with one row for each slot; empty for other tables."""
    rows = table.rows[:SAMPLE]
    best = max((name for name in names if _is_plain(rows, name)), key=lambda name: points("slot", name), default="")
    if not best or points("slot", best) < _SURE_SLOT or len({value_at(row, best) for row in rows}) < 2:
        return ""
    return best if any(isinstance(value_at(row, best), str) for row in rows) else ""


def _wide(names: Sequence[str]) -> dict[str, int]:
    """Return the pattern ``gold_*`` and ``pred_*`` of tables with one column for each slot and side."""
    rests: dict[tuple[str, bool], set[str]] = defaultdict(set)
    for name in names:
        for match in re.finditer(r"[_.:/ -]", name):
            rests[name[: match.end()], True].add(name[match.end() :])
            rests[name[match.start() :], False].add(name[: match.start()])
    golds = {key: each for key, each in rests.items() if points("gold", key[0]) >= _SURE_GOLD and side_of(key[0]) > 0}
    preds = {key: each for key, each in rests.items() if points("pred", key[0]) >= _SURE_PRED and side_of(key[0]) < 0}
    pairs = [(len(golds[gold] & preds[pred]), gold, pred) for gold in golds for pred in preds if gold[1] == pred[1]]
    best = max(
        pairs, default=(0, ("", True), ("", True)), key=lambda each: (each[0], len(each[1][0]) + len(each[2][0]))
    )
    if best[0] < 2 or any("class" in parts_of(each[0]) for each in best[1:]):
        return {}
    return {f"{key[0]}*" if key[1] else f"*{key[0]}": side for key, side in ((best[1], 1), (best[2], -1))}


def _dialogue(table: Table, names: Sequence[str], taken: set[str]) -> tuple[str, int]:
    """Return the column of dialogue ids and its points; an empty name if there is none."""
    best, most = "", 0
    for name in names:
        values = [value_at(row, name) for row in table.rows[:SAMPLE]]
        if name in taken or not all(isinstance(value, str | int) and not isinstance(value, bool) for value in values):
            continue
        if name == "@key":
            found = 8
        elif name.startswith("@") or max(points("gold", name), points("pred", name)) >= 5:
            continue
        else:
            repeats = 4 if len(set(values)) < len(values) else 0
            word = points("dialogue", name.lstrip("^"))
            found = word + repeats - (5 if points("not a dialogue", name) else 0) if word else 0
        if found > most:
            best, most = name, found
    return best, most


def _turn(table: Table, names: Sequence[str], taken: set[str], dialogue: str) -> tuple[str, int]:
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
    return bool(steps) and all(step == numbers[0] for step in steps)


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
    matches = [_SPLIT_ID.fullmatch(str(value)) for value in values]
    if not values or not all(matches) or len(set(values)) < len(values):
        return None
    found = [(match[1], int(match[2])) for match in matches if match]
    first: dict[str, int] = {}
    for prefix, number in found:
        first[prefix] = min(number, first.get(prefix, number))
    is_split = len(first) < len(found) and all(number in (0, 1) for number in first.values())
    return found if is_split else None


def _sides(
    states: Sequence[Column],
    text: Sequence[str],
    role: Role,
    tracker: str,
    file: str,
    base: int,
    rows: Sequence[Mapping[str, Any]],
) -> tuple[str, dict[str, str], list[str]]:
    """Choose the columns of gold and of predictions."""
    plain = [each for each in states if each.side == 0 and not points("previous", each.name)]
    neutral = [each for each in plain if not points("update", each.name)] or plain
    if any(each.side == 0 and points("previous", each.name) for each in states) and role is Role.BOTH:
        names = [each.name for each in states if each.side == 0]
        raise Refusal(_question("gold", names), base + 10)
    golds = sorted((each for each in states if each.side > 0), key=lambda each: -points("gold", each.name))
    preds = [each for each in states if each.side < 0]
    notes: list[str] = []
    if role is not Role.BOTH:
        own, other, name = (golds, preds, "gold") if role is Role.GOLD else (preds, golds, "the prediction")
        chosen = _distinct(own or neutral or other)
        if len(chosen) > 1 and not own:
            raise Refusal(_question(name, [each.name for each in chosen]), base + 10)
        if role is Role.GOLD:
            _check_golds(golds, base)
            return chosen[0].name, {}, _unused(states, chosen[:1])
        return "", _one_system(_systems(chosen, (), rows), tracker, file), _unused(states, chosen)
    if golds:
        _check_golds(golds, base)
        gold = golds[0]
        neutral = _distinct([each for each in neutral if each.sample != gold.sample] or neutral)
    elif preds and neutral:
        neutral = _distinct(neutral)
        if len(neutral) > 1:
            raise Refusal(_question("gold", [each.name for each in neutral]), base + 10)
        gold = neutral[0]
        notes.append(f"{gold.name} is gold because {preds[0].name} is the prediction")
    else:
        named = " and ".join(text)
        if named:
            raise Refusal(f"{named} {'hold' if len(text) > 1 else 'holds'} text, not states", base)
        names = [each.name for each in (*neutral, *preds)]
        if len(neutral) > 1:
            raise Refusal(_question("gold", names), base + 10)
        raise Refusal(
            f"{' and '.join(names)} holds states, but nothing is gold; give the file of gold states with --gold FILE",
            base + 5,
        )
    if not preds:
        if not neutral or neutral == [gold]:
            held = f"; {' and '.join(text)} {'hold' if len(text) > 1 else 'holds'} text, not states" if text else ""
            raise Refusal(f"{gold.name} is gold, but no field holds predictions{held}", base + 5)
        if len(neutral) > 1:
            raise Refusal(_question("the prediction", [each.name for each in neutral]), base + 10)
        preds = neutral
        notes.append(f"{preds[0].name} is the prediction because {gold.name} is gold")
    preds = _distinct(preds)
    return (
        gold.name,
        _one_system(_systems(preds, gold.sample, rows), tracker, file),
        [*notes, *_unused(states, [gold, *preds])],
    )


def _check_golds(golds: Sequence[Column], base: int) -> None:
    others = [each for each in golds[1:] if points("gold", each.name) >= _SURE_GOLD and each.sample != golds[0].sample]
    if others:
        raise Refusal(_question("gold", [golds[0].name, *(each.name for each in others)]), base + 12)


def _question(what: str, names: Sequence[str]) -> str:
    key = "gold" if what == "gold" else "pred"
    shown = [one_line(name, 40) for name in names]
    answers = " or ".join(f"--columns {key}={shlex.quote(name)}" for name in shown[:3])
    return f"which field is {what}: {' or '.join(shown)}? Answer with {answers}"


def _distinct(columns: Sequence[Column]) -> list[Column]:
    """Return the columns without those whose states are equal to those of an earlier one."""
    kept: list[Column] = []
    for column in columns:
        if all(column.sample != each.sample for each in kept):
            kept.append(column)
    return kept


def _system(
    table: Table, names: Sequence[str], dialogue: str, turn: str, tracker: str, file: str
) -> tuple[str, str] | None:
    """Return the column that tells the systems of a file apart, if turns occur once for each of them.

    The name of the column must say so, and it must have few values. Otherwise a running text could be taken for it.
    """
    if dialogue in ("", RESTARTS) or not turn:
        return None
    keys = [(value_at(row, dialogue), value_at(row, turn)) for row in table.rows]
    if len(set(map(str, keys))) == len(keys):
        return None
    for name in names:
        if (name == "@key" and dialogue != "@key") or points("name of a system", name) >= _SURE_PRED:
            values = [value_at(row, name) for row in table.rows]
            plain = {str(each) for each in values if isinstance(each, str | int)}
            is_unique = len({(*map(str, key), str(value)) for key, value in zip(keys, values, strict=True)}) == len(
                keys
            )
            if is_unique and 1 < len(plain) <= _MOST_SYSTEMS:
                chosen = _one_system({each: each for each in dict.fromkeys(map(str, values))}, tracker, file)
                return name, next(iter(chosen))
    return None


def _unused(states: Sequence[Column], used: Sequence[Column]) -> list[str]:
    names = [each.name for each in states if each not in used and all(each.sample != one.sample for one in used)]
    return [f"not used although it could be a state: {', '.join(names)}"] if names else []


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
    return found


def _one_system(systems: dict[str, str], tracker: str, file: str) -> dict[str, str]:
    if tracker and (len(systems) > 1 or tracker in systems):
        if tracker not in systems:
            raise Refusal(
                f"no predictions of {one_line(tracker)!r}; the trackers are: {', '.join(map(one_line, systems))}", 99
            )
        return {tracker: systems[tracker]}
    if len(systems) > 1:
        files = [shlex.quote(f"{file}#{name}") for name in systems]
        raise Refusal(
            f"the file holds {len(systems)} trackers: {', '.join(map(one_line, systems))}; "
            f"score one: dialmeter score {files[0]}, or compare them: dialmeter compare {' '.join(files)}",
            99,
        )
    return systems


def _speaking(table: Table, names: Sequence[str], states: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
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


def _parity(table: Table, filled: Sequence[bool]) -> tuple[str, tuple[str, ...]] | None:
    """Return the parity of the positions with states, if the others have none, and some state is followed by an empty one."""
    places = [row.get("@pos") for row in table.rows]
    if any(place is None for place in places):
        return None
    with_states = {int(place) % 2 for place, has in zip(places, filled, strict=True) if has and place is not None}
    lost = any(has and not after and place for has, after, place in zip(filled, filled[1:], places[1:], strict=False))
    return ("@pos", (str(with_states.pop()),)) if len(with_states) == 1 and lost else None


def _notes_of_ids(table: Table, dialogue: str, turn: str) -> list[str]:
    if dialogue == RESTARTS:
        return [f"{turn} counts turns: a dialogue begins where it restarts"]
    if not dialogue:
        return ["no dialogue ids: every row is a turn of its own"]
    return []


def is_wrapped(name: str) -> bool:
    """True if a column such as ``payload.slots`` is a state in rows of one kind, and other rows have none."""
    return "." in name and name.rpartition(".")[2] in WRAPPERS
