"""IC-DST's ``running_log.json``, and the test file that it was run on: a list with one object per user turn.

``[{"ID": "MUL0003.json", "turn_id": 0, "slot_values": {"hotel-area": "north"}, "pred": {"hotel-area": "north"},
"completion": " hotel WHERE area = north", "dialog": {"sys": [""], "usr": [".."]}, ..}]``

``slot_values`` is gold, ``pred`` the prediction, both cumulative. The file without ``pred`` and ``completion`` is gold. Where
``pred`` is missing everywhere, the updates in ``completion`` are read and added up, with the warning ``completions-read``.
Of a completion, that part is read that names tables and conditions: ``hotel WHERE area = north AND book_stay = 2``.

IC-DST's own scoring overwrites gold: where the prediction is one of several right values, the log has this value alone in
``slot_values``. The accuracy is the same, but gold of two logs may differ. The warning ``gold-overwritten`` counts such values;
``--gold`` with the test file gives gold as it was. The number here is that of the run itself; IC-DST's script
``evaluate_run_log.py`` adds each update to gold's state before it, and so gives another number.

No real file of this format was at hand: it was written down from the code that writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import InputError
from ...model import DELETED, State, Turn
from ..pairs.vocabulary import PairDialogue
from ..parts import Role, as_list, as_mapping, as_text, first_mapping, turn_number
from ..source import Sample, Source
from ..turn_rows import Places, TurnRows, add_notices, add_row_place, as_id, turn_label
from ..yes_no import YesNo, flat_state

HOLDS = "both"
CARRIES = "gold and predicted states, cumulative, utterances; gold alone in the test file"

_END = re.compile(r";|\n|#|--")
_CONDITION = re.compile(r"\s(?:=|LIKE|>=|<=|<|>)\s", re.IGNORECASE)
_ALIAS = re.compile(r"\b(\w++)\s++AS\s++(\w+)", re.IGNORECASE)
_WHERE = re.compile(r"\bWHERE\b", re.IGNORECASE)
_AND = re.compile(r"(?<!\s)\s++AND\s++(?=[\w.]++\s++(?:=|LIKE|>=|<=|<|>)\s)", re.IGNORECASE)


def detect(sample: Sample) -> bool:
    row = first_mapping(sample.value) if sample.kind == "document" else {}
    return {"ID", "turn_id", "slot_values"} <= row.keys()


def read(source: Source, role: Role) -> Iterator[PairDialogue]:
    rows = TurnRows(source)
    yes_no = YesNo()
    overwritten, invalid, completions = Places(), Places(), Places()
    alternatives: dict[tuple[str, str], set[str]] = {}
    states: dict[str, State] = {}
    with_pred = 0
    for count, thing in enumerate(source.elements(), 1):
        row = as_mapping(thing, "a turn")
        name = as_id(row.get("ID"), "ID")
        number = row.get("turn_id")
        yes_no.dialogue, yes_no.turn = name, number
        try:
            turn = turn_number(number)
            gold = flat_state(as_mapping(row.get("slot_values"), "slot_values"), yes_no)
            pred = flat_state(row.get("pred"), yes_no)
            if pred is not None:
                with_pred += 1
            elif "completion" in row and role is not Role.GOLD:
                completions.add(turn_label(name, turn))
                pred = states[name] = updated(states.get(name, {}), as_text(row["completion"], "completion"))
            if 0 < with_pred < count:
                raise InputError("no pred, while other turns have one")
            if row.get("not_valid"):
                invalid.add(turn_label(name, turn))
            for slot in _overwritten(name, row, gold, alternatives):
                overwritten.add(f"{turn_label(name, turn)} {slot}")
            rows.add(name, Turn(turn, gold, pred, _last(row, "usr"), _last(row, "sys")))
        except InputError as error:
            raise add_row_place(error, name, number) from None
    source.check_keys()
    if not rows:
        raise InputError("a list without turns")
    yield from rows.dialogues()
    source.notices += yes_no.notices(rows.words)
    add_notices(
        source,
        {
            "completions-read": (completions, "{} turns have no pred; the updates in their completions are added up"),
            "gold-overwritten": (
                overwritten,
                "{} gold values had alternatives that the log has lost; give the test file with --gold",
            ),
            "unparsed": (invalid, "{} completions could not be read by IC-DST itself (not_valid)"),
        },
    )


def _overwritten(
    name: str, row: Mapping[str, Any], gold: Mapping[str, Any], alternatives: dict[tuple[str, str], set[str]]
) -> list[str]:
    """Slots of gold that hold one value, while the change that set them has alternatives."""
    news = row.get("turn_slot_values")
    for slot, value in news.items() if isinstance(news, dict) else ():
        if isinstance(value, str):
            alternatives[name, slot] = set(value.split("|")) if "|" in value else set()
    return [slot for slot, value in gold.items() if value in alternatives.get((name, slot), ())]


def _last(row: Mapping[str, Any], who: str) -> str:
    said = row.get("dialog")
    texts = as_list(said.get(who, []), f"dialog.{who}") if isinstance(said, dict) else []
    return as_text(texts[-1], f"dialog.{who}") if texts else ""


def updated(state: State, completion: str) -> State:
    """The state after the update that a completion holds.

    Example:
        >>> updated({"taxi-leaveat": "09:15"}, " taxi AS t1, hotel AS t2 WHERE t1.leaveat = [DELETE] AND t2.book_stay = 2")
        {'hotel-book stay': '2'}
    """
    tables, *conditions = _WHERE.split(_END.split(completion, maxsplit=1)[0], maxsplit=1)
    aliases = {alias: table for table, alias in _ALIAS.findall(tables)}
    only = tables.strip() if not aliases else ""
    new = dict(state)
    for condition in _AND.split(conditions[0].strip()) if conditions and conditions[0].strip() else ():
        column, *value = (part.strip() for part in _CONDITION.split(condition, maxsplit=1))
        alias, point, inner = column.partition(".")
        domain, slot = (aliases.get(alias, alias), inner) if point else (only, column)
        if not (domain and slot and value):
            continue
        key = f"{domain}-{slot.replace('_', ' ')}"
        text = value[0].replace("'", "")
        if text == DELETED:
            new.pop(key, None)
        else:
            new[key] = text
    return new
