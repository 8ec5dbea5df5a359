"""Tests of invalid dialogues: the message has dialogue and turn, and the other dialogues are scored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import DialmeterError, InputError
from dialmeter.model import Conversation, Move
from dialmeter.users.scorer import UserScorer

from .conversations import goal, make_conversation, system, user
from .scoring import score_user

GOAL = goal(hotel={"info": {"area": "east"}, "requests": ["phone"]})
AREA = user("Hotel-Inform area=east")
FINE = make_conversation(GOAL, AREA, system("Hotel-Inform phone=1"), name="fine")

REFUSED = {
    "no goal": (Conversation("bad", (AREA, system(""))), "dialogue bad: no goal"),
    "empty goal": (Conversation("bad", (AREA, system("")), {}), "dialogue bad: the goal is empty"),
    "empty dialogue": (Conversation("bad", (), GOAL), "dialogue bad: a dialogue without turns"),
    "two user turns": (Conversation("bad", (AREA, AREA), GOAL), "dialogue bad, turn 1: two user turns in a row"),
    "two system turns": (
        Conversation("bad", (AREA, system(""), system("")), GOAL),
        "dialogue bad, turn 2: two system turns in a row",
    ),
    "system first": (Conversation("bad", (system(""), AREA), GOAL), "dialogue bad, turn 0: the system speaks first"),
    "a third speaker": (
        Conversation("bad", (AREA, Move("wizard")), GOAL),
        "dialogue bad, turn 1: speaker must be user or system, found 'wizard'",
    ),
    "the same again": (FINE, "dialogue fine: duplicate dialogue id"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_unscorable_dialogue_refused_alone(name: str) -> None:
    bad, message = REFUSED[name]
    result = score_user([FINE, bad], ci=0)
    assert [str(error)[: len(message)] for error in result.refused] == [message]
    assert (result.dialogues, result.value) == (1, 1.0)
    notice = next(each for each in result.notices if each.code == "unscored")
    assert notice.count == 1
    assert notice.where[0].startswith(message)
    assert "scored:1/2" in result.signature


def test_nothing_scorable() -> None:
    with pytest.raises(InputError, match="no dialogue can be scored; first error: dialogue bad: no goal"):
        score_user([REFUSED["no goal"][0]])
    with pytest.raises(InputError, match="no dialogue can be scored"):
        UserScorer().result()


NOTICED = {
    "unknown-act": (
        make_conversation(GOAL, user("Hotel-Inform area=east | Hotel-Sing area=east"), system("Hotel-Inform phone=1")),
        "d turn 0: Hotel-Sing",
    ),
    "unknown-domain": (
        make_conversation(GOAL, user("Hotel-Inform area=east"), system("Hotel-Inform phone=1 | Spa-Inform phone=1")),
        "d turn 1: spa",
    ),
    "act-without-value": (
        make_conversation(GOAL, user("Hotel-Inform area=east | Hotel-Inform stars"), system("Hotel-Inform phone=1")),
        "d turn 0: hotel-stars",
    ),
    "said-in-booking": (
        make_conversation(
            GOAL, user("Hotel-Inform area=east | Booking-Inform people=2"), system("Hotel-Inform phone=1")
        ),
        "d turn 0: people",
    ),
    "no-understanding": (
        make_conversation(GOAL, AREA, system("Hotel-Inform phone=1"), heard_all=False),
        "d turn 1",
    ),
    "no-acts": (
        make_conversation(GOAL, AREA, system("Hotel-Inform phone=1"), Move("user", "Thanks!"), system("")),
        "d turn 2",
    ),
}


@pytest.mark.parametrize("rules", ["dialmeter", "gcdf1-repo"])
@pytest.mark.parametrize("code", NOTICED)
def test_odd_dialogue_noticed_and_scored(code: str, rules: str) -> None:
    odd, where = NOTICED[code]
    result = score_user([odd], rules, ci=0)
    assert result.value == 1.0
    notice = next(each for each in result.notices if each.code == code)
    assert (notice.count, notice.where) == (1, (where,))


def test_unknown_goal_domain_noticed() -> None:
    wanted = goal(spa={"info": {"area": "east"}})
    result = score_user([make_conversation(wanted, user("Spa-Inform area=east"), system(""))], ci=0)
    assert result.value == 1.0
    assert next(each for each in result.notices if each.code == "unknown-domain").where[0] == "d turn 0: spa"


@pytest.mark.parametrize("said", ["Hotel-Inform area=east", "Hotel-Inform area=east | Hotel-Inform"])
def test_no_notice(said: str) -> None:
    assert score_user([make_conversation(GOAL, user(said), system("Hotel-Inform phone=1"))]).notices == []


def test_confidence_must_be_share() -> None:
    with pytest.raises(DialmeterError, match="ci must be between 0 and 1"):
        score_user([FINE], ci=95)


def published(dialogue_id: str, **more: Any) -> dict[str, Any]:
    """Return a dialogue in the published format."""
    inform = {"act": "Hotel-Inform", "slot": "area", "values": ["east"]}
    turns = [
        {"turn_id": "0", "speaker": "USER", "utterance": "", "frames": [{"service": "hotel", "actions": [inform]}]},
        {"turn_id": "1", "speaker": "SYSTEM", "utterance": "", "frames": [], "nlu": {"frames": []}},
    ]
    return {"dialogue_id": dialogue_id, "goal": {"hotel": {"info": {"area": "east"}}}, "turns": turns, **more}


def without(record: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != key}


TURNS = published("x")["turns"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (published("bad", turns=TURNS[::-1]), "dialogue bad, turn 0: turns are out of order: 0 comes after 1"),
        (
            published("bad", turns=[{**TURNS[0], "turn_id": "x"}]),
            "dialogue bad, turn 0: turn_id must be a whole number",
        ),
        (published("bad", turns=[]), "dialogue bad: a dialogue without turns"),
        (
            published("bad", turns=[TURNS[0], {"turn_id": "1"}]),
            "dialogue bad, turn 1: turns[1] has no speaker",
        ),
        (without(published("bad"), "turns"), "dialogue bad: the dialogue has no turns"),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_file_with_bad_dialogue(tmp_path: Path, bad: Any, message: str, indent: int | None) -> None:
    path = tmp_path / "users.json"
    path.write_text(json.dumps([published("fine"), bad, published("also fine")], indent=indent))
    result = score_user(path, ci=0)
    assert str(result.refused[0]).startswith(f"{path}: {message}")
    assert (len(result.refused), result.dialogues, result.value) == (1, 2, 1.0)


def test_acts_not_needed(tmp_path: Path) -> None:
    path = tmp_path / "users.json"
    silent = {
        "turn_id": "1",
        "speaker": "SYSTEM",
        "frames": [{"service": "hotel", "actions": [{"act": "Hotel-Inform", "slot": None, "values": None}]}],
    }
    path.write_text(json.dumps([published("d", turns=[TURNS[0], silent])]))
    result = score_user(path)
    assert result.value == 1.0
    assert [notice.code for notice in result.notices] == ["no-understanding"]
