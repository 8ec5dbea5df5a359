"""Forms of answers of language models: the score is parsed correctly, or there is no score."""

from __future__ import annotations

import math

import pytest

from dialmeter.core.endpoint import AnswerToken
from dialmeter.errors import UnreadableAnswer
from dialmeter.judges.adapters.answer_forms import expectation, read_score

FIVE, HUNDRED, TEN = (1, 5), (0, 100), (1, 10)

SHAPES = [
    # form, scale, answer, score (None: no score)
    ("json", FIVE, '{"reason": "fits", "score": 4}', 4.0),
    ("json", FIVE, '{"reasoning": "The 3 hotels fit", "score": 5}', 5.0),
    ("json", FIVE, '{"score": "4", "reason": "2 of 3"}', 4.0),
    ("json", FIVE, '{"score": "4/5"}', 4.0),
    ("json", FIVE, '{"Score": 3.5}', 3.5),
    ("json", FIVE, '```json\n{"reason": "x", "score": 2}\n```', 2.0),
    ("json", FIVE, 'Here is my evaluation of the 3 turns:\n{"reason": "x", "rating": 2}\nThanks!', 2.0),
    ("json", FIVE, '{"evaluation": {"reason": "5 stars", "score": 1}}', 1.0),
    ("json", FIVE, '{"score": 4}{"score": 4}', 4.0),
    ("json", FIVE, '{"score": 4}\n{"score": 2}', None),
    ("json", FIVE, '{"score": null, "reason": "4"}', None),
    ("json", FIVE, '{"score": true}', None),
    ("json", FIVE, '{"score": 9}', None),
    ("json", FIVE, '{"score": "four out of five hotels, 3 rooms"}', None),
    ("json", FIVE, '{"score": [4]}', None),
    ("json", FIVE, '{"reason": "it names 3 hotels", "score": 4', 4.0),
    ("json", FIVE, '{"reason": "it names 3 hotels and 2 inns", "sco', None),
    ("json", FIVE, "{'reason': 'two', 'score': 4}", 4.0),
    ("json", FIVE, "{}", None),
    ("json", FIVE, "4", 4.0),
    ("json", FIVE, "Rating: 4", 4.0),
    ("json", HUNDRED, '{"score": 100}', 100.0),
    ("json", HUNDRED, '{"score": 40}', 40.0),
    ("json", FIVE, '<think>{"score": 1}? no</think>{"score": 5}', 5.0),
    ("labelled", FIVE, "On a scale from 1 to 5, I think it is good. Rating: 4", 4.0),
    ("labelled", FIVE, "On a scale of 1-5, I would rate this reply a 3.", 3.0),
    ("labelled", FIVE, "Rating (1-5): 2", 2.0),
    ("labelled", FIVE, "Score (1 = bad, 5 = good): 3", 3.0),
    ("labelled", FIVE, "1. It fits the 3 wishes.\n2. It sounds natural.\nScore: 4", 4.0),
    ("labelled", FIVE, "1. It fits.\n2. It sounds natural.\n3. It moves on.", None),
    ("labelled", FIVE, "Score: 2\nOn reflection, final score: 4", 4.0),
    ("labelled", FIVE, "**Rating**: **4**", 4.0),
    ("labelled", FIVE, "**Rating:**\n\n4", 4.0),
    ("labelled", FIVE, "Rating: 4/5", 4.0),
    ("labelled", FIVE, "Rating: 4 out of 5", 4.0),
    ("labelled", FIVE, "4/5", 4.0),
    ("labelled", FIVE, "I would give it 4 out of 5.", 4.0),
    ("labelled", FIVE, "8/10", None),
    ("labelled", FIVE, "Score: 8/10", None),
    ("labelled", FIVE, "rating: four", 4.0),
    ("labelled", FIVE, "Four.", 4.0),
    ("labelled", FIVE, "**3.5**", 3.5),
    ("labelled", FIVE, "The 3 hotels fit, but 2 are full.", None),
    ("labelled", FIVE, "The 3 hotels fit, so I say 5", None),
    ("labelled", FIVE, "It says 4 and again 4.", 4.0),
    ("labelled", FIVE, "10 out of 10", None),
    ("labelled", FIVE, "-1", None),
    ("labelled", FIVE, "4,5", None),
    ("labelled", FIVE, "excellent", None),
    ("labelled", FIVE, "", None),
    ("labelled", FIVE, "I'm sorry, but I can't help with that.", None),
    ("labelled", FIVE, "<think>There are 2 hotels</think>5", 5.0),
    ("labelled", FIVE, "There are 2 hotels and 3 inns</think>\n\n4", 4.0),
    ("labelled", FIVE, "<think>There are 2 hotels, so a 4 would", None),
    ("labelled", FIVE, "<reasoning>Rating: 1?</reasoning> Rating: 5", 5.0),
    ("labelled", HUNDRED, "Score: 85", 85.0),
    ("labelled", HUNDRED, "Score: 85%", 85.0),
    ("labelled", HUNDRED, "100", 100.0),
    ("labelled", TEN, "Score: 10", 10.0),
    ("labelled", TEN, "From 1 to 10: 7", 7.0),
    ("labelled", FIVE, "The score reflects 3 problems in 2 sentences.", None),
    ("last", FIVE, "The 3 hotels fit, so I say 5", 5.0),
    ("last", FIVE, "I would say 4/5", 4.0),
    ("last", FIVE, "Good, 4 (on a scale from 1 to 5)", 4.0),
    ("last", FIVE, "It has 2 faults and costs 90 pounds", None),
    ("last", FIVE, "none", None),
    ("letters", FIVE, "A", 5.0),
    ("letters", FIVE, "E", 1.0),
    ("letters", FIVE, "**B**", 4.0),
    ("letters", FIVE, "Grade: C+", 3.0),
    ("letters", FIVE, '{"reason": "A good one", "score": "D"}', 2.0),
    ("letters", FIVE, "A reply that Ben would like.\nB", 4.0),
    ("letters", HUNDRED, "(B)", 75.0),
    ("letters", FIVE, "A good reply.", None),
    ("letters", FIVE, "F", None),
    ("letters", FIVE, "<think>A or B</think>C", 3.0),
]  # fmt: skip


