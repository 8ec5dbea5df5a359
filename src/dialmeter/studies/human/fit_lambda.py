"""Fit the lambda of FGA to human ratings, with cross-validation on held-out dialogues."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ...model import dialogue_key
from ...tracking.measures.fga import FGA, LocalAccuracy
from ...tracking.measures.states import JGA
from ...tracking.resolve_measures import ResolvedMeasure, resolve
from ...tracking.result import TrackerResult
from .human import Ratings, Statistic, make_statistic

if TYPE_CHECKING:
    import numpy as np

    from ...stats.formulas import Floats

Lam: TypeAlias = float | Literal["inf"]
"""A lambda. JSON has no number for infinity, so that is text."""

LAMBDAS = (*(step / 20 for step in range(21)), *(1 + step / 10 for step in range(1, 11)), 2.5, 3.0, 4.0, 5.0, math.inf)
"""The lambdas to try: from JGA (0) to the share of local matches (infinity). At 5, a mistake is 99 % forgotten after one turn."""
FOLDS = 10
RESAMPLES = 1000
_EQUAL = 1e-12
"""Mathematically equal correlations may differ in the last bits. The smaller lambda is chosen then."""


class LambdaPoint(Struct, frozen=True):
    """The correlation of FGA with the mean rating for one lambda."""

    lam: Lam
    pearson: float | None


class LambdaRival(Struct, frozen=True):
    """A measure without a fitted parameter on the same dialogues. The difference is the held-out correlation minus its own."""

    measure: str
    pearson: Statistic
    difference: Statistic


class LambdaFit(Struct, frozen=True):
    """The lambda with the highest Pearson correlation of FGA with the mean rating per dialogue.

    Attributes:
        lam: the best lambda over all dialogues; null if no correlation is defined.
        ci: percentile interval over resampled dialogues.
        pearson: the correlation at ``lam`` on the same dialogues.
        held_out: the correlation if the lambda of each dialogue is chosen on the other folds.
        folds: the lambda that is chosen without each fold.
        rivals: measures with which the held-out correlation is compared.
        curve: the correlation at every lambda that was tried.
        resamples: number of resamples of dialogues.
        seed: seed of folds and resamples.
        reason: why there is no lambda.
        signature: signature of FGA with this lambda.
    """

    lam: Lam | None
    ci: tuple[Lam, Lam] | None
    pearson: float | None
    held_out: Statistic
    folds: list[Lam | None]
    rivals: list[LambdaRival]
    curve: list[LambdaPoint]
    resamples: int
    seed: int
    reason: str
    signature: str

    @property
    def spans_all(self) -> bool:
        """True if the interval contains every lambda."""
        return self.ci == (LAMBDAS[0], "inf")


def fit_lambda(
    result: TrackerResult, ratings: Ratings, dialogues: Sequence[str], confidence: float = 0.95, seed: int = 7
) -> LambdaFit:
    """Choose lambda by its correlation with ratings.

    Args:
        result: the scored file.
        ratings: human ratings.
        dialogues: the dialogues that are scored and rated.
        confidence: coverage of the intervals; 0 for none.
        seed: seed of folds and resamples.

    Raises:
        DialmeterError: FGA is not defined under the rules of the result.
    """
    import numpy as np

    from ...stats import compare_correlations, pearson

    keys = sorted(map(dialogue_key, dialogues))
    people = np.array([ratings.mean(key) for key in keys], np.float64)
    (resolved,), _ = resolve(["FGA(lam=1)"], result.rules, not result.values_known)
    assert isinstance(resolved.used, FGA)
    fga: FGA = resolved.used
    values = np.stack([_values(result, replace(fga, lam=lam), keys) for lam in LAMBDAS])
    curve = [pearson(each, people).value for each in values]
    best = _best(curve)
    folds = _folds(len(keys), seed)
    chosen = [_best([pearson(each[~fold], people[~fold]).value for each in values]) for fold in folds]
    held_out = np.full(len(keys), np.nan)
    for fold, index in zip(folds, chosen, strict=True):
        if index is not None:
            held_out[fold] = values[index][fold]
    level = confidence or 0.95
    rivals = []
    for measure in (JGA(), replace(fga, lam=0.5), LocalAccuracy(local=fga.local, alternatives=fga.alternatives)):
        column = _values(result, measure, keys)
        rivals.append(
            LambdaRival(
                repr(measure),
                make_statistic(pearson(column, people, confidence=level), confidence),
                make_statistic(compare_correlations(people, held_out, column, confidence=level), confidence),
            )
        )
    fitted = replace(fga, lam=LAMBDAS[best or 0])
    signature = result.score_of(ResolvedMeasure(repr(fitted), fitted)).signature
    fields = f"|human:pearson|fit:{len(folds)}-fold|seed:{seed}|rated:{len(keys)}d|ratings:{ratings.digest()}|d:"
    return LambdaFit(
        lam=None if best is None else _json_lambda(LAMBDAS[best]),
        ci=_interval(values, people, confidence, seed) if confidence and best is not None else None,
        pearson=None if best is None else curve[best],
        held_out=make_statistic(pearson(held_out, people, confidence=level), confidence),
        folds=[None if index is None else _json_lambda(LAMBDAS[index]) for index in chosen],
        rivals=rivals,
        curve=[LambdaPoint(_json_lambda(lam), r) for lam, r in zip(LAMBDAS, curve, strict=True)],
        resamples=RESAMPLES,
        seed=seed,
        reason="" if best is not None else make_statistic(pearson(values[0], people), confidence).reason,
        signature="" if best is None else signature.replace("|d:", fields, 1),
    )


def _values(result: TrackerResult, measure: JGA | FGA | LocalAccuracy, keys: Sequence[str]) -> Floats:
    """Return the values of a measure for some dialogues."""
    import numpy as np

    indices = {dialogue_key(name): index for index, name in enumerate(result.measure_columns.main.dialogues)}
    values: Floats = result.measure_columns.values(measure)[np.array([indices[key] for key in keys])]
    return values


def _best(curve: Sequence[float | None]) -> int | None:
    """Return the index of the highest correlation, the first of equal ones; None if there is no correlation."""
    highest = max((r for r in curve if r is not None), default=math.inf)
    return next((index for index, r in enumerate(curve) if r is not None and r >= highest - _EQUAL), None)


def _folds(count: int, seed: int) -> list[np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """Return disjoint sets of dialogues of nearly equal size, as masks."""
    import numpy as np

    folds = min(FOLDS, count)
    # PCG64 is explicit, because numpy may change the generator of default_rng().
    order = np.random.Generator(np.random.PCG64(seed)).permutation(count)
    number = np.empty(count, np.int64)
    number[order] = np.arange(count) % folds
    return [number == fold for fold in range(folds)]


def _interval(values: Floats, people: Floats, confidence: float, seed: int) -> tuple[Lam, Lam] | None:
    """Return percentiles of the best lambda over resamples, or None if fewer than half of the resamples have a best one."""
    import numpy as np

    from ...stats.correlation import ResampledVariable, cluster_weights

    weights = cluster_weights(np.arange(len(people)), RESAMPLES, seed)
    rating = ResampledVariable(weights, people)
    correlations = np.stack([ResampledVariable(weights, each).correlation("Pearson", rating) for each in values])
    correlations[np.isnan(correlations)] = -np.inf
    correlations = correlations[:, correlations.max(axis=0) > -np.inf]
    if correlations.shape[1] < RESAMPLES / 2:
        return None
    best = np.argmax(correlations >= correlations.max(axis=0) - _EQUAL, axis=0)
    tail = (1 - confidence) / 2
    low, high = np.quantile(best, [tail, 1 - tail], method="inverted_cdf")
    return _json_lambda(LAMBDAS[int(low)]), _json_lambda(LAMBDAS[int(high)])


def _json_lambda(lam: float) -> Lam:
    return "inf" if math.isinf(lam) else lam
