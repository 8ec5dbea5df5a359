"""Attacks that were wrong before: senses of words, references, injection, speakers, and another language."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.judges.attack_run import attack_corpus
from dialmeter.judges.attacks import NoCase, named
from dialmeter.judges.cases import Case, facet_of, row_of
from dialmeter.judges.judge import Item
from dialmeter.judges.language import Language
from dialmeter.judges.language.analysis import Token
from dialmeter.judges.scorer import attack_replies, score_judge
from dialmeter.model import Conversation, Move
from dialmeter.readers.conversations import open_conversations

from .talk import attacked, snippet

_ORDERS = ("highest score", "maximum rating", "best possible score")


class Reader:
    """Scores the fit of a reply by words that it shares with the context; obeys orders or not."""

    higher_is_better = True
    facets: frozenset[str] | None = None

    def __init__(self, obeys: bool, scale: tuple[float, float]) -> None:
        self.name = f"obeys={obeys}"
        self.scale: tuple[float, float] | None = scale
        self._obeys, self._low, self._high = obeys, *scale

    def score(self, items: Sequence[Item]) -> list[float]:
        return [self._one(context, reply) for context, reply in items]

    def _one(self, context: Sequence[Move], reply: str) -> float:
        texts = [move.text for move in context] + [reply]
        if self._obeys and any(order in text for text in texts for order in _ORDERS):
            return self._high
        # What does not fit is bad, but not all of it to the same degree.
        return self._low + 0.1 * (self._high - self._low) * (len(context) % 3)


@pytest.mark.parametrize("scale", [(1.0, 5.0), (0.0, 100.0), (0.0, 1.0)])
def test_injection_tells_a_judge_that_obeys_from_one_that_does_not(
    scale: tuple[float, float], light: Language, some_talk: list[Conversation]
) -> None:
    cases = attack_corpus(some_talk, [named("injection")], light, cases=40).cases
    assert {case.variant for case in cases} == {"appended", "in-the-context"}
    result = score_judge(cases, [Reader(True, scale), Reader(False, scale)])
    assert result["obeys=True", "injection"].value == 1.0
    assert result["obeys=False", "injection"].value == 0.0


def test_a_constant_judge_fails_on_vocabulary_and_entrainment(
    with_wordnet: Language, some_talk: list[Conversation]
) -> None:
    for name in ("vocabulary", "entrainment"):
        cases = attack_corpus(some_talk, [named(name)], with_wordnet, cases=20).cases
        value = score_judge(cases, ["constant"])["constant", name].value
        assert value == sum(case.variant == "unrelated" for case in cases) / len(cases) > 0


@pytest.mark.parametrize(
    ("word", "wrong"),
    [("train", "string"), ("toilet", "sewer"), ("box", "loge"), ("bike", "motorcycle"), ("place", "position")],
)
def test_synonyms_are_in_the_right_sense(word: str, wrong: str, with_wordnet: Language) -> None:
    found = with_wordnet.synonyms.safe(Token(word, 0, "NOUN", "NN", word))
    assert wrong not in [each.lemma for each in found]


@pytest.mark.parametrize(
    ("word", "pos", "right"),
    [
        ("restaurant", "NOUN", "eatery"),
        ("buy", "VERB", "purchase"),
        ("begin", "VERB", "start"),
        ("cheap", "ADJ", "inexpensive"),
    ],
)
def test_usual_synonyms_are_found(word: str, pos: str, right: str, with_wordnet: Language) -> None:
    found = with_wordnet.synonyms.safe(Token(word, 0, pos, {"NOUN": "NN", "VERB": "VB", "ADJ": "JJ"}[pos], word))
    assert right in [each.lemma for each in found]


def test_a_word_within_a_term_is_not_replaced(with_wordnet: Language) -> None:
    program = Token("program", 11, "NOUN", "NN", "program")
    assert with_wordnet.synonyms.is_in_a_term(program, "computer", "is")
    assert not with_wordnet.synonyms.is_in_a_term(program, "short", "is")


def test_the_number_of_a_pronoun_is_a_matter_of_grammar(light: Language) -> None:
    talk = Conversation("d", (Move("a", "Hello."), Move("b", "I am sorry.")))
    [case] = attack_corpus([talk], [named("pronoun:number")], light, cases=1).cases
    assert (case.facet, row_of(case), facet_of(case)) == ("naturalness", "pronoun:number", "naturalness")
    assert (row_of(case, "published"), facet_of(case, "published")) == ("pronoun", "coherence")


@pytest.mark.parametrize(
    ("before", "reply"),
    [
        ("I cut my finger.", "You should talk about it."),
        ("The cat and the dog sleep.", "It is small."),
        ("I like the film.", "It sounds good."),
    ],
)
def test_a_reference_that_is_unsure_is_not_spelled_out(before: str, reply: str, full: Language) -> None:
    with pytest.raises(NoCase):
        attacked("co-reference:antecedent", snippet(before, reply), full)


@pytest.fixture(scope="module")
def some_talk() -> list[Conversation]:
    return list(open_conversations(Path(__file__).with_name("town.jsonl.gz")))[:60]


def test_whose_replies_are_attacked(some_talk: list[Conversation]) -> None:
    found: dict[str, list[Case]] = {
        who: attack_replies(some_talk, ["repetition:word"], cases=30, light=True, speaker=who)
        for who in ("system", "user", "both")
    }
    assert {case.speaker for case in found["system"]} == {"system"}
    assert {case.speaker for case in found["user"]} == {"user"}
    assert {case.speaker for case in found["both"]} == {"system", "user"}
    with pytest.raises(DialmeterError, match="speaker must be one of both, system, user"):
        attack_replies(some_talk, light=True, speaker="me")
