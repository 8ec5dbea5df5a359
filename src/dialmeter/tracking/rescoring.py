"""Scoring again: what JGA becomes once a finding of the diagnosis is settled."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ..errors import InputError
from ..readers.pairs.vocabulary import Vocabulary
from ..rules import Rules
from .align import PairFiles
from .pairs import PairRules
from .settlement import Settlement
from .walk import Walk


class Rescored(Struct):
    """JGA under a settlement, as counts.

    Attributes:
        turns: how many were compared.
        right: how many of them are exact.
        flip: dialogue and number of the first turn that becomes right.
    """

    turns: int = 0
    right: int = 0
    flip: tuple[str, int] | None = None

    @property
    def value(self) -> float:
        """JGA."""
        return self.right / self.turns if self.turns else 0.0


def rescore(files: PairFiles, rules: Rules, settlements: Sequence[Settlement]) -> list[Rescored | None]:
    """Reads the files once and gives JGA under the rules as they are, then under each settlement.

    Returns:
        The counts; None for a settlement that gives a state two values of one slot, which the rules refuse.

    Raises:
        InputError: a file cannot be read any more.
    """
    words = Vocabulary()
    settled = [Settlement("", rules), *settlements]
    walks = [Walk(PairRules(each.rules, words, each.slots, each.values)) for each in settled]
    scores: list[Rescored | None] = [Rescored() for _ in settled]
    for read in files.read(words):
        right_before: set[int] = set()
        for place, (walk, score) in enumerate(zip(walks, scores, strict=True)):
            if score is None:
                continue
            try:
                score.turns += walk.take(read)
            except InputError:
                scores[place] = None
                continue
            # A row begins with the number of gold slots, of predicted slots, and of slots that match.
            rows = zip(walk.numbers, walk.rows(None, None), strict=True)
            right = {number for number, row in rows if row[0] == row[1] == row[2]}
            score.right += len(right)
            if place == 0:
                right_before = right
            elif score.flip is None and (new := right - right_before):
                score.flip = read.id, min(new)
    return scores
