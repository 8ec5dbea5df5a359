"""The counts of GCA with three treatments of deletions, and changes between values that share an alternative."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from dialmeter.measure import Measure, parse
from dialmeter.model import Dialogue, State, Turn
from dialmeter.tracking.measures.fga import FGA
from dialmeter.tracking.rule_sets.rules import change, named
from dialmeter.tracking.tally import Deletions

from ..corpora import PLAIN, corpora, law, scored, tallies_of
from .literal import (
    Changes,
    Listed,
    changes_of_turn,
    counted_deletions,
    published_deletions,
    strict_changes_of_turn,
    strict_fga_of_turns,
)

with_none = corpora((*PLAIN[:2], "none"), (*PLAIN[:2], "none"))


def counted(each: Dialogue, deletions: Deletions) -> list[Changes]:
    tallies = tallies_of(each, deletions=deletions)
    return [Changes(tally.missed, tally.wrong, tally.extra, tally.correct) for tally in tallies]


@pytest.mark.parametrize(("deletions", "changes"), [("ignore", changes_of_turn), ("count", counted_deletions)])
@given(corpus=corpora())
@law
def test_ignored_and_counted_deletions(deletions: Any, changes: Any, corpus: list[Dialogue]) -> None:
    """Ignored deletions are the two loops of the papers. Counted deletions look at every slot once."""
    for each in corpus:
        turns = [Turn(-1, gold={}, pred={}), *each.turns]
        literal = [changes(old.gold, new.gold, old.pred, new.pred) for old, new in pairwise(turns)]
        assert counted(each, deletions) == literal


@given(corpus=with_none)
@law
def test_published_deletions_are_the_two_loops_of_the_code(corpus: list[Dialogue]) -> None:
    for each in corpus:
        literal = published_deletions([(turn.gold, turn.pred) for turn in each.turns])  # type: ignore[misc]
        assert counted(each, "code") == literal


@given(corpus=with_none)
@law
def test_the_rule_set_of_the_published_code_counts_so_from_end_to_end(corpus: list[Dialogue]) -> None:
    literal = [
        turn
        for each in corpus
        for turn in published_deletions([(turn.gold, turn.pred) for turn in each.turns])  # type: ignore[misc]
    ]
    counts = scored(corpus, ["GCA"], "gca-repo").counts
    assert [counts[name] for name in Changes._fields] == [sum(column) for column in zip(*literal, strict=True)]


@given(
    missed=st.integers(0, 4), wrong=st.integers(0, 4), extra=st.integers(0, 4), correct=st.integers(0, 4),
    alpha=st.sampled_from((0.0, 0.5, 10 / 11, 1.0)),
)  # fmt: skip
@law
def test_weighted_harmonic_mean(missed: int, wrong: int, extra: int, correct: int, alpha: float) -> None:
    from dialmeter.tracking.measures.gca import GCA

    value = GCA(alpha=alpha).value((missed, wrong, extra, correct))
    predicted, expected = correct + wrong + extra, correct + wrong + missed
    if not predicted + expected:
        assert value is None
    elif not correct:
        assert value == 0
    else:
        right = correct + wrong
        shares = [correct / predicted, correct / expected, right / predicted, right / expected]
        weights = [alpha * predicted, alpha * expected, (1 - alpha) * predicted, (1 - alpha) * expected]
        mean = sum(weights) / sum(weight / share for weight, share in zip(weights, shares, strict=True))
        assert value == pytest.approx(mean)


def test_the_known_fault_of_the_code_stays() -> None:
    one = {"hotel-area": "1", "hotel-name": "2", "taxi-to": "3"}
    states = [{}, {"hotel-area": "1"}, one, {"hotel-area": "1", "hotel-name": "2"}]
    perfect = Dialogue("d", tuple(Turn(number, gold=state, pred=state) for number, state in enumerate(states)))
    counts = scored([perfect], ["GCA"], "gca-repo").counts
    assert (counts["missed"], counts["correct"]) == (1, 4)
    assert scored([perfect], ["GCA(deletions=count)"]).value == 1


OURS = named("dialmeter")
OVERLAP = [
    *(parse(f"FGA(lam=0.5, local={local})") for local in ("paper", "code", "vector")),
    *(parse(f"{name}(deletions={each})") for name in ("GCA", "VP", "VR", "LP", "LR") for each in ("ignore", "count")),
    *map(parse, ("LocalAccuracy", "GCA(credit=fuzzy)", "GCA(credit=fuzzy, deletions=count)")),
]
STRICT: list[Measure] = [structs.replace(each, alternatives="strict") for each in OVERLAP]  # type: ignore[call-arg]
several = corpora((*PLAIN, ("1", "2"), ("2", "3"), ("1", "2", "3")))
"""Gold with alternatives that overlap."""


def listed(state: State | None) -> Listed:
    return {slot: (value,) if isinstance(value, str) else value for slot, value in (state or {}).items()}


@given(corpus=several)
@law
def test_strict_changes_are_the_loops_with_other_alternatives_as_another_value(corpus: list[Dialogue]) -> None:
    for each in corpus:
        golds, preds = ([{}, *(listed(getattr(turn, side)) for turn in each.turns)] for side in ("gold", "pred"))
        literal = [
            strict_changes_of_turn(*gold, *pred) for gold, pred in zip(pairwise(golds), pairwise(preds), strict=True)
        ]
        tallies = tallies_of(each, rules=OURS, alternatives="strict")
        assert [Changes(tally.missed, tally.wrong, tally.extra, tally.correct) for tally in tallies] == literal


@given(corpus=several, lam=st.sampled_from((0.25, 0.5, 1.0)))
@law
def test_strict_fga_is_as_the_text_says(corpus: list[Dialogue], lam: float) -> None:
    measure = FGA(lam=lam, alternatives="strict")
    for each in corpus:
        literal = strict_fga_of_turns([(turn.number, listed(turn.gold), listed(turn.pred)) for turn in each.turns], lam)
        found = [measure.from_tally(tally)[0] for tally in tallies_of(each, rules=OURS, alternatives="strict")]
        assert found == pytest.approx(literal, abs=1e-12)


def scores(corpus: list[Dialogue], measures: list[Measure], alternatives: str = "any-of") -> list[float | None]:
    return [score.value for score in scored(corpus, measures, change(OURS, alternatives=alternatives)).scores]


@given(corpus=corpora())
@law
def test_with_single_values_both_are_equal(corpus: list[Dialogue]) -> None:
    assert scores(corpus, OVERLAP) == scores(corpus, STRICT)


@pytest.mark.parametrize("alternatives", ["set", "first", "literal"])
@given(corpus=several)
@law
def test_where_rules_know_no_alternatives_both_are_equal(alternatives: str, corpus: list[Dialogue]) -> None:
    assert scores(corpus, OVERLAP, alternatives) == scores(corpus, STRICT, alternatives)


@given(corpus=several)
@law
def test_a_measure_is_the_same_whatever_is_asked_with_it(corpus: list[Dialogue]) -> None:
    assert scores(corpus, [*OVERLAP, *STRICT]) == [*scores(corpus, OVERLAP), *scores(corpus, STRICT)]
    assert scores(corpus, [*STRICT, *OVERLAP]) == [*scores(corpus, STRICT), *scores(corpus, OVERLAP)]


@given(corpus=several)
@law
def test_mistakes_do_not_depend_on_the_choice(corpus: list[Dialogue]) -> None:
    assert scored(corpus, OVERLAP).mistakes == scored(corpus, STRICT).mistakes
