"""Paired comparison of systems on the same dialogues or tasks: differences, confidence intervals, tests, and how many are better, same or worse."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum
from typing import Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from ..errors import DialmeterError
from ..model import Notice
from ..numeric import NDArray, np
from ..stats.formulas import Floats, Formula, ratio
from ..stats.intervals import Interval, student_interval
from ..stats.resampling import PairedDraws, paired_bootstrap
from ..stats.significance import holm, mcnemar_p
from .comparability import add_fields
from .ladder import Ladder

Test: TypeAlias = Literal["randomisation", "bootstrap"]
Compared = TypeVar("Compared", bound=Struct)
SystemResult = TypeVar("SystemResult")
TaskParts: TypeAlias = Mapping[str, tuple[float, float]]
"""Numerator and denominator of a measure, by task."""

MIN_TASKS = 3
"""With fewer tasks there is no t test."""
_EQUAL = 1e-12
MIN_DIALOGUES = 5
"""With fewer dialogues there is no test, because even the most extreme outcome would not be significant."""


class Resampling(Struct, frozen=True):
    """Settings of resampling for confidence intervals and tests. The same seed gives the same resamples."""

    confidence: float = 0.95
    resamples: int = 1000
    seed: int = 12345

    @property
    def signed(self) -> tuple[str, ...]:
        """The signature fields of an interval or a p value: level in percent, number of resamples, and seed."""
        return (f"ci:{100 * self.confidence:.10g}", f"bs:{self.resamples}", f"seed:{self.seed}")


def sign_interval(signature: str, resampling: Resampling | None, ci: tuple[float, float] | None) -> str:
    """Return the signature of a score with the settings of its interval, if it has one.

    Example:
        >>> sign_interval("JGA|v:1", Resampling(0.95, 1000, 7), (0.1, 0.2))
        'JGA|ci:95|bs:1000|seed:7|v:1'
    """
    return add_fields(signature, resampling.signed) if resampling and ci else signature


def check_ci(ci: float, name: str = "ci") -> float:
    """Return the confidence level of intervals if it is valid; 0 means no intervals.

    Raises:
        DialmeterError: it is not between 0 and 1, for example 95 instead of 0.95.
    """
    if not 0 <= ci < 1:
        raise DialmeterError(f"{name} must be between 0 and 1, for example 0.95, not {ci:g}; 0 means no intervals")
    return ci


def check_margin(margin: float) -> float:
    """Return a margin if it is a share.

    Raises:
        DialmeterError: it is not between 0 and 1, for example 2 instead of 0.02.
    """
    if not 0 <= margin < 1:
        raise DialmeterError(f"margin must be between 0 and 1, for example 0.02 for 2 points, not {margin:g}")
    return margin


def make_resampling(ci: float, resamples: int, seed: int) -> Resampling | None:
    """Return the settings of resampling, or None for no intervals (``ci=0``).

    Raises:
        DialmeterError: the confidence level is not between 0 and 1.

    Example:
        >>> make_resampling(0.95, 1000, 7)
        Resampling(confidence=0.95, resamples=1000, seed=7)
    """
    return Resampling(ci, resamples, seed) if check_ci(ci) else None


class PairedDifference(Struct, frozen=True):
    """The paired comparison of two systems for one measure. The difference is the system's value minus the base's value."""

    measure: str
    system: str
    base: str
    difference: float | None
    ci: tuple[float, float] | None
    p: float | None
    p_holm: float | None
    better: int
    same: int
    worse: int
    reason: str = ""
    signature: str = ""


class TaskDifference(PairedDifference, frozen=True):
    """The paired comparison of two systems over tasks: ``ci`` is Student's interval over tasks, and ``p`` is from its t test.

    Attributes:
        tasks: number of tasks for which both systems have a value.
        bootstrap_ci: the interval from resampled tasks, for comparison with ``ci``.
        sign_p: p value of the exact sign test over the tasks that differ; None if a task has unequal numbers of trials.
    """

    tasks: int = 0
    bootstrap_ci: tuple[float, float] | None = None
    sign_p: float | None = None


class SystemComparison(Struct, Generic[SystemResult], frozen=True, kw_only=True):
    """The comparison of several systems: their results by name, all differences, and warnings.

    Attributes:
        ladders: for each system after the first, its verdict under the first measure and what the verdict depends on.
    """

    results: Mapping[str, SystemResult]
    versus: list[PairedDifference]
    notices: list[Notice]
    ladders: list[Ladder] = []


class PairedSample(Struct, frozen=True):
    """The values of one system. The rows of all systems are the same dialogues in the same order.

    Attributes:
        system: name of the system.
        matrix: one row per dialogue, with the columns that the formulas of the measures need.
        totals: value of the whole corpus, by measure.
        by_dialogue: value of each dialogue, by measure; None or NaN if it has none.
        signatures: signature of the value of the whole corpus, by measure.
    """

    system: str
    matrix: Floats
    totals: Mapping[str, float | None]
    by_dialogue: Mapping[str, Sequence[float | None] | Floats]
    signatures: Mapping[str, str] = {}


def compare_pairs(
    pairs: Sequence[tuple[PairedSample, PairedSample]],
    formulas: Mapping[str, Formula],
    resampling: Resampling,
    test: Test = "randomisation",
) -> tuple[list[PairedDifference], list[Notice]]:
    """Compare pairs of systems for all measures. The p values are Holm-corrected over all comparisons.

    Args:
        pairs: the systems to compare, the base first.
        formulas: formulas by measure.
        resampling: confidence level, number of resamples and seed.
        test: the test that gives the p values; intervals are always from the paired bootstrap.

    Returns:
        The differences, and a warning if there are too few dialogues for a test.
    """
    # Systems that are compared with the same base share their draws. By identity of a sample: its place in the group.
    groups: list[dict[int, PairedSample]] = []
    for base, other in pairs:
        group = next((each for each in groups if id(base) in each), None)
        if group is None:
            groups.append(group := {})
        group |= {id(base): base, id(other): other}
    seed, resamples = resampling.seed, resampling.resamples
    drawn = [
        (PairedDraws([each.matrix for each in group.values()], formulas, resamples, seed), list(group))
        for group in groups
        if all(len(each.matrix) > 1 for each in group.values())
    ]
    differences: list[PairedDifference] = []
    for base, other in pairs:
        draws, places = next((each for each in drawn if id(base) in each[1]), (None, [id(base), id(other)]))
        pair = places.index(id(base)), places.index(id(other))
        bootstrap = {} if draws is None else draws.bootstrap(*pair, resampling.confidence)
        tests = bootstrap
        if draws is not None and test == "randomisation" and len(base.matrix) >= MIN_DIALOGUES:
            # The mid-p value keeps the significance level if integer counts often tie, as those of JGA do with few dialogues.
            tests = draws.randomisation(*pair, mid_p=True)
        differences += _differences(base, other, bootstrap, tests, (*resampling.signed, f"test:{test}"))
    count = len(pairs[0][0].matrix) if pairs else 0
    few = Notice("few-dialogues", count, f"{count} dialogues are too few for a paired test; no p values are reported")
    return correct_by_holm(differences), [few] if 0 < count < MIN_DIALOGUES else []


def correct_by_holm(differences: Sequence[Compared]) -> list[Compared]:
    """Return comparisons with ``p_holm``: their ``p``, Holm-corrected over all of them. A comparison without p has none.

    Args:
        differences: Structs of any type with the fields ``p`` and ``p_holm``.

    Example:
        >>> pair = PairedDifference("JGA", "new", "base", 0.1, None, 0.02, None, 1, 0, 0)
        >>> [each.p_holm for each in correct_by_holm([pair, replace(pair, p=None), replace(pair, p=0.5)])]
        [0.04, None, 0.5]
    """
    corrected = holm([each.p for each in differences])  # type: ignore[attr-defined]
    return [replace(each, p_holm=p) for each, p in zip(differences, corrected, strict=True)]


def _differences(
    first: PairedSample,
    second: PairedSample,
    intervals: Mapping[str, Interval],
    tests: Mapping[str, Interval],
    signed: Sequence[str],
) -> list[PairedDifference]:
    too_few = len(first.matrix) < MIN_DIALOGUES
    differences = []
    for measure in first.totals:
        old, new = first.totals[measure], second.totals[measure]
        interval, tested = intervals.get(measure), tests.get(measure)
        reasons = [each.reason for each in (tested, interval) if each is not None and each.reason]
        better, same, worse = count_outcomes(first.by_dialogue[measure], second.by_dialogue[measure])
        differences.append(
            PairedDifference(
                measure=measure,
                system=second.system,
                base=first.system,
                difference=new - old if old is not None and new is not None else None,
                ci=interval.ci if interval else None,
                p=None if too_few or tested is None else tested.p,
                p_holm=None,
                better=better,
                same=same,
                worse=worse,
                reason="too few dialogues" if too_few else (*reasons, "")[0],
                signature=add_fields(first.signatures.get(measure, ""), signed),
            )
        )
    return differences


def common_tasks(logs: Mapping[str, Collection[str]]) -> tuple[frozenset[str], list[Notice]]:
    """Return the tasks that all logs have, and a notice about the others.

    Args:
        logs: the tasks of each log, by name of the log.

    Raises:
        DialmeterError: there are no common tasks.

    Example:
        >>> common_tasks({"old": ["1", "2"], "new": ["2"]})[0]
        frozenset({'2'})
    """
    tasks = [frozenset(each) for each in logs.values()]
    common = frozenset.intersection(*tasks)
    if not common:
        raise DialmeterError(f"{' and '.join(logs)} have no task in common")
    alone = sorted(frozenset.union(*tasks) - common)
    message = f"{len(alone)} tasks are unscored because they are not in all logs"
    return common, [Notice("alone", len(alone), message, tuple(alone[:5]))] if alone else []


def task_difference(
    measure: str,
    base: tuple[str, TaskParts],
    system: tuple[str, TaskParts],
    resampling: Resampling,
    *,
    equal_trials: bool = True,
) -> TaskDifference:
    """Compare two systems on the tasks for which both have a value.

    The difference is that of the values over these tasks. Its interval and p value are those of the t test over tasks, which is
    also fair if one system has more trials of a task than the other. If there are fewer than three tasks, or all their
    differences are equal, there is no interval, and p is from the exact sign test over the tasks that differ.

    Args:
        measure: name of the measure.
        base: name and parts of the base system.
        system: name and parts of the other system.
        resampling: confidence level, number of resamples and seed.
        equal_trials: True if both systems have the same number of trials in every task; otherwise a system with more trials
            wins or loses more tasks by chance, and the sign test is not reported.

    Example:
        >>> old, new = ({str(task): (value, 1.0) for task, value in enumerate(values)} for values in ([0, 0, 0, 1], [1, 1, 0, 1]))
        >>> result = task_difference("Success", ("old", old), ("new", new), Resampling())
        >>> result.difference, result.better, round(result.p, 3), [round(limit, 3) for limit in result.ci]
        (0.5, 2, 0.182, [-0.419, 1.419])
    """
    tasks = sorted(base[1].keys() & system[1].keys())
    before, after = ([parts[task] for task in tasks] for _, parts in (base, system))
    better, same, worse = count_outcomes(*([above / below for above, below in pairs] for pairs in (before, after)))
    old, new = (
        fsum(above for above, _ in pairs) / fsum(below for _, below in pairs) if pairs else None
        for pairs in (before, after)
    )
    bootstrap = None
    if len(tasks) > 1:
        settings = asdict(resampling)
        bootstrap = paired_bootstrap(np.array(before), np.array(after), {"m": ratio()}, expand=False, **settings)["m"]
    changes = [later - earlier for earlier, later in zip(_linear_values(before), _linear_values(after), strict=True)]
    # Rounding makes differences equal that are equal except for the last digits of their sums.
    student = student_interval([round(change, 12) for change in changes], confidence=resampling.confidence)
    reason = (
        f"fewer than {MIN_TASKS} tasks" if len(tasks) < MIN_TASKS else "equal differences" if not student.ci else ""
    )
    sign_p = mcnemar_p(worse, better)
    return TaskDifference(
        measure=measure,
        system=system[0],
        base=base[0],
        difference=new - old if old is not None and new is not None else None,
        ci=None if reason else student.ci,
        p=sign_p if reason else student.p,
        p_holm=None,
        better=better,
        same=same,
        worse=worse,
        reason=reason,
        tasks=len(tasks),
        bootstrap_ci=bootstrap.ci if bootstrap is not None else None,
        sign_p=sign_p if equal_trials else None,
    )


def beyond_margin(each: TaskDifference, margin: float, confidence: float) -> TaskDifference:
    """Return a comparison whose p value is that of "the difference is not larger than the margin", corrected for nothing.

    With it a system is better if the whole interval of the difference is above the margin, and worse if it is below its negative.
    Without an interval, the sign test decides, and the difference must be larger than the margin.
    """
    from ..stats.intervals import student_p

    if not margin or each.difference is None or each.p is None:
        return replace(each, p_holm=each.p)
    excess = abs(each.difference) - margin
    error = standard_error(each.ci, each.tasks, confidence)
    p = 1.0 if excess <= 0 else each.p if error is None else student_p(excess / error, each.tasks - 1)
    return replace(each, p=p, p_holm=p)


def standard_error(ci: tuple[float, float] | None, tasks: int, confidence: float) -> float | None:
    """Return the standard error of a mean over tasks from its Student interval; None without one.

    Example:
        >>> round(standard_error((-0.056758, 0.181758), 80, 0.95), 6)
        0.059915
    """
    from ..stats.intervals import student_quantile

    return None if ci is None else (ci[1] - ci[0]) / 2 / student_quantile(confidence, tasks - 1)


def _linear_values(pairs: Sequence[tuple[float, float]]) -> list[float]:
    """Return a value per task whose mean is the ratio of sums. Its variation over tasks is that of the ratio, to first order.

    Example:
        >>> _linear_values([(0.25, 1.0), (0.75, 1.0)]), _linear_values([(1.0, 1.0), (1.0, 3.0)])
        ([0.25, 0.75], [0.75, 0.25])
    """
    if not pairs:
        return []
    total = fsum(below for _, below in pairs)
    whole = fsum(above for above, _ in pairs) / total
    return [whole + len(pairs) * (above - whole * below) / total for above, below in pairs]


def change_signs(before: Sequence[float | None] | Floats, after: Sequence[float | None] | Floats) -> NDArray[np.int8]:
    """Return for each dialogue 1 if the second value is higher, -1 if it is lower, and 0 if they are equal or one is missing.

    A value is a sum of rounded fractions, so equal values can differ in their last digits. Values are equal if they differ by
    at most 1e-12, or by this share of a value above 1. The rounding errors of a dialogue with n turns stay below n · 2⁻⁵², so they
    cannot reach this limit in a thousand turns. Two different values of a mean over n turns are at least 1 / (n · m) apart, where
    m is the least common multiple of the denominators, for example the number of slots for SA, or the sizes of the gold
    states for AGA; with states of up to 22 slots this is above 1e-11 in a hundred turns.

    Example:
        >>> change_signs([0.1 + 0.2, 0.5, None, 0.5], [0.3, 1.0, 1.0, 0.0]).tolist()
        [0, 1, 0, -1]
    """
    old, new = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    limit = _EQUAL * np.maximum(1, np.maximum(np.abs(old), np.abs(new)))
    return (new - old > limit).astype(np.int8) - (old - new > limit).astype(np.int8)


def count_outcomes(
    before: Sequence[float | None] | Floats, after: Sequence[float | None] | Floats
) -> tuple[int, int, int]:
    """Return the number of dialogues in which the second system is better, equal and worse. Unscored dialogues count as equal.

    Every table, report and page counts with this function or with ``change_signs``.

    Example:
        >>> count_outcomes([0.5, 0.5, None, 0.5], [1.0, 0.5, 1.0, 0.0])
        (1, 2, 1)
    """
    signs = change_signs(before, after).tolist()
    return signs.count(1), signs.count(0), signs.count(-1)


def worse_than_base(differences: Iterable[PairedDifference], level: float) -> list[PairedDifference]:
    """Return the comparisons in which a system is significantly worse than its base.

    Args:
        differences: the comparisons.
        level: Holm-corrected p values below this level are significant.

    Example:
        >>> lost = PairedDifference("JGA", "new", "base", -0.1, None, 0.01, 0.02, 0, 0, 1)
        >>> won = PairedDifference("GCA", "new", "base", 0.1, None, 0.01, 0.02, 1, 0, 0)
        >>> [each.measure for each in worse_than_base([lost, won], 0.05)]
        ['JGA']
    """
    return [
        each
        for each in differences
        if each.p_holm is not None and each.p_holm < level and each.difference is not None and each.difference < 0
    ]
