"""Corpora with unusual or bad content."""

from __future__ import annotations

import pytest

from dialmeter.judges.attack_run import attack_corpus
from dialmeter.judges.attacks import BEYOND, PAPER, named
from dialmeter.judges.language import Language
from dialmeter.model import Conversation, Move

from .talk import talk

EVERY = [named(name) for name in (*PAPER, *BEYOND)]

ODD = {
    "one turn": [talk("d", "Only this is said, and nobody answers.")],
    "no turn": [Conversation("d", ())],
    "empty utterances": [talk("d", "", "  ", "I like the red house.", "", "Do you like the red house, too?", "\n")],
    "emoji": [talk("d", "🙂🙂 nice dog 🐶!", "I love your dog 🐶, it is so cute 😍😍", "👍")],
    "right to left": [talk("d", "מה שלומך?", "שלום, אני גר בלונדון.", "أنا بخير.")],  # too short to tell the language
    "one speaker": [
        Conversation("d", tuple(Move("me", f"I saw {number} birds near the lake.") for number in range(4)))
    ],
    "no speaker": [Conversation("d", tuple(Move("", f"I saw {number} birds near the lake.") for number in range(4)))],
    "control signs": [talk("d", "A tab\there", "a\u2028line\x00and a null, you know it.", "{} %s \\n $x [b]bold[/b]")],
    "lone surrogates": [talk("d", "Where is it?", "It is \ud83d here, I think.")],
}


@pytest.mark.parametrize("corpus", ODD)
@pytest.mark.parametrize("resources", ["light", "full"])
def test_odd_corpora_give_cases_or_reasons(corpus: str, resources: str, request: pytest.FixtureRequest) -> None:
    language: Language = request.getfixturevalue(resources)
    result = attack_corpus(ODD[corpus], EVERY, language, cases=5)
    assert len(result.yields) == len(EVERY)
    for statistics in result.yields:
        assert statistics.made <= statistics.tried
        assert sum(statistics.why.values()) == statistics.rejected
    for case in result.cases:
        assert case.adversarial.strip()
        assert all(move.text.strip() for move in case.context)


@pytest.mark.parametrize("resources", ["light", "full"])
def test_very_long_utterances_are_context_and_not_attacked(resources: str, request: pytest.FixtureRequest) -> None:
    language: Language = request.getfixturevalue(resources)
    long = "I like the old house by the river. " * 600
    assert len(long) > 20_000
    result = attack_corpus([talk("d", long, "It is a nice house, I like it.", long)], EVERY, language, cases=5)
    assert {case.reply for case in result.cases} == {"It is a nice house, I like it."}
    assert {case.context[0].text for case in result.cases} == {long}


def test_a_missing_resource_is_reported_once_and_other_attacks_continue(light: Language) -> None:
    corpus = [
        talk("d", "Which cheap restaurant do you like?", "I like a cheap restaurant in the old town, it is nice."),
        talk("e", "Did the train arrive?", "The train was late, because a tree lay on the rails."),
    ]
    result = attack_corpus(corpus, EVERY, light, cases=5)
    made = {statistics.attack for statistics in result.yields if statistics.made}
    assert {"pronoun", "repetition", "entrainment", "unnatural-paraphrase"} <= made
    lacking = [notice for notice in result.notices if notice.code == "missing-resource"]
    assert len({notice.message for notice in lacking}) == len(lacking)
    assert all("pip install 'dialmeter[attacks]'" in notice.message for notice in lacking)
    assert {where.partition(":")[0] for notice in lacking for where in notice.where} == {
        "named-entity",
        "co-reference",
        "contradiction",
        "repetition",
    }
    skipped = next(statistics for statistics in result.yields if statistics.attack == "named-entity")
    assert (skipped.tried, set(skipped.skipped)) == (0, {"same-type", "other-type"})


def test_the_lexicon_replaces_a_missing_wordnet(light: Language) -> None:
    corpus = [
        talk("d", "Do you want to buy a meal?", "No, let us purchase a repast in a cheap restaurant near the hotel.")
    ]
    result = attack_corpus(corpus, [named("vocabulary"), named("unnatural-paraphrase"), named("entrainment")], light)
    made = {case.attack: case for case in result.cases}
    assert made["vocabulary"].adversarial in {
        "No, let us buy a meal in a cheap restaurant near the hotel.",
        "No, let us buy a repast in a cheap restaurant near the hotel.",
    }
    assert "unnatural-paraphrase" in made
    assert "dialmeter-lexicon-1" in made["vocabulary"].resources
