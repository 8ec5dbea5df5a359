"""Agreement of a judge with labels of people, pass (1) or fail (0): figures of the table, thresholds, calibration, and the alt-test.

Items come in clusters, such as replies to one context. Proportions have Wilson's interval for an effective number of items, other
figures the percentiles of resampled clusters. Clusters are sorted by their keys, so the order of items does not change a number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import sqrt

from msgspec import Struct
from msgspec.structs import replace

from ..numeric import NDArray, np
from .correlation import cluster_numbers, cluster_weights
from .formulas import Floats
from .intervals import clustered_proportion, student_p, wilson_interval
from .significance import holm

RESAMPLES = 2000
_THRESHOLD_RESAMPLES = 500
_FOLDS = 10
_BINS = 10
_NULL_DRAWS = 1000
LEAST_RATED = 30
"""Minimum number of items of a rater in the alt-test."""


class Figure(Struct, frozen=True, omit_defaults=True):
    """A figure with its interval.

    Attributes:
        n: the effective number of items of a proportion.
        undefined: the number of resamples in which the figure is not defined.
        reason: why there is no value or no interval.
    """

    value: float | None
    ci: tuple[float, float] | None = None
    n: float | None = None
    undefined: int = 0
    reason: str = ""


class LabelTable(Struct, frozen=True):
    """Numbers of items by label of people and verdict of the judge: true and false fails (negatives) and passes (positives).

    The numbers can be arrays, one element per resample; figures are nan where they are not defined.
    """

    tn: Floats
    fp: Floats
    fn: Floats
    tp: Floats

    @classmethod
    def count(cls, labels: Floats, verdicts: Floats, weights: Floats) -> LabelTable:
        """Count items in every row of weights."""
        cells = [weights @ ((labels == label) & (verdicts == verdict)) for label in (0, 1) for verdict in (0, 1)]
        return cls(*cells)

    @property
    def n(self) -> Floats:
        """The number of items."""
        return self.tn + self.fp + self.fn + self.tp

    @property
    def people(self) -> Floats:
        """The share that people pass."""
        return (self.fn + self.tp) / self.n

    @property
    def judge(self) -> Floats:
        """The share that the judge passes."""
        return (self.fp + self.tp) / self.n

    @property
    def accuracy(self) -> Floats:
        """The share of items with equal label and verdict."""
        return (self.tn + self.tp) / self.n

    @property
    def youden(self) -> Floats:
        """Sensitivity plus specificity minus one."""
        return self.tp / (self.tp + self.fn) + self.tn / (self.tn + self.fp) - 1

    @property
    def mcc(self) -> Floats:
        """Matthews' correlation coefficient."""
        margins = (self.tp + self.fp) * (self.tp + self.fn) * (self.tn + self.fp) * (self.tn + self.fn)
        return (self.tp * self.tn - self.fp * self.fn) / np.sqrt(margins)

    @property
    def kappa(self) -> Floats:
        """Cohen's kappa."""
        expected = self.people * self.judge + (1 - self.people) * (1 - self.judge)
        return (self.accuracy - expected) / (1 - expected)

    @property
    def ac1(self) -> Floats:
        """Gwet's AC1. It is high for a judge that passes nearly everything, so it is never shown alone."""
        passed = (self.people + self.judge) / 2
        expected = 2 * passed * (1 - passed)
        return (self.accuracy - expected) / (1 - expected)

    @property
    def alpha(self) -> Floats:
        """Krippendorff's alpha of people and judge, nominal."""
        passed, values = self.fp + self.fn + 2 * self.tp, 2 * self.n
        return 1 - (1 - self.accuracy) * values * (values - 1) / (2 * passed * (values - passed))


PROPORTIONS: Mapping[str, tuple[str, str]] = {
    "accuracy": ("tn tp", "tn fp fn tp"),
    "sensitivity": ("tp", "fn tp"),
    "specificity": ("tn", "tn fp"),
    "precision": ("tp", "fp tp"),
    "npv": ("tn", "tn fn"),
    "pass_rate_people": ("fn tp", "tn fp fn tp"),
    "pass_rate_judge": ("fp tp", "tn fp fn tp"),
}
"""Figure → the cells that it counts, and the cells of all its items."""

