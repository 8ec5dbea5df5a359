"""Tests of rule sets and profiles of users: named, changed, from files, in signatures."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.users import profile, rules
from dialmeter.users.profile import (
    BOOK,
    BOOKING_INTENT,
    INFORM,
    NO_BOOK,
    NO_OFFER,
    OTHER,
    RECOMMEND,
    REQUEST,
    classifier,
)

from .conversations import goal, make_conversation, system, user
from .scoring import score_user

GOAL = goal(hotel={"info": {"area": "east"}})
TALK = make_conversation(GOAL, user("Hotel-Inform area=east"), system(""))


def signature(**how: object) -> list[str]:
    return score_user([TALK], ci=0, **how).signature.split("|")  # type: ignore[arg-type]


def test_default_states_published_caps() -> None:
    settings = rules.settings(rules.named("dialmeter"))
    caps = ("repetitions.max", "not_in_goal.max", "auto_match.max", "requests.max", "not_in_goal.context")
    assert [settings[name] for name in caps] == [6, 6, 6, 3, 2]
    assert settings["values.threshold"] == 0.9


@pytest.mark.parametrize(("rule_set", "recall"), [("dialmeter", 1.0), ("gcdf1-repo", 0.0)])
def test_full_width_digits(rule_set: str, recall: float) -> None:
    said = make_conversation(goal(hotel={"info": {"stars": "4"}}), user("Hotel-Inform stars=\uff14"), system(""))
    wanted = make_conversation(goal(hotel={"info": {"stars": "\uff14"}}), user("Hotel-Inform stars=4"), system(""))
    for each in (said, wanted):
        assert score_user([each], rule_set, ci=0)["I-recall"].value == recall


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("repetitions.maximum=4", "there is no setting 'repetitions.maximum'; did you mean repetitions.max?"),
        ("max=4", "did you mean repetitions.max or not_in_goal.max or auto_match.max or requests.max?"),
        ("repetitions.max", "a change must be KEY=VALUE"),
        ("repetitions.max=many", "repetitions.max: Expected int, got str"),
        ("repetitions.max=-1", "repetitions.max: Expected int >= 0"),
        ("values.threshold=2", "values.threshold: Expected float <= 1.0"),
        ("values.collisions=drop", "values.collisions: Invalid enum value 'drop'"),
        ("name=x", "there is no setting 'name'"),
    ],
)
def test_change_that_cannot_be(change: str, message: str) -> None:
    with pytest.raises(DialmeterError) as caught:
        rules.changed(rules.named("dialmeter"), change)
    assert message in str(caught.value)


def test_changes_of_all_kinds() -> None:
    made = rules.changed(
        rules.named("gcdf1-repo"),
        "values.fuzzy=false",
        "requests.provision_domains=hotel,taxi",
        "values.collisions=merge",
        "values.threshold=0.8",
    )
    assert made.requests.provision_domains == ("hotel", "taxi")
    assert made.changes() == {
        "requests.provision_domains": "hotel+taxi",
        "values.fuzzy": "false",
        "values.threshold": "0.8",
        "values.collisions": "merge",
    }


def test_unchanged_change_hidden() -> None:
    assert rules.changed(rules.named("dialmeter"), "repetitions.max=6").changes() == {}


def test_changes_in_signatures() -> None:
    assert signature()[:4] == ["I-GCDF1", "rules:dialmeter", "profile:multiwoz", "values:exact"]
    made = rules.changed(rules.named("gcdf1-repo"), "repetitions.max=4")
    assert signature(rules=made)[1:3] == ["rules:gcdf1-repo", "repetitions.max:4"]


def test_rules_from_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('base = "gcdf1-repo"\nabout = "mine"\n[repetitions]\nmax = 2\n')
    made = rules.load(str(path))
    assert (made.repetitions.max, made.faults.credit_wrong_values, made.about) == (2, True, "mine")
    assert signature(rules=path)[1:4] == ["rules:mine", "base:gcdf1-repo", "repetitions.max:2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[repetitions\n", "not valid TOML"),
        ("[repetitions]\nmost = 2\n", "there is no setting 'repetitions.most'"),
        ("repetitions = 2\n", "'repetitions' must be a table of settings"),
        ('base = "gcdf2"\n', "unknown rule set 'gcdf2'; did you mean gcdf1-repo?"),
        ("about = 3\n", "Expected"),
    ],
)
def test_wrong_rule_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(DialmeterError) as caught:
        rules.load(str(path))
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_unknown_names() -> None:
    with pytest.raises(DialmeterError, match="unknown rule set 'dialmetre'; did you mean dialmeter"):
        rules.load("dialmetre")
    with pytest.raises(DialmeterError, match="unknown profile 'multiwos'; did you mean multiwoz"):
        profile.load("multiwos")
    with pytest.raises(DialmeterError, match=r"nowhere\.toml: no such file"):
        rules.load("nowhere.toml")
    with pytest.raises(DialmeterError, match=r"nowhere\.toml: no such file"):
        profile.load("nowhere.toml")


def test_profile_from_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('domains = ["hotel"]\n[acts]\ninform = "Inform"\nrequest = "Ask"\n')
    shown = signature(profile=path)[2]
    assert shown.startswith("profile:mine@")
    assert len(shown) == len("profile:mine@") + 10
    path.write_text('domains = ["hotel"]\n[acts]\ninform = "("\nrequest = "Ask"\n')
    with pytest.raises(DialmeterError, match=r"acts.inform is not a regular expression"):
        profile.load(str(path))
    path.write_text('domains = ["hotel"]\n[acts]\ninform = "x"\n')
    with pytest.raises(DialmeterError, match="missing required field request"):
        profile.load(str(path))


@pytest.mark.parametrize("name", profile.names())
def test_profiles_inform_and_ask(name: str) -> None:
    used = profile.named(name)
    parts = classifier(used.acts)
    assert parts(used.words.inform) & INFORM
    assert parts(used.words.request) & REQUEST
    assert not parts(used.words.inform) & REQUEST
    assert used.about


def test_town_like_multiwoz() -> None:
    town, multiwoz = profile.named("town"), profile.named("multiwoz")
    assert town.acts == multiwoz.acts
    assert set(town.domains) == {"attraction", "hotel", "restaurant", "taxi", "train"}
    for domain in town.domains:
        assert town.traits(domain) == multiwoz.traits(domain)


@pytest.mark.parametrize(
    ("act", "parts"),
    [
        ("INFORM", INFORM),
        ("INFORM_INTENT", OTHER),
        ("OFFER", RECOMMEND),
        ("OFFER_INTENT", BOOKING_INTENT),
        ("NOTIFY_FAILURE", NO_BOOK | NO_OFFER),
        ("NOTIFY_SUCCESS", BOOK),
        ("REQ_MORE", OTHER),
        ("SING", 0),
    ],
)
def test_schema_guided_acts(act: str, parts: int) -> None:
    assert classifier(profile.named("sgd").acts)(act) == parts
