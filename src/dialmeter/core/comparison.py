"""Paired comparison of systems on the same dialogues: differences with intervals, tests, and wins, ties and losses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ..model import Notice

if TYPE_CHECKING:
    from ..stats import Formula
    from ..stats.formulas import Floats

Test: TypeAlias = Literal["randomisation", "bootstrap"]
SystemResult = TypeVar("SystemResult")

FEWEST = 5
"""With fewer dialogues there is no test: even the most extreme outcome would not be significant."""


class Resampling(Struct, frozen=True):
    """How intervals and tests are made; the same seed gives the same resamples."""

    confidence: float = 0.95
    resamples: int = 1000
    seed: int = 12345


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
    from ..stats import holm

    found = [each for base, other in pairs for each in _differences(base, other, formulas, how, test)]
    corrected = [replace(each, p_holm=p) for each, p in zip(found, holm([each.p for each in found]), strict=True)]
    count = len(pairs[0][0].matrix) if pairs else 0
    few = Notice("few-dialogues", count, f"{count} dialogues are too few for a paired test; no p values are given")
    return corrected, [few] if 0 < count < FEWEST else []


def _differences(
    first: PairedSample, second: PairedSample, formulas: Mapping[str, Formula], how: Resampling, test: Test
) -> list[PairedDifference]:
    from ..stats import paired_bootstrap, paired_randomisation

    before, after = first.matrix, second.matrix
    few = len(before) < FEWEST
    spans = {}
    if len(before) > 1:
        spans = paired_bootstrap(
            before, after, formulas, confidence=how.confidence, resamples=how.resamples, seed=how.seed
        )
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
