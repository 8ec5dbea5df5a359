"""``dialmeter check`` of users: the content of a file, and whether it can be scored."""

from __future__ import annotations

import json
from pathlib import Path

from jsonschema import Draft202012Validator

from dialmeter.model import Conversation

from ...users.conversations import goal, make_conversation, system, user
from ..invoke import SCHEMAS, Cli
from ..user_samples import HOTEL, TALKS, users


def test_goals_without_requests(cli: Cli, tmp_path: Path) -> None:
    assert "a user that says exactly its goal: I-GCDF1 100.00\n" in cli("check", users(tmp_path, TALKS[2:3]), "-v").out


def test_problems_in_document(cli: Cli, tmp_path: Path) -> None:
    conversations = [TALKS[0], Conversation("bad", (), HOTEL), Conversation("worse", TALKS[0].moves[1:], HOTEL)]
    result = cli("check", users(tmp_path, conversations), "-f", "json", code=2)
    Draft202012Validator(json.loads((SCHEMAS / "check-user.json").read_text())).validate(result.json)
    assert [each["message"] for each in result.json["problems"]] == [
        "a dialogue without turns",
        "the system speaks first; user and system take turns, the user first",
    ]
    assert result.json["problems"][1]["where"][0].endswith(
        "dialogue worse, turn 0: " + result.json["problems"][1]["message"]
    )
    assert len(result.err.splitlines()) == 2


def test_unreachable_goals_named(cli: Cli, tmp_path: Path) -> None:
    """If a map makes two values of one goal equal, every user misses one of them."""
    wanted = goal(hotel={"info": {"area": "centre"}, "book": {"area": "center"}})
    file = users(
        tmp_path, [TALKS[0], make_conversation(wanted, user("Hotel-Inform area=centre"), system(""), name="twofold")]
    )
    values = tmp_path / "map.json"
    values.write_text(json.dumps({"area": {"centre": ["centre", "center"], "east": ["east"]}}))
    assert "self-score" not in cli("check", file, "-f", "json").out
    found = cli.json("check", file, "--set", f"map={values}")
    [notice] = [each for each in found["warnings"] if each["code"] == "self-score"]
    assert (notice["count"], notice["where"]) == (1, ["twofold"])
    assert found["scores"][0]["value"] < 1
