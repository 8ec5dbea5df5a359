"""Tests of checks before scoring."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.model import Act, Conversation, Move
from dialmeter.readers.conversations import open_conversations
from dialmeter.readers.layouts.own import conversation_to_dict
from dialmeter.users.analysis.check import UserCheck, check_conversations, saying_exactly
from dialmeter.users.profile import named as profile_named
from dialmeter.users.result import UserSettings
from dialmeter.users.rules import named

from ...shared_data import shared
from ..conversations import goal, make_conversation, system, user
from ..scoring import score_user

HOTEL = goal(hotel={"info": {"area": "east", "stars": "4"}, "book": {"people": "2"}, "requests": ["phone"]})
TALK = make_conversation(HOTEL, user("Hotel-Inform area=east"), system(""))


def checked(folder: Path, *conversations: Conversation) -> UserCheck:
    file = folder / "users.jsonl"
    file.write_text("".join(json.dumps(conversation_to_dict(each)) + "\n" for each in conversations))
    return check_conversations(open_conversations(file), UserSettings(named("dialmeter"), profile_named("multiwoz")))


def test_file_contents_counted(tmp_path: Path) -> None:
    found = checked(tmp_path, TALK)
    assert found.counts == {"dialogues": 1, "turns": 2, "domains": 1, "constraints": 3, "requests": 1}
    assert found.valid
    assert [each["value"] for each in found.self_scores] == [1.0, 1.0]


def test_unscorable_is_problem(tmp_path: Path) -> None:
    found = checked(tmp_path, TALK, Conversation("two", TALK.moves), Conversation("three", (), HOTEL))
    assert not found.valid
    assert found.counts["dialogues"] == 1
    assert [each.message.partition(";")[0] for each in found.problems] == ["no goal", "a dialogue without turns"]
    assert "unscored" not in {each.code for each in found.notices}


def test_file_of_nothing_but_problems(tmp_path: Path) -> None:
    found = checked(tmp_path, Conversation("three", (), HOTEL))
    assert (found.valid, found.self_scores, found.counts["dialogues"]) == (False, [], 0)


def test_value_in_two_parts() -> None:
    twice = goal(hotel={"info": {"area": "east"}, "fail_info": {"area": "east"}})
    assert len(saying_exactly("d", twice).moves[0].acts or ()) == 1


@pytest.mark.parametrize("rules", ["dialmeter", "gcdf1-repo"])
def test_perfect_user_on_published_goals(rules: str) -> None:
    values = shared("data", "users", "multiwoz21_canonical_map.json.gz")
    conversations = open_conversations(shared("data", "users", "fixture48_dialogues.json.gz"))
    result = score_user(
        [saying_exactly(each.id, each.goal or {}) for each in conversations], rules, value_map=values, ci=0
    )
    assert result.dialogues == 48
    assert {score.value for score in result.scores} == {1.0}


def test_profile_acts_of_perfect_user(tmp_path: Path) -> None:
    """Test a corpus whose acts have other names than in MultiWOZ."""
    wanted = goal(Hotels_1={"info": {"area": "east"}, "requests": ["phone"]})
    moves = (
        Move(
            "user", "East.", (Act("INFORM", "Hotels_1", "area", ("east",)), Act("REQUEST", "Hotels_1", "phone", ("?",)))
        ),
        Move("system", "Here.", (Act("INFORM", "Hotels_1", "phone", ("1",)),), ()),
    )
    file = tmp_path / "sgd.jsonl"
    file.write_text(json.dumps(conversation_to_dict(Conversation("d", moves, wanted))) + "\n")
    settings = UserSettings(named("dialmeter"), profile_named("sgd"))
    found = check_conversations(open_conversations(file), settings)
    assert [each["value"] for each in found.self_scores] == [1.0, 1.0]
    assert "self-score" not in {each.code for each in found.notices}


def test_domain_capitals_warning(tmp_path: Path) -> None:
    each = make_conversation(goal(Hotel={"info": {"area": "east"}}), user("Hotel-Inform area=east"), system(""))
    found = checked(tmp_path, each)
    assert found.valid
    assert [(each.code, each.where) for each in found.notices if each.code.startswith("domain")] == [
        ("domain-in-other-capitals", ("d: Hotel is read as hotel",))
    ]
    score = score_user([each])["I-GCDF1"]
    assert score.value == 1.0
