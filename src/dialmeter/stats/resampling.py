"""Bootstrap intervals over dialogues, corrected for few dialogues and for skewness, and paired tests of two systems.

Many measures are computed from one draw. Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 13 and 14.
Whole dialogues are resampled or swapped, because turns of one dialogue are not independent. Both paired tests work on sums, so
they are also valid for measures that are not means (GCA, F1). Report approximate randomisation: it keeps its significance level
for any number of dialogues if the two systems are exchangeable. The bootstrap adds an interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import isfinite

from msgspec.structs import replace

from ..numeric import ArrayLike, np
from .draws import Seed, resampled_sums, swapped_sums
from .formulas import Floats, Formula, as_columns, evaluate, exact, exact_together, point, taken
from .intervals import Interval, check_confidence, expanded_p, expanded_tail, normal

NO_VALUE = "the measure has no value on these dialogues (its denominator is zero)"
NO_RESAMPLE = "the measure has a value in fewer than two resamples"
SAME = "all resamples have the same value"
# Mathematically equal values may differ in the last bits because of rounding. They must count as equal.
TIE = 1e-12


def bootstrap(
    columns: ArrayLike,
    formulas: Mapping[str, Formula],
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: Seed = 0,
    expand: bool = True,
) -> dict[str, Interval]:
    """Compute bootstrap intervals of many measures from one draw of dialogues.

    Args:
        columns: One row per dialogue (sorted by id), with the columns of all measures side by side.
        formulas: Measures by name; each reads its own columns.
        confidence: Coverage of each interval.
        resamples: Number of resamples.
        seed: Seed of the draw.
        expand: Correct the percentiles for a small sample and for skewness (see `expanded_tail` and `shifted_tails`);
            False for the plain percentiles.

    Returns:
        An interval by name; its `unscored` counts resamples in which the measure had no value.

    Example:
        >>> from dialmeter.stats.formulas import ratio
        >>> rows = [[3, 4, 9], [5, 5, 9], [1, 6, 9], [4, 5, 9]]
        >>> intervals = bootstrap(rows, {"JGA": ratio(0, 1), "SA": ratio(1, 2)})
        >>> intervals["JGA"].value, round(intervals["SA"].value, 4)
        (0.65, 0.5556)
    """
    check_confidence(confidence)
    matrix = as_columns(columns)
    sums = resampled_sums(exact(matrix), resamples, seed)
    n = len(matrix)
    results = {}
    for name, formula in formulas.items():
        value = point(formula, matrix)
        interval = percentile_interval(evaluate(formula, sums), confidence, n, formula, matrix, expand=expand)
        if value is None:
            results[name] = Interval(None, None, None, n, interval.unscored, NO_VALUE)
        else:
            results[name] = replace(interval, value=value)
    return results


def quantiles(values: Floats, shares: Sequence[float]) -> Floats:
    """Return the quantiles that ``np.quantile`` returns, to the bit. That function loads masked arrays, which takes long.

    Example:
        >>> quantiles(np.array([4.0, 1.0, 3.0, 2.0]), [0.25, 0.5]).tolist()
        [1.75, 2.5]
    """
    at = np.array(shares) * (len(values) - 1)
    below = np.floor(at).astype(np.intp)
    above = np.minimum(below + 1, len(values) - 1)
    ordered = np.partition(values, [*below, *above])
    low, high, way = ordered[below], ordered[above], at - below
    result: Floats = np.where(way < 0.5, low + (high - low) * way, high - (high - low) * (1 - way))
    return result


def percentile_interval(
    values: Floats,
    confidence: float,
    n: int,
    formula: Formula | None = None,
    columns: Floats | None = None,
    *,
    expand: bool = True,
) -> Interval:
    """Return the percentile interval of resampled values (nan: none), without a point value; `unscored` counts the nans.

    If all values are equal, there is an interval only at an end of the measure's range (see `end_limits`).

    Args:
        values: One value per resample.
        confidence: Coverage of the interval.
        n: Number of dialogues.
        formula: The measure, for its range; None for a number without a range, such as a difference.
        columns: The resampled columns, for the skewness of the measure. At an end of the range, a dialogue in which all
            columns of the measure are zero does not count.
        expand: As for `bootstrap`.

    Example:
        >>> interval = percentile_interval(np.ones(1000), 0.95, 20, Formula(lambda sums: sums[..., 0]))
        >>> round(interval.low, 4), interval.high
        (0.8316, 1.0)
        >>> percentile_interval(np.full(1000, 0.5), 0.95, 20, Formula(lambda sums: sums[..., 0]))
        Interval(value=None, low=None, high=None, n=20, unscored=0, reason='all resamples have the same value', p=None)
    """
    scored = values[~np.isnan(values)]
    unscored = len(values) - len(scored)
    if len(scored) < 2:
        return Interval(None, None, None, n, unscored, NO_RESAMPLE)
    least, most = float(scored.min()), float(scored.max())
    if most - least > TIE * max(1.0, abs(least), abs(most)):
        tail = expanded_tail(confidence, n) if expand else (1 - confidence) / 2
        skewed = 0.0 if not expand or formula is None or columns is None else acceleration(formula, columns)
        low, high = quantiles(scored, shifted_tails(tail, skewed))
        return Interval(None, float(low), float(high), n, unscored)
    ends = None
    if formula is not None:
        informative = n if columns is None else int(np.count_nonzero(taken(formula, columns).any(axis=1)))
        ends = end_limits(least, informative, confidence, formula.low, formula.high)
    return Interval(None, None, None, n, unscored, SAME) if ends is None else Interval(None, *ends, n, unscored)


def acceleration(formula: Formula, columns: Floats) -> float:
    """Return the acceleration of a measure: a sixth of the skewness of its linearised values, divided by the root of n.

    Efron (1987), Better Bootstrap Confidence Intervals, JASA 82. It is rounded, so that the order of additions does not matter.

    Example:
        >>> acceleration(Formula(lambda sums: sums[..., 0] / 4), np.array([[1.0], [1.0], [1.0], [0.0]]))
        -0.096225045
    """
    rows = taken(formula, columns)
    totals, steps = rows.sum(axis=0), 1e-4 * np.maximum(np.abs(rows).max(axis=0), 1e-9)
    values = evaluate(Formula(formula.value), np.vstack([totals, totals + np.diag(steps)]))
    apart = (rows - totals / len(rows)) @ np.nan_to_num((values[1:] - values[0]) / steps)
    square = float((apart**2).sum())
    return round(float((apart**3).sum()) / (6 * square**1.5), 9) if square > 0 else 0.0


def shifted_tails(tail: float, acceleration: float) -> tuple[float, float]:
    """Return the probabilities of both limits, moved to the side on which a skewed measure has its long tail.

    These are the limits of the BCa interval of Efron (1987), with the acceleration in place of the bias, because both are
    equal for a mean. The share of resamples below the value, which usually gives the bias, is too coarse for counts.

    Example:
        >>> [round(each, 4) for each in shifted_tails(0.025, -0.05)], shifted_tails(0.025, 0.0)
        ([0.0112, 0.9548], (0.025, 0.975))
    """
    if not acceleration or tail < TIE:
        return tail, 1 - tail
    ends = (acceleration + sign * normal().inv_cdf(tail) for sign in (1, -1))
    low, high = (normal().cdf(acceleration + end / max(1 - acceleration * end, TIE)) for end in ends)
    return low, high


def end_limits(
    value: float, n: int, confidence: float, low: float = 0.0, high: float = 1.0
) -> tuple[float, float] | None:
    """Return the interval of a mean at an end of its range, where all n dialogues have that value.

    Resampling shows no variation then. If a share q of all dialogues has the value, n of n have it with probability q^n. So
    the smallest q that is not rejected at the level a = (1 - confidence) / 2 is a^(1/n); all other dialogues may be at the
    other end. This is the interval of Clopper and Pearson (1934), The Use of Confidence or Fiducial Limits, Biometrika 26,
    for n of n.

    There are no limits (None) for a value inside the range from `low` to `high`, or if the other end is infinite.

    Example:
        >>> [round(limit, 4) for limit in end_limits(1.0, 20, 0.95)], [round(limit, 4) for limit in end_limits(0.0, 20, 0.95)]
        ([0.8316, 1.0], [0.0, 0.1684])
        >>> end_limits(0.5, 20, 0.95)
    """
    if not isfinite(high - low):
        return None
    near = 1e-9 * (high - low)
    reach = (high - low) * (1 - ((1 - check_confidence(confidence)) / 2) ** (1 / n))
    if abs(value - high) <= near:
        return high - reach, high
    return (low, low + reach) if abs(value - low) <= near else None


def paired_bootstrap(
    first: ArrayLike,
    second: ArrayLike,
    formulas: Mapping[str, Formula],
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: Seed = 0,
    expand: bool = True,
) -> dict[str, Interval]:
    """Compare two systems by a paired bootstrap. All measures use the same draw of dialogues.

    The value is the second system's minus the first one's, p is that of "no difference", and `unscored` counts the resamples in
    which one of the systems had no value.

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
        expand: Correct the interval and p for a small sample, as in `bootstrap`.

    Example:
        >>> from dialmeter.stats.formulas import ratio
        >>> base, new = [[3, 4], [2, 5], [1, 6], [4, 5]], [[4, 4], [4, 5], [3, 6], [5, 5]]
        >>> result = paired_bootstrap(base, new, {"JGA": ratio()})["JGA"]
        >>> round(result.value, 3), 0 < result.low, result.p < 0.05
        (0.3, True, True)
    """
    return PairedDraws([first, second], formulas, resamples, seed).bootstrap(0, 1, confidence, expand=expand)


class PairedDraws:
    """Comparisons of any two of several systems. All of them use the same draws, whose sums are computed once per system.

    Args:
        systems: Columns of each system, the same dialogues in the same order.
        formulas: Measures by name.
        resamples: Number of resamples, or of swaps.
        seed: Seed of the draws.
    """

    def __init__(
        self, systems: Sequence[ArrayLike], formulas: Mapping[str, Formula], resamples: int, seed: Seed
    ) -> None:
        self._formulas, self._resamples, self._seed = formulas, resamples, seed
        self._rounded = exact_together(systems)
        self._points = [
            {name: point(each, as_columns(columns)) for name, each in formulas.items()} for columns in systems
        ]
        # Computed from the rounded columns, like the resampled values.
        totals = [columns.sum(axis=0)[None] for columns in self._rounded]
        self._values = [{name: float(evaluate(each, row)[0]) for name, each in formulas.items()} for row in totals]

    @cached_property
    def _resampled(self) -> list[dict[str, Floats]]:
        """The values of each system in every resample."""
        sums = resampled_sums(np.hstack(self._rounded), self._resamples, self._seed)
        parts = np.split(sums, len(self._rounded), axis=1)
        return [{name: evaluate(each, part) for name, each in self._formulas.items()} for part in parts]

    @cached_property
    def _halves(self) -> list[Floats]:
        """The sums of each system over a random half of the dialogues, in every swap."""
        return np.split(swapped_sums(np.hstack(self._rounded), self._resamples, self._seed), len(self._rounded), axis=1)

    def bootstrap(self, first: int, second: int, confidence: float, *, expand: bool = True) -> dict[str, Interval]:
        """Compare two systems as `paired_bootstrap` does; they are given by their positions."""
        check_confidence(confidence)
        n, results = len(self._rounded[0]), {}
        for name in self._formulas:
            differences = self._resampled[second][name] - self._resampled[first][name]
            observed = self._observed(name, first, second)
            # A difference has no range: if it is the same in all resamples, there is no interval.
            interval = percentile_interval(differences, confidence, n, expand=expand)
            p = None
            if observed is not None and interval.reason != NO_RESAMPLE:
                scored = differences[~np.isnan(differences)]
                p = _p_value(scored - scored.mean(), observed)
                p = expanded_p(p, n) if expand else p
            results[name] = self._with_difference(replace(interval, p=p), name, first, second)
        return results

    def randomisation(self, first: int, second: int, *, mid_p: bool = False) -> dict[str, Interval]:
        """Compare two systems, given by their positions, by approximate randomisation: swap whole dialogues at random.

        If the systems were exchangeable, every swap would be as likely as the observed assignment. p is the proportion of
        swaps with a difference at least as large, counting the observed one: (1 + extreme) / (1 + swaps). Noreen (1989),
        Computer Intensive Methods for Testing Hypotheses; Riezler and Maxwell (2005), On Some Pitfalls in Automatic
        Evaluation and Significance Testing for MT, ACL workshop. The test has no interval.

        Args:
            first: the baseline.
            second: the other system.
            mid_p: count swaps that tie with the observed difference as half (Lancaster 1961, Significance Tests in Discrete
                Distributions, JASA 56). With few dialogues and integer counts, ties are frequent and the plain test is
                conservative: equal systems on 20 dialogues get p < 0.05 for JGA in 4 % of comparisons, not in 5 %.
        """
        one, two, results = self._rounded[first], self._rounded[second], {}
        moved = self._halves[second] - self._halves[first]
        sums_one, sums_two = one.sum(axis=0) + moved, two.sum(axis=0) - moved
        for name, formula in self._formulas.items():
            differences = evaluate(formula, sums_two) - evaluate(formula, sums_one)
            scored = differences[~np.isnan(differences)]
            observed = self._observed(name, first, second)
            p = None if observed is None or not len(scored) else _p_value(scored, observed, 0.5 if mid_p else 1.0)
            reason = NO_RESAMPLE if p is None else None
            interval = Interval(None, None, None, len(one), len(differences) - len(scored), reason, p)
            results[name] = self._with_difference(interval, name, first, second)
        return results

    def _observed(self, name: str, first: int, second: int) -> tuple[float, float] | None:
        """Return the absolute difference of two systems, and the larger absolute value."""
        before, after = self._values[first][name], self._values[second][name]
        return None if np.isnan(after - before) else (abs(after - before), max(abs(after), abs(before)))

    def _with_difference(self, interval: Interval, name: str, first: int, second: int) -> Interval:
        """Return an interval with the difference of two systems, or with the reason why there is none."""
        before, after = self._points[first][name], self._points[second][name]
        if before is not None and after is not None:
            return replace(interval, value=after - before)
        which = "either system" if before is after else "the first system" if before is None else "the second system"
        reason = f"the measure has no value for {which} (its denominator is zero)"
        return Interval(None, None, None, interval.n, interval.unscored, reason)


def _p_value(null: Floats, observed: tuple[float, float], tie_weight: float = 1.0) -> float:
    difference, near = observed[0], TIE * observed[1]
    if difference <= near:
        return 1.0
    beyond = np.abs(null) - difference
    greater = int(np.count_nonzero(beyond > near))
    ties = int(np.count_nonzero(np.abs(beyond) <= near))
    return (1 + greater + tie_weight * ties) / (1 + len(null))
