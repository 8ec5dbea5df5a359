"""What goes on an annotation sheet, and which dialogues get one: utterances, gold, prediction, match.

Inspired by the human evaluation of FGA (Dey et al. 2022, appendix A.3).
"""

from __future__ import annotations

import hashlib
import heapq
import re
from typing import NamedTuple

from msgspec import Struct

from ...errors import DialmeterError, one_line
from ...model import Value, dialogue_key
from ...readers.pairs.vocabulary import PairDialogue
from ...tracking.compared import ComparedDialogue
from ...tracking.tally import CORRECT

QUESTION = "How well did the system keep track of what the user wants, over the whole dialogue?"
HELP = "Gold is what the user wants, prediction what the system understood; both add up from turn to turn."
_LONGEST = 10_000


class Scale(NamedTuple):
    """The lowest and the highest rating.

    Example:
        >>> str(Scale(1, 5)), Scale.parse("0-1")
        ('1-5', Scale(low=0, high=1))
    """

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"

    @classmethod
    def parse(cls, text: str) -> Scale:
        """From the form in which it prints.

        Raises:
            DialmeterError: not two rising numbers.
        """
        found = re.fullmatch(r"\s*(-?\d{1,6})\s*-\s*(-?\d{1,6})\s*", text)
        if not found or int(found[1]) >= int(found[2]):
            raise DialmeterError(f"a scale is two rising numbers, such as 1-5 or 0-1, not {one_line(text)!r}")
        return cls(int(found[1]), int(found[2]))


class Slot(NamedTuple):
    """One slot at one turn, as text; an absent value is empty."""

    name: str
    gold: str
    pred: str
    right: bool


class SheetTurn(Struct, frozen=True):
    """What a rater sees of a turn."""

    number: int
    system: str
    user: str
    slots: tuple[Slot, ...]

    @property
    def matched(self) -> bool:
        """Is the predicted state the gold state?"""
        return all(slot.right for slot in self.slots)


class Sheet(Struct, frozen=True):
    """What a rater sees of a dialogue."""

    dialogue: str
    turns: tuple[SheetTurn, ...]


def sheet_of(dialogue: PairDialogue, compared: ComparedDialogue) -> Sheet:
    """A dialogue as raters see it; states as the rules compare them."""
    said = {turn.number: turn for turn in dialogue.turns}
    turns = []
    for turn in compared.turns:
        slots = tuple(
            Slot(one_line(each.slot, 200), _shown(each.gold), _shown(each.pred), each.kind == CORRECT)
            for each in turn.slots
        )
        number = turn.number
        system, user = (one_line(text, _LONGEST).strip() for text in (said[number].system, said[number].user))
        turns.append(SheetTurn(number, system, user, slots))
    return Sheet(dialogue.id, tuple(turns))


def _shown(value: Value | None) -> str:
    return one_line(value if isinstance(value, str) else " | ".join(value or ()), 500)


class Sampler:
    """Keeps some dialogues of a stream at random, whatever their order: those whose digests with the seed are smallest.

    Example:
        >>> keep = Sampler(2, seed=7)
        >>> from dialmeter.tracking.scorer import TrackerScorer
        >>> for name in ["d1", "d2", "d3", "d4"]:
        ...     keep.take(PairDialogue(name), TrackerScorer().compared())
        >>> len(keep.sheets()), keep.seen
        (2, 4)
    """

    def __init__(self, size: int, seed: int) -> None:
        self.seen = 0
        self._size = size
        self._seed = seed
        self._kept: list[tuple[int, str, Sheet]] = []

    def take(self, dialogue: PairDialogue, compared: ComparedDialogue) -> None:
        """Looks at one dialogue."""
        self.seen += 1
        key = dialogue_key(dialogue.id)
        text = f"{self._seed}\x1f{key}".encode("utf-8", "surrogatepass")
        # Negative, because the heap gives up its smallest.
        rank = -int.from_bytes(hashlib.sha256(text).digest())
        if len(self._kept) < self._size:
            heapq.heappush(self._kept, (rank, key, sheet_of(dialogue, compared)))
        elif rank > self._kept[0][0]:
            heapq.heapreplace(self._kept, (rank, key, sheet_of(dialogue, compared)))

    def sheets(self) -> list[Sheet]:
        """The dialogues that were kept, sorted by id."""
        return [sheet for _, _, sheet in sorted(self._kept, key=lambda kept: kept[1])]
