"""The step tidy, and the words of the default rules: spellings become equal, and different values stay different."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialmeter.tracking.pairs import Normaliser
from dialmeter.tracking.rule_sets.rules import DONTCARE_SPELLINGS, named
from dialmeter.values.steps import RULE_STEPS, tidy

OURS = Normaliser(named("dialmeter"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("18 : 00", "18:00"),
        ("8 :15", "8:15"),
        ("king 's arms", "king's arms"),
        ("king\u2019s arms", "king's arms"),
        ("\u201cthe mill\u201d", '"the mill"'),
        ("guest\u2011house", "guest-house"),
        ("guest - house", "guest-house"),
        ("10 \u2013 12", "10-12"),
        ("cafe\u0301", "café"),
        ("4.0", "4"),
        ("The  Mill ", "the mill"),
        ("\uff13", "3"),
        ("\uff11\uff18 \uff1a \uff10\uff10", "18:00"),
        ("\uff28\uff4f\uff54\uff45\uff4c", "hotel"),
        ("king\u00b4s arms", "king's arms"),
        ("\u4e24\u3000\u665a", "\u4e24 \u665a"),
    ],
)
def test_one_value(one: str, other: str) -> None:
    assert OURS.gold_value(one) == OURS.gold_value(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("johns' college", "johns'college"),
        ("17.00", "17"),
        ("4.05", "4"),
        ("1:2:3", "1:23"),
        ("cafe", "café"),
        ("guest house", "guesthouse"),
        ("7:15", "07:15"),
    ],
)
def test_two_values(one: str, other: str) -> None:
    assert OURS.gold_value(one) != OURS.gold_value(other)


@given(text=st.text(alphabet="a1 :.'-\u2019\u2013é4 0", max_size=12))
@settings(derandomize=True, database=None, max_examples=500)
def test_what_is_tidy_stays(text: str) -> None:
    assert tidy(tidy(text)) == tidy(text)


@pytest.mark.parametrize("word", ["", " ", "None", "NULL", "not mentioned", "not_mentioned", "N/A", "unknown"])
def test_words_of_nothing(word: str) -> None:
    assert OURS.gold_value(word) is None
    assert OURS.pred_value(word) is None


@pytest.mark.parametrize("word", [*sorted(DONTCARE_SPELLINGS), "Don\u2019t  care", "DONT_CARE", "No preference"])
def test_words_of_dontcare(word: str) -> None:
    assert OURS.gold_value(word) == "dontcare"


def test_digits_step() -> None:
    assert RULE_STEPS["digits"]("zero one nine ten twelve") == "zero 1 9 ten twelve"
    assert [RULE_STEPS["number-word"](word) for word in ("one", "twelve", "one two")] == ["1", "twelve", "one two"]
