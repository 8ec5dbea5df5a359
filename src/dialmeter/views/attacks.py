"""What attacks made of a corpus, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from ..judges.attack_statistics import Yield
from .tables import Table


def yield_table(yields: Sequence[Yield]) -> Table:
    """One row per attack: tried, made, rejected, by variant, and why the rest was not made.

    Example:
        >>> yield_table([Yield("pronoun", 3, 2, {"person": 2}, {"no pronoun": 1})]).rows
        (('pronoun', '3', '2', '1', 'person 2', 'no pronoun 1'),)
    """
    rows = tuple(
        (
            each.attack,
            str(each.tried),
            str(each.made),
            str(each.rejected),
            ", ".join(f"{variant} {count}" for variant, count in each.by_variant.items()),
            "; ".join(_why(each)),
        )
        for each in yields
    )
    headings = ("attack", "tried", "made", "rejected", "variants", "why")
    return Table("", headings, rows, frozenset({1, 2, 3}))


def _why(each: Yield) -> list[str]:
    reasons = [f"{reason} {count}" for reason, count in each.why.items()]
    return reasons if each.tried else list(dict.fromkeys(each.skipped.values()))
