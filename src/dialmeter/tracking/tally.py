"""The tally: nine integers per turn, from which every tracker measure is computed.

``Walk.rows`` computes tallies; a ``TallyTable`` stores them for a corpus.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

NEVER = -1
"""The value of ``since`` for a turn that counts 1 in FGA: it is exact, or no turn up to it has its own mistake."""

OTHER_DOMAINS = "other"
"""The name for all domains that are not listed in a setting by domain."""

NOTHING, CORRECT, WRONG, MISSED, OVER = range(5)
"""The kind of a slot at a turn; ``NOTHING`` if neither side holds it."""

Row: TypeAlias = tuple[int, ...]
"""A tally as plain numbers."""
Local: TypeAlias = Literal["paper", "code", "vector"]
Deletions: TypeAlias = Literal["ignore", "count", "code"]
Alternatives: TypeAlias = Literal["overlap", "strict"]


class Tally(NamedTuple):
    """The counts of one turn.

    The three fields ``cut_...`` are counted only under rule sets that cut slots at the last hyphen. Otherwise they are -1, and
    their values follow from the other fields. ``strictness`` is the smallest strictness of the wrong domains (see
    ``TallyVariant``) if the mistake is older than the turn, else -1.
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
        """Is the predicted state equal to the gold state?"""
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
        """Number of wrong slots, each counted once (SA's e)."""
        return self.gold + self.pred - self.both - self.match if self.cut_errors < 0 else self.cut_errors

    @property
    def rsa_errors(self) -> int:
        """RSA's e; with the hyphen cut it differs from SA's e."""
        return self.errors if self.cut_rsa_errors < 0 else self.cut_rsa_errors


class TallyVariant(Struct, frozen=True):
    """The settings that a tally depends on, apart from the rule set; None means any value.

    Attributes:
        local: the definition of a locally right turn.
        deletions: how a slot that is deleted from the state counts.
        alternatives: whether gold changes if its new value shares an alternative with the old one.
        strictness: the strictness of each domain, 0 for the strictest; empty if all domains are treated the same.
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
