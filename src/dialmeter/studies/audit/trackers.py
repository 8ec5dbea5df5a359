"""Gold and several trackers on the same dialogues, read once, with one numbering of slots and values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ...model import NAMED
from ...readers.pairs.vocabulary import PairDialogue, Vocabulary
from ...tracking.digest import joined_alternatives
from ...tracking.gold_patch import Correction
from ...tracking.pairs import PairRules
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import Rules
from .given_gold import GoldStateCheck

MEASURES = ("JGA", "FGA(lam=0.5)", "GCA")
"""What is computed again for every candidate."""


class Utterances(NamedTuple):
    """The utterances of a turn."""

    system: str
    user: str


class AuditedTracker(Struct, frozen=True):
    """One tracker: its dialogues with gold, by key, its scores, and whether it was given gold states."""

    name: str
    reads: Mapping[str, PairDialogue]
    result: TrackerResult
    check: GoldStateCheck


class TrackerSet:
    """Trackers with the same gold, sorted by name, so that the order of files does not matter.

    Args:
        trackers: at least one.
        rules: the rule set.
        words: what numbered all pairs.
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
        """The dialogues by key: their ids."""
        return {key: read.id for each in self.trackers for key, read in each.reads.items()}

    @cached_property
    def gold(self) -> dict[str, dict[int, tuple[int, ...]]]:
        """The pairs of gold by dialogue and turn."""
        found: dict[str, dict[int, tuple[int, ...]]] = {}
        for each in self.trackers:
            for key, read in each.reads.items():
                own = found.setdefault(key, {})
                own.update({n: state for n, state in zip(read.numbers, read.gold, strict=True) if state is not None})
        return found

    def talk(self) -> dict[str, dict[int, Utterances]]:
        """The utterances by dialogue and turn, from the first file that has them."""
        found: dict[str, dict[int, Utterances]] = {}
        for each in self.trackers:
            for key, read in each.reads.items():
                if key not in found:
                    said = {turn.number: Utterances(turn.system, turn.user) for turn in read.turns}
                    if any(any(texts) for texts in said.values()):
                        found[key] = said
        return found

    @cached_property
    def _written(self) -> dict[int, int]:
        """By cell, the pair that writes it: the one that gold uses most, or else any."""
        used = Counter(pair for turns in self.gold.values() for pair in {p for state in turns.values() for p in state})
        words, best = self.words, dict[int, tuple[int, int, str, int]]()
        for pair in range(len(self.pairs.slot)):
            for cell, is_gold in ((self.pairs.gold[pair], 1), (self.pairs.pred[pair], 0)):
                if cell:
                    rank = (-is_gold, -used[pair], joined_alternatives(words.values[pair]), pair)
                    best[cell] = min(best.get(cell, rank), rank)
        return {cell: rank[-1] for cell, rank in best.items()}

    def value_of(self, cell: int) -> str:
        """A value as gold writes it, where gold has it anywhere."""
        return joined_alternatives(self.words.values[self._written[cell]])

    def slot_of(self, cell: int) -> str:
        """The slot of a cell as gold writes it."""
        return self.words.written(self._written[cell])

    def written_gold(self, key: str, turn: int, slot: int) -> tuple[str, str] | None:
        """Slot and value as gold writes them at a turn, also a value that means none; None where it writes nothing."""
        for pair in self.gold[key].get(turn, ()):
            if self.pairs.slot[pair] == slot and self.words.values[pair] not in ("", NAMED):
                return self.words.written(pair), joined_alternatives(self.words.values[pair])
        return None

    def has_value(self, key: str, turn: int, slot: int) -> bool:
        """Has gold a value at a turn, under the rules?"""
        return any(self.pairs.slot[pair] == slot and self.pairs.gold[pair] for pair in self.gold[key].get(turn, ()))

    def corrections(self, key: str, slot: int, turns: Iterable[int], cell: int | None) -> list[Correction]:
        """Corrections that give a slot another value at some turns, one for each run of equal written values.

        Args:
            key: of the dialogue.
            slot: the number of the slot.
            turns: in order.
            cell: the value; None for no value.
        """
        value = None if cell is None else self.value_of(cell)
        name = self.pairs.slot_names[slot] if cell is None else self.slot_of(cell)
        found: list[Correction] = []
        before: int | None = None
        numbers = sorted(self.gold[key])
        following = dict(pairwise(numbers))
        for turn in turns:
            held = self.written_gold(key, turn, slot)
            old = held[1] if held else None
            if old == value:
                continue
            if found and found[-1].gold == old and before is not None and following.get(before) == turn:
                found[-1] = replace(found[-1], last=turn)
            else:
                found.append(Correction(self.names[key], held[0] if held else name, turn, turn, old, value))
            before = turn
        return found
