"""The counts of GCA with three treatments of deletions, compared with literal loops of the specification."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.model import Dialogue, Turn
from dialmeter.tracking.tally import Deletions

from ..corpora import PLAIN, corpora, law, scored, tallies_of
from .literal import Changes, changes_of_turn, counted_deletions, published_deletions

with_none = corpora((*PLAIN[:2], "none"), (*PLAIN[:2], "none"))


def counted(each: Dialogue, deletions: Deletions) -> list[Changes]:
    tallies = tallies_of(each, deletions=deletions)
    return [Changes(tally.missed, tally.wrong, tally.over, tally.correct) for tally in tallies]


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
    missed=st.integers(0, 4), wrong=st.integers(0, 4), over=st.integers(0, 4), correct=st.integers(0, 4),
    alpha=st.sampled_from((0.0, 0.5, 10 / 11, 1.0)),
)  # fmt: skip
@law
def test_the_value_is_the_weighted_harmonic_mean(
    missed: int, wrong: int, over: int, correct: int, alpha: float
) -> None:
    from dialmeter.tracking.measures.gca import GCA

    value = GCA(alpha=alpha).value((missed, wrong, over, correct))
    predicted, expected = correct + wrong + over, correct + wrong + missed
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
