"""Forms of answers of language models: the score is parsed correctly, or there is no score."""

from __future__ import annotations

import math
import time
from contextlib import suppress

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
    ("labelled", FIVE, "It says 4 and again 4.", None),
    ("labelled", FIVE, "10 out of 10", None),
    ("labelled", FIVE, "-1", None),
    ("labelled", FIVE, "4,5", 4.5),
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

# A number counts only with a label or as the whole answer, and only on the scale of the judge.
LABELS_AND_SCALES = [
    ("json", FIVE, '{"reason": "I give 1 because the', None),
    ("json", FIVE, "I can't rate this. There are 2 reasons.", None),
    ("json", FIVE, 'Score: 4 out of 10', None),
    ("json", FIVE, 'Score: 4%', None),
    ("json", FIVE, 'Score: 4 percent', None),
    ("json", FIVE, '评分：4分', 4.0),
    ("json", FIVE, '评分：4分（满分5分）', 4.0),
    ("json", FIVE, '评分：4分，满分10分', None),
    ("json", FIVE, '4分', 4.0),
    ("json", FIVE, '４', 4.0),
    ("json", FIVE, '评分：4/5分', 4.0),
    ("json", FIVE, '★★★★☆', 4.0),
    ("json", TEN, '★★★★☆', None),
    ("json", FIVE, '⭐⭐⭐⭐', 4.0),
    ("json", FIVE, 'Rating: ★★★★☆ (4/5)', 4.0),
    ("json", FIVE, '★★★★☆ (4/5)', 4.0),
    ("json", FIVE, '4 ⭐', 4.0),
    ("json", FIVE, '3,5', 3.5),
    ("json", FIVE, 'Score: 3,5', 3.5),
    ("json", FIVE, '{"score": "3,5"}', 3.5),
    ("json", FIVE, '{"score": 3,5}', 3.5),
    ("json", (0, 2000), '1,000', None),
    ("json", FIVE, 'Scores: 3, 5', None),
    ("json", FIVE, 'Score: 4 or 5', None),
    ("json", FIVE, 'Score: 3-4', None),
    ("json", FIVE, 'Score: between 3 and 4', None),
    ("json", FIVE, 'Rating (1-10): 4', None),
    ("json", FIVE, "On a scale of 1 to 10, I'd rate this a 4.", None),
    ("json", FIVE, 'Score: 4 on a scale of 1 to 10', None),
    ("json", TEN, 'Score (out of 5): 4', None),
    ("json", FIVE, 'Score (out of 5): 4', 4.0),
    ("json", FIVE, 'Score: 4 (out of 10)', None),
    ("json", FIVE, 'Score: 4 points out of 10', None),
    ("json", FIVE, '4 (of 10)', None),
    ("json", FIVE, '4 (out of 10)', None),
    ("json", FIVE, 'Score: 4. Maximum: 10', None),
    ("json", FIVE, 'Score: 4. 2/3 hotels fit.', 4.0),
    ("json", FIVE, 'Score: 4. 50% of it is new.', 4.0),
    ("json", FIVE, '2 of 3 hotels fit. Score: 4', 4.0),
    ("json", FIVE, 'It costs 10-20 pounds. Score: 4', 4.0),
    ("json", FIVE, 'Score: four out of ten', None),
    ("json", FIVE, 'Score: four out of five', 4.0),
    ("json", FIVE, '{"score": 4, "max_score": 10}', None),
    ("json", FIVE, '{"score": 4, "max_score": 5}', 4.0),
    ("json", FIVE, '{"score": "4/10"}', None),
    ("json", FIVE, '{"score": "4%"}', None),
    ("json", FIVE, '{"score": "4 (good)"}', 4.0),
    ("json", FIVE, '4\n\nThe reply fits the 3 wishes.', 4.0),
    ("json", FIVE, 'The reply fits the 3 wishes.\n\n4', 4.0),
    ("json", FIVE, '**4**', 4.0),
    ("json", FIVE, '4 - Good', 4.0),
    ("json", FIVE, '4: good', 4.0),
    ("json", FIVE, '4 (good)', 4.0),
    ("json", FIVE, '4.', 4.0),
    ("json", FIVE, '**Score:** 4', 4.0),
    ("json", FIVE, '<score>4</score>', 4.0),
    ("json", FIVE, 'Rating: [[4]]', 4.0),
    ("json", FIVE, '[[4]]', 4.0),
    ("json", FIVE, '\\boxed{4}', 4.0),
    ("json", FIVE, '$\\boxed{4}$', 4.0),
    ("json", FIVE, '#### 4', 4.0),
    ("json", FIVE, 'Score: __4__', 4.0),
    ("json", FIVE, '| Score | 4 |', 4.0),
    ("json", FIVE, 'Answer: 4', 4.0),
    ("json", FIVE, 'Overall: 4/5', 4.0),
    ("json", FIVE, 'Coherence: 4', 4.0),
    ("json", FIVE, '{"coherence": 4}', 4.0),
    ("json", FIVE, '{"coherence": 3, "fluency": 5, "score": 4}', 4.0),
    ("json", FIVE, '{"coherence": 3, "fluency": 5}', None),
    ("json", FIVE, '{"score": {"value": 4}}', 4.0),
    ("json", FIVE, '{"evaluations": [{"score": 4}]}', 4.0),
    ("json", FIVE, '[{"score": 4}]', 4.0),
    ("json", FIVE, '{score: 4}', 4.0),
    ("json", FIVE, '{"reason": "fits"}\nScore: 4', 4.0),
    ("json", FIVE, '{"reason": "Rating: 4"}', None),
    ("json", FIVE, 'I give this reply a 4 because it fits.', 4.0),
    ("json", FIVE, "I'd say 4 out of 5.", 4.0),
    ("json", FIVE, 'This deserves a 4.', 4.0),
    ("json", FIVE, '4 out of 5 hotels fit.', None),
    ("json", FIVE, '4 out of 5 stars.', 4.0),
    ("json", FIVE, '4 stars', 4.0),
    ("json", FIVE, 'The rating of 2 hotels is missing.', None),
    ("json", FIVE, 'I give 2 reasons.', None),
    ("json", FIVE, 'Here is my rating:\n1. The reply fits.\n2. It is natural.', None),
    ("json", FIVE, 'Rating:\n4. Good reply.', 4.0),
    ("json", FIVE, 'Score: 4\n- 2 hotels are full', 4.0),
    ("json", FIVE, 'Score: 4 - 2 hotels are full', 4.0),
    ("json", FIVE, 'Score: ~4', 4.0),
    ("json", FIVE, 'score=4', 4.0),
    ("json", FIVE, '4.0/5.0', 4.0),
    ("json", FIVE, 'Score: 4½', None),
    ("json", HUNDRED, 'Score: 4²', None),
    ("json", HUNDRED, '85%', 85.0),
    ("json", HUNDRED, '85', 85.0),
    ("json", HUNDRED, 'Score: 85/100', 85.0),
    ("json", FIVE, '-1', None),
    ("json", FIVE, '- 4', 4.0),
    ("json", FIVE, 'Score: -4', None),
    ("json", FIVE, '5 pm is too late.', None),
    ("json", FIVE, 'At 5:30', None),
    ("last", FIVE, 'I would say 4/10', None),
    ("last", FIVE, 'so 4%', None),
    ("last", FIVE, 'so 4.', 4.0),
    ("last", FIVE, 'It is 3,5', 3.5),
    ("json", FIVE, '4 5', None),
    ("json", FIVE, '4, 5', None),
    ("json", FIVE, 'Final score: 4 (Coherence: 5, Fluency: 3)', 4.0),
    ("json", FIVE, 'Coherence: 5, Fluency: 3', None),
    ("json", FIVE, 'Score: 4 (1-5)', 4.0),
    ("json", FIVE, 'Score: 4 (1-10)', None),
    ("json", FIVE, '4 on a scale of 1-5', 4.0),
    ("json", FIVE, '4 on a scale from 1 to 10', None),
    ("json", FIVE, '{"score": 4} // 2 hotels', 4.0),
    ("json", FIVE, 'Score: "4"', 4.0),
    ("json", FIVE, 'Rating：4', 4.0),
    ("json", FIVE, '총점: 4점', None),
    ("json", FIVE, '점수: 4점', 4.0),
    ("json", FIVE, 'Score: 4/5 because 2 of 3 fit', 4.0),
]  # fmt: skip


