"""The format of the published evaluator."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.model import SYSTEM, USER, Act, DomainGoal, Move
from dialmeter.readers.conversations import open_conversations
from dialmeter.readers.layouts.services import Gcdf1
from dialmeter.readers.source import Sample


def dialogue(name: str = "d1", **more: Any) -> dict[str, Any]:
    asked = {"service": "hotel", "actions": [{"act": "Hotel-Request", "slot": "phone", "values": ["?"]}]}
    said = {"service": "general", "actions": [{"act": "general-bye"}, {"act": "x", "slot": None, "values": None}]}
    return {
        "dialogue_id": name,
        "goal": {
            "hotel": {
                "info": {"area": "east", "stars": 4},
                "book": {"people": "2", "invalid": False},
                "reqt": {"phone": "?"},
                "booked": "?",
            },
            "train": {"reqt": ["price"]},
            "message": ["You want a hotel."],
        },
        "turns": [
            {
                "turn_id": "0",
                "speaker": "USER",
                "utterance": "The phone?",
                "frames": [{**asked, "state": {"requested_slots": ["hotel-phone"]}}],
                "nlu": {"frames": []},
            },
            {"turn_id": "1", "speaker": "SYSTEM", "utterance": None, "frames": [said], "nlu": {"frames": [asked]}},
        ],
        **more,
    }


def write(folder: Path, content: Any, name: str = "talk.json", **how: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(content, **how))
    return path


@pytest.mark.parametrize("indent", [None, 2])
def test_dialogue_is_read(tmp_path: Path, indent: int | None) -> None:
    conversations = open_conversations(write(tmp_path, [dialogue()], indent=indent))
    (conversation,) = list(conversations)
    assert conversations.format == "gcdf1"
    request = Act("Hotel-Request", "hotel", "phone", ("?",))
    assert conversation.moves == (
        Move(USER, "The phone?", (request,), (), {"hotel": ("hotel-phone",)}),
        Move(SYSTEM, "", (Act("general-bye", "general"), Act("x", "general")), (request,)),
    )
    assert conversation.goal == {
        "hotel": DomainGoal(info={"area": "east", "stars": "4"}, book={"people": "2"}, requests=("phone",)),
        "train": DomainGoal(requests=("price",)),
    }


def test_packed_files_and_folders(tmp_path: Path) -> None:
    packed = tmp_path / "packed.json.gz"
    packed.write_bytes(gzip.compress(json.dumps([dialogue()]).encode()))
    assert [conversation.id for conversation in open_conversations(packed)] == ["d1"]
    folder = tmp_path / "folder"
    folder.mkdir()
    write(folder, [dialogue("b")], "2.json")
    write(folder, [dialogue("a")], "1.json")
    conversations = open_conversations(folder)
    assert [conversation.id for conversation in conversations] == ["a", "b"]
    assert conversations.format == "gcdf1"


def test_format_without_goals(tmp_path: Path) -> None:
    plain = {key: value for key, value in dialogue().items() if key != "goal"}
    assert Gcdf1.detect(Sample("document", [dialogue()]))
    assert not Gcdf1.detect(Sample("document", [plain]))
    forced = open_conversations(write(tmp_path, [plain]), "gcdf1")
    assert [conversation.goal for conversation in forced] == [None]


def test_values_not_text(tmp_path: Path) -> None:
    frame = {"service": "hotel", "actions": [{"act": "Hotel-Inform", "slot": "stars", "values": [4, True, None, "x"]}]}
    turn = {"speaker": "USER", "frames": [frame]}
    (conversation,) = open_conversations(write(tmp_path, [dialogue(turns=[turn])]))
    assert conversation.moves[0].acts == (Act("Hotel-Inform", "hotel", "stars", ("4", "yes", "x")),)
    assert conversation.moves[0].requested is None
    assert conversation.moves[0].understood is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}', "the file must be a list, found an object"),
        ("[{]", "not valid JSON"),
        ("[1]", "a dialogue must be an object, found a number"),
    ],
)
def test_no_such_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "talk.json"
    path.write_text(text)
    conversations = open_conversations(path, "gcdf1")
    try:
        list(conversations)
    except InputError as error:
        found = str(error)
    else:
        found = str(conversations.refused[0])
    assert found.startswith(str(path))
    assert message.replace("`", "") in found


def test_null_goal_value(tmp_path: Path) -> None:
    goal = {"hotel": {"info": {"area": None}}}
    conversations = open_conversations(write(tmp_path, [dialogue("d7", goal=goal)]))
    assert list(conversations) == []
    assert "dialogue d7, slot hotel-area: a value of a goal must be a string or a number, found null" in str(
        conversations.refused[0]
    )


def test_schema_beside_dialogues(tmp_path: Path) -> None:
    write(tmp_path, [dialogue()], "talk.json")
    write(tmp_path, [{"service_name": "hotel", "slots": []}], "schema.json")
    assert [conversation.id for conversation in open_conversations(tmp_path)] == ["d1"]


def test_goals_of_which_no_id_matches(tmp_path: Path) -> None:
    goals = write(tmp_path, {"other.json": {"hotel": {"info": {"area": "east"}}}}, "goals.json")
    with pytest.raises(InputError, match="none of its 1 ids is a dialogue id"):
        list(open_conversations(write(tmp_path, [dialogue()]), goals=goals))


def test_task_of_user(tmp_path: Path) -> None:
    (conversation,) = open_conversations(write(tmp_path, [dialogue()]))
    assert conversation.task == "You want a hotel."
