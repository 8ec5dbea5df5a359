"""What the votes of trackers are worth: how reliable each is on each slot, and which of them copy each other.

A tracker votes for every value that it holds in a dialogue, and against every value that gold or another tracker holds and
it does not. A vote for a value weighs the log odds of the tracker's precision on the slot, a vote against it the log odds of its
recall; below even odds it weighs nothing. Precision and recall are measured against what all others say together, gold being one
of them, so that a tracker is not called unreliable for finding an error of gold.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from .mentions import Mentions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...stats.formulas import Floats

    BoolArray: TypeAlias = NDArray[np.bool_]

_ROUNDS = 3
"""How often weights are computed from the majority that the weights before gave."""
_STRENGTH = 10.0
"""A rate on a slot leans on the rate over all slots as if so many more mentions had that rate, and an overlap leans on none."""
_DRAW = 0.5
"""A smaller lead of one side is a draw: one tracker against gold decides nothing."""
_DIGITS = 9
"""Weights are rounded, so that equal votes are equal numbers."""


class Votes(Struct, frozen=True):
    """Weights of votes.

    Attributes:
        support: by mention, the weight of the votes for it less that of the votes against it; gold has no vote.
        for_it: by tracker and slot, what a vote for a value weighs.
        timing: by voice and slot, what a vote on the first turn of a value weighs; gold is the last voice.
        for_alone: by tracker, the part of its votes for values that it does not share with others; two copies have 0.5 each.
        precision: by tracker, over all slots.
        recall: by tracker, over all slots.
    """

    support: Floats
    for_it: Floats
    timing: Floats
    for_alone: Floats
    precision: Floats
    recall: Floats


def weigh(mentions: Mentions, slots: int) -> Votes:
    """Weighs the votes of trackers.

    Args:
        mentions: what gold and trackers hold.
        slots: how many slots there are.
    """
    import numpy as np

    holds = mentions.first >= 0
    voices = np.vstack([holds, mentions.gold_first >= 0])
    count, number = len(holds), mentions.slots
    overlaps = [_with_gold(_overlaps(holds, voices[-1], miss)) for miss in (False, True)]
    for_alone, against_alone = map(_alone, overlaps)
    for_it: Floats = np.ones((len(voices), slots))
    precision: Floats = np.ones(len(voices))
    recall = precision
    votes = np.where(voices, for_alone[:, None], -against_alone[:, None])
    for round_ in range(_ROUNDS):
        # A tracker is not judged by its copies.
        copied = overlaps[0] @ np.maximum(votes, 0) + overlaps[1] @ np.minimum(votes, 0)
        others = np.round(votes.sum(axis=0) - votes - copied, _DIGITS)
        least = 0 if round_ else _DRAW
        says = others > least
        decided, said, right = (
            _by_slot(each, mentions, slots) for each in (voices & (np.abs(others) > least), says, voices & says)
        )
        for_it, precision = _log_odds(decided, right)
        against, recall = _log_odds(said, right)
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


def _by_slot(found: BoolArray, mentions: Mentions, slots: int) -> Floats:
    """How many mentions of each slot are found, by voice."""
    import numpy as np

    return np.stack([np.bincount(mentions.slots, weights=row, minlength=slots) for row in found])


def _log_odds(tried: Floats, right: Floats) -> tuple[Floats, Floats]:
    """The log odds of a rate by voice and slot, at least 0, and the rate by voice, from counts by voice and slot."""
    import numpy as np

    whole = (right.sum(axis=1) + 1) / (tried.sum(axis=1) + 2)
    rate = (right + _STRENGTH * whole[:, None]) / (tried + _STRENGTH)
    return np.maximum(np.log(rate / (1 - rate)), 0), whole


def _overlaps(holds: BoolArray, gold: BoolArray, majority_holds: bool) -> Floats:
    """How far each two trackers share their departures from the majority of all others, gold among them.

    The majority is counted twice: first every tracker is one voice, then copies are less than one.

    Args:
        holds: by tracker and mention.
        gold: by mention, does gold hold it?
        majority_holds: look at mentions that the others hold, where a departure is a miss; or at those that they lack.
    """
    import numpy as np

    signs = np.where(holds, 1.0, -1.0)
    found: Floats = np.zeros((len(holds), len(holds)))
    for _ in range(2):
        votes = signs * _alone(found)[:, None]
        whole = votes.sum(axis=0) + np.where(gold, 1.0, -1.0)

        def departures(one: int, other: int, votes: Floats = votes, whole: Floats = whole) -> tuple[int, int]:
            lead = whole - votes[one] - votes[other]
            decided = lead > _DRAW if majority_holds else lead < -_DRAW
            apart = [decided & (holds[each] != majority_holds) for each in (one, other)]
            return int((apart[0] & apart[1]).sum()), int((apart[0] | apart[1]).sum())

        found = _shares(len(holds), departures)
    return found


def _timing_overlaps(mentions: Mentions) -> Floats:
    """How far each two trackers share their departures from the first turns in gold."""
    first, gold = mentions.first, mentions.gold_first
    apart = (first >= 0) & (gold >= 0) & (first != gold)

    def departures(one: int, other: int) -> tuple[int, int]:
        same = apart[one] & apart[other] & (first[one] == first[other])
        return int(same.sum()), int((apart[one] | apart[other]).sum())

    return _shares(len(first), departures)


def _shares(count: int, departures: Callable[[int, int], tuple[int, int]]) -> Floats:
    """By two trackers, the share of their departures that they have in common; few departures say little.

    Args:
        count: how many trackers there are.
        departures: of two trackers, how many both have, and how many either has.
    """
    import numpy as np

    found: Floats = np.zeros((count, count))
    for one in range(count):
        for other in range(one):
            both, either = departures(one, other)
            found[one, other] = found[other, one] = both / (either + _STRENGTH)
    return found


def _alone(overlaps: Floats) -> Floats:
    """By voice, the part of its votes that it does not share: 1 / (1 + the sum of its overlaps)."""
    import numpy as np

    found: Floats = np.round(1 / (1 + overlaps.sum(axis=1)), _DIGITS)
    return found


def _with_gold(overlaps: Floats) -> Floats:
    """Overlaps with gold as the last voice, which copies nobody."""
    import numpy as np

    return np.pad(overlaps, (0, 1))


def _timing(mentions: Mentions, slots: int) -> Floats:
    """Log odds that a voice begins a value at the turn at which another voice begins it; gold is the last one."""
    import numpy as np

    firsts = np.vstack([mentions.first, mentions.gold_first])
    overlaps = _with_gold(_timing_overlaps(mentions))
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
