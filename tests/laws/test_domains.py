"""Scores by domain equal the scores of states restricted to the domain, and the counts of domains add up to the total."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from msgspec import structs

from dialmeter.measure import Measure, parse
from dialmeter.model import Dialogue, State, domain_of
from dialmeter.tracking.vectors.measure_columns import By

from .corpora import SLOTS, anything, law, law_of_all_measures, measures_that_read, scored

DOMAINS = sorted({domain_of(slot) for slot in SLOTS})
COUNTS = ("missed", "wrong", "extra", "correct")
TURN_MEASURES = [each for each in measures_that_read("tally") if getattr(each, "slots", 1)]
MEASURES = [each for each in TURN_MEASURES if each.gather == "sum" and each.average == "turn"]
OVER_DIALOGUES = [
    *(each for each in TURN_MEASURES if each.gather != "sum"),
    *(parse(f"{name}average=dialogue)") for name in ("JGA(", "SA(slots=30, ", "GCA(")),
]


def projected(corpus: list[Dialogue], keep: Callable[[str], bool]) -> list[Dialogue]:
    def part(state: State | None) -> State:
        return {slot: value for slot, value in (state or {}).items() if keep(slot)}

    return [
        Dialogue(
            each.id, tuple(structs.replace(turn, gold=part(turn.gold), pred=part(turn.pred)) for turn in each.turns)
        )
        for each in corpus
    ]


def of(domain: str) -> Callable[[str], bool]:
    return lambda slot: domain_of(slot) == domain


@given(corpus=anything)
@law
def test_counts_of_changes_add_up(corpus: list[Dialogue]) -> None:
    whole = scored(corpus).counts
    parts = [scored(projected(corpus, of(domain))).counts for domain in DOMAINS]
    assert {name: sum(part[name] for part in parts) for name in COUNTS} == {name: whole[name] for name in COUNTS}


def assert_groups_are_projections(
    corpus: list[Dialogue], measures: list[Measure], group: By, keep: Callable[[str], Callable[[str], bool]]
) -> None:
    """Every group of every measure over all turns equals the corpus projected by hand, in value and in number."""
    found = scored(corpus, measures, by=(group,)).by(group, "all")
    for name in {str(score.group[group]) for score in found}:
        alone = scored(projected(corpus, keep(name)), measures)
        grouped = [score for score in found if score.group[group] == name]
        assert [(score.measure, score.n) for score in grouped] == [(score.measure, score.n) for score in alone.scores]
        # Equal turns are counted together on one side and separately on the other, so the last bit can differ.
        assert [score.value for score in grouped] == [approximately(score.value) for score in alone.scores]


def approximately(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, abs=1e-14)


def outside(domain: str) -> Callable[[str], bool]:
    return lambda slot: domain_of(slot) != domain


@pytest.mark.parametrize(
    ("measures", "group", "inside"),
    [
        (MEASURES, "domain", of),
        (MEASURES, "slot", lambda slot: slot.__eq__),
        (MEASURES, "without-domain", outside),
        (OVER_DIALOGUES, "without-domain", outside),
    ],
    ids=["domain", "slot", "without a domain", "without a domain, over dialogues"],
)
@given(corpus=anything)
@law_of_all_measures
def test_projections(measures: Any, group: Any, inside: Any, corpus: list[Dialogue]) -> None:
    """A group over all turns is the corpus projected onto it. What leaves a domain out keeps every dialogue."""
    assert_groups_are_projections(corpus, measures, group, inside)


@given(corpus=anything)
@law
def test_groups_are_the_domains_that_either_side_speaks_of(corpus: list[Dialogue]) -> None:
    result = scored(corpus, ["SlotF1"], by=("domain", "without-domain"))
    spoken = {domain for domain in DOMAINS if scored(projected(corpus, of(domain)), ["SlotF1"]).value is not None}
    for group in ("domain", "without-domain"):
        assert {score.group[group] for score in result.by(group)} == spoken


@given(corpus=anything)
@law
def test_active_turns_are_those_where_gold_has_the_domain(corpus: list[Dialogue]) -> None:
    result = scored(corpus, ["JGA", "SA(slots=30)"], by=("domain",))
    for score in result.by("domain", "active"):
        # Turns where gold has nothing of the domain are right or wrong by what was predicted too much, and do not count.
        alone = scored(projected(corpus, of(str(score.group["domain"]))), [score.measure, "AGA"])
        assert score.n == alone["AGA"].n
        if score.measure == "JGA" and score.value is not None:
            assert score.value * score.n == pytest.approx(
                exact_turns_with_gold(alone.measure_columns.main.table, alone.measure_columns.main.counts())
            )


def exact_turns_with_gold(table: list[tuple[int, ...]], counts: dict[int, int]) -> int:
    return sum(counts[row] for row, (gold, pred, match, *_) in enumerate(table) if gold and gold == pred == match)