@pytest.mark.parametrize(("form", "scale", "answer", "score"), SHAPES)
def test_shapes(form: str, scale: tuple[int, int], answer: str, score: float | None) -> None:
    if score is None:
        with pytest.raises(UnreadableAnswer):
            read_score(answer, form, scale)
    else:
        assert read_score(answer, form, scale).score == score


def test_there_are_enough_shapes() -> None:
    assert len(SHAPES) >= 60
    assert {form for form, *_ in SHAPES} == {"json", "labelled", "last", "letters"}


def token(text: str, *more: tuple[str, float]) -> AnswerToken:
    return AnswerToken(
        text, tuple((each, math.log(share)) for each, share in ((text, 1 - sum(s for _, s in more)), *more))
    )


LOGPROBS = [
    ([token("4", ("5", 0.25))], 4.25),
    ([token("Score"), token(":"), token(" 4", ("2", 0.5))], 3.0),
    ([token("<think>"), token("2"), token("</think>"), token("5")], 5.0),
    ([token("4"), token(" of"), token(" 5")], None),
    ([token("1"), token("0")], None),
    ([token("10")], None),
    ([token("good", ("4", 0.4))], None),
    ([AnswerToken("4")], None),
    ([], None),
]


@pytest.mark.parametrize(("tokens", "score"), LOGPROBS)
def test_probabilities(tokens: list[AnswerToken], score: float | None) -> None:
    if score is None:
        with pytest.raises(UnreadableAnswer):
            expectation(tokens, FIVE)
    else:
        assert expectation(tokens, FIVE) == pytest.approx(score)


def test_the_reason_is_read() -> None:
    assert read_score('{"reason": "It fits.", "score": 4}', "json", FIVE).reason == "It fits."
