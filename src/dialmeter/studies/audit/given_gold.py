"""Detect prediction files that were made with gold states. Some published files contain gold states instead of a tracker's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache

from ...model import State, Value
from ...readers.pairs.vocabulary import PairDialogue
from ...tracking.compared import ComparedDialogue
from ...tracking.pairs import alternatives
from ...tracking.tally import CORRECT
from ...values import maps

LIMIT = 0.95
"""A file whose states equal gold at a larger share of turns was given gold states."""


class GoldStateCheck:
    """Counter of the turns at which predicted states equal gold, outside slots that the file never predicts.

    Two spellings of a value are equal here if the map ``multiwoz`` gives them the same form, whatever the rule set: a file of gold
    states with times written as 9:15 instead of 09:15 was also given gold states. ``take`` is a sink of ``score_file``.

    Example:
        >>> check = GoldStateCheck()
        >>> gold = {"train-leaveat": "09:15", "train-day": "friday"}
        >>> check.add_turn(gold, {"train-leaveat": "9:15"}, agreeing=())
        >>> check.share, check.was_given_gold, sorted(check.predicted), check.turns
        (1.0, True, ['train-leaveat'], 1)
        >>> check.add_turn(gold, {"train-leaveat": "10:00"}, agreeing=())
        >>> check.was_given_gold
        False
    """

    def __init__(self) -> None:
        self.turns = 0
        self.predicted: set[str] = set()
        """The slots that the file predicts at any turn."""
        self._wrong: Counter[frozenset[str]] = Counter()

    def take(self, _read: PairDialogue, compared: ComparedDialogue) -> None:
        """Process a scored dialogue."""
        names = compared.pairs.slot_names
        for _, gold, pred, slots in compared.details():
            self.add_turn(gold, pred, {names[slot] for slot, kind, *_ in slots if kind == CORRECT})

    def add_turn(self, gold: State, pred: State, agreeing: Iterable[str]) -> None:
        """Process one turn.

        Args:
            gold: the gold state under the rules.
            pred: the predicted state.
            agreeing: slots whose values agree under the rules.
        """
        self.turns += 1
        self.predicted.update(pred)
        unequal = (gold.keys() | pred.keys()).difference(agreeing)
        self._wrong[frozenset(slot for slot in unequal if not _same(slot, gold.get(slot), pred.get(slot)))] += 1

    @property
    def share(self) -> float | None:
        """The share of turns that equal gold in the predicted slots; None if no slot is predicted."""
        if not self.predicted:
            return None
        equal = sum(count for wrong, count in self._wrong.items() if wrong.isdisjoint(self.predicted))
        return equal / self.turns

    @property
    def was_given_gold(self) -> bool:
        """True if the states equal gold at more than 95 % of turns."""
        return (self.share or 0) > LIMIT


@cache
def _same(slot: str, gold: Value | None, pred: Value | None) -> bool:
    """Return True if two values are spellings of the same value."""
    if gold is None or pred is None:
        return False
    canonical = maps.load_shipped("multiwoz").canonical
    one, other = ({canonical(slot, each) for each in alternatives(value)} for value in (gold, pred))
    return not one.isdisjoint(other)
