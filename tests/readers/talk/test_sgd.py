"""Schema-guided dialogues and MultiWOZ 2.2: acts, requested slots, acts in a separate file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.model import Act
from dialmeter.readers.conversations import open_conversations

from ...shared_data import shared
from .samples import read_all

FRAME = {
    "service": "Hotels_1",
    "actions": [
        {"act": "INFORM", "slot": "price_range", "values": ["rather cheap"], "canonical_values": ["cheap"]},
        {"act": "INFORM", "slot": "area", "values": ["east", "west"], "canonical_values": []},
        {"act": "AFFIRM", "slot": "", "values": []},
    ],
    "state": {"active_intent": "FindHotel", "requested_slots": ["phone_number"], "slot_values": {}},
}


def dialogue(*turns: Any, name: str = "1_00000") -> Any:
    return {"dialogue_id": name, "services": [], "turns": list(turns)}


def user(text: str = "hello", *frames: Any, **more: Any) -> Any:
    return {"speaker": "USER", "utterance": text, "frames": list(frames), **more}


def written(path: Path, *dialogues: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(dialogues)))
    return path


def woz22(folder: Path) -> Path:
    """A dialogue of MultiWOZ 2.2 in its folder."""
    state = {"requested_slots": ["hotel-entrancefee", "hotel-phone"], "slot_values": {}}
    frame = {"service": "hotel", "actions": [], "slots": [], "state": state}
    system = {"speaker": "SYSTEM", "utterance": "yes", "frames": [], "turn_id": "1"}
    written(folder / "dialogues_001.json", dialogue(user("hi", frame, turn_id="0"), system, name="MUL1.json"))
    return folder


def test_acts_and_requested_slots(tmp_path: Path) -> None:
    system = {"speaker": "SYSTEM", "utterance": "ok", "frames": [{"service": "Hotels_1", "actions": []}]}
    [talk] = read_all(written(tmp_path / "d.json", dialogue(user("a room", FRAME), system)))
    assert talk.moves[0].acts == (
        Act("INFORM", "Hotels_1", "price_range", ("cheap",)),
        Act("INFORM", "Hotels_1", "area", ("east", "west")),
        Act("AFFIRM", "Hotels_1"),
    )
    assert talk.moves[0].requested == {"Hotels_1": ("Hotels_1-phone_number",)}
    assert (talk.moves[1].acts, talk.moves[1].requested) == ((), None)


def test_a_dialogue_without_any_act_has_none_given(tmp_path: Path) -> None:
    [talk] = read_all(woz22(tmp_path / "test"))
    assert [move.acts for move in talk.moves] == [None, None]
    assert talk.moves[0].requested == {"hotel": ("hotel-entrance fee", "hotel-phone")}


@pytest.mark.parametrize("place", ["test", "."])
def test_acts_in_a_file_of_their_own(tmp_path: Path, place: str) -> None:
    folder = woz22(tmp_path / "test")
    acts = {"0": {"dialog_act": {"Hotel-Inform": [["bookday", "friday"]]}, "span_info": []}, "1": {"dialog_act": {}}}
    (tmp_path / place / "dialog_acts.json").write_text(json.dumps({"MUL1.json": acts}))
    for path in (folder, folder / "dialogues_001.json"):
        [talk] = read_all(path)
        assert [move.acts for move in talk.moves] == [(Act("Hotel-Inform", "hotel", "day", ("friday",)),), ()]


def test_a_folder_is_read_in_order(tmp_path: Path) -> None:
    written(tmp_path / "dialogues_002.json", dialogue(user(), name="c"))
    written(tmp_path / "dialogues_001.json", dialogue(user(), name="a"), dialogue(user(), name="b"))
    written(tmp_path / "schema.json")
    assert open_conversations(tmp_path).format == "sgd"
    assert [talk.id for talk in read_all(tmp_path)] == ["a", "b", "c"]


def test_errors_in_a_folder_name_the_file(tmp_path: Path) -> None:
    part = written(tmp_path / "dialogues_001.json", dialogue(user(), name="a"), dialogue(name="b"))
    file = open_conversations(tmp_path)
    assert [talk.id for talk in file] == ["a"]
    assert [str(error) for error in file.refused] == [f"{part}: dialogue b: a dialogue without utterances"]
    part.write_text("{}")
    with pytest.raises(InputError, match=r"dialogues_001\.json: the file must be a list, found an object"):
        list(open_conversations(tmp_path, "sgd"))
    part.unlink()
    with pytest.raises(InputError, match="a folder without"):
        list(open_conversations(tmp_path, "sgd"))


def test_the_published_sample() -> None:
    talks = read_all(shared("data", "tracking", "sgd"))
    assert len(talks) == 128
    assert sum(len(talk.moves) for talk in talks) == 1650
    names = [act.name for talk in talks for move in talk.moves for act in move.acts or ()]
    assert names.count("OFFER") == 820
    assert all(move.acts is not None for talk in talks for move in talk.moves)
    assert {move.requested is None for talk in talks for move in talk.moves if move.speaker == "system"} == {True}
