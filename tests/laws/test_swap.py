"""If gold and prediction are swapped, missed becomes over, and agreement stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from msgspec import structs

from dialmeter.model import Dialogue

from .corpora import PLAIN, SPELLINGS, corpora, law, law_of_all_measures, scored

KEPT = (
    "JGA",
    "SA(slots=30)",
    "RSA",
    "GCA",
    "GCA(deletions=count)",
    "GCA(average=dialogue)",
    "IAGA",
    "JointF1",
    "SlotF1",
    "FGA(lam=0.5)",
    "FGA(lam=0.5, local=code)",
    "FGA(lam=0.5, local=vector)",
    "FinalJGA",
    "DialogueAccuracy",
)
SWAPPED = (
    ("VP", "VR"),
    ("LP", "LR"),
    ("VP(deletions=count)", "VR(deletions=count)"),
    ("LP(deletions=count)", "LR(deletions=count)"),
    ("SlotPrecision", "SlotRecall"),
)
both_sides = (*PLAIN, *SPELLINGS)
paired = corpora(both_sides, both_sides)


def swapped(corpus: list[Dialogue]) -> list[Dialogue]:
    return [
        Dialogue(each.id, tuple(structs.replace(turn, gold=turn.pred, pred=turn.gold) for turn in each.turns))
        for each in corpus
    ]


@pytest.mark.parametrize("rules", ["dialmeter", "fga-repo"])
@given(corpus=paired)
@law_of_all_measures
def test_symmetric_measures_stay(rules: str, corpus: list[Dialogue]) -> None:
    # Published RSA counts a slot that is too much in another way than one that is missing.
    kept = [each for each in KEPT if rules == "dialmeter" or each != "RSA"]
    one, other = scored(corpus, kept, rules), scored(swapped(corpus), kept, rules)
    assert [score.value for score in one.scores] == [score.value for score in other.scores]


@given(corpus=paired)
@law
def test_precision_and_recall_swap(corpus: list[Dialogue]) -> None:
    asked = [name for pair in SWAPPED for name in pair]
    one, other = scored(corpus, asked), scored(swapped(corpus), asked)
    for left, right in SWAPPED:
        assert (one[left].value, one[right].value) == (other[right].value, other[left].value)


@given(corpus=paired)
@law
def test_missed_and_over_swap(corpus: list[Dialogue]) -> None:
    one, other = scored(corpus).counts, scored(swapped(corpus)).counts
    assert (one["missed"], one["over"]) == (other["over"], other["missed"])
    assert all(one[name] == other[name] for name in ("wrong", "correct", "exact_turns", "local_turns"))
