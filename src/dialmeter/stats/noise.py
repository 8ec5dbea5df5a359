"""Noise of a mean over tasks with several trials: how often a task flips, how far a rerun may be off, and how much data a difference needs.

The variance of one value has a part between tasks and a part within tasks, which another trial would change. Trials of a task are
exchangeable, so both are from the one-way analysis of variance, and the share between tasks is the intraclass correlation ICC(1,1) of
Shrout and Fleiss (1979), Intraclass Correlations: Uses in Assessing Rater Reliability, Psychological Bulletin 86(2).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import ceil, fsum, sqrt
from statistics import fmean, harmonic_mean, variance

from msgspec import Struct

from .intervals import fisher_quantile, normal

ERROR = 0.05
POWER = 0.8
_FLOOR = normal().inv_cdf(1 - ERROR / 2)
SHOWN = _FLOOR + normal().inv_cdf(POWER)
"""A test finds a difference of so many standard errors with power .8: 2.80."""


class Spread(Struct, frozen=True):
    """How far apart two values may be by chance.

    Attributes:
        se: standard error of their difference.
        floor: 95 % of such differences are smaller.
        needed: the smallest difference that a test finds with power .8.
    """

    se: float
    floor: float
    needed: float


class Noise(Struct, frozen=True, kw_only=True):
    """The noise of a mean over tasks.

    Attributes:
        tasks: number of tasks.
        trials: smallest and largest number of trials of a task.
        tasks_that_flip: share of tasks with several trials whose values differ; None if no task has several.
        pair_flip_rate: mean share over these tasks of pairs of trials whose values differ.
        icc: intraclass correlation of the trials of a task; None with one trial.
        icc_ci: its interval, from the F distribution.
        is_upper_bound: True if no noise was observed, so that ``within`` is the largest that may be there.
        within: variance within tasks.
        between: variance between tasks.
        trials_harmonic: harmonic mean of the numbers of trials.
        rerun: the difference of two runs of the same system on the same tasks.
        unpaired: the difference of two runs on other tasks of the same kind.
    """

    tasks: int
    trials: tuple[int, int]
    tasks_that_flip: float | None = None
    pair_flip_rate: float | None = None
    icc: float | None = None
    icc_ci: tuple[float, float] | None = None
    is_upper_bound: bool = False
    within: float
    between: float
    trials_harmonic: float
    rerun: Spread
    unpaired: Spread


def mean_squares(values: Sequence[Sequence[float]]) -> tuple[float, float | None, float]:
    """Return the mean squares between and within tasks, and the mean number of trials that relates them; one trial has nothing within.

    Example:
        >>> mean_squares([[1, 0], [1, 1], [0, 0]])
        (0.5, 0.16666666666666666, 2.0)
    """
    count, tasks = sum(map(len, values)), len(values)
    mean = fsum(value for each in values for value in each) / count
    means = [fmean(each) for each in values]
    between = fsum(len(each) * (own - mean) ** 2 for each, own in zip(values, means, strict=True)) / (tasks - 1)
    inside = fsum((value - own) ** 2 for each, own in zip(values, means, strict=True) for value in each)
    k0 = (count - sum(len(each) ** 2 for each in values) / count) / (tasks - 1)
    return between, inside / (count - tasks) if count > tasks else None, k0


def variance_within(values: Sequence[Sequence[float]], *, is_share: bool = True) -> tuple[float, bool] | None:
    """Return the variance within tasks, and whether it is only an upper bound; None if it cannot be estimated.

    If no noise was observed, a share of successes (``is_share``) still has a bound: with one trial, the whole variance may be
    noise; with several, so many tasks may flip that with a chance of 5 % none of these did.
    """
    tasks, (_, within, _) = len(values), mean_squares(values)
    if within:
        return within, False
    if not is_share:
        return None
    if within is None:
        share = fmean(each[0] for each in values)
        unseen = 1 - ERROR ** (1 / tasks)
        share = min(max(share, unseen), 1 - unseen) if share in (0, 1) else share
        return share * (1 - share) * tasks / (tasks - 1), True
    repeated = sum(len(each) > 1 for each in values)
    return (1 - ERROR ** (1 / repeated)) / 2, True


def noise_of(values: Sequence[Sequence[float]], *, is_share: bool = True) -> Noise | None:
    """Return the noise of the values of tasks, each with the values of its trials; None if it cannot be estimated.

    ``is_share`` says that every value is a success (1) or a failure (0).

    Example:
        >>> noise = noise_of([[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]])
        >>> round(noise.tasks_that_flip, 3), round(noise.pair_flip_rate, 3), round(noise.rerun.floor, 3)
        (0.333, 0.167, 0.231)
    """
    estimate = variance_within(values, is_share=is_share) if len(values) > 1 else None
    if estimate is None:
        return None
    within, is_bound = estimate
    tasks, squares = len(values), mean_squares(values)
    between_square, within_square, k0 = squares
    sizes = [len(each) for each in values]
    trials = harmonic_mean(sizes)
    between = 0.0 if within_square is None else max(0.0, (between_square - within) / k0)
    pairs = [[one != other for one, other in combinations(each, 2)] for each in values if len(each) > 1]
    icc, icc_ci = _correlation(squares, tasks, sum(sizes))
    return Noise(
        tasks=tasks,
        trials=(min(sizes), max(sizes)),
        tasks_that_flip=sum(map(any, pairs)) / len(pairs) if pairs else None,
        pair_flip_rate=fmean(map(fmean, pairs)) if pairs else None,
        icc=icc,
        icc_ci=icc_ci,
        is_upper_bound=is_bound,
        within=within,
        between=between,
        trials_harmonic=trials,
        rerun=spread(sqrt(2 * within / (trials * tasks))),
        unpaired=spread(sqrt(2 * (between + within / trials) / tasks)),
    )


def spread(se: float) -> Spread:
    """Return what follows from the standard error of a difference.

    Example:
        >>> round(spread(0.05).floor, 4), round(spread(0.05).needed, 4)
        (0.098, 0.1401)
    """
    return Spread(se, _FLOOR * se, SHOWN * se)


def _correlation(
    squares: tuple[float, float | None, float], tasks: int, count: int
) -> tuple[float | None, tuple[float, float] | None]:
    between, within, k0 = squares
    if within is None or not between + within:
        return None, None
    icc = (between - within) / (between + (k0 - 1) * within)
    if not within:
        return icc, None
    ratio, above, below = between / within, tasks - 1, count - tasks
    share = 1 - ERROR / 2
    limits = ratio / fisher_quantile(share, above, below), ratio * fisher_quantile(share, below, above)
    low, high = (float((each - 1) / (each + k0 - 1)) for each in limits)
    return icc, (low, high)


class Needs(Struct, frozen=True):
    """How much data a test needs to find a difference with power .8.

    Attributes:
        difference: the difference.
        tasks: number of tasks, with the trials of the given data; None if there is none.
        trials: number of trials per task, with the tasks of the given data; None if no number is enough.
    """

    difference: float
    tasks: int
    trials: int | None


def needs_of(first: Sequence[Sequence[float]], second: Sequence[Sequence[float]], difference: float) -> Needs | None:
    """Return how many tasks, or how many trials, are needed to find a difference of two systems on the same tasks.

    With the same values twice, the systems are assumed not to differ by task, which is optimistic. None if the noise cannot
    be estimated.

    Args:
        first: the values of the trials of each task.
        second: the values of the other system, of the same tasks.
        difference: what should be found.

    Example:
        >>> values = [[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]]
        >>> needs_of(values, values, 0.2)
        Needs(difference=0.2, tasks=9, trials=11)
    """
    variances = difference_variances(first, second)
    trials = [len(each) for values in (first, second) for each in values]
    return variances and needs(*variances, harmonic_mean(trials), len(first), difference)


def difference_variances(
    first: Sequence[Sequence[float]], second: Sequence[Sequence[float]], *, is_share: bool = True
) -> tuple[float, float] | None:
    """Return the variance over tasks of the true difference of two systems, and their noise; None if it cannot be estimated.

    Example:
        >>> [round(each, 3) for each in difference_variances([[1, 0], [0, 0], [1, 1]], [[1, 1], [0, 0], [0, 0]])]
        [0.342, 0.482]
    """
    estimates = [variance_within(each, is_share=is_share) for each in (first, second)] if len(first) > 1 else []
    noises = [each[0] for each in estimates if each is not None]
    if len(noises) < 2:
        return None
    changes = [fmean(later) - fmean(earlier) for earlier, later in zip(first, second, strict=True)]
    trials = [harmonic_mean([len(each) for each in values]) for values in (first, second)]
    within = sum(noise / count for noise, count in zip(noises, trials, strict=True))
    return max(0.0, variance(changes) - within), sum(noises)


def needs(interaction: float, noise: float, trials: float, tasks: int, difference: float) -> Needs:
    """Return how many tasks or trials find a difference.

    Args:
        interaction: variance over tasks of the true difference.
        noise: sum of the variances of both systems within tasks.
        trials: number of trials of the data.
        tasks: number of tasks of the data.
        difference: what should be found.
    """
    z = SHOWN / difference
    rest = tasks / z**2 - interaction
    return Needs(difference, ceil(z**2 * (interaction + noise / trials)), ceil(noise / rest) if rest > 0 else None)
