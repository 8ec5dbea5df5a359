"""Data in memory as input: lists of states, rows, data frames, dictionaries and generators become files of a known format.

A reader then reads them, so that a number is the same from memory and from a file.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isnan
from numbers import Number
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import DialmeterError, InputError, did_you_mean, one_line
from ..readers.completions import NotAState
from ..readers.corpus import open_corpus, split_tracker
from ..readers.literals import python_literal
from ..readers.raw_file import STDIN
from ..readers.records.reading import NoReading, Request, SeveralTrackers, best_reading
from ..readers.records.states import Decoder, NoState
from ..readers.records.tables import tables_of
from ..readers.strict_json import parse_unique
from ..readers.validation import Role

ROLES = ("gold", "pred")
COLUMNS = {
    "dialogue": ("dialogue", "dialog", "dial", "conversation", "session", ""),
    "turn": ("turn", "step", "turnnum"),
    "gold": ("gold", "true", "reference", "target", "label", "goldlabel", "ytrue"),
    "pred": ("pred", "prediction", "predicted", "hypothesis", "output", "belief", "ypred"),
    "user": ("user", "userutterance"),
    "system": ("system", "systemutterance"),
    "task": ("task",),
    "trial": ("trial", "run", "attempt", "seed"),
    "reward": ("reward", "success", "passed", "correct", "iscorrect", "solved", "resolved", "score"),
}
"""Key → names of its column, without case, underscores, and the endings id, idx and state."""
_ENDING = re.compile(r"(?:s|id|idx|state)$")
_RECORD = frozenset({"turns", "messages", "goal", "attack", "ratings", "reply", "talk", "conversation", "dialogue_id"})
"""Keys of a record that is not a row of a table and not a state."""


class Prepared(NamedTuple):
    """Files to score: the predictions (or the one file), gold, and whether every turn stands alone."""

    path: str
    gold: str | None = None
    flat: bool = False


def is_path(value: object) -> bool:
    """Is this the path of a file, and not data?"""
    return isinstance(value, Path) or (
        isinstance(value, str) and "\n" not in value and "=" not in value and value.lstrip()[:1] not in ("{", "[")
    )


def is_table(value: object) -> bool:
    """Is this a data frame of pandas or polars?"""
    return hasattr(value, "columns") and (hasattr(value, "to_dicts") or hasattr(value, "to_dict"))


def rows_of_table(table: Any) -> list[dict[str, Any]]:
    """Return the rows of a data frame. Empty cells are None."""
    rows = table.to_dicts() if hasattr(table, "to_dicts") else table.to_dict(orient="records")
    return [{str(name): plain(value) for name, value in row.items()} for row in rows]


def plain(value: Any) -> Any:
    """Return a value as JSON has it: no numbers of numpy, no tuples, None for a missing number.

    Example:
        >>> plain({"a": (1, float("nan"))})
        {'a': [1, None]}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if isnan(value) else value
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if hasattr(value, "item") and not getattr(value, "shape", ()):
        return plain(value.item())
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value))
    return [plain(each) for each in value] if isinstance(value, Iterable) else str(value)


def find_column(names: Iterable[str], key: str) -> str | None:
    """Return the column of a key, by the usual names.

    Example:
        >>> find_column(["Dialogue ID", "turn_idx", "gold_state"], "dialogue"), find_column(["belief"], "pred")
        ('Dialogue ID', 'belief')
    """
    by_name: dict[str, str] = {}
    for name in names:
        short = re.sub(r"[\s_-]", "", name).lower()
        for each in (short, _ENDING.sub("", short)):
            by_name.setdefault(each, name)
    return next((by_name[each] for each in COLUMNS[key] if each in by_name), None)


def find_role(name: str) -> str | None:
    """Return the key of a column by its usual names; None if there is none.

    Example:
        >>> find_role("id"), find_role("Prediction"), find_role("ci")
        ('dialogue', 'pred', None)
    """
    return next((key for key in COLUMNS if find_column([name], key)), None)


