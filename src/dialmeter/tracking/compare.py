"""Several trackers on the same dialogues: differences to the first with intervals and paired tests, ranks, disagreements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, combinations, pairwise
from math import isnan

from msgspec import Struct

from ..core.comparability import not_comparable
from ..core.comparison import PairedSample, Resampling, SystemComparison, Test, compare_pairs
from ..errors import DialmeterError, did_you_mean
from ..measure import parse
from ..model import dialogue_key
from .bootstrap_matrix import columns, order_of
from .resolve_measures import Asked
from .result import TrackerResult


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
    """A dialogue with the two values; between measures the gap is one of ranks, between systems one of values."""

    dialogue: str
    system: str
    first: str
    second: str
    first_value: float
    second_value: float
    gap: float


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
    samples = []
    for name, result in results.items():
        matrix, formulas = columns(result.ledger, result.asked)
        totals = {score.measure: score.value for score in result.scores}
        by_dialogue = {each.text: values_by_dialogue(result, each) for each in result.asked}
        samples.append(PairedSample(name, matrix, totals, by_dialogue))
    first, *others = samples
    pairs = combinations(samples, 2) if all_pairs else ((first, other) for other in others)
    found, notices = compare_pairs(list(pairs), formulas, how, test)
    return TrackerComparison(results=results, versus=found, notices=notices, ranks=ranks(results))


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


def values_by_dialogue(result: TrackerResult, asked: Asked) -> list[float | None]:
    """A measure per dialogue, dialogues sorted by id."""
    values = result.ledger.per_dialogue(asked.used)
    return [values[position] for position in order_of(result.ledger)]


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
    pairs = list(combinations(values, 2))
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
    book = result.ledger.main
    exact = [tally.exact for tally in book.table]
    return [[exact[row] for row in book.rows_of(position)] for position in order_of(result.ledger)]


def keys_by_order(result: TrackerResult) -> list[str]:
    """The keys of the dialogues, sorted."""
    return [dialogue_key(result.ledger.main.dialogues[position]) for position in order_of(result.ledger)]


def between_measures(name: str, result: TrackerResult, first: Asked, second: Asked, most: int) -> list[Disagreement]:
    """Dialogues whose rank under one measure is far from that under the other.

    Ranks, as shares of the dialogues, are compared because measures have different scales.
    """
    scored = [
        (key, one, other)
        for key, one, other in zip(
            keys_by_order(result), values_by_dialogue(result, first), values_by_dialogue(result, second), strict=True
        )
        if one is not None and other is not None
    ]
    ones, others = _shares([one for _, one, _ in scored]), _shares([other for _, _, other in scored])
    found = [
        Disagreement(key, name, first.text, second.text, one, other, abs(above - below))
        for (key, one, other), above, below in zip(scored, ones, others, strict=True)
    ]
    return _most(found, most)


def between_systems(
    systems: Mapping[str, TrackerResult], first: str, second: str, measure: str, most: int
) -> list[Disagreement]:
    """Dialogues that one system handles far better than the other."""
    one, other = systems[first], systems[second]
    pairs = zip(
        keys_by_order(one),
        values_by_dialogue(one, asked_for(one, measure)),
        values_by_dialogue(other, asked_for(other, measure)),
        strict=True,
    )
    found = [
        Disagreement(key, f"{first} / {second}", first, second, mine, theirs, abs(mine - theirs))
        for key, mine, theirs in pairs
        if mine is not None and theirs is not None
    ]
    return _most(found, most)


def asked_for(result: TrackerResult, measure: str) -> Asked:
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
    apart = [each for each in found if each.gap > 0]
    return sorted(apart, key=lambda each: (-each.gap, each.dialogue))[:most]


def _shares(values: Sequence[float]) -> list[float]:
    """The mean rank of each value as a share of all; equal values share theirs."""
    from scipy.stats import rankdata

    return [float(rank) / len(values) for rank in rankdata(values)] if values else []
