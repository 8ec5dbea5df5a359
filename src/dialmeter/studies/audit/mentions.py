"""Who holds which value of a slot in a dialogue, and from which turn on: gold, and every tracker."""

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
    """Turns in a row at which a state holds a value."""

    first: int
    last: int


class SlotMention(Struct, frozen=True):
    """A value of a slot that gold or a tracker holds in a dialogue.

    Attributes:
        dialogue: its key.
        slot: the number of the slot in the tables of the rules.
        cell: the slot with its value under the rules.
        gold: the turns at which gold holds it.
    """

    dialogue: str
    slot: int
    cell: int
    gold: tuple[TurnSpan, ...] = ()


class Mentions:
    """All mentions of a corpus, sorted, with the turns at which each tracker holds them.

    Attributes:
        listed: the mentions.
        first: by tracker and mention, the first turn at which the tracker holds it; -1 where it never does.
        last: the last turn of that first run.
        turns: by dialogue, the numbers of its turns.
    """

    def __init__(self, trackers: Sequence[Mapping[str, PairDialogue]], pairs: PairRules) -> None:
        import numpy as np

        walk = Walk(pairs)
        gold: dict[str, dict[int, list[TurnSpan]]] = {}
        held: list[dict[str, dict[int, list[TurnSpan]]]] = []
        turns: dict[str, set[int]] = {}
        for reads in trackers:
            own: dict[str, dict[int, list[TurnSpan]]] = {}
            for key, read in reads.items():
                if walk.take(read):
                    turns.setdefault(key, set()).update(walk.numbers)
                    own[key] = runs_of(walk.numbers, walk.pred)
                    wanted = runs_of(walk.numbers, walk.gold)
                    # A tracker may lack turns that others have.
                    if len(turns[key]) == len(walk.numbers):
                        gold[key] = wanted
            held.append(own)
        self.turns = {key: sorted(numbers) for key, numbers in turns.items()}
        names, slots = pairs.slot_names, pairs.cell_slots
        rows: dict[tuple[str, int], list[TurnSpan]] = {}
        by_tracker = [_under_gold(own, gold, pairs) for own in held]
        for own in (gold, *by_tracker):
            for key, cells in own.items():
                for cell in cells:
                    rows.setdefault((key, cell), gold.get(key, {}).get(cell, []))
        order = sorted(rows, key=lambda row: (row[0], names[slots[row[1]]], _text(pairs, row[1])))
        self.listed = [SlotMention(key, slots[cell], cell, tuple(rows[key, cell])) for key, cell in order]
        self.first: IntArray = np.full((len(trackers), len(order)), -1, np.int32)
        self.last: IntArray = np.full((len(trackers), len(order)), -1, np.int32)
        for tracker, own in enumerate(by_tracker):
            for place, (key, cell) in enumerate(order):
                runs = own.get(key, {}).get(cell)
                if runs:
                    self.first[tracker, place], self.last[tracker, place] = runs[0]
        self.slots: IntArray = np.array([each.slot for each in self.listed], np.int32)
        self.gold_first: IntArray = np.array(
            [each.gold[0].first if each.gold else -1 for each in self.listed], np.int32
        )


def runs_of(numbers: Sequence[int], states: Sequence[Sequence[int]]) -> dict[int, list[TurnSpan]]:
    """By cell, the turns at which states hold it.

    Example:
        >>> runs_of([0, 1, 2, 3], [[7], [7, 8], [8], [7, 8]])
        {7: [TurnSpan(first=0, last=1), TurnSpan(first=3, last=3)], 8: [TurnSpan(first=1, last=3)]}
    """
    found: dict[int, list[TurnSpan]] = {}
    before: int | None = None
    for number, cells in zip(numbers, states, strict=True):
        for cell in cells:
            runs = found.setdefault(cell, [])
            if runs and runs[-1].last == before:
                runs[-1] = TurnSpan(runs[-1].first, number)
            else:
                runs.append(TurnSpan(number, number))
        before = number
    return found


def _under_gold(
    own: Mapping[str, Mapping[int, list[TurnSpan]]], gold: Mapping[str, Mapping[int, list[TurnSpan]]], pairs: PairRules
) -> dict[str, dict[int, list[TurnSpan]]]:
    """What a tracker holds, with gold's cell where a predicted cell agrees with it under the rules."""
    slots = pairs.cell_slots
    found: dict[str, dict[int, list[TurnSpan]]] = {}
    for key, cells in own.items():
        wanted = gold.get(key, {})
        mine = found[key] = {}
        for cell, runs in cells.items():
            same = cell
            if cell not in wanted:
                agreeing = (
                    each
                    for each in wanted
                    if slots[each] == slots[cell] and (pairs.loose or pairs.several[each]) and pairs.agrees(each, cell)
                )
                same = next(agreeing, cell)
            mine[same] = sorted([*mine.get(same, ()), *runs])
    return found


def _text(pairs: PairRules, cell: int) -> str:
    value = pairs.values[cell]
    return value if isinstance(value, str) else "|".join(value)
