"""A hyphen in a value is an ordinary character, except under rule sets that reproduce published code that cuts at it."""

from __future__ import annotations

import pytest
from hypothesis import given
from msgspec import structs

from dialmeter.model import Dialogue, State, Value

from ..corpora import HYPHENED, OF_TURNS, corpora, law, law_of_all_measures, scored, values
from .literal import rsa_with_hyphen_cut, sa_with_hyphen_cut

hyphened = corpora((*HYPHENED, ("a-", "-"), "a-a|aa"), HYPHENED)
glued = corpora(HYPHENED, HYPHENED, slots=("a-b", "a-b-a", "a-c"))


def without_hyphens(corpus: list[Dialogue]) -> list[Dialogue]:
    def spelled(value: Value) -> Value:
        return value.replace("-", "h") if isinstance(value, str) else tuple(each.replace("-", "h") for each in value)

    def state_of(state: State | None) -> State:
        return {slot: spelled(value) for slot, value in (state or {}).items()}

    return [
        Dialogue(
            each.id,
            tuple(structs.replace(turn, gold=state_of(turn.gold), pred=state_of(turn.pred)) for turn in each.turns),
        )
        for each in corpus
    ]


@given(corpus=hyphened)
@law_of_all_measures
def test_other_letter(corpus: list[Dialogue]) -> None:
    one, other = scored(corpus, OF_TURNS, by=("domain",)), scored(without_hyphens(corpus), OF_TURNS, by=("domain",))
    assert values(one) == values(other)
    assert one.counts == other.counts
    assert [(score.group, score.value) for score in one.by("domain")] == [
        (score.group, score.value) for score in other.by("domain")
    ]


@pytest.mark.parametrize("rules", ["fga-repo", "gca-repo", "trade"])
@given(corpus=glued)
@law
def test_published_cut(rules: str, corpus: list[Dialogue]) -> None:
    states = [(turn.gold, turn.pred) for each in corpus for turn in each.turns]
    found = values(scored(corpus, ["SA", "SA(slots=2)", "RSA"], rules))
    is_capped = rules == "gca-repo"
    sa = [sa_with_hyphen_cut(gold, pred, 30, is_capped) for gold, pred in states]  # type: ignore[arg-type]
    of_two = [sa_with_hyphen_cut(gold, pred, 2, is_capped) for gold, pred in states]  # type: ignore[arg-type]
    rsa = [rsa_with_hyphen_cut(gold, pred) for gold, pred in states]  # type: ignore[arg-type]
    assert found["SA"] == pytest.approx(sum(sa) / len(sa))
    assert found["SA(slots=2)"] == pytest.approx(sum(of_two) / len(of_two))
    assert found["RSA"] == pytest.approx(sum(rsa) / len(rsa))


def test_published_example() -> None:
    gold, pred = [[{"hotel-a": "x-y"}]], [[{"hotel-a": "z"}]]
    from ...scoring import score_tracker

    assert score_tracker(gold, pred, ["SA"], "fga-repo").value == pytest.approx(28 / 30)
    assert score_tracker(gold, pred, ["SA(slots=30)"]).value == pytest.approx(29 / 30)
