"""FGA is between JGA and the share of local matches, rises with lambda, and follows the specification at every turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.measure import parse
from dialmeter.model import Dialogue, Turn
from dialmeter.tracking.vectors.measure_columns import variant_of

from ..corpora import anything, corpora, law, scored, tallies_of
from .literal import fga_of_turns

LAMBDAS = ("0", "0.001", "0.25", "0.5", "1", "7", "inf")
LOCALS = ("paper", "code", "vector")


@pytest.mark.parametrize("local", LOCALS)
@given(corpus=anything)
@law
def test_rises_from_jga_to_local_matches(local: str, corpus: list[Dialogue]) -> None:
    forms = [f"FGA(lam={lam}, local={local})" for lam in LAMBDAS]
    jga, *flexible, matches = (
        score.value for score in scored(corpus, ["JGA", *forms, f"LocalAccuracy(local={local})"]).scores
    )
    rising = [value for value in (jga, *flexible, matches) if value is not None]
    assert rising == sorted(rising)
    assert flexible[0] == jga
    assert flexible[-1] == matches


@pytest.mark.parametrize("local", LOCALS)
@given(corpus=corpora(), lam=st.sampled_from((0.25, 0.5, 1.0)))
@law
def test_turns_by_text(local: str, corpus: list[Dialogue], lam: float) -> None:
    measure = parse(f"FGA(lam={lam}, local={local})")
    for each in corpus:
        turns = [(turn.number, dict(turn.gold or {}), dict(turn.pred or {})) for turn in each.turns]
        tallies = tallies_of(each, variant_of(measure).local)
        found = [measure.from_tally(tally)[0] for tally in tallies]
        assert found == pytest.approx(fga_of_turns(turns, lam, local), abs=1e-12)


@given(corpus=corpora())
@law
def test_corpus_value_is_mean(corpus: list[Dialogue]) -> None:
    per_turn = [
        value
        for each in corpus
        for value in fga_of_turns([(turn.number, turn.gold, turn.pred) for turn in each.turns], 0.5, "paper")  # type: ignore[misc]
    ]
    assert scored(corpus, ["FGA(lam=0.5)"]).value == pytest.approx(sum(per_turn) / len(per_turn), abs=1e-12)


def test_turn_number_gap() -> None:
    near = [(0, {"a": "1"}, {}), (1, {"a": "1"}, {})]
    far = [(0, {"a": "1"}, {}), (9, {"a": "1"}, {})]
    measure = parse("FGA(lam=0.5)")
    dialogues = [Dialogue("d", tuple(Turn(*turn) for turn in turns)) for turns in (near, far)]
    late = [measure.from_tally(tallies_of(each)[1])[0] for each in dialogues]
    assert late == pytest.approx([fga_of_turns(near, 0.5, "paper")[1], fga_of_turns(far, 0.5, "paper")[1]])
    assert late[0] < late[1]
