"""Compare trackers on the same dialogues: differences with intervals and paired tests, ranks, and groups that are not told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import chain, combinations, pairwise

from msgspec import Struct

from ..core.comparability import not_comparable
from ..core.comparison import PairedDifference, PairedSample, Resampling, SystemComparison, Test, compare_pairs
from ..errors import DialmeterError, did_you_mean
from ..measure import parse
from ..model import Notice, dialogue_key
from ..stats.significance import letter_display, mcnemar_p
from .align import KeptDialogues
from .ladder import make_ladders
from .resolve_measures import ResolvedMeasure
from .result import TrackerResult
from .vectors.measure_columns import columns, order_of


class Ranks(Struct, frozen=True):
    """The rank of each system under each measure, and Kendall's tau between the orders of two measures."""

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
    """The comparison of several trackers, with their ranks."""

    ranks: Ranks


def compare(
    results: Mapping[str, TrackerResult],
    resampling: Resampling,
    test: Test = "randomisation",
    all_pairs: bool = False,
    all_rules: bool = False,
) -> TrackerComparison:
    """Compare every system with the first one, or all systems with each other.

    If the dialogues were kept (``score_file(keep=True)``), they are scored again to find what the verdict depends on, and the
    findings of the diagnosis are among the warnings.

    Args:
        results: the results by name, with the same measures and rules on the same dialogues.
        resampling: confidence, resamples and seed.
        test: the test for p values; intervals always come from the paired bootstrap.
        all_pairs: compare all pairs of systems.
        all_rules: the verdict also tells the difference under the other rule sets that can be applied.

    Raises:
        DialmeterError: the systems were not scored on the same dialogues with the same gold.
    """
    check_comparable(results)
    versus, notices = differences(results, resampling, test, all_pairs)
    kept = {name: result for name, result in results.items() if isinstance(result.files, KeptDialogues)}
    notices += [
        Notice("diagnosis", each.turns, f"{name}: {each.message}")
        for name, result in kept.items()
        for each in result.diagnosis[:_FINDINGS]
    ]
    ladders = make_ladders(
        results,
        versus,
        lambda pair: differences(pair, resampling, test, all_pairs=False)[0],
        1 - resampling.confidence,
        all_rules,
    )
    return TrackerComparison(results=results, versus=versus, notices=notices, ranks=ranks(results), ladders=ladders)


def differences(
    results: Mapping[str, TrackerResult], resampling: Resampling, test: Test, all_pairs: bool
) -> tuple[list[PairedDifference], list[Notice]]:
    """Return the differences of comparable systems, and warnings. The arguments are those of ``compare``."""
    samples = []
    for name, result in results.items():
        matrix, formulas = columns(result.measure_columns, result.measures)
        totals = {score.measure: score.value for score in result.scores}
        order = order_of(result.measure_columns)
        by_dialogue = {each.text: result.measure_columns.values(each.used)[order] for each in result.measures}
        signatures = {score.measure: score.signature for score in result.scores}
        samples.append(PairedSample(name, matrix, totals, by_dialogue, signatures))
    first, *others = samples
    pairs = combinations(samples, 2) if all_pairs else ((first, other) for other in others)
    return compare_pairs(list(pairs), formulas, resampling, test)


def check_comparable(results: Mapping[str, TrackerResult]) -> None:
    """Raise DialmeterError if two results differ in their dialogues, gold, turns, rules or measures."""
    for (base, first), (name, other) in pairwise(results.items()):
        for one, two in zip(first.scores, other.scores, strict=True):
            reason = not_comparable("tracker", one.signature, two.signature, _OF_DATA)
            if reason:
                raise DialmeterError(f"NOT COMPARABLE: {base} and {name} differ under {one.measure}: {reason}")
        mine, theirs = first.gold_digest.keys(), other.gold_digest.keys()
        if mine != theirs:
            apart = [f"{len(keys)} only in {system} ({', '.join(sorted(keys)[:3])}{', …' if len(keys) > 3 else ''})"
                     for system, keys in ((base, mine - theirs), (name, theirs - mine)) if keys]  # fmt: skip
            raise DialmeterError(
                f"{base} and {name} have different dialogues: {'; '.join(apart)}; use --only common to compare the shared ones"
            )
        changed = first.gold_digest.differing(other.gold_digest, first.seen)
        if changed:
            raise DialmeterError(
                f"{base} and {name} have different gold in {len(changed)} of {len(mine)} dialogues, first {changed[0]}; "
                "give one gold file for all systems with --gold"
            )
        for one, two in zip(first.scores, other.scores, strict=True):
            reason = not_comparable("tracker", one.signature, two.signature)
            if reason:
                raise DialmeterError(f"NOT COMPARABLE: {base} and {name} differ under {one.measure}: {reason}")


