"""Several trackers on the same dialogues: differences to the first with intervals and paired tests, ranks, disagreements."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, pairwise
from math import isnan

from msgspec import Struct

from ..core.comparability import not_comparable
from ..core.pairing import FEWEST, Test, Versus, corrected, why_not
from ..errors import DialmeterError
from ..model import Notice, dialogue_key
from ..resampling import Resampling
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


class Compared(Struct, frozen=True):
    """All that was compared."""

    results: Mapping[str, TrackerResult]
    versus: list[Versus]
    ranks: Ranks
    notices: list[Notice]


def compare(
    results: Mapping[str, TrackerResult], how: Resampling, test: Test = "randomisation", all_pairs: bool = False
) -> Compared:
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
    names = list(results)
    pairs = list(combinations(names, 2)) if all_pairs else [(names[0], other) for other in names[1:]]
    found = [each for base, system in pairs for each in _versus(results, base, system, how, test)]
    count = next(iter(results.values())).dialogues
    notices = [
        Notice("few-dialogues", count, f"{count} dialogues are too few for a paired test; no p values are given")
    ]
    return Compared(results, corrected(found), ranks(results), notices if count < FEWEST else [])


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


def _versus(results: Mapping[str, TrackerResult], base: str, system: str, how: Resampling, test: Test) -> list[Versus]:
    from ..stats import paired_bootstrap, paired_randomisation

    first, second = results[base], results[system]
    few = first.dialogues < FEWEST
    before, formulas = columns(first.ledger, first.asked)
    after, _ = columns(second.ledger, second.asked)
    spans = {}
    if first.dialogues > 1:
        spans = paired_bootstrap(
            before, after, formulas, confidence=how.confidence, resamples=how.resamples, seed=how.seed
        )
    tests = spans
    if test == "randomisation" and not few:
        # The mid-p value keeps the level where whole counts tie often, as JGA's do on few dialogues.
        tests = paired_randomisation(before, after, formulas, mid_p=True, resamples=how.resamples, seed=how.seed)
    found = []
    for mine, theirs in zip(first.asked, second.asked, strict=True):
        span = spans.get(mine.text)
        low, high = (span.low, span.high) if span else (None, None)
        wins, ties, losses = _outcomes(first, second, mine, theirs)
        values = (first[mine.text].value, second[mine.text].value)
        found.append(
            Versus(
                measure=mine.text,
                system=system,
                base=base,
                difference=values[1] - values[0] if values[0] is not None and values[1] is not None else None,
                ci=(low, high) if low is not None and high is not None else None,
                p=None if few else tests[mine.text].p,
                p_holm=None,
                wins=wins,
                ties=ties,
                losses=losses,
                reason="too few dialogues" if few else why_not(tests[mine.text], span),
            )
        )
    return found


def _outcomes(first: TrackerResult, second: TrackerResult, mine: Asked, theirs: Asked) -> tuple[int, int, int]:
    """In how many dialogues the second system is better, equal, worse; unscored dialogues count as equal."""
    wins = ties = losses = 0
    for before, after in zip(values_by_dialogue(first, mine), values_by_dialogue(second, theirs), strict=True):
        if before is None or after is None or before == after:
            ties += 1
        elif after > before:
            wins += 1
        else:
            losses += 1
    return wins, ties, losses


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
        for unit, before, after in (
            ("turn", _exact_turns(first), _exact_turns(other)),
            ("dialogue", _exact_dialogues(first), _exact_dialogues(other)),
        ):
            done = mcnemar(before, after)
            found.append(TurnTest(name, base, unit, done.only_first, done.only_second, len(before), done.p))
    return found


def _exact(result: TrackerResult) -> list[list[bool]]:
    book = result.ledger.main
    exact = [tally.exact for tally in book.table]
    return [[exact[row] for row in book.rows_of(position)] for position in order_of(result.ledger)]


def _exact_turns(result: TrackerResult) -> list[bool]:
    return [exact for turns in _exact(result) for exact in turns]


def _exact_dialogues(result: TrackerResult) -> list[bool]:
    return [all(turns) for turns in _exact(result)]


def keys_by_order(result: TrackerResult) -> list[str]:
    """The keys of the dialogues, sorted as everything here is."""
    return [dialogue_key(result.ledger.main.dialogues[position]) for position in order_of(result.ledger)]
