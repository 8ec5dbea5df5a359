"""Paired tests of two systems on the same dialogues.

Whole dialogues are resampled or swapped, because turns of one dialogue are not independent. Both tests work on sums,
so they are also valid for measures that are not means (GCA, F1). Report approximate randomisation: it keeps its
significance level for any number of dialogues if the two systems are exchangeable. The bootstrap adds an interval.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .draws import BLOCK_BYTES, Seed, resampled_sums, swapped_sums
from .formulas import Floats, Formula, as_columns, evaluate, exact_pair, point
from .intervals import Interval, check_confidence, expanded_p
from .resampling import NO_RESAMPLE, TIE, percentile_interval


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two systems on the same dialogues. The first one is the baseline.

    Attributes:
        first: Value of the baseline.
        second: Value of the other system.
        difference: `second - first`.
        low: Lower limit of the difference; None for tests without an interval.
        high: Upper limit of the difference; None for tests without an interval.
        p: Two-sided p value of "no difference".
        n: Number of dialogues.
        left_out: Resamples in which one of the systems had no value.
        reason: Why `difference`, the interval or `p` is None.

    Example:
        >>> Comparison(0.5, 0.6, 0.1, None, None, p=0.03, n=100).p
        0.03
    """

    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    left_out: int = 0
    reason: str | None = None

    @property
    def ci(self) -> tuple[float, float] | None:
        """Both limits, or None if there is no interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def paired_bootstrap(
    first: ArrayLike,
    second: ArrayLike,
    formulas: Mapping[str, Formula],
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: Seed = 0,
    expand: bool = True,
    block_bytes: int = BLOCK_BYTES,
) -> dict[str, Comparison]:
    """Compare two systems by a paired bootstrap. All measures use the same draw of dialogues.

    The resampled differences, shifted to mean zero, show the effect of chance alone. p is the proportion of them that are
    at least as far from zero as the observed difference, counting the observed one: (1 + extreme) / (1 + resamples). Koehn
    (2004), Statistical Significance Tests for Machine Translation Evaluation, EMNLP; the shift as in Noreen (1989),
    Computer Intensive Methods for Testing Hypotheses.

    Args:
        first: Columns of the baseline, one row per dialogue (sorted by id).
        second: Columns of the other system, the same dialogues in the same order.
        formulas: Measures by name.
        confidence: Coverage of the interval of the difference.
        resamples: Number of resamples.
        seed: Seed of the draw.
        expand: Correct interval and p value for a small sample. Without it, equal systems on 20 dialogues get p < 0.05 in
            about 7 % of comparisons.
        block_bytes: Memory for weights; does not change any number.

    Returns:
        A comparison by name; the difference is second minus first.

    Raises:
        ValueError: If the systems differ in shape or there are fewer than two dialogues.

    Example:
        >>> from dialmeter.stats import ratio
        >>> base, new = [[3, 4], [2, 5], [1, 6], [4, 5]], [[4, 4], [4, 5], [3, 6], [5, 5]]
        >>> result = paired_bootstrap(base, new, {"JGA": ratio()})["JGA"]
        >>> round(result.difference, 3), 0 < result.low, result.p < 0.05
        (0.3, True, True)
    """
    check_confidence(confidence)
    one, two = exact_pair(first, second)
    k = one.shape[1]
    sums = resampled_sums(np.hstack([one, two]), resamples, seed, block_bytes)
    systems = as_columns(first), as_columns(second)
    results = {}
    for name, formula in formulas.items():
        differences = evaluate(formula, sums[:, k:]) - evaluate(formula, sums[:, :k])
        observed = _observed(formula, one, two)
        # A difference has no range: if it is the same in all resamples, there is no interval.
        interval = percentile_interval(differences, confidence, len(one), expand=expand)
        p = None
        if observed is not None and interval.reason != NO_RESAMPLE:
            scored = differences[~np.isnan(differences)]
            p = _p_value(scored - scored.mean(), observed)
            p = expanded_p(p, len(one)) if expand else p
        results[name] = _comparison(formula, systems, p, interval)
    return results


def paired_randomisation(
    first: ArrayLike,
    second: ArrayLike,
    formulas: Mapping[str, Formula],
    *,
    resamples: int = 10_000,
    seed: Seed = 0,
    mid_p: bool = False,
    block_bytes: int = BLOCK_BYTES,
) -> dict[str, Comparison]:
    """Compare two systems by approximate randomisation: swap whole dialogues between the systems at random.

    If the systems were exchangeable, every swap would be as likely as the observed assignment. p is the proportion of
    swaps with a difference at least as large, counting the observed one: (1 + extreme) / (1 + swaps). Noreen (1989), Computer
    Intensive Methods for Testing Hypotheses; Riezler and Maxwell (2005), On Some Pitfalls in Automatic Evaluation and
    Significance Testing for MT, ACL workshop.

    Args:
        first: Columns of the baseline, one row per dialogue (sorted by id).
        second: Columns of the other system, the same dialogues in the same order.
        formulas: Measures by name.
        resamples: Number of random swaps.
        seed: Seed of the draw.
        mid_p: Count swaps that tie with the observed difference as half (Lancaster 1961, Significance Tests in Discrete
            Distributions, JASA 56). With few dialogues and integer counts, ties are frequent and the plain test is
            conservative: equal systems on 20 dialogues get p < 0.05 for JGA in 4 % of comparisons, not in 5 %.
        block_bytes: Memory for weights; does not change any number.

    Returns:
        A comparison by name, without limits (the test has none); the difference is second minus first.

    Raises:
        ValueError: If the systems differ in shape or there are fewer than two dialogues.

    Example:
        >>> from dialmeter.stats import ratio
        >>> base = [[3, 4], [2, 5], [1, 6], [4, 5]]
        >>> paired_randomisation(base, base, {"JGA": ratio()})["JGA"].p
        1.0
    """
    one, two = exact_pair(first, second)
    moved = swapped_sums(two - one, resamples, seed, block_bytes)
    sums_one, sums_two = one.sum(axis=0) + moved, two.sum(axis=0) - moved
    systems = as_columns(first), as_columns(second)
    results = {}
    for name, formula in formulas.items():
        differences = evaluate(formula, sums_two) - evaluate(formula, sums_one)
        scored = differences[~np.isnan(differences)]
        observed = _observed(formula, one, two)
        p = None if observed is None or not len(scored) else _p_value(scored, observed, 0.5 if mid_p else 1.0)
        reason = NO_RESAMPLE if p is None else None
        interval = Interval(None, None, None, len(one), len(differences) - len(scored), reason)
        results[name] = _comparison(formula, systems, p, interval)
    return results


class _Observed(NamedTuple):
    difference: float
    scale: float


def _observed(formula: Formula, one: Floats, two: Floats) -> _Observed | None:
    # Computed from the rounded columns, like the resampled differences.
    before, after = (float(evaluate(formula, columns.sum(axis=0)[None])[0]) for columns in (one, two))
    return None if np.isnan(after - before) else _Observed(abs(after - before), max(abs(after), abs(before)))


def _p_value(null: Floats, observed: _Observed, tie_weight: float = 1.0) -> float:
    if observed.difference <= TIE * observed.scale:
        return 1.0
    beyond = np.abs(null) - observed.difference
    greater = int(np.count_nonzero(beyond > TIE * observed.scale))
    ties = int(np.count_nonzero(np.abs(beyond) <= TIE * observed.scale))
    return (1 + greater + tie_weight * ties) / (1 + len(null))


def _comparison(formula: Formula, systems: tuple[Floats, Floats], p: float | None, interval: Interval) -> Comparison:
    before, after = (point(formula, columns) for columns in systems)
    n, left_out = interval.n, interval.left_out
    if before is None or after is None:
        which = "either system" if before is after else "the first system" if before is None else "the second system"
        reason = f"the measure has no value for {which} (its denominator is zero)"
        return Comparison(before, after, None, None, None, None, n, left_out, reason)
    return Comparison(before, after, after - before, interval.low, interval.high, p, n, left_out, interval.reason)
