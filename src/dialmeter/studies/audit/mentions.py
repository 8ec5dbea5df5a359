"""Mentions: the values of slots in the states of gold and of every tracker, with the turns at which each has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from msgspec import Struct

from ...readers.pairs.vocabulary import PairDialogue
from ...tracking.pairs import PairRules
from ...tracking.walk import Walk

if TYPE_CHECKING:
    import numpy as np

    IntArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.int32]]


class TurnSpan(NamedTuple):
    """Consecutive turns at which a state contains a value."""

    first: int
    last: int


class SlotMention(Struct, frozen=True):
    """A value of a slot in the states of gold or of a tracker in a dialogue.

    Attributes:
        dialogue: key of the dialogue.
        slot: the number of the slot in the tables of the rules.
        cell: the number of the slot with its value under the rules.
        gold: the turns at which gold has it.
    """

    dialogue: str
    slot: int
    cell: int
    gold: tuple[TurnSpan, ...] = ()


class Mentions:
    """All mentions of a corpus, sorted, with the turns at which each tracker has them.

    Attributes:
        listed: the mentions.
        first: for each tracker and mention, the first turn at which the tracker has it; -1 if it never has.
        last: the last turn of that first span.
        turns: for each dialogue, the numbers of its turns.
    """

    def __init__(self, trackers: Sequence[Mapping[str, PairDialogue]], pairs: PairRules) -> None:
        import numpy as np

        walk = Walk(pairs)
        gold: dict[str, dict[int, list[TurnSpan]]] = {}
        predicted: list[dict[str, dict[int, list[TurnSpan]]]] = []
        turns: dict[str, set[int]] = {}
        for reads in trackers:
            own: dict[str, dict[int, list[TurnSpan]]] = {}
            for key, read in reads.items():
                if walk.take(read):
                    turns.setdefault(key, set()).update(walk.numbers)
                    own[key] = spans_by_cell(walk.numbers, walk.pred)
                    # The file of a tracker may have fewer turns than others.
                    if len(turns[key]) == len(walk.numbers):
                        gold[key] = spans_by_cell(walk.numbers, walk.gold)
            predicted.append(own)
        self.turns = {key: sorted(numbers) for key, numbers in turns.items()}
        names, slots = pairs.slot_names, pairs.cell_slots
        rows: dict[tuple[str, int], list[TurnSpan]] = {}
        by_tracker = [_with_gold_cells(own, gold, pairs) for own in predicted]
        for own in (gold, *by_tracker):
            for key, cells in own.items():
                for cell in cells:
                    rows.setdefault((key, cell), gold.get(key, {}).get(cell, []))
        order = sorted(rows, key=lambda row: (row[0], names[slots[row[1]]], _value_text(pairs, row[1])))
        self.listed = [SlotMention(key, slots[cell], cell, tuple(rows[key, cell])) for key, cell in order]
        self.first: IntArray = np.full((len(trackers), len(order)), -1, np.int32)
        self.last: IntArray = np.full((len(trackers), len(order)), -1, np.int32)
        for tracker, own in enumerate(by_tracker):
            for index, (key, cell) in enumerate(order):
                spans = own.get(key, {}).get(cell)
                if spans:
                    self.first[tracker, index], self.last[tracker, index] = spans[0]
        self.slots: IntArray = np.array([each.slot for each in self.listed], np.int32)
        self.gold_first: IntArray = np.array(
            [each.gold[0].first if each.gold else -1 for each in self.listed], np.int32
        )


def spans_by_cell(numbers: Sequence[int], states: Sequence[Sequence[int]]) -> dict[int, list[TurnSpan]]:
    """Return, for each cell, the spans of turns at which the states contain it.

    Example:
        >>> spans_by_cell([0, 1, 2, 3], [[7], [7, 8], [8], [7, 8]])
        {7: [TurnSpan(first=0, last=1), TurnSpan(first=3, last=3)], 8: [TurnSpan(first=1, last=3)]}
    """
    by_cell: dict[int, list[TurnSpan]] = {}
    before: int | None = None
    for number, cells in zip(numbers, states, strict=True):
        for cell in cells:
            spans = by_cell.setdefault(cell, [])
            if spans and spans[-1].last == before:
                spans[-1] = TurnSpan(spans[-1].first, number)
            else:
                spans.append(TurnSpan(number, number))
        before = number
    return by_cell


def _with_gold_cells(
    own: Mapping[str, Mapping[int, list[TurnSpan]]], gold: Mapping[str, Mapping[int, list[TurnSpan]]], pairs: PairRules
) -> dict[str, dict[int, list[TurnSpan]]]:
    """Return the spans of a tracker, with a predicted cell replaced by the cell of gold that agrees with it under the rules."""
    slots = pairs.cell_slots
    replaced: dict[str, dict[int, list[TurnSpan]]] = {}
    for key, cells in own.items():
        gold_cells = gold.get(key, {})
        by_cell = replaced[key] = {}
        for cell, spans in cells.items():
            same = cell
            if cell not in gold_cells:
                agreeing = (
                    each
                    for each in gold_cells
                    if slots[each] == slots[cell] and (pairs.loose or pairs.several[each]) and pairs.agrees(each, cell)
                )
                same = next(agreeing, cell)
            by_cell[same] = sorted([*by_cell.get(same, ()), *spans])
    return replaced


def _value_text(pairs: PairRules, cell: int) -> str:
    value = pairs.values[cell]
    return value if isinstance(value, str) else "|".join(value)
