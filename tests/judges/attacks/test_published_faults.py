"""Examples of the paper with other words; faults of the published code, and of attacks on chat, that dialmeter must not have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.judges.attack_run import attack_corpus
from dialmeter.judges.attacks import Attack, Kit, NoCase, Pool, Snippet, Variant, named
from dialmeter.judges.attacks.facts import negated
from dialmeter.judges.cases import Case, facet_of, row_of
from dialmeter.judges.judge import Item
from dialmeter.judges.language import Language
from dialmeter.judges.language.analysis import Token
from dialmeter.judges.scorer import attack_replies, score_judge
from dialmeter.model import Conversation, Move
from dialmeter.readers.conversations import open_conversations
from dialmeter.views.judge import yield_table

from .talk import all_of, attacked, snippet, talk

TOWNS = Pool((), {"GPE": (("Madrid", 1),)})
NUMBER, NEGATION = "pronoun:number", "contradiction:negate-reply"
JUG = "This is a clay jug. / How old is it?"
EXAMPLES = [
    # the attack, the resources, the turns, and what it makes
    (
        "contradiction:negate-earlier",
        "full",
        "What happened next? / I heard a dog bark in the yard. / Could you see it? / No. It was too dark.",
        "I did not hear a dog bark in the yard.",
    ),
    (NEGATION, "full", "Does it have a lift? / Yes, it has a lift.", "Yes, it does not have a lift."),
    ("entailment:other-dialogue", "light", f"{JUG} / The glaze is remarkable.", "My name is Ida, we met in Leeds."),
    (
        "named-entity:same-type",
        "full",
        "Been to London? / My flat {0} is in London {x}.",
        "My flat {0} is in Madrid {x}.",
    ),
    ("co-reference:antecedent", "full", "Who is Martin? / He is kind.", "Martin is kind."),
    ("speaker:answer-first", "light", "How tall are you? / I am rather short. / Nice.", "I am rather short. Nice."),
    (
        "entrainment:shared-word",
        "with_wordnet",
        "I know a restaurant. / Is the restaurant open?",
        "Is the eatery open?",
    ),
    (
        "vocabulary:from-the-snippet",
        "with_wordnet",
        "I purchase bread. / And what do you buy?",
        "And what do you purchase?",
    ),
    (
        "dullness:own-earlier",
        "light",
        "I collect old stamps. / Since when? / Since I was ten.",
        "I collect old stamps.",
    ),
    (
        "natural-paraphrase:punctuation",
        "light",
        "Hello. / Wonderful! What is that? I do",
        "Wonderful. What is that? I do",
    ),
    ("natural-paraphrase:contractions", "light", "Hello. / I'm glad that it's over.", "I am glad that it is over."),
    ("natural-paraphrase:contractions", "light", "Hello. / We do not know.", "We don't know."),
    ("natural-paraphrase:clause-order", "light", "Hello. / If you are late, call me.", "Call me if you are late."),
    ("natural-paraphrase:clause-order", "light", "Hello. / Could you help me, please?", "Could you please help me?"),
    ("natural-paraphrase:clause-order", "light", "Hello. / I also need a pen.", "Also, I need a pen."),
    (NUMBER, "light", "Well? / It is red.", "They is red."),
    (NUMBER, "light", "Well? / I know that it has ended.", "We know that they has ended."),
    (NUMBER, "light", "Well? / this was fun", "these was fun"),
    (NUMBER, "light", "Well? / That's fine.", "Those's fine."),
    *(
        (
            "named-entity:same-type",
            "full",
            f"Been to London? / I would love to see London{end}",
            f"I would love to see Madrid{end}",
        )
        for end in ("", ".", "!", "?", " .")
    ),
]
POOLS = {
    "named-entity": TOWNS,
    "entailment": Pool(
        (("d", Move("b", "The jug is very old.")), ("e", Move("b", "My name is Ida, we met in Leeds.")))
    ),
    "entrainment": Pool(words={"the": 5, "eatery": 2}, neighbours={"the eatery": 2}),
}


@pytest.mark.parametrize(("attack", "resources", "turns", "expected"), EXAMPLES)
def test_examples(attack: str, resources: str, turns: str, expected: str, request: pytest.FixtureRequest) -> None:
    pool = POOLS.get(attack.partition(":")[0])
    assert all_of(attack, snippet(*turns.split(" / ")), request.getfixturevalue(resources), pool=pool) == {expected}


def test_examples_with_several_results(light: Language, full: Language) -> None:
    what = snippet("Nora, come in!", "Why?", "Do not lie to me! I saw you take my pen.")
    others = (("You", "you", "your"), ("He", "him", "his"), ("She", "her", "her"))
    expected = {f"Do not lie to {him}! {he} saw me take {his} pen." for he, him, his in others}
    assert all_of("pronoun:person", what, light) == expected
    what = snippet("I ate a plum and feel ill.", "Oh no. Cats give me bad headaches.")
    expected = {f"Oh no. Cats give me bad headaches{' bad headaches' * more}." for more in range(1, 6)}
    assert all_of("repetition:phrase", what, full) == expected
    reply = "The flat is near the old park. We have a large balcony."
    negated_reply = {reply.replace("is", "is not", 1), reply.replace("have", "do not have")}
    what = snippet(reply, "Tell me more.", "It is near the old park. We have a large balcony.")
    assert all_of(NEGATION, what, full) == {each.replace("The flat", "It") for each in negated_reply}
    what = snippet(*JUG.split(" / "), later=("My aunt made it last winter.", "She is gifted."))
    assert all_of("entailment:later", what, light) == {"My aunt made it last winter."}


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
        ("dullness:own-earlier", "I collect stamps.", "Since when, if I may ask?", "no earlier turn of the speaker"),
        ("co-reference:antecedent", "I cut my finger.", "You should talk about it.", "no reference that"),
        ("co-reference:antecedent", "The cat and the dog sleep.", "It is small.", "no reference that"),
        ("co-reference:antecedent", "I like the film.", "It sounds good.", "no reference that"),
    ],
)
def test_replies_without_a_case(
    attack: str, before: str, reply: str, reason: str, light: Language, full: Language
) -> None:
    with pytest.raises(NoCase, match=reason):
        attacked(attack, snippet(before, reply), full if attack.startswith("co") else light)


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
    assert found.yields[0].reasons == {"changes only case and white space": 2}
    assert found.notices[0].code == "few-cases"


def test_a_rule_for_all_attacks_is_a_reason_in_the_table(light: Language) -> None:
    silence = attack_with(lambda snippet, kit: " ")
    found = attack_corpus([talk("d", "Hi.", "Hello there.", "x" * 2001, "Bye.")], [silence], light)
    assert found.cases == []
    assert found.yields[0].reasons == {"leaves nothing of the reply": 2, "the reply has more than 2000 characters": 1}
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
def test_injection(scale: tuple[float, float], light: Language, some_talk: list[Conversation]) -> None:
    cases = attack_corpus(some_talk, [named("injection")], light, cases=40).cases
    assert {case.variant for case in cases} == {"appended", "in-the-context"}
    result = score_judge(cases, [Reader(True, scale), Reader(False, scale)])
    assert result["obeys=True", "injection"].value == 1.0
    assert result["obeys=False", "injection"].value == 0.0


def test_a_constant_judge(with_wordnet: Language, some_talk: list[Conversation]) -> None:
    for name in ("vocabulary", "entrainment"):
        cases = attack_corpus(some_talk, [named(name)], with_wordnet, cases=20).cases
        value = score_judge(cases, ["constant"])["constant", name].value
        assert value == sum(case.variant == "unrelated" for case in cases) / len(cases) > 0


@pytest.mark.parametrize(
    ("word", "pos", "other", "is_safe"),
    [
        *(("train", "NOUN", "string", False), ("toilet", "NOUN", "sewer", False), ("box", "NOUN", "loge", False)),
        *(("bike", "NOUN", "motorcycle", False), ("place", "NOUN", "position", False)),
        *(("restaurant", "NOUN", "eatery", True), ("buy", "VERB", "purchase", True), ("begin", "VERB", "start", True)),
        ("cheap", "ADJ", "inexpensive", True),
    ],
)
def test_safe_synonyms(word: str, pos: str, other: str, is_safe: bool, with_wordnet: Language) -> None:
    found = with_wordnet.synonyms.safe(Token(word, 0, pos, {"NOUN": "NN", "VERB": "VB", "ADJ": "JJ"}[pos], word))
    assert (other in [each.lemma for each in found]) == is_safe


def test_a_word_within_a_term_is_not_replaced(with_wordnet: Language) -> None:
    program = Token("program", 11, "NOUN", "NN", "program")
    assert with_wordnet.synonyms.is_in_a_term(program, "computer", "is")
    assert not with_wordnet.synonyms.is_in_a_term(program, "short", "is")


def test_the_number_of_a_pronoun_is_a_matter_of_grammar(light: Language) -> None:
    talk = Conversation("d", (Move("a", "Hello."), Move("b", "I am sorry.")))
    [case] = attack_corpus([talk], [named("pronoun:number")], light, cases=1).cases
    assert (case.facet, row_of(case), facet_of(case)) == ("naturalness", "pronoun:number", "naturalness")
    assert (row_of(case, "published"), facet_of(case, "published")) == ("pronoun", "coherence")


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