FORMULAS: Mapping[str, Callable[[LabelTable], Floats]] = {
    "best_constant": lambda t: np.maximum(t.people, 1 - t.people),
    "gain_over_constant": lambda t: t.accuracy - np.maximum(t.people, 1 - t.people),
    "f1": lambda t: 2 * t.tp / (2 * t.tp + t.fp + t.fn),
    "f1_fail": lambda t: 2 * t.tn / (2 * t.tn + t.fp + t.fn),
    "balanced_accuracy": lambda t: (t.youden + 1) / 2,
    "youden": lambda t: t.youden,
    "mcc": lambda t: t.mcc,
    "kappa": lambda t: t.kappa,
    "ac1": lambda t: t.ac1,
    "alpha": lambda t: t.alpha,
}
_COMPARED: Mapping[str, Callable[[LabelTable], Floats]] = {
    "accuracy": lambda t: t.accuracy,
    "kappa": lambda t: t.kappa,
    "sensitivity": lambda t: t.tp / (t.tp + t.fn),
    "specificity": lambda t: t.tn / (t.tn + t.fp),
    "mcc": lambda t: t.mcc,
}
"""The figures by which two judges are compared."""


class Clusters:
    """The clusters of items, by their keys.

    Example:
        >>> Clusters(["b", "a", "b"]).sums(np.array([1.0, 2.0, 3.0])).tolist()
        [2.0, 4.0]
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self.keys = list(keys)
        self.numbers = cluster_numbers(keys)
        self.count = int(self.numbers.max()) + 1 if self.keys else 0

    def weights(self, resamples: int = RESAMPLES) -> Floats:
        """Return how often each item is drawn in each resample of clusters."""
        return cluster_weights(self.numbers, resamples, 0)

    @cached_property
    def folds(self) -> NDArray[np.int64]:
        """The fold of each item: a cluster is in one fold, whatever the other items are."""
        digests = (hashlib.sha256(each.encode()).digest()[:8] for each in self.keys)
        return np.array([int.from_bytes(each, "big") % _FOLDS for each in digests], dtype=np.int64)

    def sums(self, values: Floats) -> Floats:
        """Return the sum of a value in every cluster."""
        return np.bincount(self.numbers, weights=values, minlength=self.count).astype(np.float64)

    def error(self, deviations: Floats) -> float:
        """Return the standard error of a mean over items, with a variance that is robust to clusters."""
        g = self.count
        return sqrt(g / (g - 1) * float((self.sums(deviations) ** 2).sum())) / len(self.keys) if g > 1 else 0.0


def percentiles(drawn: Floats, confidence: float = 0.95) -> tuple[tuple[float, float] | None, int]:
    """Return the percentiles of resampled values, and the number of resamples without a value."""
    known = drawn[~np.isnan(drawn)]
    tail = 50 * (1 - confidence)
    low, high = np.percentile(known, [tail, 100 - tail]) if len(known) else (0, 0)
    # Equal resamples, such as those of one cluster, say nothing about chance.
    return (float(low), float(high)) if low < high else None, len(drawn) - len(known)


def _defined(value: Floats) -> float | None:
    return None if np.isnan(value) else float(value)


def clustered(hits: NDArray[np.bool_], of: NDArray[np.bool_], clusters: Clusters, confidence: float = 0.95) -> Figure:
    """Return the share of hits among some items, with Wilson's interval for their effective number."""
    counts, sizes = (clusters.sums(each.astype(np.float64)) for each in (hits & of, of))
    pairs = [(int(hit), int(size)) for hit, size in zip(counts, sizes, strict=True)]
    found = clustered_proportion(pairs, confidence=confidence)
    if found.value is None:
        return Figure(None, reason="no such item")
    if found.low is None or found.high is None:
        return Figure(found.value, reason=found.reason or "")
    g, share = int((sizes > 0).sum()), found.value
    effective = float(g)
    if share not in (0, 1) and g < found.n:
        deviations = float(((counts - share * sizes) ** 2).sum()) / found.n**2
        effective = min(float(found.n), share * (1 - share) * (g - 1) / (g * deviations))
    return Figure(share, (found.low, found.high), n=effective)


