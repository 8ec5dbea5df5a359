"""What gold does elsewhere when users say the same words: the vote of the rest of the corpus."""

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
_FEWEST = 5
"""Fewer other dialogues with the same words say nothing."""


class SameWords(NamedTuple):
    """In how many other dialogues users say a value and talk about its domain, and in how many of these gold has the value."""

    dialogues: int
    annotated: int

    @property
    def weight(self) -> float:
        """The log odds that gold has the value where users say it; 0 where there are too few dialogues.

        Example:
            >>> round(SameWords(18, 17).weight, 3), SameWords(2, 2).weight
            (2.197, 0.0)
        """
        if self.dialogues < _FEWEST:
            return 0.0
        rate = (self.annotated + 1) / (self.dialogues + 2)
        return round(math.log(rate / (1 - rate)), 9)


class SpokenValues:
    """Which dialogues say which words, and what gold has in them.

    Args:
        trackers: with gold.
        talk: utterances by dialogue and turn.
        gold: by dialogue, the cells that gold holds at any turn.
    """

    def __init__(
        self, trackers: TrackerSet, talk: Mapping[str, Mapping[int, Utterances]], gold: Mapping[str, frozenset[int]]
    ) -> None:
        self._pairs = trackers.pairs
        self._gold = gold
        self._texts = {key: plain(" ".join(said.user for said in turns.values())) for key, turns in talk.items()}
        self._saying: dict[str, set[str]] = defaultdict(set)
        for key, text in self._texts.items():
            for word in text.split():
                self._saying[word].add(key)
        self._domains = {key: {self._domain(cell) for cell in cells} for key, cells in gold.items()}
        self._found: dict[int, tuple[set[str], set[str]]] = {}

    def _domain(self, cell: int) -> str:
        return domain_of(self._pairs.slot_names[self._pairs.cell_slots[cell]])

    def of(self, mention: SlotMention) -> SameWords | None:
        """What gold does with a value in other dialogues; None where the user does not say it in this one."""
        if mention.cell not in self._found:
            self._found[mention.cell] = self._look(mention.cell)
        saying, annotated = self._found[mention.cell]
        if mention.dialogue not in saying:
            return None
        own = mention.dialogue in annotated
        return SameWords(len(saying) - 1, len(annotated) - own)

    def _look(self, cell: int) -> tuple[set[str], set[str]]:
        """The dialogues that say a value and talk about its domain, and those among them in which gold has the value."""
        value = self._pairs.values[cell]
        text = plain(value) if isinstance(value, str) else ""
        if not text.strip():
            return set(), set()
        spoken = set.intersection(*(self._saying.get(word, set()) for word in text.split()))
        domain = self._domain(cell)
        saying = {key for key in spoken if text in self._texts[key] and domain in self._domains.get(key, ())}
        return saying, {key for key in saying if cell in self._gold[key]}


def plain(text: str) -> str:
    """A text as words in small letters, with a blank on both sides.

    Example:
        >>> plain("The Cow Pizza Kitchen, at 17:00!")
        ' the cow pizza kitchen at 17:00 '
    """
    return f" {' '.join(_WORDS.findall(text.lower()))} "
