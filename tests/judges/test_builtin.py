"""The judges that come with dialmeter."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.errors import DialmeterError
from dialmeter.judges.builtin.ngram import KneserNey, NgramCoherence, NgramFluency
from dialmeter.judges.builtin.surface import Chance, ContextOverlap, Distinct
from dialmeter.model import Move

ASKED = (Move("user", "I need a cheap hotel"),)


def test_kneser_ney_by_hand() -> None:
    """ "a b", "a b", "c b", "a c": the discount is 2 / (2 + 2·1) = 1/2, and continuations count predecessors."""
    model = KneserNey({("a", "b"): 2, ("c", "b"): 1, ("a", "c"): 1})
    unigram_discount = 1 / (1 + 2 * 1)  # b follows two words, c follows one
    left_over = unigram_discount * 2 / 3  # two known words share three continuations
    b = (2 - unigram_discount) / 3 + left_over / 3
    assert model.probability("b") == pytest.approx(b, abs=1e-12)
    assert model.probability("b", ("a",)) == pytest.approx((2 - 0.5) / 3 + 0.5 * 2 / 3 * b, abs=1e-12)
    assert model.probability("b", ("unseen",)) == pytest.approx(b, abs=1e-12)


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=3, max_size=8), min_size=1, max_size=6))
def test_probabilities_sum_to_one(sequences: list[list[str]]) -> None:
    model = KneserNey.of_sequences(sequences, order=3)
    words = [*sorted(model.vocabulary), "never seen"]
    for history in [(), *product("abcz", repeat=1), *product("abcz", repeat=2)]:
        assert sum(model.probability(word, history) for word in words) == pytest.approx(1, abs=1e-9)


def test_fluency_is_a_mean_so_that_length_alone_does_not_count() -> None:
    judge = NgramFluency([["i need a hotel", "i need a train", "a cheap hotel please"]])
    known, scrambled, strange = judge.score([(ASKED, text) for text in ("i need a hotel", "a i hotel need", "xq zw")])
    assert known > scrambled > strange


def test_fluency_needs_two_words_at_least() -> None:
    with pytest.raises(DialmeterError, match="order must be at least 2"):
        NgramFluency([["a b"]], order=1)


def test_coherence_looks_across_the_turn() -> None:
    talk = [["a cheap hotel", "the bridge inn is cheap"], ["a late train", "it leaves at nine"]] * 3
    judge = NgramCoherence(talk)
    fitting, other = judge.score([(ASKED, "the bridge inn"), (ASKED, "it leaves at nine")])
    assert fitting > other
    assert judge.score([(ASKED, "..."), ((), "hello")]) == [0.0, 0.0]


def summed_in_order(values: Iterable[float], start: float = 0) -> float:
    """Sums as Python 3.11 does."""
    for value in values:
        start += value
    return start


def summed_with_care(values: Iterable[float], start: float = 0) -> float:
    """Sums as Python 3.12 does: what is lost of each addend is added at the end."""
    lost = 0.0
    for value in values:
        total = start + value
        lost += (start - total) + value if abs(start) >= abs(value) else (value - total) + start
        start = total
    return start + lost


@pytest.mark.parametrize("judge", [NgramCoherence, NgramFluency])
def test_sums_of_pythons(judge: type[NgramCoherence | NgramFluency], monkeypatch: pytest.MonkeyPatch) -> None:
    talk = [
        ["a cheap hotel", "the bridge inn is a cheap old inn"],
        ["a late train please", "it leaves at nine, it does"],
    ]
    texts = ["the the bridge inn is is cheap", "it leaves at at nine or is it a late train", "a a b c c d e e e e f"]
    found = []
    for way in (summed_in_order, summed_with_care):
        for name, module in list(sys.modules.items()):
            if name.startswith("dialmeter.judges."):
                monkeypatch.setattr(module, "sum", way, raising=False)
        found.append([repr(score) for score in judge(talk).score([(ASKED, text) for text in texts])])
    assert found[0] == found[1]


def test_judges_that_learn_are_identified_by_their_training_data() -> None:
    assert NgramFluency([["a"]]).identity != NgramFluency([["b"]]).identity


def test_the_judge_of_chance_does_not_depend_on_order() -> None:
    items = [(ASKED, str(number)) for number in range(20)]
    assert Chance(7).score(items) == Chance(7).score(items[::-1])[::-1]
    assert Chance(7).score(items) != Chance(8).score(items)


def test_overlap_and_distinct_by_hand() -> None:
    assert ContextOverlap().score([(ASKED, "a hotel, cheap!"), (ASKED, "no"), (ASKED, "?")]) == [1.0, 0.0, 0.0]
    assert Distinct().score([(ASKED, "no no"), (ASKED, "")]) == [0.75, 0.0]
