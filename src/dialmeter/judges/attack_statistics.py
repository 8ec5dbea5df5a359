"""What came of each attack: how many replies were tried, how many cases were made, and why the rest was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field

from ..core.account import Account, Reason
from .attempts import Attempt
from .cases import Case


class Yield(Struct, frozen=True):
    """The yield of one attack.

    Attributes:
        attack: its name.
        tried: how often a variant was tried on a reply.
        made: cases.
        by_variant: cases by variant.
        why: the rejected ones by reason.
        skipped: variants that lack a resource, each with what to install.
    """

    attack: str
    tried: int
    made: int
    by_variant: dict[str, int] = field(default_factory=dict)
    why: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def rejected(self) -> int:
        """How often nothing was made."""
        return self.tried - self.made


def gather(
    attack: str, attempts: Iterable[Attempt], cases: int, skipped: dict[str, str] | None = None
) -> tuple[list[Case], Yield]:
    """The first cases by rank, and the yield up to the last of them; the same however attempts were split over shards.

    Args:
        attack: its name.
        attempts: of all shards, in any order.
        cases: how many are wanted.
        skipped: variants that were not tried.

    Example:
        >>> gather("pronoun", [Attempt((0, 5, "d1", 0), None, "no pronoun")], 100)[1].why
        {'no pronoun': 1}
    """
    made: list[Case] = []
    why: Counter[str] = Counter()
    tried = 0
    for attempt in sorted(attempts, key=lambda each: each.rank):
        if len(made) == cases:
            break
        tried += 1
        if attempt.case is not None:
            made.append(attempt.case)
        else:
            why[attempt.reason] += 1
    by_variant = Counter(case.variant for case in made)
    ordered = dict(sorted(why.items(), key=lambda item: (-item[1], item[0])))
    return made, Yield(attack, tried, len(made), dict(sorted(by_variant.items())), ordered, skipped or {})


def made_of(yields: Iterable[Yield], cases: int) -> Account:
    """How many of the cases that were asked for could be made.

    Example:
        >>> made_of([Yield("pronoun", 3, 2, {"person": 2}, {"no pronoun": 1})], 2).line
        '2 of 2 cases made'
    """
    every = list(yields)
    short = tuple(
        Reason(f"{each.attack}: {'no further reply fits' if each.tried else 'not tried'}", cases - each.made)
        for each in every
        if each.made < cases
    )
    made = sum(each.made for each in every)
    return Account("case", cases * len(every), made, made, short, "made")
