"""Rules, profiles, value maps and text-only users, as settings of ``dialmeter score``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dialmeter.model import Conversation, Move

from ...users.conversations import goal, make_conversation, system, user
from ..invoke import Cli
from ..user_samples import TALKS, users


def score(cli: Cli, *words: Any) -> dict[str, Any]:
    return cli.json("score", *words)


def value(found: dict[str, Any], measure: str = "I-GCDF1", domain: str = "combined") -> float:
    return next(each["value"] for each in found["scores"] if (each["measure"], each["domain"]) == (measure, domain))


def test_setting_in_score_and_signature(cli: Cli, tmp_path: Path) -> None:
    file = users(tmp_path, TALKS[2:3])
    usual = score(cli, file)
    off = ("elicited_by_sys_question", "repeated_when_answering_request")
    strict = score(cli, file, *(word for name in off for word in ("--set", f"repetitions.{name}=false")))
    assert value(strict) < value(usual)
    assert "elicited_by_sys_question" in usual["events"]
    assert "elicited_by_sys_question" not in strict["events"]
    assert "|" + "|".join(f"repetitions.{name}:false" for name in off) + "|" in strict["scores"][0]["signature"]


def test_rules_of_file(cli: Cli, tmp_path: Path) -> None:
    file = users(tmp_path, TALKS[2:3])
    rules = tmp_path / "strict.toml"
    rules.write_text('about = "No second chance."\n[repetitions]\nmax = 0\n')
    by_file = score(cli, file, "--rules", rules)
    assert value(by_file) == value(score(cli, file, "--set", "repetitions.max=0"))
    assert "|rules:strict|base:dialmeter|repetitions.max:0|" in by_file["scores"][0]["signature"]


PROFILE = """
about = "A corpus of bike hire."
domains = ["bikes"]
[acts]
inform = "^tell$"
request = "^ask$"
"""


def test_profile_of_ones_own(cli: Cli, tmp_path: Path) -> None:
    line = {
        "dialogue_id": "d1",
        "goal": {"bikes": {"info": {"size": "large"}, "requests": ["price"]}},
        "talk": [
            {
                "speaker": "user",
                "acts": [
                    {"name": "tell", "service": "bikes", "slot": "size", "values": ["large"]},
                    {"name": "ask", "service": "bikes", "slot": "price"},
                ],
            },
            {"speaker": "system", "acts": [], "understood": []},
        ],
    }
    file = tmp_path / "bikes.jsonl"
    file.write_text(json.dumps(line) + "\n")
    profile = tmp_path / "bikes.toml"
    profile.write_text(PROFILE)
    found = score(cli, file, "--set", f"profile={profile}")
    assert value(found) == value(found, "R-GCDF1") == 1
    assert "|profile:bikes@" in found["scores"][0]["signature"]
    assert found["warnings"] == []
    under_multiwoz = score(cli, file)
    assert value(under_multiwoz) == 0
    assert {each["code"] for each in under_multiwoz["warnings"]} == {"unknown-act", "unknown-domain"}


EATING = goal(restaurant={"info": {"food": "thai", "area": "centre"}})
OTHER_WORDS = make_conversation(
    EATING, user("Restaurant-Inform food=siamese | Restaurant-Inform area=centr"), system("")
)
MAP = {"food": {"thai": ["thai", "siamese"]}, "area": {"centre": ["centre", "city centre"], "east": ["east"]}}


def test_value_map_forms(cli: Cli, tmp_path: Path) -> None:
    values = tmp_path / "map.json"
    values.write_text(json.dumps(MAP))
    file = users(tmp_path, [OTHER_WORDS])
    assert value(score(cli, file)) == 0
    mapped = score(cli, file, "--set", f"map={values}")
    assert value(mapped) == 1
    assert "|map:own@" in mapped["scores"][0]["signature"]
    exact = score(cli, file, "--set", f"map={values}", "--set", "values.fuzzy=false")
    assert value(exact) == 0.5
    assert value(score(cli, file, "--set", f"map={values}", "--set", "values.map=false")) == 0


def test_shipped_map_by_name(cli: Cli, tmp_path: Path) -> None:
    wanted = goal(attraction={"info": {"type": "nightclub", "name": "the junction"}})
    result = make_conversation(
        wanted, user("Attraction-Inform type=night club | Attraction-Inform name=junction theatre"), system("")
    )
    file, run = users(tmp_path, [result]), tmp_path / "run"
    assert value(score(cli, file)) == 0
    mapped = score(cli, file, "--set", "map=multiwoz", "--out", run)
    assert value(mapped) == 1
    assert not mapped["warnings"]
    assert "|map:multiwoz@" in mapped["scores"][0]["signature"]
    manifest = json.loads((run / "run.json").read_text())
    assert manifest["map"].startswith("multiwoz@")
    assert [each["role"] for each in manifest["inputs"]] == ["dialogues"]


SPOKEN = Conversation(
    "spoken",
    (
        Move("user", "I want a restaurant with siamese food."),
        Move("system", "Which part of town?"),
        Move("user", "The city centre, please. What is the phone number?"),
        Move("system", "It is 01223 356354."),
    ),
    goal(restaurant={"info": {"food": "thai", "area": "centre"}, "requests": ["phone"]}),
)


def test_users_that_only_speak(cli: Cli, tmp_path: Path) -> None:
    values = tmp_path / "map.json"
    values.write_text(json.dumps(MAP))
    file = users(tmp_path, [SPOKEN])
    unread = score(cli, file, "--set", f"map={values}")
    assert value(unread) == 0
    [notice] = [each for each in unread["warnings"] if each["code"] == "no-acts"]
    assert "(to read their text: --set acts=rules)" in notice["message"]
    read = score(cli, file, "--set", f"map={values}", "--set", "acts=rules")
    assert value(read) == value(read, "R-GCDF1") == 1
    assert "|from:text(rules)|" in read["scores"][0]["signature"]
    [notice] = [each for each in read["warnings"] if each["code"] == "from-text"]
    assert (notice["count"], notice["where"][0]) == (4, "spoken turn 0: rules")
    result = cli("score", file, "--set", f"map={values}", "--set", "acts=rules")
    assert "warning: 4 turns without acts whose constraints and requests were read from the text" in result.err
    assert "|from:text(rules)|" in result.out
