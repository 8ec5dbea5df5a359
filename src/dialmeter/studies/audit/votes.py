"""Weights of the votes of trackers, from the reliability of each tracker on each slot and the similarity of trackers.

A tracker votes for every value that it has in a dialogue, and against every value that gold or another tracker has and it does
not have. The weight of a vote for a value is the log odds of the tracker's precision on the slot. The weight of a vote against a
value is the log odds of its recall. Weights are never below 0. Precision and recall are computed against the majority of all
others, including gold, so that a tracker does not become unreliable by finding an error of gold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from ...numeric import NDArray, np
from ...readers.pairs.vocabulary import PairDialogue
from ...stats.formulas import Floats
from ...tracking.pairs import PairRules
from ...tracking.walk import Walk

IntArray: TypeAlias = "NDArray[np.int32]"
BoolArray: TypeAlias = "NDArray[np.bool_]"


class TurnSpan(NamedTuple):
    """Consecutive turns at which a state contains a value."""

    first: int
    last: int


class SlotMention(Struct, frozen=True):
    """A value of a slot in the states of gold or of a tracker in a dialogue.

    Attributes:
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
        first: for each tracker and mention, the first turn at which the tracker has it; -1 if it never has.
        last: the last turn of that first span.
        turns: for each dialogue, the numbers of its turns.
    """

    def __init__(self, trackers: Sequence[Mapping[str, PairDialogue]], pairs: PairRules) -> None:
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
        values = [value if isinstance(value, str) else "|".join(value) for value in pairs.values]
        order = sorted(rows, key=lambda row: (row[0], names[slots[row[1]]], values[row[1]]))
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


_ROUNDS = 3
"""Number of iterations. Each computes weights from the majority under the previous weights."""
_STRENGTH = 10.0
"""Strength of smoothing, as a number of added mentions. The rate of a slot is smoothed towards the rate over all slots, an overlap
towards 0."""
_DRAW = 0.5
"""A lead of one side up to this is a draw, so one tracker against gold decides nothing."""
_DIGITS = 9
"""Weights are rounded to this many decimals, so that equal votes are equal numbers."""


class Votes(Struct, frozen=True):
    """Weights of votes.

    Attributes:
        support: for each mention, the weight of the votes for it minus that of the votes against it; gold has no vote.
        for_it: weight of a vote for a value, by tracker and slot.
        timing: weight of a vote on the first turn of a value, by voice and slot; gold is the last voice.
        for_alone: for each tracker, the part of its votes for values that it does not share with others; two copies have 0.5 each.
    """

    support: Floats
    for_it: Floats
    timing: Floats
    for_alone: Floats
    precision: Floats
    recall: Floats


def weigh(mentions: Mentions, slots: int) -> Votes:
    """Compute the weights of the votes of trackers, from all mentions and the number of slots."""
    holds = mentions.first >= 0
    voices = np.vstack([holds, mentions.gold_first >= 0])
    count, number = len(holds), mentions.slots
    overlaps = [_overlaps(holds, voices[-1], miss) for miss in (False, True)]
    for_alone, against_alone = map(_alone, overlaps)
    for_it: Floats = np.ones((len(voices), slots))
    precision: Floats = np.ones(len(voices))
    recall = precision
    votes = np.where(voices, for_alone[:, None], -against_alone[:, None])
    for round_ in range(_ROUNDS):
        # The copies of a tracker do not count when it is judged.
        copied = overlaps[0] @ np.maximum(votes, 0) + overlaps[1] @ np.minimum(votes, 0)
        others = np.round(votes.sum(axis=0) - votes - copied, _DIGITS)
        least = 0 if round_ else _DRAW
        accepted = others > least
        decided, expected, right = (
            _by_slot(each, mentions, slots) for each in (voices & (np.abs(others) > least), accepted, voices & accepted)
        )
        for_it, precision = _log_odds(decided, right)
        against, recall = _log_odds(expected, right)
        for_it, against = for_it * for_alone[:, None], against * against_alone[:, None]
        votes = np.where(voices, for_it[:, number], -against[:, number])
    return Votes(
        np.round(votes[:count].sum(axis=0), _DIGITS),
        for_it[:count],
        _timing(mentions, slots),
        for_alone[:count],
        precision[:count],
        recall[:count],
    )


def _by_slot(masks: BoolArray, mentions: Mentions, slots: int) -> Floats:
    """Return the number of mentions in each mask, by voice and slot."""
    return np.stack([np.bincount(mentions.slots, weights=mask, minlength=slots) for mask in masks])


def _log_odds(tried: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Return log odds of a rate by voice and slot, at least 0, and the rate by voice, from counts by voice and slot."""
    whole = (right.sum(axis=1) + 1) / (tried.sum(axis=1) + 2)
    rate = (right + _STRENGTH * whole[:, None]) / (tried + _STRENGTH)
    return np.maximum(np.log(rate / (1 - rate)), 0), whole


