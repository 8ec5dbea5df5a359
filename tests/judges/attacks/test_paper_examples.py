"""One example per attack with the structure of the paper's tables and other words."""

from __future__ import annotations

import pytest

from dialmeter.judges.attacks import NoCase, Pool
from dialmeter.judges.language import Language
from dialmeter.model import Move

from .talk import all_of, attacked, snippet


def test_contradiction_of_an_earlier_statement(full: Language) -> None:
    what = snippet(
        "What happened next?", "I heard a dog bark in the yard.", "Could you see it?", "No. It was too dark."
    )
    assert attacked("contradiction:negate-earlier", what, full) == "I did not hear a dog bark in the yard."


def test_contradiction_by_negating_the_reply(full: Language) -> None:
    statement = "The flat is near the old park. We have a large balcony."
    what = snippet(statement, "Tell me more.", "It is near the old park. We have a large balcony.")
    assert all_of("contradiction:negate-reply", what, full) == {
        "It is not near the old park. We have a large balcony.",
        "It is near the old park. We do not have a large balcony.",
    }


def test_unnatural_paraphrase(with_wordnet: Language) -> None:
    reply = "Let me buy you lunch tomorrow to thank you."
    what = snippet("I found your purse in the bus.", reply)
    found = all_of("unnatural-paraphrase:synonyms", what, with_wordnet)
    assert all(text.startswith("Let me ") and text.endswith(" to thank you.") for text in found)
    assert not any("buy" in text or "lunch " in text for text in found)


def test_dullness_after_a_question(light: Language) -> None:
    what = snippet("What will you do on Sunday?", "I visit my aunt, who keeps bees.")
    answers = all_of("dullness:generic-answer", what, light)
    assert "I do not know." in answers
    assert not any("aunt" in answer for answer in answers)


def test_entailment_from_another_dialogue(light: Language) -> None:
    what = snippet("This is a clay jug.", "How old is it?", "The glaze is remarkable.")
    pool = Pool(
        (("d", Move("b", "The jug is very old and rare.")), ("e", Move("b", "My name is Ida, we met in Leeds.")))
    )
    assert attacked("entailment:other-dialogue", what, light, pool=pool) == "My name is Ida, we met in Leeds."


def test_entailment_from_later_on(light: Language) -> None:
    what = snippet("This is a clay jug.", "How old is it?", later=("My aunt made it last winter.", "She is gifted."))
    assert attacked("entailment:later", what, light) == "My aunt made it last winter."


def test_pronouns_change_person_in_their_role(light: Language) -> None:
    what = snippet("Nora, come in!", "Why?", "Do not lie to me! I saw you take my pen.")
    found = all_of("pronoun:person", what, light)
    assert found == {
        f"Do not lie to {other[1]}! {other[0]} saw me take {other[2]} pen."
        for other in (("You", "you", "your"), ("He", "him", "his"), ("She", "her", "her"))
    }


def test_named_entity_of_the_same_type(full: Language) -> None:
    what = snippet(
        "Does this train go from Paris to London?", "It is the fast train.", "So it goes all the way to London?"
    )
    pool = Pool((), {"GPE": (("Madrid", 3), ("London", 9))})
    assert attacked("named-entity:same-type", what, full, pool=pool) == "So it goes all the way to Madrid?"


def test_co_reference_is_spelled_out(full: Language) -> None:
    what = snippet("Who is Martin?", "He is kind.")
    assert attacked("co-reference:antecedent", what, full) == "Martin is kind."


def test_speaker_repeats_the_answer(light: Language) -> None:
    what = snippet("How tall are you?", "I am rather short for my age.", "That sounds nice.")
    expected = "I am rather short for my age. That sounds nice."
    assert attacked("speaker:answer-first", what, light) == expected


def test_repetition_of_a_noun_phrase(full: Language) -> None:
    what = snippet("I ate a plum and feel ill.", "Oh no. Cats give me bad headaches.")
    found = all_of("repetition:phrase", what, full)
    assert "Oh no. Cats give me bad headaches bad headaches bad headaches." in found
    assert len(found) == 5


def test_entrainment_drops_the_shared_word(with_wordnet: Language) -> None:
    what = snippet("I know a restaurant.", "Is the restaurant open today?")
    pool = Pool(words={"the": 5, "eatery": 2}, neighbours={"the eatery": 2})
    found = all_of("entrainment:shared-word", what, with_wordnet, pool=pool)
    assert found == {"Is the eatery open today?"}


def test_vocabulary_takes_a_synonym_from_the_snippet(with_wordnet: Language) -> None:
    what = snippet("I purchase bread every day.", "And what do you buy on Sundays?")
    assert attacked("vocabulary:from-the-snippet", what, with_wordnet) == "And what do you purchase on Sundays?"


@pytest.mark.parametrize(
    ("variant", "reply", "expected"),
    [
        ("punctuation", "Wonderful! What is that? I have no idea", "Wonderful. What is that? I have no idea"),
        ("contractions", "I'm glad that it's over.", "I am glad that it is over."),
        ("contractions", "We do not know.", "We don't know."),
        ("clause-order", "If you are late, call me.", "Call me if you are late."),
        ("clause-order", "Could you help me, please?", "Could you please help me?"),
        ("clause-order", "I also need a pen.", "Also, I need a pen."),
    ],
)
def test_natural_paraphrase(variant: str, reply: str, expected: str, light: Language) -> None:
    assert attacked(f"natural-paraphrase:{variant}", snippet("Hello.", reply), light) == expected


def test_natural_paraphrase_has_no_built_in_model(light: Language) -> None:
    assert "paraphraser" in str(light.lacks(["paraphraser"]))


def test_dullness_repeats_the_speaker(light: Language) -> None:
    what = snippet("I collect old stamps.", "Since when?", "Since I was a child in Wales.")
    assert attacked("dullness:own-earlier", what, light) == "I collect old stamps."
    with pytest.raises(NoCase, match="no earlier turn of the speaker with content"):
        attacked("dullness:own-earlier", snippet("I collect stamps.", "Since when, if I may ask?"), light)
