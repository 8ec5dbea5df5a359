"""A perfect tracker scores 1, or has nothing to score, under the rule set dialmeter."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given

from dialmeter.measure import Measure
from dialmeter.model import Dialogue
from dialmeter.tracking.baselines import gold_against_itself
from dialmeter.tracking.pairs import Normaliser
from dialmeter.tracking.rule_sets.rules import named

from .corpora import (
    ALTERNATIVES,
    OF_FRAMES,
    OF_TURNS,
    PLAIN,
    SCHEMA,
    SPELLINGS,
    corpora,
    law,
    law_of_all_measures,
    measures_that_read,
    scored,
    values,
)

OURS = named("dialmeter")
spelled = corpora((*PLAIN, *SPELLINGS, "?", "a-b"))
hedged = corpora((*ALTERNATIVES, *PLAIN, "Dontcare|don't care", ("east", "East ", "west")))


def perfect(corpus: list[Dialogue]) -> list[Dialogue]:
    normaliser = Normaliser(OURS)
    return [gold_against_itself(each, normaliser) for each in corpus]


def short_of_one(corpus: list[Dialogue], measures: Sequence[Measure]) -> dict[str, float]:
    found = values(scored(perfect(corpus), measures, schema=SCHEMA))
    return {measure: value for measure, value in found.items() if value is not None and value != 1}


@given(corpus=spelled)
@law_of_all_measures
def test_with_spellings_of_none_and_dontcare(corpus: list[Dialogue]) -> None:
    assert not short_of_one(corpus, [*OF_TURNS, *OF_FRAMES])


@given(corpus=hedged)
@law_of_all_measures
def test_with_alternatives(corpus: list[Dialogue]) -> None:
    assert not short_of_one(corpus, [*measures_that_read("tally"), *OF_FRAMES])


@given(corpus=hedged)
@law
def test_alternatives_as_sets(corpus: list[Dialogue]) -> None:
    assert not short_of_one(corpus, measures_that_read("states"))


@given(corpus=hedged)
@law
def test_turns_right_alone(corpus: list[Dialogue]) -> None:
    counts = scored(perfect(corpus)).counts
    assert counts["exact_turns"] == counts["local_turns"] == counts["turns"]
    assert counts["missed"] == counts["wrong"] == counts["over"] == 0
