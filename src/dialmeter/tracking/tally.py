"""The tally: nine integers per turn, from which every tracker measure derives.

``Walk.rows`` makes them; a ``TallyTable`` keeps them for a corpus.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

NEVER = -1
"""``since`` of a turn that weighs 1 in FGA: it is exact, or no mistake of a turn's own came before."""

OTHER_DOMAINS = "other"
"""The name for all domains that a choice by domain does not name."""

NOTHING, CORRECT, WRONG, MISSED, OVER = range(5)
"""What a slot is at a turn; nothing where neither side holds it."""

Row: TypeAlias = tuple[int, ...]
"""A tally as plain numbers."""
Local: TypeAlias = Literal["paper", "code", "vector"]
Deletions: TypeAlias = Literal["ignore", "count", "code"]
Alternatives: TypeAlias = Literal["overlap", "strict"]


class Tally(NamedTuple):
    """What one turn adds.

    The three of the cut are counted only under rule sets that cut slots at the last hyphen; otherwise they are -1 and
    derive from the rest. ``strictness`` is the strictest place of the wrong domains (see ``TallyVariant``) where a mistake
    is older than the turn, else -1.
    """

    gold: int
    pred: int
    match: int
    both: int
    since: int
    missed: int
    wrong: int
    over: int
    correct: int
    cut_errors: int = -1
    cut_slots: int = -1
    cut_rsa_errors: int = -1
    strictness: int = -1

    @property
    def exact(self) -> bool:
        """Is the predicted state the gold state?"""
        return self.match == self.gold == self.pred

    @property
    def local(self) -> bool:
        """Is the turn exact or locally right?"""
        return self.since != 0

    @property
    def union(self) -> int:
        """Distinct slots of both states (RSA's T*)."""
        return self.gold + self.pred - self.both if self.cut_slots < 0 else self.cut_slots

    @property
    def errors(self) -> int:
        """Slots handled wrongly, each once (SA's e)."""
        return self.gold + self.pred - self.both - self.match if self.cut_errors < 0 else self.cut_errors

    @property
    def rsa_errors(self) -> int:
        """RSA's e, which the hyphen cut counts in another way than SA's."""
        return self.errors if self.cut_rsa_errors < 0 else self.cut_rsa_errors


class TallyVariant(Struct, frozen=True):
    """The choices that a tally depends on beside the rule set; None is "any will do".

    Attributes:
        local: when a wrong turn is locally right.
        deletions: what of a slot that leaves the state.
        alternatives: whether gold changes when it goes to a value that shares an alternative.
        strictness: for each domain its place, 0 for the strictest; empty where domains are alike.
    """

    local: Local | None = None
    deletions: Deletions | None = None
    alternatives: Alternatives | None = None
    strictness: tuple[tuple[str, int], ...] = ()

    def fits(self, other: TallyVariant) -> bool:
        """Can a tally of the other variant be used?"""
        return (
            self.local in (None, other.local)
            and self.deletions in (None, other.deletions)
            and self.alternatives in (None, other.alternatives)
            and self.strictness == other.strictness
        )