def state_of(written: Any, place: str = "") -> Any:
    """Return a state as an object: from an object, a text such as ``hotel-area=north; hotel-stars=4``, or a list of triples.

    Raises:
        InputError: it is not a state.

    Example:
        >>> state_of("hotel-area=north; hotel-stars=4"), state_of([("hotel", "area", "north")])
        ({'hotel-area': 'north', 'hotel-stars': '4'}, {'hotel-area': 'north'})
    """
    if isinstance(written, str):
        return _state_of_text(written, place)
    value = plain(written)
    if not isinstance(value, list) or all(isinstance(each, str) for each in value):
        return value
    state: dict[str, Any] = {}
    for each in value:
        if (
            not isinstance(each, list)
            or len(each) not in (2, 3)
            or not all(isinstance(part, str) for part in each[:-1])
        ):
            raise InputError(
                f"{place}a state is a dict, a text, or a list of (domain, slot, value), not {one_line(str(each))!r}"
            )
        slot = "-".join(each[:-1])
        if state.setdefault(slot, each[-1]) != each[-1]:
            raise InputError(f"{place}two values of {one_line(slot)}")
    return state


def _state_of_text(text: str, place: str) -> Any:
    if text.lstrip()[:1] in ("{", "["):
        try:
            return state_of(parse_unique(text.encode(), None), place)
        except InputError:
            return state_of(python_literal(text), place)
    try:
        return Decoder().decode(text)
    except (NoState, NotAState):
        meant = "write it like hotel-area=north; hotel-stars=4"
        raise InputError(f"{place}not a state: {one_line(text)!r}; {meant}") from None


def _is_state(value: Any) -> bool:
    if isinstance(value, Mapping):
        return not is_record(value)
    return value is None or isinstance(value, str) or (_is_list(value) and all(_is_pair(each) for each in value))


def _is_number(value: Any) -> bool:
    return isinstance(value, Number)


