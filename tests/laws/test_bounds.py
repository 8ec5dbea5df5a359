"""Every value is in the range of its measure, and a perfect tracker scores 1, or has nothing to score."""

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
    anything,
    corpora,
    law,
    law_of_all_measures,
    measures_that_read,
    scored,
    values,
)


@given(corpus=anything)
@law_of_all_measures
def test_values_lie_in_range(corpus: list[Dialogue]) -> None:
    result = scored(corpus, [*OF_TURNS, *OF_FRAMES], schema=SCHEMA)
    for asked, score in zip(result.measures, result.scores, strict=True):
        assert score.value is None or asked.used.low <= score.value <= asked.used.high
        assert (score.reason != "") == (score.value is None)
        assert score.n + score.unscored <= result.turns * len(SCHEMA.services) or not result.turns


@given(corpus=anything)
@law
def test_without_a_schema_slots_that_gold_never_has_are_capped(corpus: list[Dialogue]) -> None:
    result = scored(corpus, ["SA"])
    value = result.value
    assert value is None or 0 <= value <= 1
    assert f"K:{result.slots}" in result.signature.split("|") or not result.slots


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
    assert counts["missed"] == counts["wrong"] == counts["extra"] == 0
