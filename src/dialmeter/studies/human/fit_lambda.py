"""The lambda of FGA that agrees best with people, held to dialogues that it was not chosen on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ...model import dialogue_key
from ...tracking.measures.fga import FGA, LocalAccuracy
from ...tracking.measures.jga import JGA
from ...tracking.resolve_measures import ResolvedMeasure, resolve
from ...tracking.result import TrackerResult
from .human import Statistic, statistic_of
from .ratings import Ratings

if TYPE_CHECKING:
    import numpy as np

    from ...stats.formulas import Floats

Lam: TypeAlias = float | Literal["inf"]
"""A lambda; JSON has no number for infinity."""

LAMBDAS = (*(step / 20 for step in range(21)), *(1 + step / 10 for step in range(1, 11)), 2.5, 3.0, 4.0, 5.0, math.inf)
"""What is tried: from JGA to the share of local matches. At 5 a mistake is forgotten to 99 % after one turn."""
FOLDS = 10
RESAMPLES = 1000
_EQUAL = 1e-12
"""Correlations that are equal on paper may differ in the last bits; the smaller lambda counts then."""


class LambdaPoint(Struct, frozen=True):
    """The correlation of FGA with the mean rating for one lambda."""

    lam: Lam
    pearson: float | None


class LambdaRival(Struct, frozen=True):
    """A measure without a fitted parameter on the same dialogues, and the held-out correlation minus its own."""

    measure: str
    pearson: Statistic
    difference: Statistic


class LambdaFit(Struct, frozen=True):
    """The lambda with the highest Pearson correlation of FGA with the mean rating per dialogue.

    Attributes:
        lam: the best one over all dialogues; null where no correlation exists.
        ci: percentile interval over resampled dialogues.
        pearson: the correlation at ``lam``, on the dialogues that it was chosen on.
        held_out: the correlation where the lambda of each dialogue was chosen on the other folds.
        folds: the lambda that was chosen without each fold.
        rivals: measures to compare the held-out correlation with.
        curve: the correlation at every lambda that was tried.
        resamples: how often dialogues were drawn.
        seed: of folds and resamples.
        reason: why there is no lambda.
        signature: how FGA was computed with this lambda.
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
        """Does the interval hold every lambda?"""
        return self.ci == (LAMBDAS[0], "inf")


def fit_lambda(
    result: TrackerResult, ratings: Ratings, dialogues: Sequence[str], confidence: float = 0.95, seed: int = 7
) -> LambdaFit:
    """Chooses lambda by ratings.

    Args:
        result: the scored file.
        ratings: of people.
        dialogues: those that are scored and rated.
        confidence: coverage of the intervals; 0 for none.
        seed: of folds and resamples.

    Raises:
        DialmeterError: FGA is not defined under the rules of the result.
    """
    import numpy as np

    from ...stats import compare_correlations, pearson

    keys = sorted(map(dialogue_key, dialogues))
    people = np.array([ratings.mean(key) for key in keys], np.float64)
    (asked,), _ = resolve(["FGA(lam=1)"], result.rules, not result.values_known)
    assert isinstance(asked.used, FGA)
    own: FGA = asked.used
    values = np.stack([_values(result, replace(own, lam=lam), keys) for lam in LAMBDAS])
    curve = [pearson(each, people).value for each in values]
    best = _best(curve)
    folds = _folds(len(keys), seed)
    chosen = [_best([pearson(each[~fold], people[~fold]).value for each in values]) for fold in folds]
    held_out = np.full(len(keys), np.nan)
    for fold, place in zip(folds, chosen, strict=True):
        if place is not None:
            held_out[fold] = values[place][fold]
    level = confidence or 0.95
    rivals = []
    for measure in (JGA(), replace(own, lam=0.5), LocalAccuracy(local=own.local, alternatives=own.alternatives)):
        column = _values(result, measure, keys)
        rivals.append(
            LambdaRival(
                repr(measure),
                statistic_of(pearson(column, people, confidence=level), confidence),
                statistic_of(compare_correlations(people, held_out, column, confidence=level), confidence),
            )
        )
    fitted = replace(own, lam=LAMBDAS[best or 0])
    signed = result.score_of(ResolvedMeasure(repr(fitted), fitted)).signature
    about = f"|human:pearson|fit:{len(folds)}-fold|seed:{seed}|rated:{len(keys)}d|ratings:{ratings.digest()}|d:"
    return LambdaFit(
        lam=None if best is None else _shown(LAMBDAS[best]),
        ci=_interval(values, people, confidence, seed) if confidence and best is not None else None,
        pearson=None if best is None else curve[best],
        held_out=statistic_of(pearson(held_out, people, confidence=level), confidence),
        folds=[None if place is None else _shown(LAMBDAS[place]) for place in chosen],
        rivals=rivals,
        curve=[LambdaPoint(_shown(lam), r) for lam, r in zip(LAMBDAS, curve, strict=True)],
        resamples=RESAMPLES,
        seed=seed,
        reason="" if best is not None else statistic_of(pearson(values[0], people), confidence).reason,
        signature="" if best is None else signed.replace("|d:", about, 1),
    )


def _values(result: TrackerResult, measure: JGA | FGA | LocalAccuracy, keys: Sequence[str]) -> Floats:
    """A measure of some dialogues."""
    import numpy as np

    places = {dialogue_key(name): place for place, name in enumerate(result.measure_columns.main.dialogues)}
    found: Floats = result.measure_columns.values(measure)[np.array([places[key] for key in keys])]
    return found


def _best(curve: Sequence[float | None]) -> int | None:
    """The place of the highest correlation, the first of equal ones."""
    known = [r for r in curve if r is not None]
    return next(place for place, r in enumerate(curve) if r is not None and r >= max(known) - _EQUAL) if known else None


def _folds(count: int, seed: int) -> list[np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """Disjoint sets of dialogues of nearly equal size, as masks."""
    import numpy as np

    folds = min(FOLDS, count)
    # The generator is named, because numpy may change what default_rng() returns.
    order = np.random.Generator(np.random.PCG64(seed)).permutation(count)
    number = np.empty(count, np.int64)
    number[order] = np.arange(count) % folds
    return [number == fold for fold in range(folds)]


def _interval(values: Floats, people: Floats, confidence: float, seed: int) -> tuple[Lam, Lam] | None:
    """Percentiles of the best lambda over resampled dialogues; None where hardly any resample has a best one."""
    import numpy as np

    from ...stats.cluster_bootstrap import ResampledVariable, cluster_weights

    weights = cluster_weights(np.arange(len(people)), RESAMPLES, seed)
    rating = ResampledVariable(weights, people)
    found = np.stack([ResampledVariable(weights, each).correlation("Pearson", rating) for each in values])
    known = np.where(np.isnan(found), -np.inf, found)
    known = known[:, known.max(axis=0) > -np.inf]
    if known.shape[1] < RESAMPLES / 2:
        return None
    places = np.argmax(known >= known.max(axis=0) - _EQUAL, axis=0)
    tail = (1 - confidence) / 2
    low, high = np.quantile(places, [tail, 1 - tail], method="inverted_cdf")
    return _shown(LAMBDAS[int(low)]), _shown(LAMBDAS[int(high)])


def _shown(lam: float) -> Lam:
    return "inf" if math.isinf(lam) else lam
