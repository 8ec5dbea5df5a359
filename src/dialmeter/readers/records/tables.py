"""Finds the tables in a parsed file: lists of records, objects by id, columns, and the turns in the records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import InputError
from ..containers import Sheets
from ..strict_json import parse_unique
from .names import NO_TABLES, ROOTS, points

SAMPLE = 400
"""Number of rows that show what a table holds."""
_TURN_KEY = re.compile(r"(?:turn[_ -]?|t)?(\d{1,6})", re.IGNORECASE)
_LEVELS = 2
_COLUMN_ROLES = ("gold", "pred", "state", "dialogue", "item", "rater", "rating")
_Row = dict[str, Any]


class RowTable(NamedTuple):
    """The rows of one kind in a file.

    Attributes:
        path: where they are: ``[]`` are the elements of a list, ``{}`` the values of an object, ``{n}`` turns by number,
            ``[*]`` parallel lists. ``items[].turns[]`` are the turns of the records in ``items``.
        rows: the rows. Besides its own fields a row has ``@key`` (the key of its record), ``@turn`` or ``@pos`` (the key or
            the position of the turn), and the plain fields of its record.
        left_out: number of elements that are no records, such as null.
    """

    path: str
    rows: list[_Row]
    left_out: int = 0

    @property
    def columns(self) -> list[str]:
        """The names of the fields, and of the fields in objects, ``a.b``, in the order of the file."""
        names: dict[str, None] = {}
        for row in self.rows[:SAMPLE]:
            for name, value in row.items():
                names[name] = None
                names.update(dict.fromkeys(_inner_names(name, value)))
        return list(names)


def _inner_names(name: str, value: Any) -> Iterator[str]:
    value = _object_in(value)
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield f"{name}.{key}"
            if isinstance(inner, Mapping):
                yield from (f"{name}.{key}.{each}" for each in inner)
    elif name.rpartition(".")[2] == "frames" and isinstance(value, list):
        for frame in value:
            if isinstance(frame, Mapping):
                yield from (f"{name}[].{key}" for key, inner in frame.items() if isinstance(inner, Mapping))


def _object_in(value: Any) -> Any:
    """Return the object in a text with JSON; any other value as it is."""
    if not isinstance(value, str) or value[:1] != "{":
        return value
    try:
        return parse_unique(value.encode(), None)
    except InputError:
        return value


def value_at(row: Mapping[str, Any], name: str) -> Any:
    """Return the value of a column in a row; None if the row has none.

    Example:
        >>> value_at({"payload": {"slots": {"a": 1}}}, "payload.slots")
        {'a': 1}
        >>> value_at({"frames": [{"service": "hotel", "state": {"slot_values": {"area": ["east"]}}}]}, "frames[].state")
        {'hotel': {'area': ['east']}}
    """
    if name in row:
        return row[name]
    if name == "@row":
        return {key: value for key, value in row.items() if not key.startswith("@")}
    if "[]." in name:
        outer, _, inner = name.partition("[].")
        frames = value_at(row, outer)
        return _states_of_frames(frames, inner) if isinstance(frames, list) else None
    outer, _, rest = name.partition(".")
    value = _object_in(row.get(outer))
    while rest and isinstance(value, Mapping):
        if rest in value:
            return value[rest]
        outer, _, rest = rest.partition(".")
        value = value.get(outer)
    return None


def slot_at(row: Mapping[str, Any], column: str) -> str:
    """Return the slot of a row that holds one slot. The column may be ``domain+slot``."""
    return "-".join(str(value_at(row, part)) for part in column.split("+"))


def _states_of_frames(frames: Sequence[Any], name: str) -> _Row:
    states = {}
    for place, frame in enumerate(frames):
        state = frame.get(name) if isinstance(frame, Mapping) else None
        if isinstance(state, Mapping):
            states[str(frame.get("service", place))] = state.get("slot_values", state)
    return states


_ID = 4
"""Points of a name that may be that of an id."""


def tables_of(tree: Any) -> list[RowTable]:
    """Return the tables of a parsed file: those of the records, and those of the turns in them.

    Example:
        >>> [(table.path, table.rows) for table in tables_of({"items": [{"id": "a", "turns": [{"gold": {}}]}]})]
        [('items[]', [{'id': 'a', 'turns': [{'gold': {}}]}]), ('items[].turns[]', [{'gold': {}, '@pos': 0, 'id': 'a'}])]
    """
    if isinstance(tree, Sheets):
        inner = ((name, table) for name, rows in tree.items() for table in tables_of(rows))
        return [RowTable(f"{name}{table.path}", table.rows) for name, table in inner]
    found: list[RowTable] = []
    if isinstance(tree, list) and len(tree) == 1 and isinstance(tree[0], dict) and _by_columns(tree[0]) is not None:
        tree = tree[0]  # a document whose first key is that of a JSON line
    tables = list(_records(tree, ""))
    if not tables and isinstance(tree, dict):
        tables = [RowTable("[]", [tree])]
    for _ in range(_LEVELS + 1):
        found += tables
        tables = [inner for table in tables for inner in _turns(table)]
    return [table for table in found if table.rows]


def _records(tree: Any, path: str) -> Iterator[RowTable]:
    if isinstance(tree, list):
        if any(isinstance(each, dict) for each in tree):
            rows = [each for each in tree if isinstance(each, dict)]
            yield RowTable(f"{path}[]", rows, len(tree) - len(rows))
        elif tree and all(isinstance(each, list) and any(isinstance(one, dict) for one in each) for each in tree):
            rows = [
                {"@key": str(number), "@pos": at, **one}
                for number, each in enumerate(tree)
                for at, one in enumerate(each)
                if isinstance(one, dict)
            ]
            yield RowTable(f"{path}[][]", rows, sum(map(len, tree)) - len(rows))
        return
    if not isinstance(tree, dict) or not tree:
        return
    columns = _by_columns(tree)
    if columns is not None:
        yield RowTable(f"{path}[|]", columns)
        return
    if not path and _is_record(tree):
        yield RowTable("[]", [tree])
        return
    if not ROOTS.isdisjoint(tree) and not _is_by_id(tree):
        inner = {key: value for key, value in tree.items() if key in ROOTS or _holds_objects(value)}
    elif _is_by_id(tree) and not (len(tree) == 1 and _is_wrapper(next(iter(tree.values())))):
        yield from _by_id(tree, path)
        return
    else:
        inner = {key: value for key, value in tree.items() if len(tree) == 1 or _holds_objects(value)}
    for key, value in inner.items():
        yield from _records(value, f"{path}.{key}" if path else key)
    alone = [key for key, value in tree.items() if _is_side(key) and _is_list_of_texts(value)]
    if len(alone) == 1:
        yield RowTable(f"{path}[*]", [{alone[0]: each} for each in tree[alone[0]]])


def _is_record(tree: _Row) -> bool:
    """True for one dialogue: an object with an id and one list of objects, which have no ids of dialogues."""
    lists = [value for value in tree.values() if _holds_objects(value)]
    ids = [key for key, value in tree.items() if isinstance(value, str | int) and points("dialogue", key) >= _ID]
    inner = {key for each in lists for one in each if isinstance(one, dict) for key in one}
    return len(lists) == 1 and bool(ids) and not any(points("dialogue", key) > 1 for key in inner)


def _is_by_id(tree: _Row) -> bool:
    values = list(tree.values())
    same = all(isinstance(each, dict) for each in values) or all(isinstance(each, list) for each in values)
    return same and ROOTS.isdisjoint(tree)


def _is_wrapper(value: Any) -> bool:
    """True for an object of objects with the same keys: the objects by id, under one key."""
    if not isinstance(value, dict) or len(value) < 2 or not all(isinstance(each, dict) for each in value.values()):
        return False
    return len({tuple(sorted(each)) for each in value.values()}) == 1 and not all(map(_TURN_KEY.fullmatch, value))


def _holds_objects(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(each, str) for each in value)


def _by_id(tree: _Row, path: str) -> Iterator[RowTable]:
    if all(isinstance(each, dict) for each in tree.values()):
        yield RowTable(f"{path}{{}}", [{"@key": key, **value} for key, value in tree.items()])
        return
    rows = [
        {"@key": key, "@pos": place, **(each if isinstance(each, dict) else {"@row": each})}
        for key, values in tree.items()
        for place, each in enumerate(values)
    ]
    yield RowTable(f"{path}{{}}[]", rows)


def _by_columns(tree: _Row) -> list[_Row] | None:
    """Return the rows of a table that is stored by columns; None if the object is no such table."""
    data, names = tree.get("data"), tree.get("columns")
    if isinstance(data, list) and isinstance(names, list) and all(isinstance(each, str) for each in names):
        is_table = all(isinstance(row, list) and len(row) == len(names) for row in data)
        return [dict(zip(names, row, strict=True)) for row in data] if is_table else None
    if isinstance(data, list) and isinstance(tree.get("schema"), dict) and all(isinstance(row, dict) for row in data):
        return data
    columns = list(tree.values())
    if len(tree) < 2 or not any(points(role, name) > 4 for name in tree for role in _COLUMN_ROLES):
        return None
    first = columns[0]
    if isinstance(first, dict) and all(isinstance(each, dict) and each.keys() == first.keys() for each in columns):
        is_numbered = first and all(key.isdigit() for key in first)
        if is_numbered and any(not isinstance(value, dict | list) for each in columns for value in each.values()):
            return [{name: column[key] for name, column in tree.items()} for key in first]
    if not isinstance(first, list) or not all(isinstance(each, list) and len(each) == len(first) for each in columns):
        return None
    has_plain = any(not isinstance(value, dict | list) for each in columns for value in each)
    return [dict(zip(tree, row, strict=True)) for row in zip(*columns, strict=True)] if has_plain else None


def _turns(table: RowTable) -> Iterator[RowTable]:
    """Yield the tables in the records of a table."""
    sample = table.rows[:SAMPLE]
    for name in dict.fromkeys(name for row in sample for name in row):
        values = [row.get(name) for row in sample]
        if name in NO_TABLES or name.startswith("@") or _is_list_of_states(name, values):
            continue
        if 2 * sum(map(_is_list_of_turns, values)) >= len(values):
            rows = list(_spread(table.rows, name, enumerate))
            lists = [row[name] for row in table.rows if isinstance(row.get(name), list)]
            yield RowTable(f"{table.path}.{name}[]", rows, sum(map(len, lists)) - len(rows))
        elif 2 * sum(_by_turn(value) is not None for value in values) >= len(values):
            yield RowTable(
                f"{table.path}.{name}{{n}}", list(_spread(table.rows, name, lambda value: _by_turn(value) or ()))
            )
    own = [_by_turn({key: value for key, value in row.items() if isinstance(value, dict)}) for row in sample]
    if sample and all(own):
        rows = [
            {**one, "@turn": number, "@key": row.get("@key")}
            for row in table.rows
            for number, one in _by_turn({key: value for key, value in row.items() if isinstance(value, dict)}) or ()
        ]
        yield RowTable(f"{table.path}{{n}}", rows)
    lists = (
        [name for name in sample[0] if name not in NO_TABLES and _is_parallel(name, [row.get(name) for row in sample])]
        if sample
        else []
    )
    if (len(lists) > 1 or any(map(_is_side, lists))) and all(
        len({len(row.get(name) or ()) for name in lists}) == 1 for row in table.rows
    ):
        rows = [
            {**_plain_fields(row), **{name: row[name][place] for name in lists}, "@pos": place}
            for row in table.rows
            for place in range(len(row[lists[0]]))
        ]
        yield RowTable(f"{table.path}[*]", rows)


def _is_list_of_turns(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(each, dict) and not _is_pair(each) for each in value)
    )


def _is_list_of_states(name: str, values: Sequence[Any]) -> bool:
    """True for a field such as ``gold`` that holds a list with the state of each turn, as an object without other keys."""
    elements = [each for value in values if isinstance(value, list) for each in value]
    keys = {key for each in elements if isinstance(each, dict) for key in each}
    return _is_side(name) and all(isinstance(each, dict) for each in elements) and not any(map(_is_side, keys))


def _is_parallel(name: str, values: Sequence[Any]) -> bool:
    """True for a field that holds a list with one element for each turn."""
    roles = max(points(role, name) for role in ("gold", "pred", "state", "text", "speaker"))
    if roles < 3 or not any(values) or not all(isinstance(value, list) for value in values):
        return False
    return not all(_is_pair(each) for value in values for each in value)


def _is_pair(value: Any) -> bool:
    """True for a slot with its value, such as ``hotel-area-east``: a list of them is one state, not a state per turn."""
    if isinstance(value, str):
        return value.count("-") > 1
    if isinstance(value, dict):
        return "value" in value and any(key in value for key in ("slot", "slot_name", "name"))
    return isinstance(value, list) and len(value) in (2, 3) and all(isinstance(each, str) for each in value)


def _by_turn(value: Any) -> list[tuple[int, _Row]] | None:
    """Return the turns of an object with keys such as ``0`` or ``turn_0``; None for other values."""
    if not isinstance(value, dict) or not value or not all(isinstance(each, dict) for each in value.values()):
        return None
    numbers = [_TURN_KEY.fullmatch(key) for key in value]
    if not all(numbers):
        return None
    found = sorted((int(match[1]), one) for match, one in zip(numbers, value.values(), strict=True) if match)
    return found if len({number for number, _ in found}) == len(found) else None


def _is_side(name: str) -> bool:
    """True for a field that belongs to the record, not to each of its turns: gold, predictions or a state."""
    return any(points(role, name) > 4 for role in ("gold", "pred", "state"))


def _plain_fields(row: _Row) -> _Row:
    return {key: value for key, value in row.items() if not isinstance(value, dict | list)}


def _spread(rows: Iterable[_Row], name: str, turns: Any) -> Iterator[_Row]:
    """Yield the turns in a field of the records, each with the plain fields of its record."""
    for row in rows:
        outer = _plain_fields(row)
        value = row.get(name)
        place = "@pos" if isinstance(value, list) else "@turn"
        for number, one in turns(value) if isinstance(value, dict | list) else ():
            if isinstance(one, dict):
                inherited = {(f"^{key}" if key in one or _is_side(key) else key): each for key, each in outer.items()}
                yield {**one, place: number, **{key: each for key, each in inherited.items() if key != place}}
