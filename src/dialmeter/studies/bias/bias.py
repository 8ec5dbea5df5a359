"""Do measures depend on where mistakes fall? Correlations of every measure with every trait, over dialogues.

For each pair of measures that is compared, the difference of their correlations with a trait comes with Zou's interval.
Everything is told for all dialogues, for those that the published study kept, and for those with a mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ...model import dialogue_key
from ...stats import Interval, pearson, zou_interval
from ...stats.correlation import coefficient
from ...tracking.result import TrackerResult
from .bias_filter import FILTERS, SAME, Filter, Mask, published
from .bias_findings import Between, Correlation, Limits, Pair, Row, Study
from .error_position import TRAITS, mistakes_per_turn, traits_of

LEAST = 5
"""Fewer dialogues give no correlation worth the name."""

REFERENCE, RIVAL = "GCA", "FGA(lam=0.5)"
"""The two measures that the published study compares."""


def rows_of(result: TrackerResult, system: str = "") -> list[Row]:
    """The dialogues of a result with their traits and values.

    Example:
        >>> from dialmeter.tracking.scoring import score_tracker
        >>> result = score_tracker([[{"a-b": "1"}, {"a-b": "1"}]], [[{}, {}]], ["JGA", "GCA"])
        >>> [(row.mistakes, row.traits["TO"], row.values) for row in rows_of(result)]
        [((1, 0), -0.25, {'JGA': 0.0, 'GCA': 0.0})]
    """
    book = result.ledger.main
    values = {each.text: result.ledger.per_dialogue(each.used) for each in result.asked}
    return [
        Row(system, name, mistakes, traits_of(mistakes), {text: column[at] for text, column in values.items()})
        for at, (name, mistakes) in enumerate(zip(book.dialogues, mistakes_per_turn(book), strict=True))
    ]


def study(rows: Sequence[Row], *, system: str = "", confidence: float = 0.95) -> Study:
    """Correlates every measure with every trait, every pair of measures by trait, and measures with each other.

    Args:
        rows: at least one dialogue; their order does not matter.
        system: a name for the result.
        confidence: of all intervals.

    Example:
        >>> rows = [Row("", str(n), (n, 1), traits_of((n, 1)), {"JGA": n / 9, "GCA": 1 / (n + 1)}) for n in range(9)]
        >>> first = study(rows).correlations[0]
        >>> first.trait, first.measure, first.filter, round(first.r, 2), first.n
        ('TO', 'JGA', 'none', -0.82, 9)
    """
    table = _Columns(rows, confidence)
    measures = table.measures
    couples = [(first, second, chosen) for chosen in FILTERS for first, second in combinations(measures, 2)]
    return Study(
        system=system,
        measures=measures,
        rows=table.rows,
        confidence=confidence,
        correlations=tuple(
            table.with_trait(trait, measure, chosen) for trait in TRAITS for measure in measures for chosen in FILTERS
        ),
        pairs=tuple(
            table.compared(trait, first, second, chosen) for first, second, chosen in couples for trait in TRAITS
        ),
        between=tuple(table.between(first, second, chosen) for first, second, chosen in couples),
    )


def partner_of(measure: str, measures: Sequence[str]) -> str | None:
    """The measure that the published filter is taken with: GCA, and for GCA itself FGA(lam=0.5), where they are there.

    Example:
        >>> partner_of("JGA", ["JGA", "GCA"]), partner_of("GCA", ["JGA", "GCA"]), partner_of("JGA", ["JGA"])
        ('GCA', 'JGA', None)
    """
    wanted = [REFERENCE, RIVAL, *reversed(measures)] if measure != REFERENCE else [RIVAL, *measures]
    return next((each for each in wanted if each in measures and each != measure), None)


class _Columns:
    """Traits and values as arrays, the filters over them, and what is computed from both."""

    def __init__(self, rows: Sequence[Row], confidence: float) -> None:
        self.rows = tuple(sorted(rows, key=lambda row: (dialogue_key(row.dialogue), row.dialogue, row.system)))
        self.measures = tuple(self.rows[0].values)
        self._confidence = confidence
        self._columns = {name: np.array([row.traits[name] for row in self.rows], dtype=np.float64) for name in TRAITS}
        for name in self.measures:
            self._columns[name] = np.array([row.values[name] for row in self.rows], dtype=np.float64)
        self._mistaken = np.array([any(row.mistakes) for row in self.rows], dtype=np.bool_)
        self._masks: dict[tuple[str, ...], Mask] = {}

    def with_trait(self, trait: str, measure: str, chosen: Filter) -> Correlation:
        partner = partner_of(measure, self.measures) if chosen == "published" else None
        about: dict[str, Any] = {"trait": trait, "measure": measure, "filter": chosen, "partner": partner}
        if chosen == "published" and partner is None:
            reason = "the published filter needs two measures"
            return Correlation(**about, r=None, ci=None, n=0, left_out=len(self.rows), reason=reason)
        mask = self._mask(chosen, measure, partner or measure)
        return Correlation(**about, **self._correlated(mask, trait, measure))

    def between(self, first: str, second: str, chosen: Filter) -> Between:
        mask = self._mask(chosen, first, second)
        return Between(first=first, second=second, filter=chosen, **self._correlated(mask, first, second))

    def compared(self, trait: str, first: str, second: str, chosen: Filter) -> Pair:
        mask = self._mask(chosen, first, second)
        n, reason = int(mask.sum()), self._why_not(mask, trait, first, second)
        about: dict[str, Any] = {"trait": trait, "first": first, "second": second, "filter": chosen}
        about |= {"n": n, "left_out": len(self.rows) - n}
        if reason:
            return Pair(**about, reason=reason)
        t, a, b = (self._columns[name][mask] for name in (trait, first, second))
        r1, r2, r12 = coefficient(t, a), coefficient(t, b), coefficient(a, b)
        difference = zou_interval(r1, r2, r12, n, confidence=self._confidence)
        total = zou_interval(r1, -r2, -r12, n, confidence=self._confidence)
        return Pair(
            **about,
            first_r=r1,
            second_r=r2,
            difference=difference.value,
            ci=_limits(difference),
            strength=abs(r1) - abs(r2),
            strength_ci=strength_limits(_limits(difference), _limits(total)),
            reason=difference.reason,
        )

    def _mask(self, chosen: Filter, first: str, second: str) -> Mask:
        """The dialogues that stay, and that both measures score."""
        key = (chosen, first, second)
        if key not in self._masks:
            a, b = self._columns[first], self._columns[second]
            scored: Mask = np.isfinite(a) & np.isfinite(b)
            if chosen == "published":
                scored = published(a, b)
            elif chosen == "mistakes":
                scored &= self._mistaken
            self._masks[key] = scored
        return self._masks[key]

    def _why_not(self, mask: Mask, *names: str) -> str | None:
        """Why these columns have no correlation over the dialogues that stay."""
        n = int(mask.sum())
        if n < LEAST:
            return f"{n} of {len(self.rows)} dialogues are left, and a correlation needs {LEAST}"
        constant = next((name for name in names if np.ptp(self._columns[name][mask]) <= SAME), None)
        return constant and f"{constant} is the same in all {n} dialogues"

    def _correlated(self, mask: Mask, first: str, second: str) -> dict[str, Any]:
        """Pearson's r of two columns with what goes with it."""
        n, reason = int(mask.sum()), self._why_not(mask, first, second)
        about = {"n": n, "left_out": len(self.rows) - n}
        if reason:
            return {**about, "r": None, "ci": None, "reason": reason}
        a, b = (self._columns[name][mask] for name in (first, second))
        found = pearson(a, b, confidence=self._confidence)
        return {**about, "r": found.value, "ci": _limits(found), "reason": found.reason}


def _limits(found: Interval) -> Limits:
    return None if found.low is None or found.high is None else (found.low, found.high)


def strength_limits(difference: Limits, total: Limits) -> Limits:
    """An interval for |r1| − |r2| from those for r1 − r2 and r1 + r2.

    |r1| is the greater exactly if r1, or −r1, is above both r2 and −r2. So the interval lies above 0 if both r1 − r2 and
    r1 + r2 do (or both below), and its level holds whatever the signs: turning signs by hand would take for granted
    what a correlation near 0 leaves open.

    Example:
        >>> strength_limits((0.1, 0.3), (0.2, 0.6)), strength_limits((0.1, 0.3), (-0.1, 0.2))
        ((0.1, 0.3), (-0.1, 0.2))
    """
    if difference is None or total is None:
        return None
    (low, high), (low_total, high_total) = difference, total
    return (
        max(min(low, low_total), min(-high, -high_total)),
        min(max(high, -low_total), max(high_total, -low)),
    )
