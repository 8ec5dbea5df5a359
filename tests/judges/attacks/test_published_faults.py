"""Faults of the published code that dialmeter must not have."""

from __future__ import annotations

import pytest

from dialmeter.judges.attack_run import attack_corpus
from dialmeter.judges.attacks import Attack, NoCase, Pool, Variant
from dialmeter.judges.attacks.facts import negated
from dialmeter.judges.language import Language
from dialmeter.views.judge import yield_table

from .talk import all_of, attacked, snippet, talk

TOWNS = Pool((), {"GPE": (("Madrid", 1),)})


@pytest.mark.parametrize("end", ["", ".", "!", "?", " ."])
def test_an_entity_at_the_end_is_replaced_and_not_deleted(end: str, full: Language) -> None:
    what = snippet("Have you been to London?", f"I would love to see London{end}")
    assert attacked("named-entity:same-type", what, full, pool=TOWNS) == f"I would love to see Madrid{end}"


def test_braces_are_just_text(full: Language) -> None:
    what = snippet("Have you been to London?", "My flat {0} is in London {x}.")
    assert attacked("named-entity:same-type", what, full, pool=TOWNS) == "My flat {0} is in Madrid {x}."
    assert "{0}" in attacked("repetition:word", what, full)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("I know.", "You know."),
        ("Yes, I know.", "Yes, you know."),
        ("Then I'm late.", "Then you're late."),
        ("you know me", "I know you"),
        ("You know.", "I know."),
        ("MY hat", "YOUR hat"),
        ("ask me.", "ask you."),
        ("that is mine.", "that is yours."),
    ],
)
def test_capitals_and_roles_of_i_and_you(reply: str, expected: str, light: Language) -> None:
    assert expected in all_of("pronoun:person", snippet("Well?", reply), light)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("I like it, really.", "I like him, really."),
        ("Is it?", "Is he?"),
        ("It's new.", "He's new."),
        ("He saw it.", "They saw her."),
        ("its tail", "his tail"),
    ],
)
def test_a_pronoun_before_a_sign_is_one(reply: str, expected: str, light: Language) -> None:
    assert expected in all_of("pronoun:gender", snippet("The cat?", reply), light)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("It is red.", "They is red."),
        ("I know that it has ended.", "we know that they has ended."),
        ("this was fun", "these was fun"),
        ("That's fine.", "Those's fine."),
    ],
)
def test_number(reply: str, expected: str, light: Language) -> None:
    assert attacked("pronoun:number", snippet("Well?", reply), light).lower() == expected.lower()


@pytest.mark.parametrize("reply", ["I will see to my part.", "Their number is 5.", "Can it wait?"])
def test_number_is_not_changed_if_nothing_shows_it(reply: str, light: Language) -> None:
    with pytest.raises(NoCase, match="no verb or noun shows the number"):
        attacked("pronoun:number", snippet("Can you help?", reply), light)


def test_stop_words_are_not_repeated(light: Language) -> None:
    what = snippet("Well?", "It is on the table, and so are you.")
    assert all("table table" in text for text in all_of("repetition:word", what, light))
    with pytest.raises(NoCase, match="no content word"):
        attacked("repetition:word", snippet("Well?", "It is on and so are you, thanks."), light)


def test_a_case_that_changes_nothing_is_rejected_and_counted(light: Language) -> None:
    shout = Attack(
        name="shout",
        facet="naturalness",
        expected="lower",
        help="Only capitals.",
        variants=(Variant("loud", lambda snippet, kit: f" {snippet.reply.text.upper()} ", "All in capitals."),),
    )
    found = attack_corpus([talk("d", "Hi.", "Hello there.", "Bye.")], [shout], light)
    assert found.cases == []
    assert found.yields[0].why == {"changes only case and white space": 2}
    assert found.notices[0].code == "few-cases"


def test_a_rule_for_all_attacks_is_a_reason_in_the_table(light: Language) -> None:
    silence = Attack(
        name="silence",
        facet="naturalness",
        expected="lower",
        help="Removes the reply.",
        variants=(Variant("all", lambda snippet, kit: " ", "Nothing is left."),),
    )
    found = attack_corpus([talk("d", "Hi.", "Hello there.", "x" * 2001, "Bye.")], [silence], light)
    assert found.cases == []
    assert found.yields[0].why == {"leaves nothing of the reply": 2, "the reply has more than 2000 characters": 1}
    assert yield_table(found.yields).rows[0][-1] == (
        "leaves nothing of the reply 2; the reply has more than 2000 characters 1"
    )


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("She plays the flute.", "She does not play the flute."),
        ("They went home.", "They did not go home."),
        ("We can do it.", "We cannot do it."),
        ("I'm at home.", "I am not at home."),
        ("It's late.", "It is not late."),
        ("You'd like it.", "You would not like it."),
        ("He has seen it.", "He has not seen it."),
        ("It does.", "It does not."),
    ],
)
def test_negation_keeps_the_verb_form(reply: str, expected: str, full: Language) -> None:
    assert [text for text, _ in negated(reply, full.analysis(reply))] == [expected]


def test_statements_without_an_earlier_assertion_are_not_negated(full: Language) -> None:
    with pytest.raises(NoCase, match="no earlier turn asserts"):
        attacked("contradiction:negate-reply", snippet("Tell me.", "She plays the flute."), full)


@pytest.mark.parametrize("reply", ["Is it late?", "I do not know.", "Thanks a lot.", "Never mind, nobody came."])
def test_sentences_that_cannot_be_negated(reply: str, full: Language) -> None:
    with pytest.raises(NoCase, match="no statement"):
        attacked("contradiction:negate-reply", snippet("Tell me.", reply), full)


def test_an_answer_that_may_be_either_is_not_negated(full: Language) -> None:
    with pytest.raises(NoCase, match="yes-or-no"):
        attacked("contradiction:negate-reply", snippet("Does it have a lift?", "It has a lift."), full)
    agreed = attacked("contradiction:negate-reply", snippet("Does it have a lift?", "Yes, it has a lift."), full)
    assert agreed == "Yes, it does not have a lift."
