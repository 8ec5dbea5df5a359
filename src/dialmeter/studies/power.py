"""Discriminative power: the number of pairs of systems that a measure distinguishes, at the same significance level for all.

Sakai (2006), Evaluating Evaluation Metrics based on the Bootstrap, SIGIR, 525-532. A measure that distinguishes more pairs needs
fewer dialogues for the same conclusion. It does not follow that its conclusions are right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from msgspec import Struct

from ..core.comparison import Resampling, Test, correct_by_holm
from ..tracking.compare import check_comparable, differences
from ..tracking.result import TrackerResult


class PairTest(Struct, frozen=True):
    """The test of two systems under one measure. The p values of a measure are Holm-corrected over all pairs of systems.

    Attributes:
        difference: the system's value minus the base's value.
        apart: true if the corrected p value is below the level.
    """

    measure: str
    system: str
    base: str
    difference: float | None
    p: float | None
    p_holm: float | None
    apart: bool


class MeasurePower(Struct, frozen=True):
    """Number of pairs of systems that a measure distinguishes.

    Attributes:
        pairs: number of pairs with a test.
        apart: number of pairs that differ significantly after Holm's correction.
        share: apart divided by pairs; null if there is no test.
        uncorrected: number of pairs whose p value is below the level without correction.
        rank: 1 for most pairs; measures with equal numbers share a rank.
    """

    measure: str
    pairs: int
    apart: int
    share: float | None
    uncorrected: int
    rank: int


class Contradiction(Struct, frozen=True):
    """Two systems that differ significantly under two measures, in opposite directions. The first measure prefers ``better``."""

    first: str
    second: str
    better: str
    worse: str


class PowerStudy(Struct, frozen=True):
    """All pairs of systems under all measures. Measures that distinguish most pairs come first."""

    level: float
    test: Test
    measures: list[MeasurePower]
    pairs: list[PairTest]
    contradictions: list[Contradiction]

    @property
    def best(self) -> list[MeasurePower]:
        """The measures that distinguish most pairs; empty if none distinguishes any."""
        return [each for each in self.measures if each.rank == 1 and each.apart]


def discriminative_power(
    results: Mapping[str, TrackerResult], resampling: Resampling, test: Test = "randomisation", level: float = 0.05
) -> PowerStudy:
    """Test all pairs of systems under each measure.

    Args:
        results: results by name; scored with the same measures and rules on the same dialogues.
        resampling: number of resamples and seed of the tests.
        test: the test that gives the p values.
        level: significance level for all pairs of one measure together, the same for all measures.

    Raises:
        DialmeterError: the systems are not comparable.
    """
    check_comparable(results)
    compared, _ = differences(results, resampling, test, all_pairs=True)
    tests: dict[str, list[PairTest]] = {}
    for measure in next(iter(results.values())).measures:
        # Each measure is corrected over its own pairs, so that other measures do not affect its result.
        corrected = correct_by_holm([each for each in compared if each.measure == measure.text])
        tests[measure.text] = [
            PairTest(
                each.measure,
                each.system,
                each.base,
                each.difference,
                each.p,
                each.p_holm,
                each.p_holm is not None and each.p_holm < level and bool(each.difference),
            )
            for each in corrected
        ]
    counts = {name: sum(each.apart for each in pairs) for name, pairs in tests.items()}
    powers = [
        MeasurePower(
            name,
            tested := sum(each.p is not None for each in pairs),
            counts[name],
            counts[name] / tested if tested else None,
            sum(each.p is not None and each.p < level and bool(each.difference) for each in pairs),
            1 + sum(other > counts[name] for other in counts.values()),
        )
        for name, pairs in tests.items()
    ]
    powers.sort(key=lambda each: (each.rank, -each.uncorrected))
    all_tests = [each for pairs in tests.values() for each in pairs]
    return PowerStudy(level, test, powers, all_tests, list(_contradictions(tests)))


def can_tell_apart(study: PowerStudy, resampling: Resampling) -> bool:
    """Return True if there are enough resamples for a p value below the level after correction over all pairs."""
    most = max((each.pairs for each in study.measures), default=0)
    return most / (resampling.resamples + 1) < study.level


def _contradictions(tests: Mapping[str, Sequence[PairTest]]) -> Iterator[Contradiction]:
    for first, second in combinations(tests, 2):
        for one, other in zip(tests[first], tests[second], strict=True):
            if one.apart and other.apart and ((one.difference or 0) > 0) != ((other.difference or 0) > 0):
                better, worse = (one.system, one.base) if (one.difference or 0) > 0 else (one.base, one.system)
                yield Contradiction(first, second, better, worse)
