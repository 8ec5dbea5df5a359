"""Cases as training data: the reply of a person is preferred to what an attack made of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from ..model import Move
from .cases import Case


class Pair(Struct, frozen=True):
    """Two replies to the same context, the better one first."""

    context: tuple[Move, ...]
    chosen: str
    rejected: str
    attack: str
    speaker: str = ""


def pairs(cases: Iterable[Case]) -> Iterator[Pair]:
    """The pairs of those attacks that make a reply worse; where the two may be as good, nobody prefers either.

    Example:
        >>> from dialmeter.judges.cases import Place
        >>> case = Case("repetition", "word", (Move("a", "Hi"),), "Hello you", "Hello Hello you", "lower", "naturalness", Place("d", 1))
        >>> [(pair.chosen, pair.rejected) for pair in pairs([case])]
        [('Hello you', 'Hello Hello you')]
    """
    for case in cases:
        if case.expected == "lower":
            yield Pair(case.context, case.reply, case.adversarial, case.attack, case.speaker)
