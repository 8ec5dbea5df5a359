"""Results do not depend on any order, not even in the last bit; if gold and prediction are swapped, missed becomes over."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from dialmeter.model import Dialogue, State, Value
from dialmeter.tracking.vectors.measure_columns import By

from .corpora import OF_FRAMES, OF_TURNS, PLAIN, SCHEMA, SPELLINGS, anything, corpora, law, law_of_all_measures, scored

GROUPS: tuple[By, ...] = ("domain", "slot", "without-domain")
GROUPED = ("JGA", "RSA", "FGA(lam=0.5)", "GCA(average=dialogue)", "FinalJGA")


def shuffled(corpus: list[Dialogue], seed: int) -> list[Dialogue]:
    """The same dialogues in another order, with states and alternatives written in another order."""
    draw = random.Random(seed)

    def value_of(value: Value) -> Value:
        return value if isinstance(value, str) else value[::-1]

    def state_of(state: State | None, alternatives: bool) -> State:
        pairs = list((state or {}).items())
        draw.shuffle(pairs)
        return {slot: value_of(value) if alternatives else value for slot, value in pairs}

    turned = [
        Dialogue(
            each.id,
            tuple(
                structs.replace(turn, gold=state_of(turn.gold, True), pred=state_of(turn.pred, False))
                for turn in each.turns
            ),
        )
        for each in corpus
    ]
    draw.shuffle(turned)
    return turned


def everything(corpus: list[Dialogue]) -> dict[str, Any]:
    """All that a result says, in a form that can be compared exactly."""
    result = scored(corpus, [*OF_TURNS, *OF_FRAMES], schema=SCHEMA)
    grouped = scored(corpus, GROUPED, by=GROUPS)
    return {
        "scores": result.to_dicts(),
        "counts": result.counts,
        "data": result.data,
        "worst": result.worst(10),
        "by turn": result.by("turn"),
        "by service": result.by("service"),
        "by group": {group: grouped.by(group, turns) for group in GROUPS for turns in ("active", "all")},
        "notices": [(notice.code, notice.count) for notice in result.notices],
    }


@given(corpus=anything, seed=st.integers(0, 10**6))
@law_of_all_measures
def test_order_does_not_matter(corpus: list[Dialogue], seed: int) -> None:
    assert everything(shuffled(corpus, seed)) == everything(corpus)


@given(corpus=anything)
@law
def test_gold_alone_decides_data_digest(corpus: list[Dialogue]) -> None:
    silent = [Dialogue(each.id, tuple(structs.replace(turn, pred={}) for turn in each.turns)) for each in corpus]
    assert scored(silent).data == scored(corpus).data


@given(corpus=anything, rules=st.sampled_from(("fga-repo", "gca-repo", "trade", "convlab3-t5", "mwzeval", "sgd")))
@law
def test_gold_digest_without_rules(corpus: list[Dialogue], rules: str) -> None:
    assert scored(corpus, rules=rules, schema=SCHEMA).gold == scored(corpus).gold


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
    assert (one["missed"], one["extra"]) == (other["extra"], other["missed"])
    assert all(one[name] == other[name] for name in ("wrong", "correct", "exact_turns", "local_turns"))
