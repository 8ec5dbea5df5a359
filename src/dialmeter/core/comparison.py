"""Paired comparison of systems on the same dialogues or tasks: differences with intervals, tests, and wins, ties and losses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from ..errors import DialmeterError
from ..model import Notice

if TYPE_CHECKING:
    from ..stats import Formula
    from ..stats.formulas import Floats

Test: TypeAlias = Literal["randomisation", "bootstrap"]
SystemResult = TypeVar("SystemResult")
TaskParts: TypeAlias = Mapping[str, tuple[float, float]]
"""Numerator and denominator of a measure, by task."""

FEWEST = 5
"""With fewer dialogues there is no test: even the most extreme outcome would not be significant."""


class Resampling(Struct, frozen=True):
    """How intervals and tests are made; the same seed gives the same resamples."""

    confidence: float = 0.95
    resamples: int = 1000
    seed: int = 12345


def checked_confidence(ci: float, name: str = "ci") -> float:
    """The confidence of intervals; 0 for none.

    Raises:
        DialmeterError: it is no share, such as 95 instead of 0.95.
    """
    if not 0 <= ci < 1:
        raise DialmeterError(f"{name} lies between 0 and 1, as in 0.95, not {ci:g}; 0 gives no intervals")
    return ci


def chosen_resampling(ci: float, resamples: int, seed: int) -> Resampling | None:
    """How intervals are made; None with ``ci=0``, for none.

    Raises:
        DialmeterError: the confidence is no share.

    Example:
        >>> chosen_resampling(0.95, 1000, 7)
        Resampling(confidence=0.95, resamples=1000, seed=7)
    """
    return Resampling(ci, resamples, seed) if checked_confidence(ci) else None


class PairedDifference(Struct, frozen=True):
    """One system against another under one measure; a difference is the system's value minus the base's."""

    measure: str
    system: str
    base: str
    difference: float | None
    ci: tuple[float, float] | None
    p: float | None
    p_holm: float | None
    wins: int
    ties: int
    losses: int
    reason: str = ""


class SystemComparison(Struct, Generic[SystemResult], frozen=True, kw_only=True):
    """Systems that were compared: their results by name, all differences, and warnings."""

    results: Mapping[str, SystemResult]
    versus: list[PairedDifference]
    notices: list[Notice]


class PairedSample(Struct, frozen=True):
    """The values of one system; rows of all systems are the same dialogues in the same order.

    Attributes:
        system: its name.
        matrix: one row per dialogue, with the columns that the formulas of measures take.
        totals: the value of the whole corpus, by measure.
        by_dialogue: the value of each dialogue, by measure.
    """

    system: str
    matrix: Floats
    totals: Mapping[str, float | None]
    by_dialogue: Mapping[str, Sequence[float | None]]


def compare_pairs(
    pairs: Sequence[tuple[PairedSample, PairedSample]],
    formulas: Mapping[str, Formula],
    how: Resampling,
    test: Test = "randomisation",
) -> tuple[list[PairedDifference], list[Notice]]:
    """The differences of all pairs under all measures, with p values corrected by Holm over all of them.

    Args:
        pairs: the systems to compare, the base first.
        formulas: by measure.
        how: confidence, resamples and seed.
        test: where p values come from; intervals are always from the paired bootstrap.

    Returns:
        The differences, and a warning where there are too few dialogues for a test.
    """
    found = [each for base, other in pairs for each in _differences(base, other, formulas, how, test)]
    count = len(pairs[0][0].matrix) if pairs else 0
    few = Notice("few-dialogues", count, f"{count} dialogues are too few for a paired test; no p values are given")
    return holm_corrected(found), [few] if 0 < count < FEWEST else []


def holm_corrected(found: Sequence[PairedDifference]) -> list[PairedDifference]:
    """Differences with p values corrected by Holm over all of them."""
    from ..stats import holm

    return [replace(each, p_holm=p) for each, p in zip(found, holm([each.p for each in found]), strict=True)]


def _differences(
    first: PairedSample, second: PairedSample, formulas: Mapping[str, Formula], how: Resampling, test: Test
) -> list[PairedDifference]:
    from ..stats import paired_bootstrap, paired_randomisation

    before, after = first.matrix, second.matrix
    few = len(before) < FEWEST
    spans = {}
    if len(before) > 1:
        spans = paired_bootstrap(before, after, formulas, **asdict(how))
    tests = spans
    if test == "randomisation" and not few:
        # The mid-p value keeps the level where whole counts tie often, as JGA's do on few dialogues.
        tests = paired_randomisation(before, after, formulas, mid_p=True, resamples=how.resamples, seed=how.seed)
    found = []
    for measure in formulas:
        old, new = first.totals[measure], second.totals[measure]
        span, tested = spans.get(measure), tests.get(measure)
        reasons = [each.reason for each in (tested, span) if each is not None and each.reason]
        wins, ties, losses = count_outcomes(first.by_dialogue[measure], second.by_dialogue[measure])
        found.append(
            PairedDifference(
                measure=measure,
                system=second.system,
                base=first.system,
                difference=new - old if old is not None and new is not None else None,
                ci=span.ci if span else None,
                p=None if few or tested is None else tested.p,
                p_holm=None,
                wins=wins,
                ties=ties,
                losses=losses,
                reason="too few dialogues" if few else (*reasons, "")[0],
            )
        )
    return found


def common_tasks(logs: Mapping[str, Collection[str]]) -> tuple[frozenset[str], list[Notice]]:
    """The tasks that all logs have, and a notice on the others.

    Args:
        logs: the tasks of each log, by its name.

    Raises:
        DialmeterError: there is none.

    Example:
        >>> common_tasks({"old": ["1", "2"], "new": ["2"]})[0]
        frozenset({'2'})
    """
    tasks = [frozenset(each) for each in logs.values()]
    common = frozenset.intersection(*tasks)
    if not common:
        raise DialmeterError(f"{' and '.join(logs)} have no task in common")
    alone = sorted(frozenset.union(*tasks) - common)
    message = f"{len(alone)} tasks that not all logs have are unscored"
    return common, [Notice("alone", len(alone), message, tuple(alone[:5]))] if alone else []


def task_difference(
    measure: str, base: tuple[str, TaskParts], system: tuple[str, TaskParts], how: Resampling
) -> PairedDifference:
    """One system against another on the tasks for which both have a value.

    The difference is that of the values over these tasks. Its interval resamples tasks; p is that of the exact sign test over the
    tasks that differ.

    Args:
        measure: its name.
        base: the name of the system to compare with, and its parts.
        system: the same of the other.
        how: confidence, resamples and seed.

    Example:
        >>> found = task_difference("Success", ("old", {"1": (0.0, 2.0)}), ("new", {"1": (1.0, 2.0)}), Resampling())
        >>> found.difference, found.wins
        (0.5, 1)
    """
    import numpy as np

    from ..stats import mcnemar_counts, paired_bootstrap, ratio

    tasks = sorted(base[1].keys() & system[1].keys())
    before, after = ([parts[task] for task in tasks] for _, parts in (base, system))
    wins, ties, losses = count_outcomes(*([above / below for above, below in pairs] for pairs in (before, after)))
    old, new = (
        fsum(above for above, _ in pairs) / fsum(below for _, below in pairs) if pairs else None
        for pairs in (before, after)
    )
    ci = None
    if len(tasks) > 1:
        found = paired_bootstrap(np.array(before), np.array(after), {"m": ratio()}, expand=False, **asdict(how))
        ci = found["m"].ci
    return PairedDifference(
        measure=measure,
        system=system[0],
        base=base[0],
        difference=new - old if old is not None and new is not None else None,
        ci=ci,
        p=mcnemar_counts(losses, wins).p,
        p_holm=None,
        wins=wins,
        ties=ties,
        losses=losses,
    )


def count_outcomes(before: Iterable[float | None], after: Iterable[float | None]) -> tuple[int, int, int]:
    """In how many dialogues the second system is better, equal, worse; unscored dialogues count as equal.

    Example:
        >>> count_outcomes([0.5, 0.5, None, 0.5], [1.0, 0.5, 1.0, 0.0])
        (1, 2, 1)
    """
    wins = ties = losses = 0
    for old, new in zip(before, after, strict=True):
        if old is None or new is None or old == new:
            ties += 1
        elif new > old:
            wins += 1
        else:
            losses += 1
    return wins, ties, losses


def worse_than_base(found: Iterable[PairedDifference], level: float) -> list[PairedDifference]:
    """The comparisons in which a system is significantly worse than its base.

    Args:
        found: the comparisons.
        level: p values below it, after Holm, are significant.

    Example:
        >>> lost = PairedDifference("JGA", "new", "base", -0.1, None, 0.01, 0.02, 0, 0, 1)
        >>> won = PairedDifference("GCA", "new", "base", 0.1, None, 0.01, 0.02, 1, 0, 0)
        >>> [each.measure for each in worse_than_base([lost, won], 0.05)]
        ['JGA']
    """
    return [
        each
        for each in found
        if each.p_holm is not None and each.p_holm < level and each.difference is not None and each.difference < 0
    ]
