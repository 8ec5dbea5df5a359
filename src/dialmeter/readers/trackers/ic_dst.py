"""``running_log.json`` of IC-DST, and the test file of the run: a list with one object per user turn.

``[{"ID": "MUL0003.json", "turn_id": 0, "slot_values": {"hotel-area": "north"}, "pred": {"hotel-area": "north"},
"completion": " hotel WHERE area = north", "dialog": {"sys": [""], "usr": [".."]}, ..}]``

``slot_values`` is gold and ``pred`` is the prediction; both are cumulative. The test file, without ``pred`` and
``completion``, is gold. If no turn has ``pred``, the updates in ``completion`` are accumulated, with the warning
``completions-read``. In a completion, the tables and conditions are read: ``hotel WHERE area = north AND book_stay =
2``.

The scoring of IC-DST overwrites gold: if the prediction is one of several correct values, ``slot_values`` in the log
has only this value. The accuracy is the same, but the gold of two logs may differ. The warning ``gold-overwritten``
counts such values. Give the test file with ``--gold`` to use the original gold. dialmeter computes the accuracy of the
run itself. The script ``evaluate_run_log.py`` of IC-DST adds each update to the previous gold state, so it computes
another number.

The reader was implemented from the code that writes this format; no real file was available.
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
from ..turn_rows import Places, TurnRows, YesNo, add_notices, add_row_place, as_id, flat_state, turn_label

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
    pred_count = 0
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
                pred_count += 1
            elif "completion" in row and role is not Role.GOLD:
                completions.add(turn_label(name, turn))
                pred = states[name] = apply_update(states.get(name, {}), as_text(row["completion"], "completion"))
            if 0 < pred_count < count:
                raise InputError("no pred, but other turns have one")
            if row.get("not_valid"):
                invalid.add(turn_label(name, turn))
            for slot in _overwritten_slots(name, row, gold, alternatives):
                overwritten.add(f"{turn_label(name, turn)} {slot}")
            rows.add(name, Turn(turn, gold, pred, _last_text(row, "usr"), _last_text(row, "sys")))
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
            "completions-read": (
                completions,
                "{} turns have no pred; the updates in their completions are accumulated",
            ),
            "gold-overwritten": (
                overwritten,
                "{} gold values had alternatives that the log does not have; give the test file with --gold",
            ),
            "unparsed": (invalid, "{} completions could not be parsed by IC-DST (not_valid)"),
        },
    )


def _overwritten_slots(
    name: str, row: Mapping[str, Any], gold: Mapping[str, Any], alternatives: dict[tuple[str, str], set[str]]
) -> list[str]:
    """Return the gold slots with one value whose last change in gold has alternatives."""
    changes = row.get("turn_slot_values")
    for slot, value in changes.items() if isinstance(changes, dict) else ():
        if isinstance(value, str):
            alternatives[name, slot] = set(value.split("|")) if "|" in value else set()
    return [slot for slot, value in gold.items() if value in alternatives.get((name, slot), ())]


def _last_text(row: Mapping[str, Any], who: str) -> str:
    utterances = row.get("dialog")
    texts = as_list(utterances.get(who, []), f"dialog.{who}") if isinstance(utterances, dict) else []
    return as_text(texts[-1], f"dialog.{who}") if texts else ""


def apply_update(state: State, completion: str) -> State:
    """Apply the update in a completion to a state.

    Example:
        >>> apply_update({"taxi-leaveat": "09:15"}, " taxi AS t1, hotel AS t2 WHERE t1.leaveat = [DELETE] AND t2.book_stay = 2")
        {'hotel-book stay': '2'}
    """
    tables, *conditions = _WHERE.split(_END.split(completion, maxsplit=1)[0], maxsplit=1)
    aliases = {alias: table for table, alias in _ALIAS.findall(tables)}
    single_table = tables.strip() if not aliases else ""
    new = dict(state)
    for condition in _AND.split(conditions[0].strip()) if conditions and conditions[0].strip() else ():
        column, *value = (part.strip() for part in _CONDITION.split(condition, maxsplit=1))
        alias, point, inner = column.partition(".")
        domain, slot = (aliases.get(alias, alias), inner) if point else (single_table, column)
        if not (domain and slot and value):
            continue
        key = f"{domain}-{slot.replace('_', ' ')}"
        text = value[0].replace("'", "")
        if text == DELETED:
            new.pop(key, None)
        else:
            new[key] = text
    return new
