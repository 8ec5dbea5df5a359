"""Comparison of runs of one kind by a field of their findings: mistakes per slot, domain, event or attack, with paired tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

from ...core.comparison import PairedDifference, PairedSample, Resampling, compare_pairs
from ...numeric import NDArray, np
from ...stats.formulas import ratio
from .kinds import Grouping

if TYPE_CHECKING:
    from .opened_run import OpenedRun

MOST_NAMES = 40
_DRAWS, _FEWEST_DRAWS, _MOST_DRAWS = 20_000_000, 1000, 10_000
"""Largest product of resamples and rows, and the limits of resamples. A correction for many tests needs small p values."""

Sides: TypeAlias = Literal["only-second", "only-first", "both", "first", "second"]
SIDES: tuple[Sides, ...] = get_args(Sides)
"""Sides on which a row has a mistake: only in the second run, only in the first, in both, in the first, in the second."""


class GroupLine(NamedTuple):
    """One text of the field: mistakes and their rate in each run, and the comparisons with the first run.

    ``versus`` is None for a run that is not comparable with the first. ``rows`` has, for each other run, the number of rows
    with a mistake on each side.
    """

    name: str
    mistakes: tuple[int, ...]
    rates: tuple[float | None, ...]
    versus: tuple[PairedDifference | None, ...]
    rows: tuple[Mapping[Sides, int], ...]


class GroupComparison(NamedTuple):
    """All texts of a field on the rows that all runs share, the largest difference first."""

    grouping: Grouping
    lines: tuple[GroupLine, ...]
    rows: int
    tests: int
    resamples: int
    more: int
    """Number of texts with smaller differences, which are not in ``lines``."""


def shared_rows(runs: Sequence[OpenedRun]) -> list[NDArray[np.int64]]:
    """Return for each run the positions of the rows that all runs share, in the order of the first run."""
    positions = [{name: at for at, name in enumerate(run.findings.ids)} for run in runs]
    names = [name for name in positions[0] if all(name in other for other in positions[1:])]
    return [np.array([by_name[name] for name in names], dtype=np.int64) for by_name in positions]


def mistakes_by_row(run: OpenedRun, grouping: Grouping, names: Sequence[str]) -> NDArray[np.int32]:
    """Return the number of mistakes of each row for each text."""
    return run.findings.by_row({**grouping.mistakes, **run.kind.extra_conditions(run)}, grouping.field, names)


def _chances(run: OpenedRun, grouping: Grouping, names: Sequence[str]) -> NDArray[np.int32]:
    """Return the denominators of mistakes: one column for all texts, or one per text."""
    if not grouping.chances:
        return np.ones((len(run.findings.ids), 1), dtype=np.int32)
    conditions = {**grouping.chances, **run.kind.extra_conditions(run)}
    return run.findings.by_row(conditions, grouping.field, names) if grouping.own else run.findings.by_row(conditions)


def _totals(run: OpenedRun, grouping: Grouping) -> Counter[str]:
    """Return the number of mistakes of a whole run by text."""
    conditions = {**grouping.mistakes, **run.kind.extra_conditions(run)}
    totals: Counter[str] = Counter()
    for (name, *texts), size in run.findings.counts(grouping.field, *conditions).items():
        if name and all(text in allowed for text, allowed in zip(texts, conditions.values(), strict=True)):
            totals[name] += size
    return totals


def compare_groups(runs: Sequence[OpenedRun], grouping: Grouping, comparable: Sequence[bool]) -> GroupComparison:
    """Compare runs with the first run, on the rows that all comparable runs share.

    Args:
        runs: two or more runs of one kind.
        grouping: the field, and the findings that count.
        comparable: for each run after the first, whether it may be compared. A run that may not has values and no difference.
    """
    totals = [_totals(run, grouping) for run in runs]
    ranges = {
        name: max(counts[name] for counts in totals) - min(counts[name] for counts in totals)
        for counts in totals
        for name in counts
    }
    ranked = sorted(ranges, key=lambda name: (-ranges[name], -totals[0][name], name))
    names = ranked[:MOST_NAMES]
    all_comparable = [True, *comparable]
    shared = iter(shared_rows([run for run, is_comparable in zip(runs, all_comparable, strict=True) if is_comparable]))
    rows = [
        next(shared) if is_comparable else np.arange(len(run.findings.ids))
        for run, is_comparable in zip(runs, all_comparable, strict=True)
    ]
    samples, wrong = [], []
    for run, positions in zip(runs, rows, strict=True):
        mistakes = mistakes_by_row(run, grouping, names)[positions]
        samples.append(_sample(run.key, names, mistakes, _chances(run, grouping, names)[positions]))
        wrong.append(mistakes > 0)
    size = len(rows[0])
    resamples = min(_MOST_DRAWS, max(_FEWEST_DRAWS, _DRAWS // max(1, size)))
    formulas = {name: ratio(at, len(names) + at if grouping.own else len(names)) for at, name in enumerate(names)}
    pairs = [
        (samples[0], sample) for sample, is_comparable in zip(samples[1:], comparable, strict=True) if is_comparable
    ]
    differences, _ = compare_pairs(pairs, formulas, Resampling(resamples=resamples)) if size else ([], [])
    versus = {(each.system, each.measure): each for each in differences}
    lines = [
        GroupLine(
            name,
            tuple(int(sample.matrix[:, at].sum()) for sample in samples),
            tuple(sample.totals[name] for sample in samples),
            tuple(versus.get((run.key, name)) for run in runs[1:]),
            tuple(
                _count_sides(wrong[0][:, at], other[:, at]) if is_comparable else dict.fromkeys(SIDES, 0)
                for other, is_comparable in zip(wrong[1:], comparable, strict=True)
            ),
        )
        for at, name in enumerate(names)
    ]
    lines.sort(key=lambda line: (-_largest_difference(line), -max(line.mistakes), line.name))
    tests = sum(each.p is not None for each in differences)
    return GroupComparison(grouping, tuple(lines), size, tests, resamples, len(ranked) - len(names))


def _sample(key: str, names: Sequence[str], mistakes: NDArray[np.int32], chances: NDArray[np.int32]) -> PairedSample:
    sums, bases = mistakes.sum(axis=0), np.broadcast_to(chances.sum(axis=0), len(names))
    rates = {
        name: float(size) / float(base) if base else None for name, size, base in zip(names, sums, bases, strict=True)
    }
    matrix = np.hstack([mistakes, chances]).astype(np.float64)
    # Empty: rows that are better or worse are counted by side, not by the sign of a difference.
    return PairedSample(key, matrix, rates, dict.fromkeys(names, ()))


def _largest_difference(line: GroupLine) -> float:
    """Return the largest difference of any run from the first."""
    differences = (each.difference for each in line.versus if each is not None)
    return max((abs(difference) for difference in differences if difference is not None), default=0.0)


def _count_sides(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> dict[Sides, int]:
    return {side: int(side_mask(first, second, side).sum()) for side in SIDES}


def side_mask(first: NDArray[np.bool_], second: NDArray[np.bool_], side: Sides) -> NDArray[np.bool_]:
    """Return the mask of rows with mistakes on a side.

    Example:
        >>> first, second = np.array([True, False, True]), np.array([True, True, False])
        >>> side_mask(first, second, "only-second").tolist(), side_mask(first, second, "both").tolist()
        ([False, True, False], [True, False, False])
    """
    mask: NDArray[np.bool_] = {
        "only-second": second & ~first,
        "only-first": first & ~second,
        "both": first & second,
        "first": first,
        "second": second,
    }[side]
    return mask
