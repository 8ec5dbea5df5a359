"""Gold and several trackers on the same dialogues, with a common numbering of slots and values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ...model import NAMED, State, Value
from ...readers.pairs.vocabulary import PairDialogue, Vocabulary
from ...tracking.compared import ComparedDialogue
from ...tracking.digest import joined_alternatives
from ...tracking.gold_patch import Correction
from ...tracking.pairs import PairRules, alternatives
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import Rules
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


MEASURES = ("JGA", "FGA(lam=0.5)", "GCA")
"""The measures that are computed again for every candidate."""


class Utterances(NamedTuple):
    """The utterances of a turn."""

    system: str
    user: str


class AuditedTracker(Struct, frozen=True):
    """One tracker: its dialogues with gold, by key, its scores, and the check for gold states."""

    name: str
    reads: Mapping[str, PairDialogue]
    result: TrackerResult
    check: GoldStateCheck


class TrackerSet:
    """Trackers with the same gold, sorted by name, so that the order of files does not matter.

    Args:
        trackers: at least one tracker.
        rules: the rule set.
        words: the vocabulary that numbers all pairs.
    """

    def __init__(self, trackers: Iterable[AuditedTracker], rules: Rules, words: Vocabulary) -> None:
        self.trackers = sorted(trackers, key=lambda each: each.name)
        self.rules = rules
        self.words = words
        self.pairs = PairRules(rules, words)
        self.pairs.extend()
        self.voters = [each for each in self.trackers if not each.check.was_given_gold]

    @cached_property
    def names(self) -> dict[str, str]:
        """The ids of the dialogues, by key."""
        return {key: read.id for each in self.trackers for key, read in each.reads.items()}

    @cached_property
    def gold(self) -> dict[str, dict[int, tuple[int, ...]]]:
        """The pairs of gold, by dialogue and turn."""
        gold: dict[str, dict[int, tuple[int, ...]]] = {}
        for each in self.trackers:
            for key, read in each.reads.items():
                own = gold.setdefault(key, {})
                own.update({n: state for n, state in zip(read.numbers, read.gold, strict=True) if state is not None})
        return gold

    def talk(self) -> dict[str, dict[int, Utterances]]:
        """Return the utterances by dialogue and turn, from the first file that has them."""
        talk: dict[str, dict[int, Utterances]] = {}
        for each in self.trackers:
            for key, read in each.reads.items():
                if key not in talk:
                    utterances = {turn.number: Utterances(turn.system, turn.user) for turn in read.turns}
                    if any(any(texts) for texts in utterances.values()):
                        talk[key] = utterances
        return talk

    @cached_property
    def _written(self) -> dict[int, int]:
        """The preferred written pair of each cell: the one that occurs most in gold, or else any."""
        used = Counter(pair for turns in self.gold.values() for pair in {p for state in turns.values() for p in state})
        words, best = self.words, dict[int, tuple[int, int, str, int]]()
        for pair in range(len(self.pairs.slot)):
            for cell, is_gold in ((self.pairs.gold[pair], 1), (self.pairs.pred[pair], 0)):
                if cell:
                    rank = (-is_gold, -used[pair], joined_alternatives(words.values[pair]), pair)
                    best[cell] = min(best.get(cell, rank), rank)
        return {cell: rank[-1] for cell, rank in best.items()}

    def value_of(self, cell: int) -> str:
        """Return a value as written in gold, if gold has it anywhere."""
        return joined_alternatives(self.words.values[self._written[cell]])

    def slot_of(self, cell: int) -> str:
        """Return the slot of a cell as written in gold."""
        return self.words.written(self._written[cell])

    def written_gold(self, key: str, turn: int, slot: int) -> tuple[str, str] | None:
        """Return slot and value as written in gold at a turn, including values that mean no value; None if gold has nothing."""
        for pair in self.gold[key].get(turn, ()):
            if self.pairs.slot[pair] == slot and self.words.values[pair] not in ("", NAMED):
                return self.words.written(pair), joined_alternatives(self.words.values[pair])
        return None

    def has_value(self, key: str, turn: int, slot: int) -> bool:
        """Return True if gold has a value at a turn under the rules."""
        return any(self.pairs.slot[pair] == slot and self.pairs.gold[pair] for pair in self.gold[key].get(turn, ()))

    def corrections(self, key: str, slot: int, turns: Iterable[int], cell: int | None) -> list[Correction]:
        """Return corrections that change the value of a slot at some turns, one for each run of equal written values.

        Args:
            key: key of the dialogue.
            slot: the number of the slot.
            turns: the turns, in order.
            cell: the value; None for no value.
        """
        value = None if cell is None else self.value_of(cell)
        name = self.pairs.slot_names[slot] if cell is None else self.slot_of(cell)
        corrections: list[Correction] = []
        before: int | None = None
        next_turn = dict(pairwise(sorted(self.gold[key])))
        for turn in turns:
            written = self.written_gold(key, turn, slot)
            old = written[1] if written else None
            if old == value:
                continue
            if corrections and corrections[-1].gold == old and before is not None and next_turn.get(before) == turn:
                corrections[-1] = replace(corrections[-1], last=turn)
            else:
                slot_name = written[0] if written else name
                corrections.append(Correction(self.names[key], slot_name, turn, turn, old, value))
            before = turn
        return corrections
