"""Annotations in other dialogues in which users say the same words: the vote of the rest of the corpus."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from ...model import domain_of
from .mentions import SlotMention
from .trackers import TrackerSet, Utterances

_WORDS = re.compile(r"\w+(?:[:.']\w+)*")
_MIN_DIALOGUES = 5
"""Minimum number of other dialogues with the same words for a vote."""


class SameWords(NamedTuple):
    """Number of other dialogues in which users say a value and talk about its domain, and number of these in which gold has it."""

    dialogues: int
    annotated: int

    @property
    def weight(self) -> float:
        """The log odds that gold has the value if users say it; 0 if there are too few dialogues.

        Example:
            >>> round(SameWords(18, 17).weight, 3), SameWords(2, 2).weight
            (2.197, 0.0)
        """
        if self.dialogues < _MIN_DIALOGUES:
            return 0.0
        rate = (self.annotated + 1) / (self.dialogues + 2)
        return round(math.log(rate / (1 - rate)), 9)


class SpokenValues:
    """Index of the dialogues in which users say a value, and of the values of gold in them.

    Args:
        trackers: trackers with gold.
        talk: utterances by dialogue and turn.
        gold: for each dialogue, the cells that gold contains at any turn.
    """

    def __init__(
        self, trackers: TrackerSet, talk: Mapping[str, Mapping[int, Utterances]], gold: Mapping[str, frozenset[int]]
    ) -> None:
        self._pairs = trackers.pairs
        self._gold = gold
        self._texts = {key: plain(" ".join(turn.user for turn in turns.values())) for key, turns in talk.items()}
        self._saying: dict[str, set[str]] = defaultdict(set)
        for key, text in self._texts.items():
            for word in text.split():
                self._saying[word].add(key)
        self._domains = {key: {self._domain(cell) for cell in cells} for key, cells in gold.items()}
        self._by_cell: dict[int, tuple[set[str], set[str]]] = {}

    def _domain(self, cell: int) -> str:
        return domain_of(self._pairs.slot_names[self._pairs.cell_slots[cell]])

    def of(self, mention: SlotMention) -> SameWords | None:
        """Return how gold annotates a value in other dialogues, or None if the user does not say it in this one."""
        if mention.cell not in self._by_cell:
            self._by_cell[mention.cell] = self._look_up(mention.cell)
        saying, annotated = self._by_cell[mention.cell]
        if mention.dialogue not in saying:
            return None
        own = mention.dialogue in annotated
        return SameWords(len(saying) - 1, len(annotated) - own)

    def _look_up(self, cell: int) -> tuple[set[str], set[str]]:
        """Return the dialogues that say a value and talk about its domain, and those of them in which gold has the value."""
        value = self._pairs.values[cell]
        text = plain(value) if isinstance(value, str) else ""
        if not text.strip():
            return set(), set()
        spoken = set.intersection(*(self._saying.get(word, set()) for word in text.split()))
        domain = self._domain(cell)
        saying = {key for key in spoken if text in self._texts[key] and domain in self._domains.get(key, ())}
        return saying, {key for key in saying if cell in self._gold[key]}


def plain(text: str) -> str:
    """Return a text as lower-case words, with a space on both sides.

    Example:
        >>> plain("The Cow Pizza Kitchen, at 17:00!")
        ' the cow pizza kitchen at 17:00 '
    """
    return f" {' '.join(_WORDS.findall(text.lower()))} "
