"""Runs of one kind compared by a field of their findings: mistakes per slot, domain, event or attack, with paired tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from ...core.comparison import PairedDifference, PairedSample, Resampling, compare_pairs
from ...stats import ratio
from .kinds import Grouping

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .opened import Opened

MOST_NAMES = 40
_DRAWS, _FEWEST_DRAWS, _MOST_DRAWS = 20_000_000, 1000, 10_000
"""Resamples times rows at most, and the limits of resamples: a correction for many tests needs small p values."""

Sides: TypeAlias = Literal["only-second", "only-first", "both", "first", "second"]
SIDES: tuple[Sides, ...] = get_args(Sides)
"""Which rows of two runs have a mistake: only the second run's row, only the first one's, both, the first's, the second's."""


class GroupLine(NamedTuple):
    """One text of the field: mistakes and their rate in each run, and the other runs against the first.

    ``versus`` has None for a run that is not comparable with the first. ``rows`` has, for each other run, how many rows have a
    mistake in which of the two runs.
    """

    name: str
    mistakes: tuple[int, ...]
    rates: tuple[float | None, ...]
    versus: tuple[PairedDifference | None, ...]
    rows: tuple[Mapping[Sides, int], ...]


class GroupComparison(NamedTuple):
    """All texts of a field, the largest difference first, on the rows that all runs have."""

    grouping: Grouping
    lines: tuple[GroupLine, ...]
    rows: int
    tests: int
    resamples: int
    more: int
    """Texts with smaller differences, which are not in the lines."""


def shared_rows(runs: Sequence[Opened]) -> list[NDArray[np.int64]]:
    """For each run, the positions of the rows that all runs have, in the order of the first run."""
    places = [{name: at for at, name in enumerate(run.findings.ids)} for run in runs]
    names = [name for name in places[0] if all(name in other for other in places[1:])]
    return [np.array([of_run[name] for name in names], dtype=np.int64) for of_run in places]


def mistakes_by_row(run: Opened, grouping: Grouping, names: Sequence[str]) -> NDArray[np.int32]:
    """How many mistakes each row has at each text."""
    return run.findings.by_row({**grouping.mistakes, **run.kind.counted(run)}, grouping.field, names)


def _chances(run: Opened, grouping: Grouping, names: Sequence[str]) -> NDArray[np.int32]:
    """What mistakes are divided by: one column for all texts, or one for each."""
    if not grouping.chances:
        return np.ones((len(run.findings.ids), 1), dtype=np.int32)
    where = {**grouping.chances, **run.kind.counted(run)}
    return run.findings.by_row(where, grouping.field, names) if grouping.own else run.findings.by_row(where)


def _totals(run: Opened, grouping: Grouping) -> Counter[str]:
    """Mistakes of a whole run by text."""
    conditions = {**grouping.mistakes, **run.kind.counted(run)}
    found: Counter[str] = Counter()
    for (name, *texts), size in run.findings.counts(grouping.field, *conditions).items():
        if name and all(text in wanted for text, wanted in zip(texts, conditions.values(), strict=True)):
            found[name] += size
    return found


def compare_groups(runs: Sequence[Opened], grouping: Grouping, comparable: Sequence[bool]) -> GroupComparison:
    """Compares runs with the first one, on the rows that all comparable runs have.

    Args:
        runs: two or more of one kind.
        grouping: the field, and what counts.
        comparable: for each run after the first, whether it may be compared; one that may not has its values and no difference.
    """
    totals = [_totals(run, grouping) for run in runs]
    spread = {name: max(of[name] for of in totals) - min(of[name] for of in totals) for of in totals for name in of}
    ranked = sorted(spread, key=lambda name: (-spread[name], -totals[0][name], name))
    names = ranked[:MOST_NAMES]
    may = [True, *comparable]
    shared = iter(shared_rows([run for run, chosen in zip(runs, may, strict=True) if chosen]))
    rows = [next(shared) if chosen else np.arange(len(run.findings.ids)) for run, chosen in zip(runs, may, strict=True)]
    samples, wrong = [], []
    for run, places in zip(runs, rows, strict=True):
        mistakes = mistakes_by_row(run, grouping, names)[places]
        samples.append(_sample(run.key, names, mistakes, _chances(run, grouping, names)[places]))
        wrong.append(mistakes > 0)
    size = len(rows[0])
    resamples = min(_MOST_DRAWS, max(_FEWEST_DRAWS, _DRAWS // max(1, size)))
    formulas = {name: ratio(at, len(names) + at if grouping.own else len(names)) for at, name in enumerate(names)}
    pairs = [(samples[0], sample) for sample, chosen in zip(samples[1:], comparable, strict=True) if chosen]
    found, _ = compare_pairs(pairs, formulas, Resampling(resamples=resamples)) if size else ([], [])
    versus = {(each.system, each.measure): each for each in found}
    lines = [
        GroupLine(
            name,
            tuple(int(sample.matrix[:, at].sum()) for sample in samples),
            tuple(sample.totals[name] for sample in samples),
            tuple(versus.get((run.key, name)) for run in runs[1:]),
            tuple(
                _sides(wrong[0][:, at], other[:, at]) if chosen else dict.fromkeys(SIDES, 0)
                for other, chosen in zip(wrong[1:], comparable, strict=True)
            ),
        )
        for at, name in enumerate(names)
    ]
    lines.sort(key=lambda line: (-_cost(line), -max(line.mistakes), line.name))
    tests = sum(each.p is not None for each in found)
    return GroupComparison(grouping, tuple(lines), size, tests, resamples, len(ranked) - len(names))


def _sample(key: str, names: Sequence[str], mistakes: NDArray[np.int32], chances: NDArray[np.int32]) -> PairedSample:
    sums, of_all = mistakes.sum(axis=0), np.broadcast_to(chances.sum(axis=0), len(names))
    rates = {
        name: float(size) / float(base) if base else None for name, size, base in zip(names, sums, of_all, strict=True)
    }
    matrix = np.hstack([mistakes, chances]).astype(np.float64)
    # Rows that are better or worse are counted by side, not by the sign of a difference.
    return PairedSample(key, matrix, rates, dict.fromkeys(names, ()))


def _cost(line: GroupLine) -> float:
    """The largest difference of any run from the first."""
    found = (each.difference for each in line.versus if each is not None)
    return max((abs(difference) for difference in found if difference is not None), default=0.0)


def _sides(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> dict[Sides, int]:
    return {side: int(of_side(first, second, side).sum()) for side in SIDES}


def of_side(first: NDArray[np.bool_], second: NDArray[np.bool_], side: Sides) -> NDArray[np.bool_]:
    """Which rows have their mistakes on this side.

    Example:
        >>> first, second = np.array([True, False, True]), np.array([True, True, False])
        >>> of_side(first, second, "only-second").tolist(), of_side(first, second, "both").tolist()
        ([False, True, False], [True, False, False])
    """
    chosen: NDArray[np.bool_] = {
        "only-second": second & ~first,
        "only-first": first & ~second,
        "both": first & second,
        "first": first,
        "second": second,
    }[side]
    return chosen