def label_figures(labels: Floats, verdicts: Floats, clusters: Clusters, confidence: float = 0.95) -> dict[str, Figure]:
    """Compute all figures of the table of labels and verdicts.

    Example:
        >>> labels, verdicts = np.array([1.0, 1, 0, 0]), np.array([1.0, 0, 0, 0])
        >>> figures = label_figures(labels, verdicts, Clusters(["a", "b", "c", "d"]))
        >>> figures["sensitivity"].value, figures["kappa"].value, figures["precision"].value
        (0.5, 0.5, 1.0)
    """
    cells = {
        name: (labels == label) & (verdicts == verdict)
        for name, (label, verdict) in {"tn": (0, 0), "fp": (0, 1), "fn": (1, 0), "tp": (1, 1)}.items()
    }
    figures = {}
    for name, parts in PROPORTIONS.items():
        hits, of = (np.any([cells[cell] for cell in part.split()], axis=0) for part in parts)
        figures[name] = clustered(hits, of, clusters, confidence)
    with np.errstate(all="ignore"):
        table = LabelTable.count(labels, verdicts, np.ones(len(labels)))
        drawn = LabelTable.count(labels, verdicts, clusters.weights())
        for name, formula in FORMULAS.items():
            value = _defined(formula(table))
            ci, undefined = percentiles(formula(drawn), confidence) if name != "best_constant" else (None, 0)
            reason = "" if value is not None else "not defined: people or the judge give one label only"
            if value is not None and ci is None and name != "best_constant":
                reason = "no interval: all resamples are equal"
            figures[name] = Figure(value, ci if value is not None else None, undefined=undefined, reason=reason)
    return figures


CLASS_FIGURES = (
    "exact",
    "within_one",
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "ac1",
    "ac2_linear",
    "ac2_quadratic",
)


def class_figures(
    labels: NDArray[np.int64], verdicts: NDArray[np.int64], count: int, clusters: Clusters, confidence: float = 0.95
) -> dict[str, Figure]:
    """Compute the agreement of labels and verdicts that are ordered classes, numbered from 0: exact, within one, kappa and Gwet's AC.

    Example:
        >>> same, keys = np.array([0, 1, 2, 2]), Clusters(["a", "b", "c", "d"])
        >>> figures = class_figures(same, np.array([0, 1, 2, 1]), 3, keys)
        >>> figures["exact"].value, figures["within_one"].value, round(figures["kappa"].value, 4)
        (0.75, 1.0, 0.6364)
    """
    cells = np.equal.outer(labels * count + verdicts, np.arange(count * count)).astype(np.float64)
    steps = np.abs(np.subtract.outer(np.arange(count), np.arange(count))) / max(count - 1, 1)

    def formulas(weights: Floats) -> dict[str, Floats]:
        shares = (weights @ cells / weights.sum(axis=1, keepdims=True)).reshape(-1, count, count)
        rows, columns = shares.sum(axis=2), shares.sum(axis=1)
        expected, middle = rows[:, :, None] * columns[:, None, :], (rows + columns) / 2
        spread = (middle * (1 - middle)).sum(axis=1) / (count * max(count - 1, 1))
        near = np.abs(np.subtract.outer(np.arange(count), np.arange(count))) <= 1
        found = {"within_one": (shares * near).sum(axis=(1, 2))}
        for ending, credit in (("", 1.0 * (steps == 0)), ("_linear", 1 - steps), ("_quadratic", 1 - steps**2)):
            agreed = (shares * credit).sum(axis=(1, 2))
            by_chance = (expected * credit).sum(axis=(1, 2)), credit.sum() * spread
            kappa, gwet = ((agreed - chance) / (1 - chance) for chance in by_chance)
            found |= {f"kappa{ending}": kappa, f"ac{2 if ending else 1}{ending}": gwet}
            found |= {} if ending else {"exact": agreed}
        return found

    with np.errstate(all="ignore"):
        values, drawn = formulas(np.ones((1, len(labels)))), formulas(clusters.weights())
    figures = {}
    for name in CLASS_FIGURES:
        value, (ci, undefined) = _defined(values[name][0]), percentiles(drawn[name], confidence)
        reason = "" if value is not None else "not defined: people and the judge give one class only"
        figures[name] = Figure(value, ci if value is not None else None, undefined=undefined, reason=reason)
    return figures


class LabelDifference(Struct, frozen=True):
    """A figure of one judge minus that of another, over the same items; ``p`` swaps the judges within clusters."""

    difference: float
    ci: tuple[float, float] | None
    ci90: tuple[float, float] | None
    p: float
    p_holm: float | None = None