def groups_by_measure(comparison: TrackerComparison, level: float) -> dict[str, dict[str, str]]:
    """Return the letters of the systems by measure: systems that share a letter are not told apart.

    A measure has no letters unless all pairs of systems were tested.
    """
    count = len(comparison.results)
    letters = {}
    for measure, ranks in comparison.ranks.by_measure.items():
        tested = [(each, p) for each in comparison.versus if each.measure == measure and (p := each.p_holm) is not None]
        if len(tested) == count * (count - 1) // 2:
            apart = [(each.base, each.system) for each, p in tested if p < level and each.difference]
            letters[measure] = letter_display(sorted(ranks, key=lambda name: (ranks[name], name)), apart)
    return letters


def values_by_dialogue(result: TrackerResult, measure: ResolvedMeasure) -> list[float | None]:
    """Return the value of a measure for each dialogue, sorted by dialogue id."""
    values = result.measure_columns.per_dialogue(measure.used)
    return [values[position] for position in order_of(result.measure_columns)]


def ranks(results: Mapping[str, TrackerResult]) -> Ranks:
    """Rank the systems under each measure, and return Kendall's tau between the orders of each two measures.

    Rank 1 is the best; equal values share the better rank.
    """
    from ..stats.correlation import tau_b

    by_measure: dict[str, dict[str, int]] = {}
    values: dict[str, list[float]] = {}
    for position, measure in enumerate(next(iter(results.values())).measures):
        scores = {name: result.scores[position].value for name, result in results.items()}
        numbers = {name: value if value is not None else float("-inf") for name, value in scores.items()}
        by_measure[measure.text] = {
            name: 1 + sum(other > value for other in numbers.values()) for name, value in numbers.items()
        }
        values[measure.text] = list(numbers.values())
    pairs = list(combinations(values, 2)) if len(results) > 1 else []
    # There is no tau if all systems are equal under one of the measures, because there is no order then.
    taus = [tau_b(values[one], values[other]) for one, other in pairs]
    return Ranks(by_measure, [(*pair, tau and tau[0]) for pair, tau in zip(pairs, taus, strict=True)])


def turn_tests(results: Mapping[str, TrackerResult]) -> list[TurnTest]:
    """Run McNemar's test against the first system, on exact turns and on dialogues without any mistake."""
    (base, first), *others = results.items()
    tests = []
    for name, other in others:
        both = _exact(first), _exact(other)
        for unit, (before, after) in (
            ("turn", [list(chain.from_iterable(turns)) for turns in both]),
            ("dialogue", [list(map(all, turns)) for turns in both]),
        ):
            counts = Counter(zip(before, after, strict=True))
            only_base, only_system = counts[True, False], counts[False, True]
            p = mcnemar_p(only_base, only_system)
            tests.append(TurnTest(name, base, unit, only_base, only_system, len(before), p))
    return tests


def _exact(result: TrackerResult) -> list[list[bool]]:
    """Return for each dialogue whether each of its turns is exact."""
    tally_table = result.measure_columns.main
    exact = [tally.exact for tally in tally_table.table]
    return [[exact[row] for row in tally_table.rows_of(position)] for position in order_of(result.measure_columns)]


def keys_by_order(result: TrackerResult) -> list[str]:
    """Return the sorted keys of the dialogues."""
    return [
        dialogue_key(result.measure_columns.main.dialogues[position]) for position in order_of(result.measure_columns)
    ]


def requested_measure(result: TrackerResult, measure: str) -> ResolvedMeasure:
    """Return a measure of the result by any spelling of its name.

    Raises:
        DialmeterError: the measure was not requested.
    """
    text = repr(parse(measure))
    for each in result.measures:
        if each.text == text:
            return each
    raise DialmeterError(f"{measure} was not requested; {did_you_mean(text, [each.text for each in result.measures])}")


_OF_DATA = ("d", "t", "data", "scored", "unscored", "only")
"""The signature fields that depend on the dialogues. What differs in gold is said by dialogue."""
_FINDINGS = 2
"""Maximum number of findings of the diagnosis that are reported per system."""
