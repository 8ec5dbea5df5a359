"""Pass rates that are corrected for the errors of a judge, from few labels of people and many verdicts.

The target is what the majority of such raters would say, not the truth. Which estimate is right depends on where the labels come
from, so the caller must say it: labels drawn at random or by verdict (post-stratified), or from elsewhere (Rogan and Gladen).
"""

from __future__ import annotations

from math import ceil, hypot, sqrt

from msgspec import Struct

from ..numeric import np
from .formulas import Floats
from .intervals import normal_quantile, student_quantile, wilson_interval
from .labels import Clusters, Figure, LabelTable, clustered

Z = normal_quantile(0.95)
_ONE_CONTEXT = "all labels are of one context; label others"


class CorrectedRate(Struct, frozen=True, omit_defaults=True):
    """A pass rate with its interval of 95 %.

    Attributes:
        degrees: the degrees of freedom of the t interval; None for a normal interval.
        weight: the weight of the verdicts (lambda of PPI++).
        reason: why there is no value, and what to label.
    """

    value: float | None
    ci: tuple[float, float] | None = None
    error: float | None = None
    degrees: int | None = None
    weight: float | None = None
    reason: str = ""


def _around(value: float, error: float, degrees: int | None, weight: float | None = None) -> CorrectedRate:
    half = error * (Z if degrees is None else student_quantile(0.95, degrees))
    return CorrectedRate(value, (value - half, value + half), error, degrees, weight)


def post_stratified(verdicts: Floats, labels: Floats, clusters: Clusters) -> tuple[CorrectedRate, Floats]:
    """Estimate the rate from labels that were drawn at random, or apart among passed and failed items. Tenenbein (1970).

    Args:
        verdicts: the verdict of the judge on every item.
        labels: the label of every item; nan without one.
        clusters: the clusters of the items.

    Returns:
        The rate, and the influence of every item on it, for differences of systems.
    """
    known = ~np.isnan(labels)
    q, m = float(verdicts.mean()), len(verdicts)
    sides = [known & (verdicts == verdict) for verdict in (1, 0)]
    if not all(each.any() for each in sides):
        missing = "passed" if not sides[0].any() else "failed"
        return CorrectedRate(None, reason=f"no item that the judge {missing} has a label; label some"), np.zeros(m)
    shares, sizes = [float(labels[each].mean()) for each in sides], [int(each.sum()) for each in sides]
    (a, b), (m1, m0) = shares, sizes
    value = q * a + (1 - q) * b
    smooth = [(share * size + 1) / (size + 2) for share, size in zip(shares, sizes, strict=True)]
    variance = (
        q * q * smooth[0] * (1 - smooth[0]) / m1
        + (1 - q) ** 2 * smooth[1] * (1 - smooth[1]) / m0
        + (a - b) ** 2 * q * (1 - q) / m
    )
    own = np.where(known, labels, 0.0)
    influence = (a - b) * (verdicts - q) / m + known * (
        verdicts * q / m1 * (own - a) + (1 - verdicts) * (1 - q) / m0 * (own - b)
    )
    if clusters.count == m:
        return _around(value, sqrt(variance), None), influence
    g, degrees = clusters.count, len(set(clusters.numbers[known])) - 1
    if not degrees:
        return CorrectedRate(value, reason=_ONE_CONTEXT), influence
    variance = max(variance, g / (g - 1) * float((clusters.sums(influence) ** 2).sum()))
    return _around(value, sqrt(variance), degrees), influence


def rate_difference(first: tuple[CorrectedRate, Floats], second: tuple[CorrectedRate, Floats], clusters: Clusters, known: Floats) -> CorrectedRate:  # fmt: skip
    """Return the difference of the post-stratified rates of two systems. Each has its own error rates.

    Args:
        first: rate and influences of the items of the first system; zero for other items.
        second: the same of the second system.
        clusters: the tasks of all items.
        known: True for the items with labels.
    """
    if first[0].value is None or second[0].value is None:
        return CorrectedRate(None, reason=first[0].reason or second[0].reason)
    g, degrees = clusters.count, len(set(clusters.numbers[known.astype(bool)])) - 1
    if not degrees:
        return CorrectedRate(first[0].value - second[0].value, reason=_ONE_CONTEXT)
    sums = clusters.sums(first[1] - second[1])
    error = sqrt(g / (g - 1) * float((sums**2).sum()))
    return _around(first[0].value - second[0].value, error, degrees)