def compare_labels(labels: Floats, first: Floats, second: Floats, clusters: Clusters) -> dict[str, LabelDifference]:
    """Compare two judges on the same labelled items: the figures of the first minus those of the second, if both are defined."""
    weights, ones = clusters.weights(), np.ones(len(labels))
    flips = np.random.Generator(np.random.PCG64(0)).integers(0, 2, (9999, clusters.count))
    with np.errstate(all="ignore"):
        kept, swapped = (
            [clusters.sums(1.0 * ((labels == label) & (side == verdict))) for label in (0, 1) for verdict in (0, 1)]
            for side in (first, second)
        )
        moved = [flips @ (other - own) for own, other in zip(kept, swapped, strict=True)]
        one = LabelTable(*(own.sum() + more for own, more in zip(kept, moved, strict=True)))
        two = LabelTable(*(other.sum() - more for other, more in zip(swapped, moved, strict=True)))
        found = {}
        for name, formula in _COMPARED.items():
            observed = float(
                formula(LabelTable.count(labels, first, ones)) - formula(LabelTable.count(labels, second, ones))
            )
            if np.isnan(observed):
                continue
            drawn = formula(LabelTable.count(labels, first, weights)) - formula(
                LabelTable.count(labels, second, weights)
            )
            hits = int((np.abs(formula(one) - formula(two)) >= abs(observed) - 1e-12).sum())
            limits = [percentiles(drawn, confidence)[0] for confidence in (0.95, 0.9)]
            found[name] = LabelDifference(observed, limits[0], limits[1], (1 + hits) / 10_000)
    corrected = holm([each.p for each in found.values()])
    return {name: replace(each, p_holm=p) for (name, each), p in zip(found.items(), corrected, strict=True)}