def _overlaps(holds: BoolArray, gold: BoolArray, majority_holds: bool) -> Floats:
    """Return, for each two voices, the overlap of their departures from the majority of all others. Gold is the last, with 0.

    The majority is computed twice: first every tracker counts as one, then copies count less than one.

    Args:
        majority_holds: use the mentions that the others have, where a departure is a miss; otherwise those that they do not have.
    """
    signs = np.where(holds, 1.0, -1.0)
    overlaps: Floats = np.zeros((len(holds) + 1, len(holds) + 1))
    for _ in range(2):
        votes = signs * _alone(overlaps)[:-1, None]
        whole = votes.sum(axis=0) + np.where(gold, 1.0, -1.0)

        def departures(one: int, other: int, votes: Floats = votes, whole: Floats = whole) -> tuple[int, int]:
            lead = whole - votes[one] - votes[other]
            decided = lead > _DRAW if majority_holds else lead < -_DRAW
            first, second = (decided & (holds[each] != majority_holds) for each in (one, other))
            return int((first & second).sum()), int((first | second).sum())

        overlaps = _shares(len(holds), departures)
    return overlaps


def _shares(count: int, departures: Callable[[int, int], tuple[int, int]]) -> Floats:
    """Return, for each two voices, the share of their departures that they have in common; it is low for few departures.

    Gold is the last voice, and shares nothing.

    ``departures`` returns, for two trackers, the number of departures that both have, and that either has.
    """
    shares: Floats = np.zeros((count + 1, count + 1))
    for one in range(count):
        for other in range(one):
            both, either = departures(one, other)
            shares[one, other] = shares[other, one] = both / (either + _STRENGTH)
    return shares


def _alone(overlaps: Floats) -> Floats:
    """Return, for each voice, the part of its votes that it does not share: 1 / (1 + the sum of its overlaps)."""
    alone: Floats = np.round(1 / (1 + overlaps.sum(axis=1)), _DIGITS)
    return alone


def _timing(mentions: Mentions, slots: int) -> Floats:
    """Return the log odds that a value of a voice starts at the same turn as in another voice. Gold is the last voice."""
    firsts = np.vstack([mentions.first, mentions.gold_first])
    departs = (mentions.first >= 0) & (mentions.gold_first >= 0) & (mentions.first != mentions.gold_first)

    def departures(one: int, other: int) -> tuple[int, int]:
        same = departs[one] & departs[other] & (mentions.first[one] == mentions.first[other])
        return int(same.sum()), int((departs[one] | departs[other]).sum())

    # The overlaps of departures from the first turns in gold.
    overlaps = _shares(len(mentions.first), departures)
    alone = _alone(overlaps)
    tried, right = np.zeros((len(firsts), slots)), np.zeros((len(firsts), slots))
    for voice, other in permutations(range(len(firsts)), 2):
        weight = alone[other] * (1 - overlaps[voice, other])
        both = (firsts[voice] >= 0) & (firsts[other] >= 0)
        same = both & (firsts[voice] == firsts[other])
        counts = _by_slot(np.stack([both, same]), mentions, slots)
        tried[voice] += weight * counts[0]
        right[voice] += weight * counts[1]
    return np.round(_log_odds(tried, right)[0] * alone[:, None], _DIGITS)