def ppi(verdicts: Floats, labels: Floats, clusters: Clusters) -> CorrectedRate:
    """Estimate the rate by prediction-powered inference with a fitted weight, for scores of a judge too. Angelopoulos et al. (2023).

    Its intervals are too narrow at high rates, so it is not the default.
    """
    known = ~np.isnan(labels)
    y, f, others = labels[known], verdicts[known], verdicts[~known]
    n, m = len(y), len(others)
    if n < 2 or not m:
        return CorrectedRate(None, reason="needs two labels and one item without a label")
    spread = float(np.var(np.concatenate([f, others]), ddof=1))
    covariance = float(((y - y.mean()) * (f - f.mean())).mean())
    weight = min(1.0, max(0.0, covariance / ((1 + n / m) * spread))) if spread else 0.0
    rest = y - weight * f
    value = weight * float(others.mean()) + float(rest.mean())
    labelled, unlabelled = (Clusters([clusters.keys[at] for at in np.flatnonzero(each)]) for each in (known, ~known))
    if labelled.count == n and unlabelled.count == m:
        variance = weight**2 * float(others.var(ddof=1)) / m + float(rest.var(ddof=1)) / n
    else:
        variance = labelled.error(rest - rest.mean()) ** 2 + (weight * unlabelled.error(others - others.mean())) ** 2
    return _around(value, sqrt(variance), labelled.count - 1, weight)


def rogan_gladen(verdicts: Floats, labels: Floats, clusters: Clusters) -> CorrectedRate:
    """Estimate the rate of the unlabelled items if only the error rates of the judge carry over to them. Rogan and Gladen (1978).

    The interval is that of Lang and Reiczigel (2014). Error rates that could be those of a random judge give no value.
    """
    known = ~np.isnan(labels)
    rates, sizes, lows = [], [], []
    for label in (1, 0):
        of = known & (labels == label)
        figure = clustered(verdicts == label, of, clusters)
        if figure.value is None:
            missing = "pass" if label else "fail"
            return CorrectedRate(None, reason=f"no item has the label {missing}; label some")
        rates.append(figure.value)
        sizes.append(figure.n or 0.0)
        lows.append(figure.ci[0] if figure.ci else 0.0)
    (se, sp), (n1, n0) = rates, sizes
    if se + sp - 1 - hypot(se - lows[0], sp - lows[1]) <= 0:
        return CorrectedRate(None, reason="the judge is not shown to be better than chance; label more items")
    rest = clustered(verdicts == 1, ~known, clusters)
    if rest.value is None:
        return CorrectedRate(None, reason="every item has a label")
    q, n = rest.value, rest.n
    value = min(1.0, max(0.0, (q + sp - 1) / (se + sp - 1)))
    if n is None:
        return CorrectedRate(value, reason=rest.reason)
    q2, s, c = (n * q + Z * Z / 2) / (n + Z * Z), (n1 * se + 1) / (n1 + 2), (n0 * sp + 1) / (n0 + 2)
    theta = (q2 + c - 1) / (s + c - 1)
    s_variance, c_variance = s * (1 - s) / (n1 + 2), c * (1 - c) / (n0 + 2)
    middle = theta + 2 * Z * Z * (theta * s_variance - (1 - theta) * c_variance)
    spread = q2 * (1 - q2) / (n + Z * Z) + theta * theta * s_variance + (1 - theta) ** 2 * c_variance
    half = Z * sqrt(spread) / (s + c - 1)
    low, high = (min(1.0, max(0.0, each)) for each in (middle - half, middle + half))
    return CorrectedRate(value, (low, high))


def plain_rate(passed: Floats) -> Figure:
    """Return a share with Wilson's plain interval."""
    n = len(passed)
    if not n:
        return Figure(None, reason="no such item")
    return Figure(float(passed.mean()), wilson_interval(float(passed.sum()), n), n=float(n))


def labels_needed(table: LabelTable, judged: int, half: float) -> int | None:
    """Return the number of labels for an interval of ± ``half``; None if all items are not enough.

    A judge saves at most the share MCC² of labels.
    """
    with np.errstate(all="ignore"):
        p, mcc = float(table.people), float(table.mcc)
    saved = 0.0 if np.isnan(mcc) else mcc * mcc
    # z² p (1 - p) (1 / n - saved / n + saved / judged) ≤ half², solved for n.
    room = half * half / (Z * Z) - p * (1 - p) * saved / judged
    needed = ceil(p * (1 - p) * (1 - saved) / room - 1e-9) if room > 0 else judged + 1
    return needed if needed <= judged else None