@pytest.mark.parametrize(("form", "scale", "answer", "score"), SHAPES + LABELS_AND_SCALES)
def test_shapes(form: str, scale: tuple[int, int], answer: str, score: float | None) -> None:
    if score is None:
        with pytest.raises(UnreadableAnswer):
            read_score(answer, form, scale)
    else:
        assert read_score(answer, form, scale).score == score


def test_there_are_enough_shapes() -> None:
    assert len(SHAPES) >= 60
    assert len(LABELS_AND_SCALES) >= 71
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


def nested(depth: int, fields: int) -> str:
    return '{"a": ' * depth + "{" + ", ".join(['"score": 4'] * fields) + "}" * (depth + 1)


@pytest.mark.parametrize(
    "answer",
    [nested(300, 5_000), nested(300, 5_000)[:-1], '{"a":' * 20_000, '{"a": {}, ' * 10_000, "Score: 4 " + "." * 300_000],
    ids=["deep", "deep and torn", "very deep", "many torn objects", "long"],
)
def test_time_does_not_grow_with_depth_times_length(answer: str) -> None:
    start = time.process_time()
    with suppress(UnreadableAnswer):
        assert read_score(answer, "json", FIVE).score == 4.0
    assert time.process_time() - start < 1.0


def test_objects_that_are_not_too_deep_are_read() -> None:
    assert read_score(nested(6, 3), "json", FIVE).score == 4.0


@pytest.mark.parametrize("after", ["%", " out of ten"])
def test_a_probable_number_on_another_scale(after: str) -> None:
    with pytest.raises(UnreadableAnswer, match="another scale"):
        expectation([token("4"), token(after)], FIVE)