def _is_pair(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return len(value) in (2, 3) and all(isinstance(each, str) for each in value[:-1]) and not _is_list(value[-1])
    return isinstance(value, str)


def _is_triple(value: Any) -> bool:
    return isinstance(value, tuple | list) and _is_pair(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def is_record(value: Mapping[str, Any]) -> bool:
    """Is this a row of a table or a dialogue, and not a state?"""
    names = [str(name) for name in value]
    is_row = any(name and find_column([name], key) for key in ("gold", "pred", "reward", "task") for name in names)
    # A slot of a state has a hyphen in its name, or its domain holds an object.
    return not _RECORD.isdisjoint(names) or (is_row and not any("-" in name for name in names))


def listed(value: Any) -> Any:
    """Return data with its generators, series and arrays as lists.

    Raises:
        DialmeterError: it is nothing that can hold dialogues.
    """
    if is_table(value):
        return rows_of_table(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, str):
        is_json = value.lstrip()[:1] in ("{", "[")
        meant = (
            "parse it first, json.loads(text), or give the path of a file"
            if is_json
            else "give a list with one per turn"
        )
        raise DialmeterError(f"a text is given, {one_line(value, 40)!r}; {meant}")
    if not _is_list(value):
        raise DialmeterError(f"{type(value).__name__} is not a path, a list, a dict or a data frame")
    if (isinstance(value, list | tuple) or hasattr(value, "dtype")) and len(value) and all(map(_is_number, value)):
        raise DialmeterError(
            "numbers are given, not states; rewards of agents: dm.score([{'task': 'a', 'reward': 1}, …]); ratings and a judge: "
            "dm.score([{'human_score': 4, 'gpt_score': 5}, …])"
        )
    return [each if isinstance(each, str | Mapping) or not _is_list(each) else list(each) for each in value]


def _dialogues(data: Any, name: str) -> tuple[dict[str, list[Any]], bool] | None:
    """Return states by dialogue, and whether they came as a flat list; None if the data are not states."""
    if isinstance(data, dict):
        by_id = {str(key): states for key, states in data.items()}
        lists = data and all(_is_list(states) and all(map(_is_state, states)) for states in by_id.values())
        return ({key: list(states) for key, states in by_id.items()}, False) if lists else None
    if not data:
        raise InputError("there are no turns", file=name)
    # A list of pairs is a state; a list of anything else is a dialogue.
    is_pairs = all(isinstance(each, list) and each and all(map(_is_triple, each)) for each in data)
    if all(isinstance(each, list) for each in data) and not is_pairs:
        is_known = all(_is_state(one) for each in data for one in each)
        return ({str(place): each for place, each in enumerate(data)}, False) if is_known else None
    return ({str(place): [each] for place, each in enumerate(data)}, True) if all(map(_is_state, data)) else None


def _side_lines(dialogues: Mapping[str, Sequence[Any]], role: str) -> Iterator[dict[str, Any]]:
    for name, states in dialogues.items():
        turns = [
            {"turn": number, role: state_of(state, f"{role}, dialogue {name}, turn {number}: ")}
            for number, state in enumerate(states)
        ]
        yield {"dialogue_id": name, "turns": turns}


def _row_lines(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], role: str
) -> tuple[list[dict[str, Any]], bool] | None:
    """Return rows with states as dialogues, and whether they have no dialogues; None if they have no column with states."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    for key, name in columns.items():
        if key not in COLUMNS:
            raise DialmeterError(f"columns: unknown key {key!r}; {did_you_mean(key, COLUMNS)}")
        if name not in names:
            raise DialmeterError(f"no column {name!r}; {did_you_mean(name, names)}")
    found: dict[str, str | None] = {key: columns.get(key) or find_column(names, key) for key in COLUMNS}
    if role in ROLES and not found[role]:
        found[role] = next((each for each in names if each.lower() in ("state", "states")), None)
    sides = {side: column for side in ROLES if (column := found[side]) and role in (side, "both")}
    if not sides:
        return None
    if role == "both" and "pred" not in sides:
        unused = [name for name in names if name not in found.values()]
        raise DialmeterError(
            f"nothing is read as the prediction; columns: {', '.join(names)}; name it: columns={{'pred': {(unused or ['NAME'])[0]!r}}}"
        )
    dialogues: dict[str, dict[str, Any]] = {}
    flat = found["dialogue"] is None
    for place, row in enumerate(rows):
        name = str(place) if flat else str(row.get(str(found["dialogue"])))
        turns = dialogues.setdefault(name, {"dialogue_id": name, "turns": []})["turns"]
        number = row.get(found["turn"]) if found["turn"] and not flat else len(turns)
        number = int(number) if isinstance(number, float) and number.is_integer() else number
        states = {side: state_of(row.get(column), f"row {place}: ") for side, column in sides.items()}
        texts = {key: text for key in ("user", "system") if isinstance(text := row.get(str(found[key])), str)}
        turns.append({"turn": number, **states, **texts})
    return list(dialogues.values()), flat


def _is_other_table(data: Any) -> bool:
    """True for rows whose layout is clear, as in a file."""
    if not isinstance(data, list) or not data or not all(isinstance(each, Mapping) for each in data):
        return False
    try:
        reading = best_reading(tables_of([plain(each) for each in data]), Request(Role.BOTH, "", "data", {}))
    except SeveralTrackers:
        return True
    except (NoReading, InputError):
        return False
    return bool(reading.gold and reading.pred)


def _lines(value: Any, role: str, columns: Mapping[str, str], name: str) -> tuple[list[Any], bool]:
    """Return data as lines of a file, and whether every turn stands alone."""
    data = listed(value)
    if role == "both" and not columns and _is_other_table(data):
        rows = [plain(each) for each in data]
        # One row on one line would be read as a document.
        return [rows] if len(rows) == 1 else rows, False
    if isinstance(data, list) and data and all(isinstance(each, Mapping) and is_record(each) for each in data):
        rows = [plain(each) for each in data]
        nested = any(not _RECORD.isdisjoint(row) and "gold" not in row and "pred" not in row for row in rows)
        found = None if nested and not columns else _row_lines(rows, columns, role)
        return found if found is not None else (rows, False)
    dialogues = _dialogues(data, name)
    if dialogues is None:
        return [plain(data)], False
    if role == "both":
        names = list(data[0]) if isinstance(data, list) and isinstance(data[0], Mapping) else []
        if len(names) > 1 and all(_is_number(each) for each in data[0].values()):
            meant = f"columns={{'rating': {names[0]!r}, 'score': {names[1]!r}}}"
            raise DialmeterError(
                f"the columns {', '.join(map(repr, names))} hold numbers, not states; for ratings name them: {meant}"
            )
        if {"role", "content"} <= {*names}:
            raise DialmeterError(
                "a conversation has no states; give judges: dm.score(CASES or RATINGS, judges=…), see dm.attack"
            )
        raise DialmeterError("one list of states is given; give gold and prediction: dm.score(gold, pred)")
    return list(_side_lines(dialogues[0], role)), dialogues[1]


@contextmanager
def prepared(
    pred: Any, gold: Any = None, columns: Mapping[str, str] | None = None, format: str | None = None
) -> Iterator[Prepared]:
    """Context manager that gives the files of the data. Files in memory are written to a temporary folder.

    Args:
        pred: the predictions, or gold and predictions together.
        gold: gold, if it is apart.
        columns: key → column, such as ``{"pred": "belief_v2"}``.
        format: the format of a file, if it was given.

    Raises:
        DialmeterError: the data cannot be read; errors name ``gold`` or ``pred`` as their file.
    """
    with tempfile.TemporaryDirectory(prefix="dialmeter-") as folder:
        paths: dict[str, str | None] = {"pred": None, "gold": None}
        flats: list[bool] = []
        lengths: dict[str, int] = {}
        for side, value in (("pred", pred), ("gold", gold)):
            role = side if gold is not None else "both"
            file = side if gold is not None else "data"
            if value is None:
                continue
            data = _loaded(str(value)) if is_path(value) and not (format or columns) else value
            if is_path(data):
                paths[side] = str(data)
                continue
            lines, flat = _lines(data, role, columns or {}, file)
            flats.append(flat)
            lengths[file] = len(lines)
            paths[side] = f"{folder}/{file}"
            Path(f"{folder}/{file}").write_text("\n".join(json.dumps(line) for line in lines) + "\n", "utf-8")
        if len(set(flats)) > 1:
            raise DialmeterError(
                "one input is a flat list of turns, and the other has dialogues; give both in one form"
            )
        if all(flats) and len(set(lengths.values())) > 1:
            raise DialmeterError(" and ".join(f"{name} has {count} turns" for name, count in lengths.items()))
        try:
            yield Prepared(str(paths["pred"]), paths["gold"], bool(flats) and all(flats))
        except InputError as error:
            raise InputError(error.message.replace(f"{folder}/", ""), **_places(error, folder)) from None
        except DialmeterError as error:
            raise type(error)(*(str(each).replace(f"{folder}/", "") for each in error.args)) from None


def _places(error: InputError, folder: str) -> dict[str, Any]:
    places = {name: getattr(error, name) for name in ("file", "line", "dialogue", "turn", "slot")}
    if places["file"] and places["file"].startswith(folder):
        # The lines of a temporary file mean nothing to the caller.
        places |= {"file": Path(places["file"]).name, "line": None}
    return places


def _loaded(path: str) -> Any:
    """Return the path, or the content of a JSON file whose layout no reader knows but which holds states."""
    file = Path(split_tracker(path)[0])
    if path == STDIN or not file.is_file() or file.suffix.lower() != ".json":
        return path
    try:
        open_corpus(path).close()
    except InputError:
        try:
            data = parse_unique(file.read_bytes(), path)
        except InputError:
            return path
        is_known = isinstance(data, list) and data and all(isinstance(each, dict) and "turns" in each for each in data)
        return data if is_known or (isinstance(data, dict | list) and data and _dialogues(data, path)) else path
    return path
