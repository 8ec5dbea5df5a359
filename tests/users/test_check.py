"""Looking at dialogues before they are scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.model import Conversation
from dialmeter.readers.conversations import open_conversations
from dialmeter.readers.own.native import written
from dialmeter.users.check import UserCheck, check_talk, saying_exactly
from dialmeter.users.profile import named as profile_named
from dialmeter.users.result import How
from dialmeter.users.rules import named
from dialmeter.users.scorer import score_user

from ..shared_data import shared
from .talks import goal, system, talk, user

HOTEL = goal(hotel={"info": {"area": "east", "stars": "4"}, "book": {"people": "2"}, "requests": ["phone"]})
TALK = talk(HOTEL, user("Hotel-Inform area=east"), system(""))


def checked(folder: Path, *talks: Conversation) -> UserCheck:
    file = folder / "users.jsonl"
    file.write_text("".join(json.dumps(written(each)) + "\n" for each in talks))
    return check_talk(open_conversations(file), How(named("dialmeter"), profile_named("multiwoz")), lambda each: each)


def test_what_is_in_a_file_is_counted(tmp_path: Path) -> None:
    found = checked(tmp_path, TALK)
    assert found.counts == {"dialogues": 1, "turns": 2, "domains": 1, "constraints": 3, "requests": 1}
    assert found.fit
    assert [each["value"] for each in found.self_scores] == [1.0, 1.0]


def test_what_cannot_be_scored_is_a_problem_and_does_not_count(tmp_path: Path) -> None:
    found = checked(tmp_path, TALK, Conversation("two", TALK.moves), Conversation("three", (), HOTEL))
    assert not found.fit
    assert found.counts["dialogues"] == 1
    assert [each.message.partition(";")[0] for each in found.problems] == ["no goal", "a dialogue without turns"]
    assert "refused" not in {each.code for each in found.notices}


def test_a_file_of_nothing_but_problems(tmp_path: Path) -> None:
    found = checked(tmp_path, Conversation("three", (), HOTEL))
    assert (found.fit, found.self_scores, found.counts["dialogues"]) == (False, [], 0)


def test_a_value_that_stands_in_two_parts_is_said_once() -> None:
    twice = goal(hotel={"info": {"area": "east"}, "fail_info": {"area": "east"}})
    assert len(saying_exactly("d", twice).moves[0].acts or ()) == 1


@pytest.mark.parametrize("rules", ["dialmeter", "gcdf1-repo"])
def test_a_user_that_says_exactly_its_goal_scores_1_on_published_goals(rules: str) -> None:
    values = shared("data", "users", "multiwoz21_canonical_map.json.gz")
    talks = open_conversations(shared("data", "users", "fixture48_dialogues.json.gz"))
    result = score_user([saying_exactly(each.id, each.goal or {}) for each in talks], rules, value_map=values, ci=0)
    assert result.dialogues == 48
    assert {score.value for score in result.scores} == {1.0}
