"""The unified format of ConvLab-3: acts of three kinds, goals with inform and request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dialmeter.model import Act, DomainGoal
from dialmeter.readers.conversations import open_conversations

from .samples import read_all

GOAL = {
    "description": "You want a room.",
    "inform": {
        "hotel": {"price range": "cheap", "area": "west|east", "book day": "friday|sunday", "stars": "4|4"},
        "taxi": {},
    },
    "request": {"hotel": {"phone": "", "book stay": ""}, "train": {"train id": ""}, "taxi": {}},
}


def dialogue(*turns: Any, name: str = "multiwoz21-test-0", goal: Any = None) -> Any:
    return {"dataset": "multiwoz21", "dialogue_id": name, "goal": goal, "turns": list(turns)}


def turn(speaker: str = "user", **acts: list[Any]) -> Any:
    return {"speaker": speaker, "utterance": "x", "utt_idx": 0, "dialogue_acts": {key: acts[key] for key in acts}}


def act(intent: str, domain: str, slot: str = "", value: str | None = None) -> dict[str, str]:
    found = {"intent": intent, "domain": domain, "slot": slot}
    return found if value is None else {**found, "value": value}


def written(folder: Path, *dialogues: Any) -> Path:
    path = folder / "dialogues.json"
    path.write_text(json.dumps(list(dialogues)))
    return path


def test_acts(tmp_path: Path) -> None:
    kinds = {
        "categorical": [act("inform", "hotel", "price range", "cheap|moderate")],
        "non-categorical": [act("book", "hotel", "ref", "X1"), act("inform", "train", "leave at", "09:15")],
        "binary": [act("request", "taxi", "phone"), act("bye", "general"), act("nobook", "hotel"), act("greet", "")],
    }
    unmarked = {"speaker": "system", "utterance": "y", "utt_idx": 1}
    [talk] = read_all(written(tmp_path, dialogue(turn(**kinds), unmarked)))
    assert talk.moves[0].acts == (
        Act("hotel-inform", "hotel", "pricerange", ("cheap", "moderate")),
        Act("hotel-book", "hotel", "ref", ("X1",)),
        Act("train-inform", "train", "leaveat", ("09:15",)),
        Act("taxi-request", "taxi", "phone"),
        Act("general-bye", "general"),
        Act("hotel-nobook", "hotel"),
        Act("greet", ""),
    )
    assert talk.moves[1].acts is None
    assert talk.goal is None


def test_goals_and_what_they_do_not_say(tmp_path: Path) -> None:
    file = open_conversations(written(tmp_path, dialogue(turn(), goal=GOAL), dialogue(turn(), name="other", goal={})))
    talk, other = file
    assert talk.goal == {
        "hotel": DomainGoal(
            info={"pricerange": "cheap", "area": "east", "stars": "4"},
            fail_info={"area": "west"},
            book={"day": "sunday"},
            fail_book={"day": "friday"},
            requests=("phone", "stay"),
        ),
        "train": DomainGoal(requests=("trainid",)),
    }
    assert other.goal == {}
    [notice] = file.notices
    assert (notice.code, notice.count, notice.where) == ("convlab3-goals", 1, (talk.id,))
    assert "fail first" in notice.message
    assert "no booking domain" in notice.message


def test_without_goals_nothing_is_warned_of(tmp_path: Path) -> None:
    file = open_conversations(written(tmp_path, dialogue(turn())))
    assert list(file)
    assert not file.notices
