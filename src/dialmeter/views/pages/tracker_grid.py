"""A dialogue of a tracker as a grid: one row per turn, one column per slot, and the result in each cell."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, NamedTuple

from ...model import Value, domain_of


def value_text(value: Value | None) -> str:
    """Return a value as one text; alternatives are separated by bars, an absent value is empty.

    Example:
        >>> value_text("east"), value_text(("6:00", "06:00")), value_text(None)
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
    """Whether gold or prediction changed at this turn."""
    marked: bool
    """Whether it matches the filters of the list that links to the page."""

    @property
    def words(self) -> str:
        """The class in words."""
        return f"{self.kind}, carried over" if self.carried else self.kind


def grid(row: Mapping[str, Any], filters: Mapping[str, str]) -> dict[str, Any]:
    """Return the template variables of a dialogue.

    Example:
        >>> cell = {"class": "missed", "age": "new"}
        >>> turn = {"turn": 0, "user": "East.", "system": "", "exact": False, "gold": {"inn-area": "east"}, "pred": {},
        ...         "slots": {"inn-area": cell}}
        >>> shown = grid({"id": "d", "turns": [turn]}, {"class": "missed"})
        >>> shown["turns"][0]["cells"][0].sign, shown["turns"][0]["cells"][0].marked, shown["domains"]
        ('−', True, [('inn', 1)])
    """
    slots = _columns(row)
    turns: list[dict[str, Any]] = []
    before: Mapping[str, Any] = {"gold": {}, "pred": {}}
    for turn in row["turns"]:
        cells = [_cell(slot, turn, before, filters) for slot in slots]
        turns.append({**turn, "cells": cells})
        before = turn
    domains = [(name, len(list(group))) for name, group in groupby(slots, domain_of)]
    spoken = any(turn["user"] or turn["system"] for turn in turns)
    return {
        "id": row["id"],
        "slots": slots,
        "domains": domains,
        "turns": turns,
        "classes": _count_classes(turns),
        "spoken": spoken,
    }


def _columns(*rows: Mapping[str, Any]) -> list[str]:
    """Return the slots grouped by domain, in the order of their first occurrence."""
    seen = dict.fromkeys(slot for row in rows for turn in row["turns"] for slot in turn["slots"])
    domains = list(dict.fromkeys(map(domain_of, seen)))
    return sorted(seen, key=lambda slot: domains.index(domain_of(slot)))


def _cell(slot: str, turn: Mapping[str, Any], before: Mapping[str, Any], filters: Mapping[str, str]) -> GridCell | None:
    outcome = turn["slots"].get(slot)
    if outcome is None:
        return None
    gold, pred = value_text(turn["gold"].get(slot)), value_text(turn["pred"].get(slot))
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
        gold != value_text(before["gold"].get(slot)) or pred != value_text(before["pred"].get(slot)),
        bool(filters) and all(facts[name] == text for name, text in filters.items()),
    )


def _count_classes(turns: list[dict[str, Any]]) -> dict[str, int]:
    """Count the cells of each class; carried-over mistakes are counted separately."""
    counts = dict.fromkeys((*SIGNS, "carried-over"), 0)
    for turn in turns:
        for cell in turn["cells"]:
            if cell is not None:
                counts["carried-over" if cell.carried else cell.kind] += 1
    return counts


def pair_grids(first: Mapping[str, Any], second: Mapping[str, Any], filters: Mapping[str, str]) -> dict[str, Any]:
    """Return two trackers' states of one dialogue: for every turn, the slots that changed or that either tracker has wrong."""
    grids = [grid(row, filters) for row in (first, second)]
    others = {turn["turn"]: turn for turn in grids[1]["turns"]}
    columns = _columns(first, second)
    turns = []
    for turn in grids[0]["turns"]:
        other = others.get(turn["turn"])
        cells = [
            {each.slot: each for each in side["cells"] if each is not None} if side else {} for side in (turn, other)
        ]
        slots = [
            slot
            for slot in columns
            if any(slot in own and (own[slot].fresh or own[slot].kind != "correct") for own in cells)
        ]
        turns.append({**turn, "pairs": [(slot, cells[0].get(slot), cells[1].get(slot)) for slot in slots]})
    return {"id": first["id"], "turns": turns}
