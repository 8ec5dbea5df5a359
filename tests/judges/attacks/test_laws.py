"""Laws of every attack, for any corpus."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from dialmeter.judges.attack_run import AttackSetting, attack_corpus
from dialmeter.judges.attacks import BEYOND, PAPER, chosen, named, registry, snippets
from dialmeter.judges.cases import Case
from dialmeter.judges.language import Language, Resources
from dialmeter.judges.language.analysis import Light
from dialmeter.judges.language.words import same_but_for_case
from dialmeter.model import Conversation, Move
from dialmeter.readers.conversations import open_conversations

from ...shared_data import shared
from .talk import VILLAGE, talk

EVERY = [*PAPER, *BEYOND]
BY_PLACE = {(talk.id, each.turn): each for talk in VILLAGE for each in snippets(talk)}


def cases_of(name: str, language: Language, seed: int = 7, cases: int = 8) -> list[Case]:
    return attack_corpus(VILLAGE, [named(name)], language, cases=cases, seed=seed).cases


@pytest.fixture(scope="module", params=EVERY)
def found(request: pytest.FixtureRequest, with_wordnet: Language) -> list[Case]:
    return cases_of(request.param, with_wordnet)


def test_every_attack_finds_something_in_the_village(found: list[Case]) -> None:
    assert found


def test_the_context_and_the_reply_are_those_of_the_corpus(found: list[Case]) -> None:
    for case in found:
        source = BY_PLACE[case.source.dialogue, case.source.turn]
        assert case.context == source.context
        # An injection is measured on a reply that does not fit.
        assert (case.reply == source.reply.text) == (case.attack != "injection")
        assert case.speaker == source.reply.speaker
        assert bool(case.adversarial_context) == (case.variant == "in-the-context")
        assert case.context


def test_a_case_changes_something_unless_it_is_the_control(found: list[Case]) -> None:
    for case in found:
        is_same = case.attack == "identical" or case.variant == "in-the-context"
        assert same_but_for_case(case.reply, case.adversarial) == is_same
        assert bool(case.spans) != is_same
        assert (case.attacked_context == case.context) == (case.variant != "in-the-context")
        assert all(0 <= start <= end <= len(case.adversarial) for start, end in case.spans)


def test_the_expected_relation_is_the_declared_one(found: list[Case]) -> None:
    attack = named(found[0].attack)
    declared = {each.name: (each.expected or attack.expected, each.facet or attack.facet) for each in attack.variants}
    assert all((case.expected, case.facet) == declared[case.variant] for case in found)


def test_the_resources_stand_in_the_case(found: list[Case]) -> None:
    attack = named(found[0].attack)
    needs = {variant.name: variant.needs for variant in attack.variants}
    assert all(bool(case.resources) == bool(needs[case.variant]) for case in found)


def test_the_order_and_the_company_of_dialogues_do_not_matter(found: list[Case], with_wordnet: Language) -> None:
    turned = attack_corpus(VILLAGE[::-1], chosen(["speaker", found[0].attack]), with_wordnet, cases=8)
    assert [case for case in turned.cases if case.attack == found[0].attack] == found


def test_another_seed_gives_other_cases(with_wordnet: Language) -> None:
    assert cases_of("repetition", with_wordnet, seed=1) != cases_of("repetition", with_wordnet, seed=2)


@pytest.mark.parametrize("name", [name for name in EVERY if name not in ("identical", "verbosity", "injection")])
def test_a_reply_that_cannot_be_attacked_is_rejected_with_a_reason(name: str, full: Language) -> None:
    bare = [talk("d", "...", "!?"), talk("e", "🙂", "🙂🙂")]
    result = attack_corpus(bare, [named(name)], full)
    [statistics] = result.yields
    if name in ("speaker-tag", "format"):
        assert statistics.made == 2
    else:
        assert statistics.made == 0
        assert (
            statistics.rejected
            == sum(statistics.reasons.values())
            == 2 * len([*named(name).variants]) - 2 * len(statistics.untried)
        )
        assert all(statistics.reasons)


def test_the_twelve_and_the_seven_declare_what_they_are() -> None:
    assert registry.builtin() == EVERY
    expected = {
        "co-reference": "similar", "natural-paraphrase": "similar", "identical": "similar", "vocabulary": "at-most",
        "entrainment": "at-most", "speaker-tag": "at-most", "verbosity": "at-most", "format": "at-most",
        "injection": "at-most",
    }  # fmt: skip
    for name in EVERY:
        attack = named(name)
        assert attack.name == name
        assert attack.expected == expected.get(name, "lower")
        assert attack.help.endswith(".")
        assert all(variant.help.endswith(".") for variant in attack.variants)
        assert bool(attack.cite) == (name in PAPER)


_PRINT = """
import json, sys
sys.path.insert(0, {folder!r})
from talk import VILLAGE
from dialmeter.judges.attack_run import attack_corpus
from dialmeter.judges.attacks import chosen
from dialmeter.judges.language import Resources
found = attack_corpus(VILLAGE, chosen(["all"]), Resources({options}).open(), cases=5)
print(json.dumps([[case.attack, case.variant, case.source.turn, case.adversarial] for case in found.cases]))
"""


@pytest.mark.parametrize("options", ["light=True", ""])
def test_the_same_cases_under_two_hash_seeds(options: str, full: Language) -> None:
    here = attack_corpus(VILLAGE, chosen(["all"]), Resources(light=True).open() if options else full, cases=5)
    # This process has another hash seed than the one below.
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    done = subprocess.run(
        [sys.executable, "-c", _PRINT.format(folder=__file__.rpartition("/")[0], options=options)],
        capture_output=True,
        env={"PYTHONHASHSEED": seed, "PATH": "", "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
        check=True,
    )
    cases = [[case.attack, case.variant, case.source.turn, case.adversarial] for case in here.cases]
    assert json.loads(done.stdout) == cases
    assert len(cases) > 40


def test_every_distinct_utterance_is_analysed_once_for_all_attacks(monkeypatch: pytest.MonkeyPatch) -> None:
    analysed: list[str] = []
    analyse = Light.analyse_one
    monkeypatch.setattr(Light, "analyse_one", lambda self, text: analysed.append(text) or analyse(self, text))
    language = Resources(light=True).open()
    twice = [*VILLAGE, Conversation("again", VILLAGE[0].moves), talk("short", "Hi.", "Hi.")]
    attack_corpus(twice, [named(name) for name in EVERY], language, cases=50)
    distinct = {move.text for each in twice for move in each.moves}
    assert sorted(analysed) == sorted(distinct)


def test_shards_put_together_are_the_whole(with_wordnet: Language) -> None:
    from dialmeter.judges.attack_run import AttackTask, attack_part, gather
    from dialmeter.judges.attacks import make_pool

    attacks = [named("pronoun"), named("contradiction"), named("dullness")]
    whole = attack_corpus(VILLAGE, attacks, with_wordnet, cases=4)
    setting = AttackSetting(make_pool(VILLAGE, with_wordnet, 7), 7, 4)
    by_name = {attack.name: attack for attack in attacks}
    tasks = [AttackTask(0, tuple(part), tuple(by_name), None) for part in (VILLAGE[2:], VILLAGE[:2])]
    shards = [attack_part(task, by_name, with_wordnet, setting).found for task in tasks]
    for attack, told in zip(attacks, whole.yields, strict=True):
        together = [attempt for shard in shards for attempt in shard[attack.name]]
        cases, told_together = gather(attack.name, together, 4)
        assert cases == [case for case in whole.cases if case.attack == attack.name]
        assert told_together == told


def test_speakers_are_not_needed() -> None:
    alone = Conversation("one", tuple(Move("a", f"This is sentence number {number} of mine.") for number in range(4)))
    assert len(list(snippets(alone))) == 3


ATTACKS = [named(name) for name in (*PAPER, *BEYOND)]

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
    result = attack_corpus(ODD[corpus], ATTACKS, language, cases=5)
    assert len(result.yields) == len(ATTACKS)
    for statistics in result.yields:
        assert statistics.made <= statistics.tried
        assert sum(statistics.reasons.values()) == statistics.rejected
    for case in result.cases:
        assert case.adversarial.strip()
        assert all(move.text.strip() for move in case.context)


@pytest.mark.parametrize("resources", ["light", "full"])
def test_very_long_utterances_are_context_and_not_attacked(resources: str, request: pytest.FixtureRequest) -> None:
    language: Language = request.getfixturevalue(resources)
    long = "I like the old house by the river. " * 600
    assert len(long) > 20_000
    result = attack_corpus([talk("d", long, "It is a nice house, I like it.", long)], ATTACKS, language, cases=5)
    assert {case.reply for case in result.cases} == {"It is a nice house, I like it."}
    assert {case.context[0].text for case in result.cases} == {long}


def test_a_missing_resource_is_reported_once_and_other_attacks_continue(light: Language) -> None:
    corpus = [
        talk("d", "Which cheap restaurant do you like?", "I like a cheap restaurant in the old town, it is nice."),
        talk("e", "Did the train arrive?", "The train was late, because a tree lay on the rails."),
    ]
    result = attack_corpus(corpus, ATTACKS, light, cases=5)
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
    assert (skipped.tried, set(skipped.untried)) == (0, {"same-type", "other-type"})


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


DIALOGUES = 200
ENOUGH = 80
FROM_THE_LEXICON = ("vocabulary", "unnatural-paraphrase", "entrainment")


@pytest.fixture(scope="module")
def talks() -> list[Conversation]:
    return list(open_conversations(shared("data", "judges", "satisfaction_mwoz.txt.gz")))[:DIALOGUES]


def test_full_resources_give_enough_of_every_attack(talks: list[Conversation], with_wordnet: Language) -> None:
    found = attack_corpus(talks, chosen([*PAPER, *BEYOND]), with_wordnet, cases=ENOUGH)
    made = {statistics.attack: statistics.made for statistics in found.yields}
    # Most references are unsure, and are not spelled out.
    assert 10 <= made.pop("co-reference") < ENOUGH
    assert made == dict.fromkeys([name for name in (*PAPER, *BEYOND) if name != "co-reference"], ENOUGH)
    assert [notice.code for notice in found.notices] == ["few-cases"]


def test_the_built_in_lexicon_gives_cases_without_other_resources(talks: list[Conversation], light: Language) -> None:
    found = attack_corpus(talks, chosen(FROM_THE_LEXICON), light, cases=ENOUGH)
    made = {statistics.attack: statistics.made for statistics in found.yields}
    assert made["entrainment"] == made["unnatural-paraphrase"] == ENOUGH
    assert made["vocabulary"] >= 20
