"""If the new gold value shares an alternative with the old one, it is no change (overlap) or a change (strict)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from dialmeter.measure import Measure, parse
from dialmeter.model import Dialogue, State
from dialmeter.tracking.measures.fga import FGA
from dialmeter.tracking.rule_sets.rules import change, named

from ..corpora import PLAIN, corpora, law, scored, tallies_of
from .literal import Changes, Listed, strict_changes_of_turn, strict_fga_of_turns

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
def test_strict_changes_against_loops(corpus: list[Dialogue]) -> None:
    for each in corpus:
        golds, preds = ([{}, *(listed(getattr(turn, side)) for turn in each.turns)] for side in ("gold", "pred"))
        literal = [
            strict_changes_of_turn(*gold, *pred) for gold, pred in zip(pairwise(golds), pairwise(preds), strict=True)
        ]
        tallies = tallies_of(each, rules=OURS, alternatives="strict")
        assert [Changes(tally.missed, tally.wrong, tally.over, tally.correct) for tally in tallies] == literal


@given(corpus=several, lam=st.sampled_from((0.25, 0.5, 1.0)))
@law
def test_strict_fga_by_text(corpus: list[Dialogue], lam: float) -> None:
    measure = FGA(lam=lam, alternatives="strict")
    for each in corpus:
        literal = strict_fga_of_turns([(turn.number, listed(turn.gold), listed(turn.pred)) for turn in each.turns], lam)
        found = [measure.from_tally(tally)[0] for tally in tallies_of(each, rules=OURS, alternatives="strict")]
        assert found == pytest.approx(literal, abs=1e-12)


def scores(corpus: list[Dialogue], measures: list[Measure], alternatives: str = "any-of") -> list[float | None]:
    return [score.value for score in scored(corpus, measures, change(OURS, alternatives=alternatives)).scores]


@given(corpus=corpora())
@law
def test_equal_with_single_values(corpus: list[Dialogue]) -> None:
    assert scores(corpus, OVERLAP) == scores(corpus, STRICT)


@pytest.mark.parametrize("alternatives", ["set", "first", "literal"])
@given(corpus=several)
@law
def test_rules_without_alternatives(alternatives: str, corpus: list[Dialogue]) -> None:
    assert scores(corpus, OVERLAP, alternatives) == scores(corpus, STRICT, alternatives)


@given(corpus=several)
@law
def test_measure_independent_of_others(corpus: list[Dialogue]) -> None:
    assert scores(corpus, [*OVERLAP, *STRICT]) == [*scores(corpus, OVERLAP), *scores(corpus, STRICT)]
    assert scores(corpus, [*STRICT, *OVERLAP]) == [*scores(corpus, STRICT), *scores(corpus, OVERLAP)]


@given(corpus=several)
@law
def test_mistakes_independent_of_choice(corpus: list[Dialogue]) -> None:
    assert scored(corpus, OVERLAP).mistakes == scored(corpus, STRICT).mistakes
