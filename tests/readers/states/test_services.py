"""None"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.model import Frame
from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.layouts.schema import read_schema
from dialmeter.readers.layouts.services import Sgd
from dialmeter.readers.pairs.slot_names import slot_namer
from dialmeter.readers.source import Sample
from dialmeter.readers.validation import Role

from ...shared_data import shared
from .files import as_json, complaint, read_all


def frame(service: Any, values: Any, **more: Any) -> dict[str, Any]:
    return {"service": service, "state": {"slot_values": values, **more}, "slots": [], "actions": []}


def user(*frames: Any, text: Any = "") -> dict[str, Any]:
    return {"speaker": "USER", "utterance": text, "frames": list(frames)}


def system(text: str = "", *frames: Any) -> dict[str, Any]:
    return {"speaker": "SYSTEM", "utterance": text, "frames": list(frames)}


def talk(*turns: Any, dialogue_id: Any = "1_00000") -> dict[str, Any]:
    return {"dialogue_id": dialogue_id, "services": [], "turns": list(turns)}


STATED = talk(user(frame("a", {})))
SCHEMA = [{"service_name": "a", "slots": [{"name": "b", "is_categorical": True}]}]


def test_a_service_without_a_frame_keeps_its_last_state(tmp_path: Path) -> None:
    thing = talk(
        user(frame("Hotels_1", {"area": ["east", "the east"], "price_range": ["cheap"]}), text="a room"),
        system("when?"),
        user(frame("Taxi_1", {"to": ["x"]}), text="a taxi"),
        system("hm"),
        system("well"),
        user(text="thanks"),
        user(frame("Hotels_1", {"area": []}), frame("Taxi_1", {"to": ["y"]})),
    )
    (found,) = read_all(as_json(tmp_path, [thing]), "sgd", Role.GOLD)
    hotel = {"Hotels_1-area": ("east", "the east"), "Hotels_1-price_range": "cheap"}
    assert [turn.gold for turn in found.turns] == [
        hotel,
        {**hotel, "Taxi_1-to": "x"},
        {**hotel, "Taxi_1-to": "x"},
        {"Hotels_1-area": (), "Taxi_1-to": "y"},
    ]
    assert [turn.number for turn in found.turns] == [0, 1, 2, 3]
    assert [turn.user for turn in found.turns] == ["a room", "a taxi", "thanks", ""]
    assert [turn.system for turn in found.turns] == ["", "when?", "hm well", ""]
    assert [list(turn.frames or ()) for turn in found.turns] == [["Hotels_1"], ["Taxi_1"], [], ["Hotels_1", "Taxi_1"]]


def test_intents_and_requested_slots_by_role(tmp_path: Path) -> None:
    full = frame("Hotels_1", {}, active_intent="Find", requested_slots=["price_range", "phone"])
    path = as_json(tmp_path, [talk(user(full, frame("Taxi_1", {}), {"service": "Bus_1", "slots": []}))])
    (gold,) = read_all(path, "sgd", Role.GOLD)
    assert gold.turns[0].frames == {
        "Hotels_1": Frame(gold_intent="Find", gold_requested=("price_range", "phone")),
        "Taxi_1": Frame(),
    }
    (pred,) = read_all(path, "sgd", Role.PRED)
    assert (pred.turns[0].gold, pred.turns[0].pred) == (None, {})
    assert (pred.turns[0].frames or {})["Hotels_1"] == Frame(
        pred_intent="Find", pred_requested=("price_range", "phone")
    )


def test_multiwoz_22_names(tmp_path: Path) -> None:
    values = {"hotel-bookday": ["monday"], "hotel-pricerange": ["cheap"]}
    (found,) = read_all(as_json(tmp_path, [talk(user(frame("hotel", values)))]), "sgd")
    assert found.turns[0].gold == {"hotel-bookday": "monday", "hotel-pricerange": "cheap"}


def test_requested_slots_lose_only_their_service(tmp_path: Path) -> None:
    asked = frame("hotel", {}, requested_slots=["hotel-bookday", "hotel-bookday", "book_day", "taxi-day"])
    (found,) = read_all(as_json(tmp_path, [talk(user(asked))]), "sgd")
    assert (found.turns[0].frames or {})["hotel"].gold_requested == ("bookday", "bookday", "book_day", "taxi-day")


def test_multiwoz_22_tells_the_whole_state_at_every_turn(tmp_path: Path) -> None:
    hotel, taxi = frame("hotel", {"hotel-area": ["east"]}), frame("taxi", {"taxi-leaveat": ["17:15"]})
    thing = talk(user(hotel), system(), user(taxi, frame("hotel", {})), system(), user(hotel))
    (found,) = read_all(as_json(tmp_path, [thing]), "sgd")
    assert [turn.gold for turn in found.turns] == [
        {"hotel-area": "east"},
        {"taxi-leaveat": "17:15"},
        {"hotel-area": "east"},
    ]


def test_multiwoz_22_forgets_where_a_turn_tells_nothing(tmp_path: Path) -> None:
    thing = talk(user(frame("hotel", {"hotel-area": ["east"]})), system(), user(frame("taxi", {})))
    (found,) = read_all(as_json(tmp_path, [thing]), "sgd")
    assert [turn.gold for turn in found.turns] == [{"hotel-area": "east"}, {}]


def test_two_names_of_one_slot_stay_as_written(tmp_path: Path) -> None:
    (found,) = read_all(as_json(tmp_path, [talk(user(frame("a", {"leave": "1", "leave_at": "2"})))]), "sgd")
    assert found.turns[0].gold == {"a-leave": "1", "a-leave_at": "2"}


def test_a_folder_with_its_schema(tmp_path: Path) -> None:
    as_json(tmp_path, SCHEMA, "schema.json")
    as_json(tmp_path, [STATED | {"dialogue_id": "2"}], "dialogues_002.json")
    packed = gzip.compress(json.dumps([STATED | {"dialogue_id": "1"}]).encode())
    (tmp_path / "dialogues_001.json.gz").write_bytes(packed)
    as_json(tmp_path, [STATED | {"dialogue_id": "1"}], "dialogues_and_metrics.json")
    as_json(tmp_path, {}, "notes.json")
    corpus = open_corpus(tmp_path, Role.GOLD, "sgd")
    assert [found.id for found in corpus] == ["1", "2"]
    assert corpus.schema is not None
    assert corpus.schema.services == {"a": {"b": True}}


@pytest.mark.parametrize(("schema_at", "read_at"), [("", "d.json"), ("", "test"), ("test", "test")])
def test_a_schema_beside_or_above(tmp_path: Path, schema_at: str, read_at: str) -> None:
    as_json(tmp_path, [STATED], "d.json")
    as_json(tmp_path / "test", [STATED], "dialogues_001.json")
    as_json(tmp_path / schema_at, SCHEMA, "schema.json")
    corpus = open_corpus(tmp_path / read_at, Role.GOLD, "sgd")
    assert len(list(corpus)) == 1
    assert corpus.schema is not None


def test_no_schema(tmp_path: Path) -> None:
    corpus = open_corpus(as_json(tmp_path / "deep" / "er", [STATED]), Role.GOLD, "sgd")
    assert len(list(corpus)) == 1
    assert corpus.schema is None


TWICE = ("dialogues_002.json", [STATED], "dialogue 1_00000: duplicate dialogue id")


@pytest.mark.parametrize(("name", "content", "message"), [TWICE, ("schema.json", [], "a schema without slots")])
def test_errors_in_a_folder_name_the_file(name: str, content: Any, message: str, tmp_path: Path) -> None:
    as_json(tmp_path, [STATED], "dialogues_001.json")
    bad = as_json(tmp_path, content, name)
    with pytest.raises(InputError) as caught:
        read_all(tmp_path, "sgd")
    assert str(caught.value) == f"{bad}: {message}"


def test_a_folder_without_dialogues(tmp_path: Path) -> None:
    assert complaint(tmp_path, "sgd") == "a folder without dialogues_*.json"
    assert not Sgd.detect(Sample("folder", tmp_path))


def test_a_doubled_key_outside_the_states_is_refused(tmp_path: Path) -> None:
    text = json.dumps([STATED]).replace('"services": []', '"services": [{"x": 1, "x": 2}]')
    (tmp_path / "dialogues_001.json").write_text(text, encoding="utf-8")
    assert complaint(tmp_path, "sgd") == "dialogue 1_00000: duplicate key 'x'"


def test_published_dialogues() -> None:
    corpus = open_corpus(shared("data", "tracking", "sgd"), Role.GOLD, "sgd")
    dialogues = list(corpus)
    assert len(dialogues) == 128
    assert corpus.schema is not None
    slots = {slot for found in dialogues for turn in found.turns for slot in turn.gold or ()}
    assert slots <= corpus.schema.slots
    assert all(turn.user and turn.frames for found in dialogues for turn in found.turns)


def service(name: Any, *slots: Any) -> dict[str, Any]:
    return {"service_name": name, "slots": list(slots), "intents": []}


def slot(name: Any, categorical: Any = False) -> dict[str, Any]:
    return {"name": name, "is_categorical": categorical, "possible_values": []}


def properties(**named: Any) -> dict[str, Any]:
    return {"type": "object", "properties": named}


def slots(*names: str) -> dict[str, Any]:
    return properties(**{name: {"type": "array"} for name in names})


def test_schema_guided_knows_categorical_slots(tmp_path: Path) -> None:
    path = as_json(tmp_path, [service("Hotels_1", slot("price_range", True), slot("hotel_name")), service("Music_1")])
    schema = read_schema(path)
    assert schema.services == {"Hotels_1": {"price_range": True, "hotel_name": False}, "Music_1": {}}
    assert schema.slots == {"Hotels_1-price_range", "Hotels_1-hotel_name"}


def test_multiwoz_22_writes_the_service_before_the_slot(tmp_path: Path) -> None:
    schema = read_schema(as_json(tmp_path, [service("hotel", slot("hotel-bookday", True), slot("hotel-name"))]))
    assert schema.services == {"hotel": {"bookday": True, "name": False}}


@pytest.mark.parametrize(
    ("thing", "people", "leave"),
    [
        ({"hotel-semi-area": ["east"], "hotel-book-people": ["2"], "train-semi-leaveAt": []}, "people", "leaveAt"),
        ({"hotel-area": ["east"], "hotel-book people": [], "train-leave at": []}, "book people", "leave at"),
        (["hotel-area", "hotel-people", "train-leaveat"], "people", "leaveat"),
        ({"hotel": ["area", "book people"], "train": ["leaveAt"]}, "book people", "leaveAt"),
        (
            {
                "items": properties(
                    hotel=properties(semi=slots("area"), book=slots("people")), train=properties(semi=slots("leaveAt"))
                )
            },
            "people",
            "leaveAt",
        ),
    ],
)
def test_one_schema_in_five_layouts(tmp_path: Path, thing: Any, people: str, leave: str) -> None:
    schema = read_schema(as_json(tmp_path, thing))
    assert schema.services == {"hotel": {"area": False, people: False}, "train": {leave: False}}
    assert schema.slots == {"hotel-area", f"hotel-{people}", f"train-{leave}"}
    assert {*map(slot_namer(), schema.slots)} == {"hotel-area", "hotel-people", "train-leaveat"}


def test_schema_two_names_of_one_slot_stay_as_written(tmp_path: Path) -> None:
    schema = read_schema(as_json(tmp_path, ["hotel-price range", "hotel-pricerange"]))
    assert schema.slots == {"hotel-price range", "hotel-pricerange"}


def test_services_may_all_be_without_slots(tmp_path: Path) -> None:
    assert read_schema(as_json(tmp_path, [service("a"), service("b")])).services == {"a": {}, "b": {}}


def test_a_doubled_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    path.write_text('{"hotel-area": [{"a": 1, "a": 2}]}', encoding="utf-8")
    with pytest.raises(InputError, match="duplicate key 'a'"):
        read_schema(path)


def test_published_schemas() -> None:
    sgd = read_schema(shared("data", "tracking", "sgd", "schema.json"))
    assert len(sgd.services) == 17
    assert sgd.services["Alarm_1"] == dict.fromkeys(
        ["alarm_time", "alarm_name", "new_alarm_time", "new_alarm_name"], False
    )
    dstc10 = read_schema(shared("data", "tracking", "dstc10", "output_schema.json"))
    assert {domain: len(slots) for domain, slots in dstc10.services.items()} == {
        "attraction": 3,
        "hotel": 9,
        "restaurant": 7,
    }
