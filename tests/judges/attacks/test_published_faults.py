"""Faults of the published code that dialmeter must not have."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dialmeter.judges.attack_run import attack_corpus
from dialmeter.judges.attacks import Attack, Kit, NoCase, Pool, Snippet, Variant
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
    ("variant", "reply", "expected"),
    [
        ("person", "I know.", "You know."),
        ("person", "Yes, I know.", "Yes, you know."),
        ("person", "Then I'm late.", "Then you're late."),
        ("person", "you know me", "I know you"),
        ("person", "You know.", "I know."),
        ("person", "MY hat", "YOUR hat"),
        ("person", "ask me.", "ask you."),
        ("person", "that is mine.", "that is yours."),
        ("gender", "I like it, really.", "I like him, really."),
        ("gender", "Is it?", "Is he?"),
        ("gender", "It's new.", "He's new."),
        ("gender", "He saw it.", "They saw her."),
        ("gender", "its tail", "his tail"),
    ],
)
def test_pronouns(variant: str, reply: str, expected: str, light: Language) -> None:
    """Capitals and roles of I and you, and pronouns before a sign."""
    assert expected in all_of(f"pronoun:{variant}", snippet("The cat?", reply), light)


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


NUMBER, NEGATION = "pronoun:number", "contradiction:negate-reply"


@pytest.mark.parametrize(
    ("attack", "before", "reply", "reason"),
    [
        *(
            (NUMBER, "Can you help?", reply, "no verb or noun shows the number")
            for reply in ("I will see to my part.", "Their number is 5.", "Can it wait?")
        ),
        ("repetition:word", "Well?", "It is on and so are you, thanks.", "no content word"),
        *(
            (NEGATION, "Tell me.", reply, "no statement")
            for reply in ("Is it late?", "I do not know.", "Thanks a lot.", "Never mind, nobody came.")
        ),
        (NEGATION, "Tell me.", "She plays the flute.", "no earlier turn asserts"),
        (NEGATION, "Does it have a lift?", "It has a lift.", "yes-or-no"),
    ],
)
def test_replies_without_a_case(
    attack: str, before: str, reply: str, reason: str, light: Language, full: Language
) -> None:
    with pytest.raises(NoCase, match=reason):
        attacked(attack, snippet(before, reply), full if attack == NEGATION else light)


def test_stop_words_are_not_repeated(light: Language) -> None:
    what = snippet("Well?", "It is on the table, and so are you.")
    assert all("table table" in text for text in all_of("repetition:word", what, light))


def attack_with(make: Callable[[Snippet, Kit], str]) -> Attack:
    variants = (Variant("only", make, "Changes the reply."),)
    return Attack(name="mine", facet="naturalness", expected="lower", help="Changes the reply.", variants=variants)


def test_a_case_that_changes_nothing_is_rejected_and_counted(light: Language) -> None:
    shout = attack_with(lambda snippet, kit: f" {snippet.reply.text.upper()} ")
    found = attack_corpus([talk("d", "Hi.", "Hello there.", "Bye.")], [shout], light)
    assert found.cases == []
    assert found.yields[0].why == {"changes only case and white space": 2}
    assert found.notices[0].code == "few-cases"


def test_a_rule_for_all_attacks_is_a_reason_in_the_table(light: Language) -> None:
    silence = attack_with(lambda snippet, kit: " ")
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


def test_an_agreement_is_negated(full: Language) -> None:
    agreed = attacked(NEGATION, snippet("Does it have a lift?", "Yes, it has a lift."), full)
    assert agreed == "Yes, it does not have a lift."
