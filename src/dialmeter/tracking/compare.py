"""Several trackers on the same dialogues: differences to the first with intervals and paired tests, ranks, disagreements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, combinations, compress, pairwise
from math import isnan
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from ..core.comparability import not_comparable
from ..core.comparison import PairedDifference, PairedSample, Resampling, SystemComparison, Test, compare_pairs
from ..errors import DialmeterError, NotApplicable, did_you_mean
from ..measure import parse
from ..model import Notice, dialogue_key
from .resolve_measures import ResolvedMeasure
from .result import TrackerResult
from .vectors.bootstrap_matrix import columns, order_of


class Ranks(Struct, frozen=True):
    """The rank of each system under each measure, and how far two measures agree on the order."""

    by_measure: dict[str, dict[str, int]]
    tau: list[tuple[str, str, float | None]]


class TurnTest(Struct, frozen=True):
    """McNemar's test on units that are right under one system and wrong under the other."""

    system: str
    base: str
    unit: str
    only_base: int
    only_system: int
    n: int
    p: float


class TrackerComparison(SystemComparison[TrackerResult], frozen=True, kw_only=True):
    """Trackers that were compared, with their ranks."""

    ranks: Ranks


class Disagreement(Struct, frozen=True):
    """A dialogue with the two values.

    Attributes:
        gap: first minus second: between systems of the values, between measures of the standardised values.
        first_turns: the value of every turn by itself, where the measure has one for a turn; empty otherwise.
        second_turns: likewise.
    """

    dialogue: str
    system: str
    first: str
    second: str
    first_value: float
    second_value: float
    gap: float
    first_turns: list[float | None] = []
    second_turns: list[float | None] = []


def compare(
    results: Mapping[str, TrackerResult], how: Resampling, test: Test = "randomisation", all_pairs: bool = False
) -> TrackerComparison:
    """Compares systems with the first, or all with each other.

    Args:
        results: by name; scored with the same measures and rules on the same dialogues.
        how: confidence, resamples and seed.
        test: where p values come from; intervals are always from the paired bootstrap.
        all_pairs: compare every system with every one before it.

    Raises:
        DialmeterError: the systems were not scored on the same dialogues with the same gold.
    """
    check_comparable(results)
    found, notices = differences(results, how, test, all_pairs)
    return TrackerComparison(results=results, versus=found, notices=notices, ranks=ranks(results))


def differences(
    results: Mapping[str, TrackerResult], how: Resampling, test: Test, all_pairs: bool
) -> tuple[list[PairedDifference], list[Notice]]:
    """The differences of comparable systems, and warnings; the arguments are those of ``compare``."""
    samples = []
    for name, result in results.items():
        matrix, formulas = columns(result.measure_columns, result.asked)
        totals = {score.measure: score.value for score in result.scores}
        by_dialogue = {each.text: values_by_dialogue(result, each) for each in result.asked}
        samples.append(PairedSample(name, matrix, totals, by_dialogue))
    first, *others = samples
    pairs = combinations(samples, 2) if all_pairs else ((first, other) for other in others)
    return compare_pairs(list(pairs), formulas, how, test)


def check_comparable(results: Mapping[str, TrackerResult]) -> None:
    """Raises DialmeterError where two results are not of the same dialogues, gold, turns, rules or measures."""
    for (base, first), (name, other) in pairwise(results.items()):
        mine, theirs = first.gold_digest.keys(), other.gold_digest.keys()
        if mine != theirs:
            apart = [f"{len(keys)} only in {who} ({', '.join(sorted(keys)[:3])}{', …' if len(keys) > 3 else ''})"
                     for who, keys in ((base, mine - theirs), (name, theirs - mine)) if keys]  # fmt: skip
            raise DialmeterError(
                f"{base} and {name} are not on the same dialogues: {'; '.join(apart)}; --common compares what both have"
            )
        changed = first.gold_digest.differing(other.gold_digest)
        if changed:
            raise DialmeterError(
                f"{base} and {name} have different gold in {len(changed)} of {len(mine)} dialogues, first {changed[0]}; "
                "give one gold for all with --gold"
            )
        for one, two in zip(first.scores, other.scores, strict=True):
            unlike = not_comparable("tracker", one.signature, two.signature)
            if unlike:
                raise DialmeterError(f"{base} and {name} are not comparable under {one.measure}: {unlike}")


def values_by_dialogue(result: TrackerResult, asked: ResolvedMeasure) -> list[float | None]:
    """A measure per dialogue, dialogues sorted by id."""
    values = result.measure_columns.per_dialogue(asked.used)
    return [values[position] for position in order_of(result.measure_columns)]


def ranks(results: Mapping[str, TrackerResult]) -> Ranks:
    """Ranks (1 is best, equal values share the better rank) and Kendall's tau between the orders of each two measures."""
    from scipy.stats import kendalltau

    by_measure: dict[str, dict[str, int]] = {}
    values: dict[str, list[float]] = {}
    for position, asked in enumerate(next(iter(results.values())).asked):
        scored = {name: result.scores[position].value for name, result in results.items()}
        numbers = {name: value if value is not None else float("-inf") for name, value in scored.items()}
        by_measure[asked.text] = {
            name: 1 + sum(other > value for other in numbers.values()) for name, value in numbers.items()
        }
        values[asked.text] = list(numbers.values())
    pairs = list(combinations(values, 2)) if len(results) > 1 else []
    taus = [float(kendalltau(values[one], values[other]).statistic) for one, other in pairs]
    # Not a number: under one of the measures all systems are equal, so that it gives no order.
    return Ranks(by_measure, [(*pair, None if isnan(tau) else tau) for pair, tau in zip(pairs, taus, strict=True)])


