"""Every value is in the range of its measure, if the schema has all slots."""

from __future__ import annotations

from hypothesis import given

from dialmeter.model import Dialogue

from .corpora import OF_FRAMES, OF_TURNS, SCHEMA, anything, law, law_of_all_measures, scored


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
def test_unseen_slots_capped_without_schema(corpus: list[Dialogue]) -> None:
    result = scored(corpus, ["SA"])
    value = result.value
    assert value is None or 0 <= value <= 1
    assert f"K:{result.slots}" in result.signature.split("|") or not result.slots
