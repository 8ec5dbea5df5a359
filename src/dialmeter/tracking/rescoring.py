"""Scoring again: what JGA becomes once a finding of the diagnosis is settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from ..errors import DialmeterError
from ..formats.pairs.vocabulary import Vocabulary
from ..model import Value
from ..rules import Rules
from .align import PairFiles
from .pairs import PairRules
from .walk import Walk


class Settlement(Struct, frozen=True):
    """What settles a finding.

    Attributes:
        option: the option of the command line, or what to change in the files.
        rules: the rule set with that option.
        slots: slots that take another name.
        values: values of a slot that count as another value.
    """

    option: str
    rules: Rules
    slots: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[tuple[str, Value | None], Value] = field(default_factory=dict)


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


def rescore(files: PairFiles, rules: Rules, settlements: Sequence[Settlement]) -> list[Rescored]:
    """Reads the files once and gives JGA under the rules as they are, then under each settlement.

    Raises:
        DialmeterError: a file cannot be read any more, or a settlement gives a state two values of one slot.
    """
    words = Vocabulary()
    settled = [Settlement("", rules), *settlements]
    walks = [Walk(PairRules(each.rules, words, each.slots, each.values)) for each in settled]
    scores = [Rescored() for _ in settled]
    for read in files.read(words):
        right_before: set[int] = set()
        for walk, score in zip(walks, scores, strict=True):
            score.turns += walk.take(read)
            rows = walk.rows(None, None)
            # A row begins with the number of gold slots, of predicted slots, and of slots that match.
            right = {number for number, row in zip(walk.numbers, rows, strict=True) if row[0] == row[1] == row[2]}
            score.right += len(right)
            if score is scores[0]:
                right_before = right
            elif score.flip is None and (new := right - right_before):
                score.flip = read.id, min(new)
    return scores


def rescore_or_none(files: PairFiles | None, rules: Rules, settlements: Sequence[Settlement]) -> list[Rescored] | None:
    """As ``rescore``; None where the files cannot be read again."""
    if files is None or not files.can_be_read:
        return None
    try:
        return rescore(files, rules, settlements)
    except DialmeterError:
        return None