def turn_tests(results: Mapping[str, TrackerResult]) -> list[TurnTest]:
    """McNemar's test on exact turns and on dialogues without any mistake, against the first system."""
    from ..stats import mcnemar

    (base, first), *others = results.items()
    found = []
    for name, other in others:
        both = _exact(first), _exact(other)
        for unit, (before, after) in (
            ("turn", [list(chain.from_iterable(turns)) for turns in both]),
            ("dialogue", [list(map(all, turns)) for turns in both]),
        ):
            done = mcnemar(before, after)
            found.append(TurnTest(name, base, unit, done.only_first, done.only_second, len(before), done.p))
    return found


def _exact(result: TrackerResult) -> list[list[bool]]:
    """Is each turn exact, by dialogue?"""
    tally_table = result.measure_columns.main
    exact = [tally.exact for tally in tally_table.table]
    return [[exact[row] for row in tally_table.rows_of(position)] for position in order_of(result.measure_columns)]


def keys_by_order(result: TrackerResult) -> list[str]:
    """The keys of the dialogues, sorted."""
    return [
        dialogue_key(result.measure_columns.main.dialogues[position]) for position in order_of(result.measure_columns)
    ]


def between_measures(
    name: str, result: TrackerResult, first: ResolvedMeasure, second: ResolvedMeasure, most: int
) -> list[Disagreement]:
    """Dialogues that are much better under one measure than under the other, for this tracker.

    Measures have different scales, so that the values of each are standardised over the dialogues that have both: minus their
    mean, divided by their standard deviation.

    Raises:
        NotApplicable: a measure is the same in all dialogues, so that it cannot be standardised.
    """
    from ..stats.correlation import pairs

    ones, others = (values_by_dialogue(result, measure) for measure in (first, second))
    both = [None not in each for each in zip(ones, others, strict=True)]
    scales = []
    one_side, other_side, _ = pairs(ones, others)
    for measure, values in ((first, one_side), (second, other_side)):
        if len(values) < 2 or values.min() == values.max():
            raise NotApplicable(
                f"{name}: {measure.text} has no two different values over its dialogues, so that there is nothing to "
                "standardise and to compare"
            )
        scales.append((values - values.mean()) / values.std(ddof=1))
    keys = compress(zip(keys_by_order(result), ones, others, strict=True), both)
    found = [
        Disagreement(key, name, first.text, second.text, cast(float, one), cast(float, other), float(gap))
        for (key, one, other), gap in zip(keys, scales[0] - scales[1], strict=True)
    ]
    return _with_turns(_most(found, most), (result, first), (result, second))


def between_systems(
    systems: Mapping[str, TrackerResult], first: str, second: str, measure: str, most: int
) -> list[Disagreement]:
    """Dialogues that one system handles far better than the other."""
    one, other = ((systems[name], asked_for(systems[name], measure)) for name in (first, second))
    pairs = zip(keys_by_order(one[0]), values_by_dialogue(*one), values_by_dialogue(*other), strict=True)
    found = [
        Disagreement(key, f"{first} / {second}", first, second, mine, theirs, mine - theirs)
        for key, mine, theirs in pairs
        if mine is not None and theirs is not None
    ]
    return _with_turns(_most(found, most), one, other)


def asked_for(result: TrackerResult, measure: str) -> ResolvedMeasure:
    """A measure that was asked for, by any spelling of it.

    Raises:
        DialmeterError: it was not.
    """
    wanted = repr(parse(measure))
    for each in result.asked:
        if each.text == wanted:
            return each
    raise DialmeterError(f"{measure} was not asked for; {did_you_mean(wanted, [each.text for each in result.asked])}")


def _most(found: Sequence[Disagreement], most: int) -> list[Disagreement]:
    apart = [each for each in found if abs(each.gap) > _EQUAL]
    return sorted(apart, key=lambda each: (-round(abs(each.gap), 12), each.dialogue))[:most]


def _with_turns(
    found: Sequence[Disagreement],
    first: tuple[TrackerResult, ResolvedMeasure],
    second: tuple[TrackerResult, ResolvedMeasure],
) -> list[Disagreement]:
    return [
        replace(each, first_turns=_turns(each.dialogue, *first), second_turns=_turns(each.dialogue, *second))
        for each in found
    ]


def _turns(key: str, result: TrackerResult, measure: ResolvedMeasure) -> list[float | None]:
    """The value of every turn of a dialogue by itself; empty for measures of other units."""
    used = measure.used
    if used.reads() != "tally" or used.gather != "sum":
        return []
    tally_table = result.measure_columns.tally_table_for(used)
    position = next(place for place, name in enumerate(tally_table.dialogues) if dialogue_key(name) == key)
    return [used.value(used.from_tally(tally_table.table[row])) for row in tally_table.rows_of(position)]  # type: ignore[attr-defined]


_EQUAL = 1e-12
"""Gaps that are zero on paper may differ from it in the last bits."""
