"""A dialogue of a tracker as a grid: a row for every turn, a column for every slot, and in each cell the result."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, NamedTuple

from ...model import Value, domain_of


def shown(value: Value | None) -> str:
    """A value as one text; alternatives between bars, nothing for an absent one.

    Example:
        >>> shown("east"), shown(("6:00", "06:00")), shown(None)
        ('east', '6:00 | 06:00', '')
    """
    return value if isinstance(value, str) else " | ".join(value or ())


SIGNS = {"correct": "=", "wrong": "≠", "missed": "−", "over": "+"}


class GridCell(NamedTuple):
    """One slot at one turn."""

    slot: str
    kind: str
    sign: str
    gold: str
    pred: str
    carried: bool
    fresh: bool
    """Did gold or prediction change at this turn?"""
    marked: bool
    """Does it pass the filter of the list that one comes from?"""

    @property
    def words(self) -> str:
        """The class in words."""
        return f"{self.kind}, carried over" if self.carried else self.kind


def grid(row: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
    """What the page of a dialogue shows.

    Example:
        >>> cell = {"class": "missed", "age": "new"}
        >>> turn = {"turn": 0, "user": "East.", "system": "", "exact": False, "gold": {"inn-area": "east"}, "pred": {},
        ...         "slots": {"inn-area": cell}}
        >>> found = grid({"id": "d", "turns": [turn]}, {"class": "missed"})
        >>> found["turns"][0]["cells"][0].sign, found["turns"][0]["cells"][0].marked, found["domains"]
        ('−', True, [('inn', 1)])
    """
    slots = _columns(row)
    turns: list[dict[str, Any]] = []
    before: Mapping[str, Any] = {"gold": {}, "pred": {}}
    for turn in row["turns"]:
        cells = [_cell(slot, turn, before, wanted) for slot in slots]
        turns.append({**turn, "cells": cells})
        before = turn
    domains = [(name, len(list(group))) for name, group in groupby(slots, domain_of)]
    spoken = any(turn["user"] or turn["system"] for turn in turns)
    return {
        "id": row["id"],
        "slots": slots,
        "domains": domains,
        "turns": turns,
        "classes": _present(turns),
        "spoken": spoken,
    }


def _columns(*rows: Mapping[str, Any]) -> list[str]:
    """Slots by domain, in the order in which they come up."""
    seen = dict.fromkeys(slot for row in rows for turn in row["turns"] for slot in turn["slots"])
    domains = list(dict.fromkeys(map(domain_of, seen)))
    return sorted(seen, key=lambda slot: domains.index(domain_of(slot)))


def _cell(slot: str, turn: Mapping[str, Any], before: Mapping[str, Any], wanted: Mapping[str, str]) -> GridCell | None:
    outcome = turn["slots"].get(slot)
    if outcome is None:
        return None
    gold, pred = shown(turn["gold"].get(slot)), shown(turn["pred"].get(slot))
    facts = {
        "domain": domain_of(slot),
        "slot": slot,
        "class": outcome["class"],
        "age": outcome["age"] or "",
        "turn": str(turn["turn"]),
        "gold": gold,
        "pred": pred,
    }
    return GridCell(
        slot,
        outcome["class"],
        SIGNS.get(outcome["class"], "?"),
        gold,
        pred,
        outcome["age"] == "carried-over",
        gold != shown(before["gold"].get(slot)) or pred != shown(before["pred"].get(slot)),
        bool(wanted) and all(facts[name] == text for name, text in wanted.items()),
    )


def _present(turns: list[dict[str, Any]]) -> dict[str, int]:
    """How often each class occurs in the grid; carried-over mistakes are counted separately."""
    found = dict.fromkeys((*SIGNS, "carried-over"), 0)
    for turn in turns:
        for cell in turn["cells"]:
            if cell is not None:
                found["carried-over" if cell.carried else cell.kind] += 1
    return found


def side_by_side(first: Mapping[str, Any], second: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
    """Two trackers under the same talk: for every turn, the slots at which either is wrong or something changed."""
    grids = [grid(row, wanted) for row in (first, second)]
    others = {turn["turn"]: turn for turn in grids[1]["turns"]}
    columns = _columns(first, second)
    turns = []
    for turn in grids[0]["turns"]:
        other = others.get(turn["turn"])
        cells = [
            {each.slot: each for each in found["cells"] if each is not None} if found else {} for found in (turn, other)
        ]
        slots = [
            slot
            for slot in columns
            if any(slot in side and (side[slot].fresh or side[slot].kind != "correct") for side in cells)
        ]
        turns.append({**turn, "pairs": [(slot, cells[0].get(slot), cells[1].get(slot)) for slot in slots]})
    return {"id": first["id"], "turns": turns}
