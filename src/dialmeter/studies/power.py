"""Discriminative power: which measure tells most pairs of systems apart, at the same level of significance for all.

Sakai (2006), Evaluating Evaluation Metrics based on the Bootstrap, SIGIR, 525-532. A measure that tells more pairs apart needs fewer
dialogues for the same conclusion. It does not follow that its conclusions are right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from msgspec import Struct

from ..core.comparison import PairedDifference, Resampling, Test
from ..stats import holm
from ..tracking.compare import check_comparable, differences
from ..tracking.result import TrackerResult


class PairTest(Struct, frozen=True):
    """Two systems under one measure; p values of a measure are corrected by Holm over all pairs of systems.

    Attributes:
        difference: the system's value minus the base's.
        apart: is the corrected p value below the level?
    """

    measure: str
    system: str
    base: str
    difference: float | None
    p: float | None
    p_holm: float | None
    apart: bool


class MeasurePower(Struct, frozen=True):
    """How many pairs of systems a measure tells apart.

    Attributes:
        pairs: pairs for which there is a test.
        apart: pairs that are significantly different after Holm's correction.
        share: of the pairs; null where there is no test.
        uncorrected: pairs whose p value is below the level without correction.
        rank: 1 for most pairs; measures with equal numbers share a rank.
    """

    measure: str
    pairs: int
    apart: int
    share: float | None
    uncorrected: int
    rank: int


class Contradiction(Struct, frozen=True):
    """Two systems that two measures tell apart in opposite directions; the first measure prefers ``better``."""

    first: str
    second: str
    better: str
    worse: str


class PowerStudy(Struct, frozen=True):
    """All pairs of systems under all measures; measures that tell most pairs apart come first."""

    level: float
    test: Test
    measures: list[MeasurePower]
    pairs: list[PairTest]
    contradictions: list[Contradiction]

    @property
    def best(self) -> list[MeasurePower]:
        """The measures that tell most pairs apart, if they tell any apart."""
        return [each for each in self.measures if each.rank == 1 and each.apart]


def discriminative_power(
    results: Mapping[str, TrackerResult], how: Resampling, test: Test = "randomisation", level: float = 0.05
) -> PowerStudy:
    """Tests all pairs of systems under each measure.

    Args:
        results: by name; scored with the same measures and rules on the same dialogues.
        how: resamples and seed of the tests.
        test: where p values come from.
        level: of significance for the pairs of one measure together, the same for all measures.

    Raises:
        DialmeterError: the systems are not comparable.
    """
    check_comparable(results)
    found, _ = differences(results, how, test, all_pairs=True)
    tested = {
        asked.text: _tests([each for each in found if each.measure == asked.text], level)
        for asked in next(iter(results.values())).asked
    }
    counts = {name: sum(each.apart for each in pairs) for name, pairs in tested.items()}
    powers = [
        MeasurePower(
            name,
            known := sum(each.p is not None for each in pairs),
            counts[name],
            counts[name] / known if known else None,
            sum(each.p is not None and each.p < level and bool(each.difference) for each in pairs),
            1 + sum(other > counts[name] for other in counts.values()),
        )
        for name, pairs in tested.items()
    ]
    powers.sort(key=lambda each: (each.rank, -each.uncorrected))
    return PowerStudy(level, test, powers, [each for pairs in tested.values() for each in pairs], [*_opposite(tested)])


def can_tell_apart(study: PowerStudy, how: Resampling) -> bool:
    """Are there enough resamples for a p value that is below the level after correction over all pairs?"""
    most = max((each.pairs for each in study.measures), default=0)
    return most / (how.resamples + 1) < study.level


def _tests(found: Sequence[PairedDifference], level: float) -> list[PairTest]:
    """The tests of one measure, corrected over its own pairs, so that other measures do not change its result."""
    corrected = holm([each.p for each in found])
    return [
        PairTest(
            each.measure,
            each.system,
            each.base,
            each.difference,
            each.p,
            p,
            p is not None and p < level and bool(each.difference),
        )
        for each, p in zip(found, corrected, strict=True)
    ]


def _opposite(tested: Mapping[str, Sequence[PairTest]]) -> Iterator[Contradiction]:
    for first, second in combinations(tested, 2):
        for one, other in zip(tested[first], tested[second], strict=True):
            if one.apart and other.apart and ((one.difference or 0) > 0) != ((other.difference or 0) > 0):
                better, worse = (one.system, one.base) if (one.difference or 0) > 0 else (one.base, one.system)
                yield Contradiction(first, second, better, worse)