class Ranked:
    """Scores of items with labels, sorted, for all figures that depend on the order of scores."""

    def __init__(self, scores: Floats, labels: Floats) -> None:
        self.order = np.argsort(scores, kind="stable")
        self.values, starts = np.unique(scores[self.order], return_index=True)
        self._starts = starts
        self._labels = labels[self.order]

    def counts(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return the numbers of fails and passes at each distinct score, in every row of weights."""
        ordered = np.atleast_2d(weights)[:, self.order]
        passes = np.add.reduceat(ordered * self._labels, self._starts, axis=1)
        return np.add.reduceat(ordered, self._starts, axis=1) - passes, passes

    def auroc(self, weights: Floats) -> Floats:
        """Return the share of pairs of a pass and a fail in which the pass has the higher score; a tie counts one half."""
        fails, passes = self.counts(weights)
        below = np.cumsum(fails, axis=1) - fails / 2
        share: Floats = (passes * below).sum(axis=1) / (fails.sum(axis=1) * passes.sum(axis=1))
        return share

    def average_precision(self, weights: Floats) -> Floats:
        """Return the mean precision at the scores of passes, from the highest score down."""
        fails, passes = (each[:, ::-1] for each in self.counts(weights))
        hits = np.cumsum(passes, axis=1)
        drawn = hits + np.cumsum(fails, axis=1)
        precision = np.divide(hits, drawn, out=np.zeros_like(hits), where=drawn > 0)
        mean: Floats = (precision * passes).sum(axis=1) / passes.sum(axis=1)
        return mean

    def thresholds(self, weights: Floats) -> Floats:
        """Return the threshold with the largest balanced accuracy in every row of weights; -inf if there is one label only.

        An item passes if its score is above the threshold. Of equal ones the lowest counts.
        """
        fails, passes = self.counts(weights)
        cuts = np.concatenate([[-np.inf], (self.values[1:] + self.values[:-1]) / 2])
        below_fails = np.cumsum(fails, axis=1) - fails
        below_passes = np.cumsum(passes, axis=1) - passes
        all_fails, all_passes = fails.sum(axis=1, keepdims=True), passes.sum(axis=1, keepdims=True)
        # A cut below a score that the row does not have is the same as the cut before it, and must not be chosen.
        present = fails + passes > 0
        youden = below_fails / all_fails - below_passes / all_passes
        youden = np.where(present, youden, -np.inf)
        youden[:, 0] = np.maximum(youden[:, 0], 0)
        chosen = self._row_cuts(present, cuts, np.argmax(youden > youden.max(axis=1, keepdims=True) - 1e-12, axis=1))
        return np.where((all_fails > 0).ravel() & (all_passes > 0).ravel(), chosen, -np.inf)

    def _row_cuts(self, present: NDArray[np.bool_], cuts: Floats, chosen: NDArray[np.int64]) -> Floats:
        """Return the middle between the chosen score and the next lower score that its row has."""
        places = np.where(present, np.arange(len(self.values)), -1)
        before = np.maximum.accumulate(places, axis=1)
        previous = np.where(chosen > 0, before[np.arange(len(chosen)), np.maximum(chosen - 1, 0)], -1)
        middle = (self.values[chosen] + self.values[np.maximum(previous, 0)]) / 2
        return np.where(previous < 0, cuts[0], middle)


class BestThreshold(Struct, frozen=True):
    """The threshold of a score with the largest balanced accuracy.

    Attributes:
        value: an item passes if its score is above it; None passes all items.
        ci: the percentiles of the thresholds of resamples.
        apparent: figures on the items that chose the threshold; too high.
        honest: figures with ten folds, where other items choose the threshold of an item.
        table: the table of the folds: true and false fails, false and true passes.
    """

    value: float | None
    ci: tuple[float, float] | None
    apparent: dict[str, float | None]
    honest: dict[str, Figure]
    table: tuple[int, int, int, int]


_OF_THRESHOLDS: Mapping[str, Callable[[LabelTable], Floats]] = {
    "balanced_accuracy": FORMULAS["balanced_accuracy"],
    "kappa": FORMULAS["kappa"],
    "accuracy": lambda t: t.accuracy,
}


def best_threshold(scores: Floats, labels: Floats, clusters: Clusters) -> BestThreshold:
    """Choose the threshold of a score, and compute how good it is on other items."""
    ranked, ones = Ranked(scores, labels), np.ones((1, len(scores)))

    def pooled(weights: Floats) -> LabelTable:
        verdicts = np.empty_like(weights)
        for fold in np.unique(clusters.folds):
            held_out = clusters.folds == fold
            cuts = ranked.thresholds(weights * ~held_out)
            verdicts[:, held_out] = scores[held_out] > cuts[:, None]
        cells = [
            (weights * (labels == label) * (verdicts == verdict)).sum(axis=1) for label in (0, 1) for verdict in (0, 1)
        ]
        return LabelTable(*cells)

    with np.errstate(all="ignore"):
        value = float(ranked.thresholds(ones)[0])
        weights = clusters.weights(_THRESHOLD_RESAMPLES)
        fails, passes = ranked.counts(weights)
        weights = weights[(fails.sum(axis=1) > 0) & (passes.sum(axis=1) > 0)]
        drawn = ranked.thresholds(weights)
        low, high = np.percentile(drawn, [2.5, 97.5], method="lower")
        apparent = LabelTable.count(labels, np.array(scores > value, dtype=np.float64), np.ones(len(scores)))
        own, resampled = pooled(ones), pooled(weights)
        honest = {
            name: Figure(_defined(formula(own)[0]), percentiles(formula(resampled))[0])
            for name, formula in _OF_THRESHOLDS.items()
        }
    return BestThreshold(
        None if value == -np.inf else value,
        (float(low), float(high)),
        {name: _defined(formula(apparent)) for name, formula in _OF_THRESHOLDS.items()},
        honest,
        (int(own.tn[0]), int(own.fp[0]), int(own.fn[0]), int(own.tp[0])),
    )


class CalibrationBin(Struct, frozen=True):
    """A tenth of the items: the mean probability of the judge, and the share that people pass."""

    n: int
    mean_p: float
    passed: float
    ci: tuple[float, float]


class Calibration(Struct, frozen=True):
    """How well declared probabilities agree with the shares that people pass.

    Attributes:
        skill: one minus the Brier score divided by that of the constant base rate.
        ece: the expected calibration error of ten bins with equal numbers of items.
        ece_null: its mean and 95 % point if labels are drawn from the judge's own probabilities. Without it, ``ece`` misleads.
        ece_p: the share of such draws with an error as large.
        ece_squared: the debiased squared error; it can be negative.
    """

    brier: Figure
    brier_constant: float
    skill: float | None
    bias: Figure
    ece: float
    ece_null: tuple[float, float]
    ece_p: float
    ece_squared: float
    bins: list[CalibrationBin]


def calibration(p: Floats, labels: Floats, clusters: Clusters) -> Calibration:
    """Compare declared probabilities with labels."""
    weights = clusters.weights()
    totals = weights.sum(axis=1)
    brier, bias = (p - labels) ** 2, p - labels
    places = np.array_split(np.argsort(p, kind="stable"), _BINS)
    places = [each for each in places if len(each)]
    sizes = np.array([len(each) for each in places])

    def errors(drawn: Floats) -> Floats:
        gaps = np.stack([np.abs(p[each].mean() - drawn[:, each].mean(axis=1)) for each in places])
        mean: Floats = sizes @ gaps / len(p)
        return mean

    own = float(errors(labels[None, :])[0])
    generator = np.random.Generator(np.random.PCG64(0))
    null = errors(np.array(generator.random((_NULL_DRAWS, len(p))) < p, dtype=np.float64))
    squared, bins = 0.0, []
    for each in places:
        passed, n = float(labels[each].mean()), len(each)
        spread = passed * (1 - passed) / (n - 1) if n > 1 else 0.0
        squared += n / len(p) * ((float(p[each].mean()) - passed) ** 2 - spread)
        limits = wilson_interval(float(labels[each].sum()), n)
        bins.append(CalibrationBin(n, float(p[each].mean()), passed, limits))
    rate = float(labels.mean())
    constant = rate * (1 - rate)
    return Calibration(
        Figure(float(brier.mean()), percentiles(weights @ brier / totals)[0]),
        constant,
        1 - float(brier.mean()) / constant if constant else None,
        Figure(float(bias.mean()), percentiles(weights @ bias / totals)[0]),
        own,
        (float(null.mean()), float(np.percentile(null, 95))),
        (1 + int((null >= own).sum())) / (_NULL_DRAWS + 1),
        squared,
        bins,
    )


class RaterWin(Struct, frozen=True):
    """One rater against the judge: the share of items on which the judge agrees with the other raters at least as well, and the p
    value of a judge that is worse by epsilon or more."""

    rater: str
    items: int
    advantage: float
    p: float


class AltTest(Struct, frozen=True):
    """May the judge replace a rater? Calderon et al. (2025). A constant judge can win, so the gain over a constant must be shown too."""

    epsilon: float
    raters: list[RaterWin]
    winning_rate: float | None
    advantage: float | None


def alt_test(
    ratings: Sequence[Mapping[str, float]], verdicts: Sequence[float | None], keys: Sequence[str], epsilon: float
) -> AltTest:
    """Test for every rater whether the judge agrees with the other raters as well as this rater does, up to epsilon.

    Args:
        ratings: rater → label, per item.
        verdicts: the verdict of the judge per item.
        keys: the key of the cluster per item.
        epsilon: how much worse a judge may be, because people cost more.
    """
    found = []
    for rater in sorted({name for each in ratings for name in each}):
        rows = [
            (each[rater], verdict, [label for name, label in each.items() if name != rater], key)
            for each, verdict, key in zip(ratings, verdicts, keys, strict=True)
            if rater in each and len(each) > 1 and verdict is not None
        ]
        if len(rows) < LEAST_RATED:
            continue
        human = np.array([np.mean([own == other for other in others]) for own, _, others, _ in rows])
        judge = np.array([np.mean([verdict == other for other in others]) for _, verdict, others, _ in rows])
        worse = 1.0 * (human >= judge) - 1.0 * (judge >= human)
        clusters = Clusters([key for *_, key in rows])
        mean = float(worse.mean())
        error = clusters.error(worse - mean)
        if error == 0:
            p = 0.0 if mean < epsilon else 1.0
        else:
            t = (mean - epsilon) / error
            half = student_p(t, clusters.count - 1) / 2
            p = half if t < 0 else 1 - half
        found.append(RaterWin(rater, len(rows), float((judge >= human).mean()), p))
    if not found:
        return AltTest(epsilon, [], None, None)
    advantage = sum(each.advantage for each in found) / len(found)
    return AltTest(epsilon, found, _rejected([each.p for each in found]) / len(found), advantage)


def _rejected(p_values: Sequence[float], level: float = 0.05) -> int:
    """Return the number of p values that Benjamini and Yekutieli's procedure rejects."""
    m = len(p_values)
    harmonic = sum(1 / rank for rank in range(1, m + 1))
    ranked = enumerate(sorted(p_values), 1)
    return max((rank for rank, p in ranked if p <= rank * level / (m * harmonic)), default=0)
